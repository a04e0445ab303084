/*
 * both.h
 *	  Reads OSML_RULE_FILE twice: OSML_REAL as double, then as float.
 *
 * C has no templates.  A typed file includes this one from its first half and
 * keeps its functions in the second, which is read twice and then no more:
 *
 *		#ifndef OSML_LOSS_MSE_H
 *		#define OSML_LOSS_MSE_H
 *		#define OSML_RULE_FILE "rules/loss/mse.h"
 *		#include "rules/both.h"
 *		#define OSML_LOSS_MSE_H_DONE
 *		#elif !defined(OSML_LOSS_MSE_H_DONE)
 *		... functions named OSML_TYPED(name), on OSML_REAL ...
 *		#endif
 *
 * OSML_TYPED(name) is name_f64 or name_f32.  There is no include guard: each
 * typed file comes through here once.
 */
#include "rules/rule.h"

#ifdef OSML_RULE_FILE

#define OSML_REAL double
#define OSML_REAL_IS_FLOAT 0
#define OSML_TYPED(name) name##_f64
#define OSML_SQRT(x) sqrt(x)
#include OSML_RULE_FILE
#undef OSML_REAL
#undef OSML_REAL_IS_FLOAT
#undef OSML_TYPED
#undef OSML_SQRT

#define OSML_REAL float
#define OSML_REAL_IS_FLOAT 1
#define OSML_TYPED(name) name##_f32
#define OSML_SQRT(x) sqrtf(x)
#include OSML_RULE_FILE
#undef OSML_REAL
#undef OSML_REAL_IS_FLOAT
#undef OSML_TYPED
#undef OSML_SQRT

#undef OSML_RULE_FILE
#endif							/* OSML_RULE_FILE */
