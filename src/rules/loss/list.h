/*
 * list.h
 *	  The losses.  A new one is one header in this folder and one entry here.
 *
 * OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, link,
 *			 meaning)
 *
 *	is_squared	the loss is a sum of squares, so that steps may be taken from
 *				XᵀX and Xᵀy, and scale_label "auto" standardises the label
 *	uses_param	reads its parameter (huber_delta)
 *	unit_power	value in the label's own units = value of the scaled label
 *				times label_scale to this power; the parameter is divided by
 *				label_scale when unit_power is not 0.  0: there is none, and values
 *				are of the label as it is trained with
 *	link		what turns the output into a prediction, see link.h; every model
 *				of that task can be trained with it
 *
 * Read several times under different definitions of OSML_LOSS; the headers
 * that it includes have guards, and are read the first time only.
 */
#include "rules/loss/mse.h"
OSML_LOSS(MSE, osml_loss_mse, "mse", true, false, 2, IDENTITY,
		  "squared error, (z - y)^2")

#include "rules/loss/mae.h"
OSML_LOSS(MAE, osml_loss_mae, "mae", false, false, 1, IDENTITY,
		  "absolute error, |z - y|")

#include "rules/loss/huber.h"
OSML_LOSS(HUBER, osml_loss_huber, "huber", false, true, 2, IDENTITY,
		  "half the squared error up to huber_delta, linear beyond")

#include "rules/loss/logloss.h"
OSML_LOSS(LOGLOSS, osml_loss_logloss, "logloss", false, false, 0, LOGISTIC,
		  "binary cross entropy of the second class's probability")

#include "rules/loss/poisson.h"
OSML_LOSS(POISSON, osml_loss_poisson, "poisson", false, false, 0, EXP,
		  "negative log likelihood of a count, e^z - y z")
