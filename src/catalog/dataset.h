/*
 * dataset.h
 *	  osml.dataset: a name for train, val and test sources, label and features.
 */
#ifndef OSML_CATALOG_DATASET_H
#define OSML_CATALOG_DATASET_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/* bytes of the name of a data set, a model or a feature, which are keys of indexes */
#define OSML_MAX_NAME 200

typedef struct OsmlDatasetRow
{
	int64		dataset_id;
	char	   *name;
	char	   *owner;
	char	   *train;
	char	   *val;			/* or NULL */
	char	   *test;			/* or NULL */
	char	   *label;			/* or NULL: the first column */
	List	   *features;		/* of char *; NIL: the rest */
	Jsonb	   *options;		/* default hparams for runs on it, or NULL */
	Jsonb	   *split;			/* how osml_split() cut it, or NULL */
} OsmlDatasetRow;

/* NULL when there is none; whose it is, is for the caller to check */
extern OsmlDatasetRow *osml_dataset_find(const char *name);

/* the new id; 0 when the name is taken */
extern int64 osml_dataset_insert(const OsmlDatasetRow *row);

/*
 * Put train, val, test and split of the row in the place of what is stored;
 * false when the dataset is gone.
 */
extern bool osml_dataset_update_split(const OsmlDatasetRow *row);

/* false when there was none */
extern bool osml_dataset_delete(const char *name);

/* names of datasets (char *), for hints: the current user's own, or all that he may drop */
extern List *osml_dataset_names(bool own);

#endif							/* OSML_CATALOG_DATASET_H */
