/*
 * learn.h
 *	  What the transforms of a run's features, and a label of classes, learn before
 *	  its load pass.
 *
 * osml_train() and osml_check() learn alike, from all training rows; each has its
 * own way to read them.
 */
#ifndef OSML_LEARN_H
#define OSML_LEARN_H

#include "features/classes.h"
#include "features/fit.h"
#include "features/tally.h"
#include "hparams/hparams.h"
#include "source/placing.h"
#include "source/source.h"
#include "train/usable.h"

struct OsmlRun;

typedef struct OsmlLesson
{
	OsmlFeatureSet *set;		/* whose program is completed */
	const char *dataset;		/* for messages, like source */
	const char *source;
	const OsmlHparams *hparams;
	OsmlBudget *budget;			/* pays for it */
	MemoryContext context;		/* what is learned stays there */

	/* One pass: all training rows to osml_learn_block(), the texts that text_keys
	 * asks for (row.h) to osml_learn_text(); notes in rows what was left out. */
	void		(*read) (struct OsmlLesson *lesson);
	void	   *arg;			/* of read */
	uint64		text_keys;
	OsmlUsable	rows;			/* of the last pass */

	OsmlFitPass *fit;			/* of the pass; NULL: no features */
	OsmlTally  *labels;			/* NULL: no classes */

	OsmlClasses *classes;		/* of a label that is a key, once learned */
	int64	   *class_rows;		/* of each */
	int			n_passes;
	bool		fitted;			/* steps of the program were */
} OsmlLesson;

/*
 * Fit the program of a set to the training rows, in as many passes over them as
 * the definitions need (none, mostly), and count a label's classes.  Rows held out
 * for validation have no say in features.
 */
extern void osml_learn(OsmlLesson *lesson);

/* give the set's definitions what was learned; raise: one found nothing to learn from */
extern void osml_learn_judge(const OsmlLesson *lesson);

/* for read: rows, and a text; arg is the lesson */
extern void osml_learn_block(OsmlLesson *lesson, const OsmlBlock *raw);
extern void osml_learn_text(void *arg, int key_column, uint64 key, const char *text,
							int length);

/* all of that for a run */
extern void osml_learn_features(struct OsmlRun *run);

#endif							/* OSML_LEARN_H */
