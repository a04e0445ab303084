/*
 * statistic.h
 *	  osml.statistic: what osml_analyze() found out about a dataset's columns.
 */
#ifndef OSML_CATALOG_STATISTIC_H
#define OSML_CATALOG_STATISTIC_H

#include "nodes/pg_list.h"

/* quantiles that are kept: osml.statistics names them */
#define OSML_N_QUANTILES 7

/* bins of a histogram between the smallest and the largest value */
#define OSML_N_HISTOGRAM 20

/* most frequent values that are kept */
#define OSML_N_TOP 10

typedef struct OsmlStatisticRow
{
	char	   *column;			/* "name[k]" for an element of an array */
	char	   *type;
	bool		is_label;
	bool		is_number;		/* else nans and infinities are NULL */
	int64		rows;
	int64		nulls;
	int64		nans;
	int64		infinities;
	double		mean;			/* NaN: NULL, as in all that follow */
	double		std;
	double		skewness;
	double		min;
	double		max;
	double		zero_share;
	double		correlation;
	double		quantiles[OSML_N_QUANTILES];
	int64		histogram[OSML_N_HISTOGRAM];
	bool		has_histogram;
	int64		distinct_values;
	bool		distinct_exact;
	int			n_top;
	char	   *top_values[OSML_N_TOP]; /* NULL: a text too long to be kept */
	int64		top_counts[OSML_N_TOP];
	int64		top_error;		/* a count may be too low by as much */
} OsmlStatisticRow;

/* these n rows in place of all that there are of the dataset */
extern void osml_statistics_replace(int64 dataset_id, const OsmlStatisticRow *rows,
									int n);

/* the columns from column_name on: of osml.statistic, and of what osml_analyze()
 * returns */
#define OSML_STATISTIC_FIELDS 27
extern void osml_statistic_values(const OsmlStatisticRow *row, Datum *values,
								  bool *nulls);

#endif							/* OSML_CATALOG_STATISTIC_H */
