/*
 * list.h
 *	  The averages of parameters.  A new one is one header in this folder and one
 *	  entry here.
 *
 * OSML_AVERAGE(symbol, function, name, meaning)
 *
 * Read several times, as loss/list.h is.
 */
#include "rules/average/ema.h"
OSML_AVERAGE(EMA, osml_average_ema, "ema",
			 "exponential moving average, the past weighs by decay")

#include "rules/average/swa.h"
OSML_AVERAGE(SWA, osml_average_swa, "swa",
			 "stochastic weight averaging, the mean of all")
