/*
 * bin.h
 *	  osml.bin: the bins and categories of a feature, for people.
 *
 * A dataset's are written when it is defined or fitted, a version's when it is
 * stored.
 */
#ifndef OSML_CATALOG_BIN_H
#define OSML_CATALOG_BIN_H

#include "nodes/pg_list.h"

#include "compute/code_stats.h"
#include "features/program.h"

/* most rows that are kept of one feature, and of a version's features together */
#define OSML_MAX_BIN_ROWS 20000
#define OSML_MAX_VERSION_ROWS 40000

typedef struct OsmlBinRow
{
	int64		bin;			/* the code */
	double		low;			/* of a bin; else NaN */
	double		high;
	const char *category;		/* its name: "[38.3, 38.5)", "cash", "other" */
	int64		count;			/* rows; -1: not counted */
	double		mean_label;		/* NaN: none */
} OsmlBinRow;

/* a code of a program's k-th code output for people, a category in its whole
 * length; palloc'd */
extern char *osml_code_text(const OsmlProgram *program, int k, int64 code);

/* codes of a feature that are listed for people, ascending */
typedef struct OsmlListing
{
	int			n;
	int32	   *codes;			/* palloc'd */
} OsmlListing;

/*
 * All codes where there are at most `most`; else the most frequent of those that
 * have rows, or the first ones where they are not counted (count is NULL).
 */
extern OsmlListing osml_list_codes(const int64 *count, int64 n_codes, int most);

/*
 * The rows of a program's k-th code output, at most `most`, from its step, or NULL
 * while that is not fitted.  stats starts with the output's first code; NULL: rows
 * are not counted.
 */
extern OsmlBinRow *osml_bins_of_code(const OsmlProgram *program, int k,
									 const OsmlCodeStats *stats, int most, int *n);

/*
 * These n rows in place of all that there are of the feature.  One of the two
 * ids is 0.
 */
extern void osml_bins_replace(int64 dataset_id, int64 version_id, const char *feature,
							  const OsmlBinRow *bins, int n);

/* names (char *) of the categories that a dataset's feature was found to have, in
 * the order of their codes; false: nobody looked */
extern bool osml_bins_categories(int64 dataset_id, const char *feature, List **categories);

#endif							/* OSML_CATALOG_BIN_H */
