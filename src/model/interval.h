/*
 * interval.h
 *	  How sure a prediction is: intervals from what a model missed on rows that it
 *	  was not trained on.
 *
 * Split conformal prediction.  Of n held-out rows and a new one, all drawn alike,
 * the new one's residual is as likely to be the k-th lowest as any other, whatever
 * the model and the distribution.  So a label is above the prediction plus the j-th
 * highest residual with a probability of at most j / (n + 1), and below that plus
 * the j-th lowest as well: with j = floor((n + 1) (1 - level) / 2) the interval
 * between them covers a share of `level` of the rows at least, on average over rows
 * and held-out sets.  With j = 0, too few rows for the level, it has no end.
 *
 * Each tail has its own quantile, so that the intervals of skewed labels are skewed
 * as well.  The residual of an amount is y - prediction; that of a count is divided by
 * sqrt(prediction), the standard deviation of a Poisson count, so that the interval
 * widens with the prediction, and ends at 0, below which no count is.
 *
 * Kept of each tail are the scores with ranks 1, 2, ... 128, 130, ..., numbers of
 * seven binary digits; a rank between two of them takes the score farther out.  So
 * up to rank 128, or 2,560 rows and a level of 0.9, intervals are exact, and beyond they
 * leave out at most a 64th less of the rows than they might.  Above OSML_RESIDUAL_SCORES
 * different scores an end is that of a block of rank.h, and errs to the same side.
 *
 * Sources: Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World",
 * 2005; Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, "Distribution-Free
 * Predictive Inference for Regression", JASA 2018, algorithm 2, and section 5.2
 * for residuals divided by their spread; Romano, Patterson and Candes, "Conformalized
 * Quantile Regression", NeurIPS 2019, theorem 2, for tails of their own.
 */
#ifndef OSML_INTERVAL_H
#define OSML_INTERVAL_H

#include "rules/metric/rank.h"
#include "rules/metric/task.h"

/* kept exactly, up to 144 bytes of memory each, while they pass */
#define OSML_RESIDUAL_SCORES (1 << 16)

/* of rows while they pass */
typedef struct OsmlResiduals
{
	OsmlTask	task;			/* of amounts or of counts */
	OsmlRank	rank;			/* of |score|; the first class is that of labels at
								 * or below their prediction */
	int64_t		n;				/* rows */
	bool		undefined;		/* one had no residual: there are no intervals */
} OsmlResiduals;

extern void osml_residuals_init(OsmlResiduals *residuals, const OsmlArena *arena,
								OsmlTask task);
extern void osml_residuals_clear(OsmlResiduals *residuals);

/*
 * n rows: predictions after the link and labels.  Rows count the same whatever they
 * weigh, as a new one does; those of weight 0 (weight may be NULL) are not there.
 */
extern OsmlStatus osml_residuals_add(OsmlResiduals *residuals, const double *z,
									 const double *y, const double *weight, int n);

/* what is kept of residuals */
typedef struct OsmlTails
{
	int64_t		n;				/* rows; 0: there are no intervals */
	int			n_kept;			/* scores of a tail: osml_tail_length(n) */
	double	   *below;			/* from the lowest score inward, ascending */
	double	   *above;			/* from the highest, descending */
} OsmlTails;

/* how many scores are kept of each tail of n rows */
extern int	osml_tail_length(int64_t n);

/* fill in tails, whose arrays have room for osml_tail_length(residuals->n) scores */
extern OsmlStatus osml_residuals_tails(OsmlResiduals *residuals, OsmlTails *tails);

/*
 * The interval of a prediction, in its units; level between 0 and 1.  An end that too
 * few rows tell is infinite, a count's lower one 0.
 */
extern void osml_interval(const OsmlTails *tails, OsmlTask task, double prediction,
						  double level, double *lower, double *upper);

#endif							/* OSML_INTERVAL_H */
