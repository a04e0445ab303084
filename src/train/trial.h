/*
 * trial.h
 *	  The first blocks of a source through all that a run does with rows, in the
 *	  process that asks, to know what each of it costs.
 */
#ifndef OSML_TRIAL_H
#define OSML_TRIAL_H

#include "hparams/hparams.h"
#include "source/source.h"

/* seconds; those a row are of this process alone */
typedef struct OsmlTrial
{
	int64		rows;			/* that were read in a pass */
	bool		whole;			/* those were all there are */
	int			n_learning;		/* passes that learn features */
	double		start;			/* of a pass, until its first rows are there */
	double		learn_row;		/* a row of all learning passes together */
	double		read_row;		/* a row read and made into features */
	double		shuffle_row;	/* a row of a shuffle that is kept */
	double		epoch_row;		/* a row's gradient, and shuffle where each epoch has one */
	double		step;			/* an update of the parameters */
} OsmlTrial;

/*
 * rows: those that a run would train on, as far as they matter to a cache.
 * Learns the set's features, from the blocks that it reads, where they lack
 * something.  Errors are those that a run would have with these rows, but for
 * NULLs, NaN and infinities, whose rows are left out.  n_classes: of a label of
 * classes, which are dealt at random.
 */
extern void osml_trial(const OsmlSource *source, OsmlFeatureSet *set, const char *dataset,
					   const OsmlHparams *hparams, int n_classes, double rows,
					   OsmlTrial *trial);

#endif							/* OSML_TRIAL_H */
