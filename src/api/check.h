/*
 * check.h
 *	  What the files of osml_check() share.
 */
#ifndef OSML_API_CHECK_H
#define OSML_API_CHECK_H

#include "nodes/execnodes.h"

#include "api/report.h"
#include "hparams/hparams.h"

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
	OsmlFeatureSet *set;		/* as a run would have it; NULL: it would not start */
	OsmlReport *report;
	bool	   *counts;			/* may a row be left out for this column? */
	int64		null_rows;		/* with a NULL where a number is needed */
	int64		nonfinite_rows; /* with NaN or infinity, and no NULL */
	double		seconds;		/* that reading took */
} OsmlCheck;

extern void osml_check_put(OsmlCheck *check, const char *name, OsmlCheckVerdict verdict,
						   const char *subject, double figure, const char *message,
						   const char *hint);

/* rows: are there any, and which does a run leave out */
extern void osml_check_rows(OsmlCheck *check);

/* label, columns, order, duplicates; there are rows */
extern void osml_check_data(OsmlCheck *check);

#endif							/* OSML_API_CHECK_H */
