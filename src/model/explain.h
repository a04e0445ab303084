/*
 * explain.h
 *	  Why a row's output is what it is, column by column.
 *
 * An output (an amount, log odds, a class's score, the logarithm of a mean: before
 * the link), or a mixture of outputs, is that of the average training row plus what
 * each column of the model adds: for a linear model weight times distance from the average, which is also
 * the Shapley value of independent columns, exact to rounding; for a network
 * integrated gradients (mlp_explain.c), whose sum is off by at most
 * OSML_EXPLAIN_ERROR of the sum of what the columns add, all counted as positive.
 * float32 models are explained in float64, and so differ from what they predict by
 * the rounding of float32.
 */
#ifndef OSML_EXPLAIN_H
#define OSML_EXPLAIN_H

#include "model/predictor.h"

#define OSML_EXPLAIN_ERROR 1e-6

/* values of OsmlAverageRow.codes */
extern size_t osml_average_values(const OsmlModelSpec *spec);

/*
 * Fill code column k's part of OsmlAverageRow.codes, code_width values: the mean
 * of its codes' values, each as often as count[code] says; 0 where all counts
 * are.  room: as many values.
 */
extern void osml_average_code(const OsmlModelSpec *spec, const void *params, int k,
							  const int64_t *count, double *average, double *room);

/* bytes that osml_explain_row() works in, zeroed */
extern size_t osml_explain_bytes(const OsmlPredictor *predictor);

typedef struct OsmlExplained
{
	double		baseline;		/* of the average row */
	double		output;			/* of the row */
	double		error;			/* |output - baseline - sum of what columns add| */
} OsmlExplained;

/*
 * The mixture that explains class k.  Scores of several classes have no zero of
 * their own: adding the same to all of them changes no probability, and training
 * leaves of it what the initial parameters had.  So a score is explained less the
 * mean of all, the logarithm of the class's probability less the mean logarithm
 * (the centred log-ratio).  Of two classes with one output, log odds of class k.
 */
extern void osml_explain_class(const OsmlModelSpec *spec, int k, double *mix);

/*
 * The sum of mix[k] times output k of a raw row, codes as for osml_predictor_row(): attribution gets
 * n_dense values, then one a code column.  average: what osml_average_code() made.
 * pause: called now and then, or NULL.
 */
extern OsmlExplained osml_explain_row(const OsmlPredictor *predictor,
									  const double *average, const double *raw,
									  const int32_t *codes, const double *mix,
									  double *attribution, void *buf, osml_pause_fn pause);

#endif							/* OSML_EXPLAIN_H */
