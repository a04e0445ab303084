/*
 * dataset.h
 *	  Whose dataset a name means, for everything that reads one.
 */
#ifndef OSML_TRAIN_DATASET_H
#define OSML_TRAIN_DATASET_H

#include "nodes/pg_list.h"

#include "compat.h"
#include "catalog/dataset.h"
#include "source/source.h"

/*
 * What a user means who names a source: the dataset of that name if he owns it
 * himself, else NULL for whatever else the name means.  Having the owner's
 * rights is not enough, or a SELECT in a dataset could wait for a superuser.
 * Somebody else's dataset does not get into the way of a relation of its name;
 * where there is none, it is an error that names the owner.
 */
extern OsmlDatasetRow *osml_own_dataset(const char *name);

/* the same; of whatever else the name means a row that was never stored, with the
 * name as its training rows */
extern OsmlDatasetRow *osml_named_dataset(const char *name);

/* raise: the dataset is somebody else's, and whose */
pg_noreturn extern void osml_not_own_dataset(const OsmlDatasetRow *row);

/*
 * The features that a dataset's owner chose, and all that is defined for it
 * (definitions: of OsmlDefinition); NIL: none was chosen, which means all.
 */
extern List *osml_dataset_features(const OsmlDatasetRow *row, List *definitions);

/*
 * The source of a dataset's training rows, or of its part "val" or "test"; of a row
 * that was never stored (dataset_id 0) the source that its text names.  Errors
 * name the dataset: what it was made of may be gone since.
 */
extern OsmlSource *osml_dataset_source(const OsmlDatasetRow *row, const char *part);

#endif							/* OSML_TRAIN_DATASET_H */
