/*
 * classes.h
 *	  What the metrics of classes are made from, but for their order: counts
 *	  and sums over rows that parts, readers and replicas can add up.
 *
 * The predicted class is the most probable one, of equal ones the first; of two
 * classes with one probability p it is the second where p > 0.5.
 */
#ifndef OSML_METRIC_CLASSES_H
#define OSML_METRIC_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/arena.h"
#include "compute/status.h"

/*
 * Bins of equal width for the expected calibration error, [i / 15, (i + 1) / 15),
 * the last one closed: as many as in Guo et al., "On Calibration of Modern
 * Neural Networks", ICML 2017, and by default in torchmetrics.
 */
#define OSML_CALIBRATION_BINS 15

/*
 * Of a binary model the probability of the second class is compared with how
 * often the second class came; of one with several classes the probability of
 * the predicted class with how often it was right.
 */
typedef struct OsmlCalibrationBin
{
	int64_t		rows;			/* with such a probability */
	double		weight;			/* of them */
	double		probability;	/* their sum, weighted */
	double		came_true;		/* weight of the rows where it was so */
} OsmlCalibrationBin;

/* rows of one class that are said to be of one */
typedef struct OsmlConfusion
{
	int64_t		rows;
	double		weight;
} OsmlConfusion;

typedef struct OsmlClassSums
{
	int			n_classes;
	int64_t		n_invalid;		/* rows left out, see below */
	double		weight;
	double		log_loss;		/* sum of -log p[y], p no nearer to 0 than DBL_EPSILON */
	double		brier;			/* sum of (p - y)^2, over all classes if several */
	OsmlConfusion *confusion;	/* [n_classes * n_classes]: rows of class i said to
								 * be j are at i * n_classes + j */
	OsmlCalibrationBin bins[OSML_CALIBRATION_BINS];
} OsmlClassSums;

/* rows at a time: what is known of each stays in L1 */
#define OSML_CLASS_TILE 256

extern OsmlStatus osml_class_sums_init(OsmlClassSums *sums,
									   const OsmlArena *arena, int n_classes);

/*
 * n rows, at most OSML_CLASS_TILE, of a model with n_classes outputs (with one,
 * if there are two classes and `binary`); output k of row i is z[k * stride + i].
 * weight may be NULL.  valid[i] tells the caller which rows count: not one with
 * a probability outside [0, 1] or NaN, a label that is no class, or a weight
 * that is NaN or negative.
 */
extern void osml_class_sums_add(OsmlClassSums *sums, bool binary, const double *z,
								int stride, const double *y, const double *weight,
								int n, bool *valid);
extern void osml_class_sums_merge(OsmlClassSums *into, const OsmlClassSums *from);

/* weight of the rows that are of a class, and that are said to be */
extern double osml_class_actual(const OsmlClassSums *sums, int c);
extern double osml_class_predicted(const OsmlClassSums *sums, int c);

/* of one class; 0 where nothing is divided by nothing */
extern double osml_class_precision(const OsmlClassSums *sums, int c);
extern double osml_class_recall(const OsmlClassSums *sums, int c);
extern double osml_class_f1(const OsmlClassSums *sums, int c);

/*
 * Mean over the classes that some row has or is said to have, as in
 * scikit-learn (average='macro', zero_division=0); `of_actual`: that some row has.
 */
extern double osml_class_average(const OsmlClassSums *sums,
								 double (*of) (const OsmlClassSums *sums, int c),
								 bool of_actual);

#endif							/* OSML_METRIC_CLASSES_H */
