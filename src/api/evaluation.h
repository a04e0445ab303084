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

/* texts of the label that are no class of the model, for a warning */
#define OSML_UNKNOWN_SHOWN 3

typedef struct OsmlUnknown
{
	int64		rows;			/* left out for it, of those that are skipped */
	int			n;				/* different texts so far; one more than shown: there are others */
	uint64		keys[OSML_UNKNOWN_SHOWN];
	char	   *texts[OSML_UNKNOWN_SHOWN];
} OsmlUnknown;

typedef struct OsmlEvaluation
{
	OsmlScore  *score;
	OsmlScan	scan;			/* what odd rows lead to; the caller sets its sinks */
	OsmlMeasure *measure;
	int64		skipped;		/* rows that were left out */
	OsmlUnknown unknown;
	MemoryContext context;		/* of all this */
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

/* measure anew, from no rows; ranked: measure.h */
extern void osml_evaluation_clear(OsmlEvaluation *evaluation, int ranked);

/*
 * Scan the source into a sink of blocks of inputs.  A warning says of how many rows
 * the class is none of the model's, and which those are: a boolean label and one of
 * 0 and 1, for example, have no class in common.
 */
extern void osml_evaluation_scan(OsmlEvaluation *evaluation, OsmlBlockSink sink, void *arg,
								 OsmlTextSink text_sink);

/* a sink of texts, to be called by a caller's own with the evaluation */
extern void osml_evaluation_text(void *evaluation, int key_column, uint64 key,
								 const char *text, int length);

/* a sink of blocks of inputs: measures them */
extern bool osml_evaluation_block(void *evaluation, OsmlBlock *raw);

/* a block's rows that the encoder left out; by sinks of their own */
extern int	osml_evaluation_skipped(OsmlEvaluation *evaluation, const OsmlBlock *block);

#endif							/* OSML_API_EVALUATION_H */
