/*
 * survey.h
 *	  All rows of a part through the run's own reader and encoder, in the process
 *	  that asks, to know what becomes of each.
 */
#ifndef OSML_SURVEY_H
#define OSML_SURVEY_H

#include "compute/stats.h"
#include "hparams/hparams.h"
#include "train/learn.h"
#include "train/plan.h"
#include "train/vocabulary.h"

typedef struct OsmlSurvey
{
	int64		rows;			/* that there are */
	int64		null;			/* left out for a NULL, or what "on_null" stops at */
	int64		nonfinite;		/* left out for NaN or infinity, likewise */
	int64		kept;
	int64		filled;			/* of those: with a NULL that "on_null" fills in */
	int64		held_out;		/* of those: that "val_fraction" takes */
	int64		unknown;		/* left out for a class that no training row has */
	bool		weighs;			/* is there a row of them whose weight is above 0? */
	int			active;			/* exact: columns that are not constant, with categories */
	OsmlColumnStats *stats;		/* of the others: number columns, then the label; or NULL */
	OsmlVocabularies vocabularies;	/* likewise: of the training rows alone */
} OsmlSurvey;

/*
 * Learn from all training rows what a run would learn of them before it loads them.
 * Errors are the run's; rows with a NULL, NaN or infinity where none may be are left
 * out.  The caller sets the lesson's dataset and budget; what is learned is left in
 * the part's set and in the current context.
 */
extern void osml_survey_learn(OsmlPart *train, const OsmlHparams *hparams,
							  OsmlLesson *lesson);

/*
 * Errors are the run's, of reading and of expressions, but for NULL, NaN and
 * infinity, which are counted whatever hyperparameters make of them.  lesson: what
 * the training rows taught.  NULL: nothing, so NULL and the like in features that are
 * made are not counted, since nothing is made of inputs.
 */
extern void osml_survey(const OsmlPart *part, const OsmlLesson *lesson, bool is_train,
						const OsmlHparams *hparams, OsmlSurvey *survey);

/* raise what a run makes of the training rows: none to train on, values too large,
 * counts that are negative, or no full batch */
extern void osml_survey_judge(const OsmlPart *train, const OsmlHparams *hparams,
							  const OsmlSurvey *survey);

#endif							/* OSML_SURVEY_H */
