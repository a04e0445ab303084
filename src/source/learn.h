/*
 * learn.h
 *	  Fitting a set's program in the process that reads, without a run.
 *
 * What osml_analyze() does for a dataset's definitions; a run fits its own, to
 * its own training rows (train/learn.h).
 */
#ifndef OSML_SOURCE_LEARN_H
#define OSML_SOURCE_LEARN_H

#include "compute/code_stats.h"
#include "features/fit.h"
#include "source/analysis.h"

/*
 * Fit the program, in as many passes over the source as it needs, and give the
 * set's definitions what was learned.  dataset, for messages, may be NULL.
 * known, or NULL, is an analysis of the same set and rows: steps that read
 * columns as they are learn from it, and where there are no others no row is
 * read again.
 */
extern void osml_source_learn(const OsmlSource *source, OsmlFeatureSet *set,
							  const char *dataset, const OsmlAnalysis *known);

/* key columns whose texts a pass wants, as row.h has them */
extern uint64 osml_wanted_texts(const OsmlFitPass *pass, const OsmlLayout *layout);

/* Before its scan: have an analysis count as many values as fitting the set is
 * going to want. */
extern void osml_source_learn_plan(OsmlFeatureSet *set, const char *dataset,
								   OsmlAnalysis *analysis);

/* Rows and mean label of each code of a complete set, in one pass. */
extern void osml_source_code_stats(const OsmlSource *source, const OsmlFeatureSet *set,
								   OsmlCodeStats *stats);

#endif							/* OSML_SOURCE_LEARN_H */
