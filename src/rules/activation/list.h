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

#include "rules/activation/leaky_relu.h"
OSML_ACTIVATION(LEAKY_RELU, osml_activation_leaky_relu, "leaky_relu", "max(0, z) + 0.01 min(0, z)")

#include "rules/activation/tanh.h"
OSML_ACTIVATION(TANH, osml_activation_tanh, "tanh", "hyperbolic tangent of z")

#include "rules/activation/sigmoid.h"
OSML_ACTIVATION(SIGMOID, osml_activation_sigmoid, "sigmoid", "1 / (1 + e^-z)")

#include "rules/activation/gelu.h"
OSML_ACTIVATION(GELU, osml_activation_gelu, "gelu", "z times the normal distribution function at z")

#include "rules/activation/silu.h"
OSML_ACTIVATION(SILU, osml_activation_silu, "silu", "z / (1 + e^-z)")
