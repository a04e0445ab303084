/*
 * trial.h
 *	  The first blocks of a source through all that a run does with rows, in the
 *	  process that asks, to know what each of it costs.
 */
#ifndef OSML_TRIAL_H
#define OSML_TRIAL_H

#include "features/classes.h"
#include "hparams/hparams.h"
#include "source/source.h"

/* seconds; those a row are of this process alone */
typedef struct OsmlTrial
{
	int64		rows;			/* that were read in a pass */
	bool		explodes;		/* a step from the initial parameters is not finite */
	bool		one_step;		/* those were all rows, and a step takes them all */
	double		start;			/* of a pass, until its first rows are there */
	double		read_row;		/* a row read and made into features */
	double		make_row;		/* the latter of it */
	double		shuffle_row;	/* a row of a shuffle that is kept */
	double		epoch_row;		/* a row's gradient, and shuffle where each epoch has one */
	double		step;			/* an update of the parameters */
} OsmlTrial;

/*
 * rows: those that a run would train on, as far as they matter to a cache.  The set's
 * program is complete, and so are the classes of a label that is one of classes.
 * Errors are those that a run would have with these rows, but for NULLs, NaN and
 * infinities, whose rows are left out.
 */
extern void osml_trial(const OsmlSource *source, const OsmlFeatureSet *set,
					   const OsmlHparams *hparams, const OsmlClasses *classes, double rows,
					   OsmlTrial *trial);

#endif							/* OSML_TRIAL_H */
