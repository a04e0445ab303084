/*
 * check.h
 *	  What the files of osml_check() share.
 */
#ifndef OSML_API_CHECK_H
#define OSML_API_CHECK_H

#include "nodes/execnodes.h"

#include "api/report.h"
#include "hparams/hparams.h"
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
	Jsonb	   *given;
	OsmlDatasetRow *dataset;	/* of a relation or a query: train only */
	OsmlHparams *hparams;
	OsmlSource *source;			/* of the training rows */
	OsmlFeatureSet *set;		/* as a run would have it; NULL: it would not start */
	OsmlReport *report;
	int			n_classes;		/* of the label; 0: it is a number */
	bool	   *counts;			/* may a row be left out for this column? */
	int64		null_rows;		/* with a NULL where a number is needed */
	int64		nonfinite_rows; /* with NaN or infinity, and no NULL */
	double		seconds;		/* that reading took */
	OsmlTrial	trial;			/* of the first rows; rows 0: there was none */
} OsmlCheck;

/* What a run would do first, and what it leaves to be looked at. */
typedef void (*OsmlAttempt) (OsmlCheck *check);

/* make an attempt; a complaint becomes a row with this verdict.  False: it failed */
extern bool osml_check_attempt(OsmlCheck *check, const char *name, OsmlCheckVerdict verdict,
							   OsmlAttempt what);

extern void osml_check_put(OsmlCheck *check, const char *name, OsmlCheckVerdict verdict,
						   const char *subject, double figure, const char *message,
						   const char *hint);

/* rows: are there any, and which does a run leave out */
extern void osml_check_rows(OsmlCheck *check);

/* memory, disk and time that a run would take */
extern void osml_check_cost(OsmlCheck *check);

/* label, columns, order, duplicates; there are rows */
extern void osml_check_data(OsmlCheck *check);

#endif							/* OSML_API_CHECK_H */
