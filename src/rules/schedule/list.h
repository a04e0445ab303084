/*
 * list.h
 *	  The learning-rate schedules.  A new one is one header in this folder and
 *	  one entry here.
 *
 * OSML_SCHEDULE(symbol, function, name, meaning)
 *
 * Read several times, as loss/list.h is.
 */
#include "rules/schedule/constant.h"
OSML_SCHEDULE(CONSTANT, osml_schedule_constant, "constant",
			  "lr throughout")
