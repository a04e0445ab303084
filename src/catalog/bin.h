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

/* most rows that are kept of one feature */
#define OSML_MAX_BIN_ROWS 20000

typedef struct OsmlBinRow
{
	int64		bin;			/* the code */
	double		low;			/* of a bin; else NaN */
	double		high;
	const char *category;		/* its name: "[38.3, 38.5)", "cash", "other" */
	int64		count;			/* rows; -1: not counted */
	double		mean_label;		/* NaN: none */
} OsmlBinRow;

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
