/*
 * survey.h
 *	  All rows of a part through the run's own reader and encoder, in the process
 *	  that asks, to know what becomes of each.
 */
#ifndef OSML_SURVEY_H
#define OSML_SURVEY_H

#include "compute/stats.h"
#include "hparams/hparams.h"
#include "train/plan.h"

typedef struct OsmlSurvey
{
	int64		rows;			/* that there are */
	int64		null;			/* left out for a NULL, or what "on_null" stops at */
	int64		nonfinite;		/* left out for NaN or infinity, likewise */
	int64		kept;
	int64		filled;			/* of those: with a NULL that "on_null" fills in */
	int64		held_out;		/* of those: that "val_fraction" takes */
	OsmlColumnStats *stats;		/* of those: number columns, then the label; or NULL */
} OsmlSurvey;

/*
 * Errors are the run's, of reading and of expressions, but for NULL, NaN and
 * infinity, which are counted whatever hyperparameters make of them.  complete:
 * is the program of the set complete?  If not, NULL and the like in features
 * that are made are not counted, since nothing is made of inputs.
 */
extern void osml_survey(const OsmlPart *part, bool complete, bool is_train,
						const OsmlHparams *hparams, OsmlSurvey *survey);

/* raise what a run makes of the training rows: none to train on, values too large,
 * or no full batch */
extern void osml_survey_judge(const OsmlPart *train, const OsmlHparams *hparams,
							  const OsmlSurvey *survey);

#endif							/* OSML_SURVEY_H */
