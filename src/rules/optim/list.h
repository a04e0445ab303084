/*
 * list.h
 *	  The optimisers.  A new one is one header in this folder and one entry
 *	  here.
 *
 * OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning)
 *
 *	function		one parameter's step; function_rate: how far a gradient of 1 moves
 *					it, by which an l1 penalty is scaled
 *					function_follows: see OsmlOptimInfo
 *	slots			values of state kept for each parameter
 *	weight_decay	the default where the user gives none
 *
 * Read several times, as loss/list.h is.
 */
#include "rules/optim/adamw.h"
OSML_OPTIM(ADAMW, osml_optim_adamw, "AdamW", 2, 0.01,
		   "Adam with decoupled weight decay")

#include "rules/optim/adam.h"
OSML_OPTIM(ADAM, osml_optim_adam, "Adam", 2, 0.0,
		   "Adam with weight decay as L2 in the gradient")

#include "rules/optim/sgd.h"
OSML_OPTIM(SGD, osml_optim_sgd, "SGD", 1, 0.0,
		   "gradient descent with momentum, dampening and Nesterov")
