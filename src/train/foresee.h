/*
 * foresee.h
 *	  Where the rows of a run would be kept, without reading one.
 */
#ifndef OSML_FORESEE_H
#define OSML_FORESEE_H

#include "hparams/hparams.h"
#include "model/model.h"
#include "source/placing.h"
#include "train/plan.h"

typedef struct OsmlForesight
{
	OsmlModelSpec spec;			/* of the model that is trained */
	bool		streamed;		/* training rows go into steps and are not kept */
	bool		refused;		/* not even the run's working blocks fit */
	Size		needed;			/* bytes of the model and the working blocks */
	double		row_bytes;		/* all rows' blocks, wherever they are */
	bool		carried;		/* a learning pass keeps the training rows for the load pass */
	double		memory;			/* blocks that stay in memory */
	double		spill;			/* most that temp files take at a time */
	bool		reread[OSML_N_PARTS];	/* kept nowhere, so read for each pass */
} OsmlForesight;

/*
 * What a run with this budget makes of so many usable rows of each part, those
 * that "val_fraction" holds out among OSML_PART_TRAIN.  The rules are the
 * run's own: placing.c for blocks, run.c for what else it needs.  inputs: what a
 * learning pass reads; NULL: there is none.
 */
extern void osml_foresee(const OsmlHparams *hparams, int n_classes,
						 const OsmlLayout *layout, const OsmlLayout *inputs,
						 const double rows[OSML_N_PARTS], OsmlBudget budget,
						 OsmlForesight *foresight);

#endif							/* OSML_FORESEE_H */
