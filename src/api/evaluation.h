/*
 * evaluation.h
 *	  A model over rows whose label is known, and what is measured of its
 *	  predictions.
 *
 * Rows come in blocks of inputs, from a scan of the source or from elsewhere, in
 * the scan's way.  What osml_evaluate() says of them is the measure.
 */
#ifndef OSML_API_EVALUATION_H
#define OSML_API_EVALUATION_H

#include "api/score.h"
#include "rules/metric/measure.h"

typedef struct OsmlEvaluation
{
	OsmlScore  *score;
	OsmlScan	scan;			/* what odd rows lead to; the caller sets its sinks */
	OsmlMeasure *measure;
	int64		skipped;		/* rows that were left out */
	OsmlArena	arena;			/* of the measure */
	double		label[OSML_BLOCK_ROWS];	/* in its own units */
	double		weight[OSML_BLOCK_ROWS];
} OsmlEvaluation;

/*
 * A model and what somebody evaluates it on: the name of a dataset of his stands for
 * its test source, for want of one the next best.  Checks names and rights, reads
 * nothing, measures nothing yet.
 */
extern OsmlEvaluation *osml_evaluation_begin(const char *model, char *source);

/* measure anew, from no rows; keep_scores: measure.h */
extern void osml_evaluation_clear(OsmlEvaluation *evaluation, bool keep_scores);

/* a sink of blocks of inputs: measures them */
extern bool osml_evaluation_block(void *evaluation, OsmlBlock *raw);

/* a block's rows that the encoder left out; by sinks of their own */
extern int	osml_evaluation_skipped(OsmlEvaluation *evaluation, const OsmlBlock *block);

#endif							/* OSML_API_EVALUATION_H */
