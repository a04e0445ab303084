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
#include "source/columns.h"

typedef struct OsmlReport
{
	const char *name;			/* as the user named it */
	OsmlDatasetRow *dataset;	/* a registered one's row, or one with train only */
	OsmlColumns *columns;
	OsmlFeatureNote *notes;		/* one a column; most say nothing */
	OsmlArena	arena;
	OsmlSample	sample;
	OsmlAssess	assess;			/* found is filled feature by feature */
	int64		val_rows;		/* that osml_report_overlap() read */
	int64		test_rows;
} OsmlReport;

/* Resolve a dataset, a relation or a SELECT; candidates: of char *.  label and
 * features, where given, go before the dataset's own. */
extern OsmlReport *osml_report_resolve(const char *name, const char *label,
									   List *features, List *candidates);

/* Read all training rows and draw at most sample_rows of them; also, if not
 * NULL, sees each row too.  Returns false when no row has a label: then there is
 * nothing to assess. */
extern bool osml_report_read(OsmlReport *report, int sample_rows, OsmlRowSink also,
							 void *arg);

/* assess each feature by itself */
extern void osml_report_assess(OsmlReport *report);

/* How many rows of another part are in train too: reads both.  part is "val" or
 * "test"; false when the dataset has none. */
extern bool osml_report_overlap(OsmlReport *report, const char *part, OsmlOverlap *overlap);

/* the share of the training rows that have a twin in train */
extern double osml_report_twins(OsmlReport *report);

/* is that more than rows of one population have in common by chance? */
extern bool osml_overlap_is_leak(const OsmlOverlap *overlap);

#endif							/* OSML_API_REPORT_H */
