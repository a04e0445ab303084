/*
 * gram_cost.h
 *	  Can steps come from sums of batches instead of rows, and is it worth it?
 *
 * By numbers only: a run that is taken up again decides as it did, and osml_check()
 * as a run would.
 */
#ifndef OSML_GRAM_COST_H
#define OSML_GRAM_COST_H

#include "model/model.h"
#include "train/length.h"

/* Why there can be no sums, in words; NULL: there can. */
extern const char *osml_gram_obstacle(const OsmlModelSpec *spec, const OsmlHparams *hparams,
									  const OsmlRowsKept *kept);

typedef struct OsmlGramCost
{
	int64		batches;		/* of an epoch, at most */
	Size		bytes;
	double		making;			/* seconds, roughly, of the pass that makes the sums */
	double		stepping;		/* and of all steps from them */
	bool		worth;			/* less than half of what rows take: "auto" has them */
} OsmlGramCost;

/* of so many usable rows in so many blocks */
extern OsmlGramCost osml_gram_cost(const OsmlModelSpec *spec, const OsmlHparams *hparams,
								   int64 n_rows, int64 n_blocks);

#endif							/* OSML_GRAM_COST_H */
