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
#include "rules/schedule/linear.h"
OSML_SCHEDULE(LINEAR, osml_schedule_linear, "linear",
			  "falls in a line to 0 at the end")
