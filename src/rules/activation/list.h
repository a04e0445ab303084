/*
 * list.h
 *	  The activations.  A new one is one header in this folder and one entry here.
 *
 * OSML_ACTIVATION(symbol, function, name, meaning)
 *
 * Read several times, as loss/list.h is.
 */
#include "rules/activation/relu.h"
OSML_ACTIVATION(RELU, osml_activation_relu, "relu", "max(0, z)")
