/*
 * list.h
 *	  The losses of a row with one output a class.  A new one is one header in
 *	  the folder above and one entry here.
 *
 * OSML_CLASS_LOSS(symbol, function, name, link, meaning)
 *
 * Their numbers follow those of ../list.h.
 */
#include "rules/loss/cross_entropy.h"
OSML_CLASS_LOSS(CROSS_ENTROPY, osml_loss_cross_entropy, "cross_entropy", SOFTMAX,
				"cross entropy of the classes' probabilities, -log p[y]")
