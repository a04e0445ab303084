/*
 * score.h
 *	  Predictions for whole blocks, as osml_predict_batch() and osml_evaluate()
 *	  need them.
 */
#ifndef OSML_API_SCORE_H
#define OSML_API_SCORE_H

#include "api/loaded.h"
#include "source/encode.h"

typedef struct OsmlScore
{
	const OsmlLoaded *loaded;
	OsmlSource *source;
	OsmlFeatureSet *set;		/* the model's features in the source */
	OsmlLayout	layout;			/* of its blocks: the model's, or with weights */
	OsmlPredictor predictor;	/* over blocks of that layout */
	OsmlEncoder encoder;
	void	   *scratch;		/* of the model */
	double	   *out;			/* of the last block: output k of row i is
								 * out[k * block->nrows + i] */
} OsmlScore;

/* Check the model and the right to it, then resolve and match the source. */
extern OsmlScore *osml_score_begin(const char *model, const char *source,
								   bool with_label);

/* Scan the whole source; *scan tells the sinks and what to do with odd rows.  A
 * sink gets blocks of inputs, and turns them into features first. */
extern void osml_score_scan(OsmlScore *score, OsmlScan *scan);

/* A block's features, without the rows that are to be left out; these are gone from
 * hash[] too, one a row, or NULL. */
extern OsmlBlock *osml_score_encode(OsmlScore *score, OsmlBlock *raw, uint64 *hash);

/* Prepare a block of features and fill score->out. */
extern void osml_score_block(OsmlScore *score, OsmlBlock *block);

#endif							/* OSML_API_SCORE_H */
