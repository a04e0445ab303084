/*
 * list.h
 *	  The learning-rate schedules.  A new one is one header in this folder and
 *	  one entry here.
 *
 * OSML_SCHEDULE(symbol, function, name, needs_total, meaning)
 *
 *	needs_total	has no shape without the number of steps; told 0 it stays at lr
 *
 * Read several times, as loss/list.h is.
 */
#include "rules/schedule/constant.h"
OSML_SCHEDULE(CONSTANT, osml_schedule_constant, "constant", false,
			  "lr throughout")
#include "rules/schedule/linear.h"
OSML_SCHEDULE(LINEAR, osml_schedule_linear, "linear", true,
			  "falls in a line to 0 at the end")
#include "rules/schedule/step.h"
OSML_SCHEDULE(STEP, osml_schedule_step, "step", false,
			  "drops by the factor gamma every step_size steps")
#include "rules/schedule/exponential.h"
OSML_SCHEDULE(EXPONENTIAL, osml_schedule_exponential, "exponential", false,
			  "falls by the factor gamma every step")
#include "rules/schedule/cosine.h"
OSML_SCHEDULE(COSINE, osml_schedule_cosine, "cosine", true,
			  "falls along half a cosine to eta_min at the end")
#include "rules/schedule/one_cycle.h"
OSML_SCHEDULE(ONE_CYCLE, osml_schedule_one_cycle, "one_cycle", true,
			  "rises to lr during pct_start of the steps, then falls far below its start")
#include "rules/schedule/reduce_on_plateau.h"
OSML_SCHEDULE(REDUCE_ON_PLATEAU, osml_schedule_reduce_on_plateau,
			  "reduce_on_plateau", false,
			  "drops by plateau_factor when a metric has stopped improving")
