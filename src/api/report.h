/*
 * report.h
 *	  A dataset's training rows read and assessed, for the functions that tell
 *	  people about them.
 *
 * Next: report.c, feature_report.c and feature_pairs (rows of the result),
 * check.c (before a run); features/assess.h for what is judged.
 */
#ifndef OSML_API_REPORT_H
#define OSML_API_REPORT_H

#include "catalog/dataset.h"
#include "features/assess.h"
#include "features/twins.h"
#include "hparams/hparams.h"
#include "source/columns.h"

typedef struct OsmlReport
{
	OsmlDatasetRow *dataset;	/* a registered one's row, or one with train only */
	OsmlColumns *columns;
	OsmlFeatureNote *notes;		/* one a column; most say nothing */
	OsmlArena	arena;
	OsmlSample	sample;
	OsmlAssess	assess;			/* found is filled feature by feature */
	int64		val_rows;		/* that osml_report_overlap() read */
	int64		test_rows;
} OsmlReport;

/*
 * Resolve the features of a dataset (osml_named_dataset()) under hyperparameters,
 * and candidates (of char *).  definitions (OsmlDefinition *) are the dataset's, or
 * the same with what a run has learned; make: learn what they leave open, and judge
 * what they make of rows.  Else the columns behind are judged in their place.
 */
extern OsmlReport *osml_report_resolve(OsmlDatasetRow *dataset, const OsmlHparams *hparams,
									   List *candidates, List *definitions, bool make);

/* Read all training rows and draw at most sample_rows of them; also, if not
 * NULL, sees each row too.  Returns false when no row has a label: then there is
 * nothing to assess. */
extern bool osml_report_read(OsmlReport *report, int sample_rows, OsmlRowSink also,
							 void *arg);

/* assess each feature by itself */
extern void osml_report_assess(OsmlReport *report);

/* How many rows of another part are in train too, and what twins train has: reads
 * both.  part is "val" or "test"; false when the dataset has none. */
extern bool osml_report_overlap(OsmlReport *report, const char *part, OsmlOverlap *overlap,
								OsmlTwins *twins);

/* that in words */
extern char *osml_report_overlap_words(const char *part, const OsmlOverlap *overlap,
									   const OsmlTwins *twins);

/* the training rows that have a twin in train */
extern void osml_report_twins(OsmlReport *report, OsmlTwins *twins);

/* the split that keeps twins together, in words: "osml_split and group_by => ..." */
extern char *osml_report_group_by(const OsmlReport *report);

#endif							/* OSML_API_REPORT_H */
