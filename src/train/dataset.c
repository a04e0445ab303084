/*
 * dataset.c
 *	  A name that may be a dataset's.
 */
#include "postgres.h"

#include "utils/acl.h"
#include "utils/builtins.h"

#include "catalog/role.h"
#include "source/definition.h"
#include "source/source.h"
#include "train/dataset.h"

/* Who may become the owner is told so: rights alone do not run another's queries. */
void
osml_not_own_dataset(const OsmlDatasetRow *row)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("dataset \"%s\" belongs to role \"%s\"", row->name, row->owner),
			 errdetail("The queries of a dataset run only for its owner."),
			 OidIsValid(get_role_oid(row->owner, true)) && osml_role_usable(row->owner) ?
			 errhint("Become that role with SET ROLE %s, or make a dataset of your own.",
					 quote_identifier(row->owner)) :
			 errhint("Make one of your own with osml_create_dataset.")));
}

OsmlDatasetRow *
osml_own_dataset(const char *name)
{
	OsmlDatasetRow *row = osml_dataset_find(name);

	if (row == NULL || strcmp(row->owner, osml_current_role()) == 0)
		return row;
	if (!osml_source_is_relation(name))
		osml_not_own_dataset(row);
	return NULL;
}

List *
osml_dataset_features(const OsmlDatasetRow *row, List *definitions)
{
	List	   *features = list_copy(row->features);
	ListCell   *cell;

	if (features == NIL)
		return NIL;
	foreach(cell, definitions)
	{
		OsmlDefinition *definition = lfirst(cell);
		bool		known = false;
		ListCell   *other;

		foreach(other, features)
			known = known || strcmp(lfirst(other), definition->feature) == 0;
		if (!known)
			features = lappend(features, definition->feature);
	}
	return features;
}
