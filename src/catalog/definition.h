/*
 * definition.h
 *	  osml.definition: how the features of a dataset are made.
 *
 * Next: bin.h (what people see of them), source/definition.h (what one means).
 */
#ifndef OSML_CATALOG_DEFINITION_H
#define OSML_CATALOG_DEFINITION_H

#include "nodes/pg_list.h"

#include "source/definition.h"

/* a dataset's definitions (OsmlDefinition *), by feature in their order and step */
extern List *osml_definitions_find(int64 dataset_id);

/*
 * The same for a change: as they are now, and nobody else's to change until the
 * transaction ends.
 */
extern List *osml_definitions_lock(int64 dataset_id);

/* these and no others, in this order; the steps of a feature stand together */
extern void osml_definitions_replace(int64 dataset_id, List *definitions);

/* store what was learned: fitted of each; one that is gone stays so */
extern void osml_definitions_set_fitted(int64 dataset_id, List *definitions);

#endif							/* OSML_CATALOG_DEFINITION_H */
