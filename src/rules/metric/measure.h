/*
 * measure.h
 *	  How good predictions are: what is kept of rows while they pass, in memory
 *	  that does not grow with their number.
 *
 * Feed it blocks of predictions and labels, merge the measures of parts, call
 * osml_measure_settle(), and read metrics off it (metric.h), or the confusion
 * matrix, the curves and the calibration.  More rows may follow.  The same rows
 * in the same order give the same bits.
 *
 * Scores are kept in order for median_ae, roc_auc and pr_auc if the caller asks
 * for it: exactly up to OSML_MEASURE_SCORES different ones, then in as many blocks,
 * see rank.h.  Classes share OSML_MEASURE_ALL_SCORES, so that memory does not grow
 * with their number: of a thousand each has 512.  test_metric.c holds that to
 * scikit-learn's figures.
 *
 * A NaN prediction or label makes every metric NaN: leaving the row out would
 * make a diverged model look good, and scikit-learn refuses such rows.  So does
 * a label that is no class, a probability outside [0, 1] and a weight that is
 * negative.  Rows of weight 0 are not there.
 *
 * Next: sums.h (amounts and counts), classes.h (classes), rank.h (order).
 */
#ifndef OSML_MEASURE_H
#define OSML_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/arena.h"
#include "compute/status.h"
#include "rules/metric/classes.h"
#include "rules/metric/curve.h"
#include "rules/metric/rank.h"
#include "rules/metric/sums.h"
#include "rules/metric/task.h"

/* 40 bytes of memory each, 20 MB of all, and 10 MB more while those of a class are put
 * in order */
#define OSML_MEASURE_SCORES (1 << 17)
#define OSML_MEASURE_ALL_SCORES (1 << 19)

/* whose scores are kept: nobody's, everybody's, or, as a number, those of one class */
#define OSML_RANKED_NONE (-2)
#define OSML_RANKED_ALL (-1)

typedef struct OsmlMeasure
{
	const OsmlArena *arena;
	OsmlTask	task;
	int			n_classes;		/* 2 if binary; 0: no classes */
	int64_t		n;				/* rows */
	double		loss_sum;		/* the model's own loss; the caller adds it, each
								 * row's times its weight */
	OsmlMetricSums sums;		/* amounts and counts */
	OsmlClassSums classes;
	int			ranked;			/* see above; metrics are read from all scores only */
	int			n_ranks;		/* 0: scores are not kept */
	OsmlRank   *ranks;			/* of |z - y|; of p; of each class's probability, or
								 * of one's */
} OsmlMeasure;

/*
 * n_classes matters for OSML_TASK_CLASSES only, where it is at least 2.  A class
 * whose scores are kept costs 30 to 100 ns a row, one whose are not some ns.
 * NULL: memory is out.
 */
extern OsmlMeasure *osml_measure_create(const OsmlArena *arena, OsmlTask task,
										int n_classes, int ranked);
extern void osml_measure_free(OsmlMeasure *measure);

/*
 * Add n rows: z as osml_link_apply() leaves them, output k of row i at
 * z[k * n + i]; y the labels, amounts in their own units; weight may be NULL.
 */
extern OsmlStatus osml_measure_add(OsmlMeasure *measure, const double *z,
								   const double *y, const double *weight, int n);

/* of the same task and classes, all or one of them ranked, and settled */
extern OsmlStatus osml_measure_merge(OsmlMeasure *into, const OsmlMeasure *from);

/* get ready for reading */
extern OsmlStatus osml_measure_settle(OsmlMeasure *measure);

/* a settled one as bytes for another process of this machine, and back */
extern size_t osml_measure_size(const OsmlMeasure *measure);
extern void osml_measure_write(const OsmlMeasure *measure, void *bytes);

/* NULL when memory is out or the bytes are no measure */
extern OsmlMeasure *osml_measure_read(const OsmlArena *arena, const void *bytes,
									  size_t size);

/* --- reading ------------------------------------------------------------ */

/* sum of the rows' weights */
extern double osml_measure_weight(const OsmlMeasure *measure);

/* mean of the model's own loss; NaN over no rows */
extern double osml_measure_loss(const OsmlMeasure *measure);

/* rows of class `actual` that are said to be `predicted` */
extern OsmlConfusion osml_measure_confusion(const OsmlMeasure *measure, int actual,
											int predicted);

/* bin i of OSML_CALIBRATION_BINS */
typedef struct OsmlCalibrationRow
{
	double		low;			/* probabilities in [low, high) */
	double		high;
	int64_t		rows;
	double		weight;			/* of them; where 0, the other two are NaN */
	double		mean_probability;
	double		share_true;		/* how often it came true */
} OsmlCalibrationRow;

extern OsmlCalibrationRow osml_measure_calibration(const OsmlMeasure *measure, int i);

/*
 * The rank behind the curves of class c (osml_curve_begin()); NULL: its scores are
 * not kept, as those of the first of two classes are not unless they are asked for.
 */
extern const OsmlRank *osml_measure_rank(const OsmlMeasure *measure, int c);


/* how much roc_auc may be off; 0: exact */
extern double osml_measure_auc_uncertainty(const OsmlMeasure *measure);

/* mean over the classes where it is a number; NaN without one */
extern double osml_measure_rank_average(const OsmlMeasure *measure,
										double (*of) (const OsmlRank *rank));

#endif							/* OSML_MEASURE_H */
