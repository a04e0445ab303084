/*
 * usable.h
 *	  What a pass left of the training rows, and whether that is enough.
 */
#ifndef OSML_USABLE_H
#define OSML_USABLE_H

#include "compute/block.h"
#include "hparams/hparams.h"

/* the training rows, as a pass found them */
typedef struct OsmlUsable
{
	int64		train;			/* to train on */
	int64		held_out;		/* that "val_fraction" took */
	int64		null;			/* left out for a NULL */
	int64		nonfinite;		/* left out for NaN or infinity */
	bool		weightless;		/* none of those seen has a weight above 0 */
} OsmlUsable;

/* is there a row that weighs something in a raw block, say because rows have no weights?
 * class_weights: factors by class, or NULL */
extern bool osml_block_weighs(const OsmlLayout *layout, const OsmlBlock *block,
							  const double *class_weights);

/* an error when there is no row to train on, and why */
extern void osml_require_usable(const char *source, const OsmlHparams *hparams,
								const OsmlUsable *rows);

#endif							/* OSML_USABLE_H */
