/*
 * check.h
 *	  What the files of osml_check() share.
 */
#ifndef OSML_API_CHECK_H
#define OSML_API_CHECK_H

#include "nodes/execnodes.h"

#include "api/report.h"
#include "catalog/model.h"
#include "hparams/hparams.h"
#include "train/foresee.h"
#include "train/plan.h"
#include "train/survey.h"
#include "train/trial.h"

typedef enum OsmlCheckVerdict
{
	OSML_CHECK_OK,
	OSML_CHECK_WARN,
	OSML_CHECK_ERROR			/* the run would fail */
} OsmlCheckVerdict;

typedef struct OsmlCheck
{
	ReturnSetInfo *rsinfo;
	const char *name;			/* of the dataset, as the user gave it */
	Jsonb	   *given;
	OsmlDatasetRow *dataset;	/* of a relation or a query: train only */
	OsmlHparams *hparams;		/* those given that are valid, else defaults */
	bool		valid;			/* nothing was found wrong with those given */
	const char *model;			/* that a run would train; NULL: it has no name yet */
	bool		model_given;	/* by the user, not after the dataset */
	bool		named;			/* a run may train one of that name, or it has none yet */
	OsmlVersionRow *warm;		/* a version to go on from; or NULL */
	const char *subject;		/* of an attempt's complaint; or NULL */
	OsmlPart	parts[OSML_N_PARTS];	/* as a run would read them */
	OsmlPartKind kind;			/* of the part that an attempt is about */
	OsmlFeatureSet *set;		/* of the training rows; NULL: a run would not start */
	bool		counted;		/* hyperparameters fit in with it */
	OsmlReport *report;
	OsmlBudget	budget;			/* of a run, less what it would have learned */
	OsmlLesson	lesson;			/* what the training rows teach of features and label */
	double		learn_seconds;	/* that it took */
	bool		learned;		/* it came to its end; else there is nothing in it */
	bool		fitted;			/* each definition found something to learn from */
	bool		settled;		/* a run would make a model of what it learned */
	int			n_classes;		/* of the label; 0: it is a number */
	bool		assessed;		/* there were rows to assess */
	double		seconds;		/* that reading took */
	OsmlTrial	trial;			/* of the first rows */
	bool		tried;			/* the trial came to its end; it may have had no row */
	bool		surveyed[OSML_N_PARTS];
	OsmlSurvey	survey[OSML_N_PARTS];
	bool		trains;			/* there are enough of them to train on */
	OsmlForesight where;		/* rows would be kept */
} OsmlCheck;

/* What a run would do first, and what it leaves to be looked at. */
typedef void (*OsmlAttempt) (OsmlCheck *check);

/* Make an attempt; a complaint becomes a row with this verdict, unless name is
 * NULL.  False: it failed */
extern bool osml_check_attempt(OsmlCheck *check, const char *name, OsmlCheckVerdict verdict,
							   OsmlAttempt what);

extern void osml_check_put(OsmlCheck *check, const char *name, OsmlCheckVerdict verdict,
						   const char *subject, double figure, const char *message,
						   const char *hint);

/* different values of the label, an estimate where there are many; 0: not known */
extern double osml_check_label_values(const OsmlCheck *check);

/* what a run refuses before it reads: hyperparameters, features, parts */
extern void osml_check_inputs(OsmlCheck *check);

/* what the training rows teach, and whether a model can be made of it */
extern void osml_check_learning(OsmlCheck *check);

/* a trial with the first rows, then all rows of each part as a run reads them */
extern void osml_check_survey(OsmlCheck *check);

/* "train", "val" or "test" */
extern const char *osml_check_part(OsmlPartKind kind);

/* rows: are there any, and which does a run leave out */
extern void osml_check_rows(OsmlCheck *check);

/* memory, disk and time that a run would take */
extern void osml_check_cost(OsmlCheck *check);

/* label, columns, order, duplicates; there are rows */
extern void osml_check_data(OsmlCheck *check);

#endif							/* OSML_API_CHECK_H */
