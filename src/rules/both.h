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
#define OSML_EXP(x) exp(x)
#define OSML_LOG(x) log(x)
#define OSML_LOG1P(x) log1p(x)
#define OSML_TANH(x) tanh(x)
#define OSML_ERF(x) erf(x)
#include OSML_RULE_FILE
#undef OSML_REAL
#undef OSML_REAL_IS_FLOAT
#undef OSML_TYPED
#undef OSML_SQRT
#undef OSML_EXP
#undef OSML_LOG
#undef OSML_LOG1P
#undef OSML_TANH
#undef OSML_ERF

#define OSML_REAL float
#define OSML_REAL_IS_FLOAT 1
#define OSML_TYPED(name) name##_f32
#define OSML_SQRT(x) sqrtf(x)
#define OSML_EXP(x) expf(x)
#define OSML_LOG(x) logf(x)
#define OSML_LOG1P(x) log1pf(x)
#define OSML_TANH(x) tanhf(x)
#define OSML_ERF(x) erff(x)
#include OSML_RULE_FILE
#undef OSML_REAL
#undef OSML_REAL_IS_FLOAT
#undef OSML_TYPED
#undef OSML_SQRT
#undef OSML_EXP
#undef OSML_LOG
#undef OSML_LOG1P
#undef OSML_TANH
#undef OSML_ERF

#undef OSML_RULE_FILE
#endif							/* OSML_RULE_FILE */
