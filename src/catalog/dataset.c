/*
 * dataset.c
 *	  osml.dataset: names for data.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "catalog/dataset.h"
#include "catalog/role.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

static OsmlStatement find_dataset = OSML_STATEMENT(
	"SELECT dataset_id, name, owner, train, val, test, label, features, options,"
	" split FROM osml.dataset WHERE name = $1",
	TEXTOID);

static OsmlStatement insert_dataset = OSML_STATEMENT(
	"INSERT INTO osml.dataset (name, owner, train, val, test, label, features,"
	" options) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
	" ON CONFLICT (name) DO NOTHING RETURNING dataset_id",
	TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID,
	JSONBOID);

static OsmlStatement update_split = OSML_STATEMENT(
	"UPDATE osml.dataset SET train = $2, val = $3, test = $4, split = $5"
	" WHERE dataset_id = $1",
	INT8OID, TEXTOID, TEXTOID, TEXTOID, JSONBOID);

static OsmlStatement delete_dataset = OSML_STATEMENT(
	"DELETE FROM osml.dataset WHERE name = $1",
	TEXTOID);

static OsmlStatement list_datasets = OSML_STATEMENT(
	"SELECT name, owner FROM osml.dataset ORDER BY name");

/* Find a dataset by name; whose it is, the caller checks. */
OsmlDatasetRow *
osml_dataset_find(const char *name)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	OsmlDatasetRow *row = NULL;

	osml_catalog_begin(&scope);
	osml_push_text(&args, name);
	if (osml_statement_read(&find_dataset, &args) > 0)
	{
		OsmlFields	fields = osml_fields(&scope, 0);

		row = MemoryContextAllocZero(scope.caller, sizeof(OsmlDatasetRow));
		row->dataset_id = osml_pull_int8(&fields);
		row->name = osml_pull_text(&fields);
		row->owner = osml_pull_text(&fields);
		row->train = osml_pull_text(&fields);
		row->val = osml_pull_text(&fields);
		row->test = osml_pull_text(&fields);
		row->label = osml_pull_text(&fields);
		row->features = osml_pull_texts(&fields);
		row->options = osml_pull_jsonb(&fields);
		row->split = osml_pull_jsonb(&fields);
	}
	osml_catalog_end(&scope);
	return row;
}

/* Add a dataset and return its id, or 0 when the name is taken. */
int64
osml_dataset_insert(const OsmlDatasetRow *row)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	int64		id = 0;

	osml_catalog_begin(&scope);
	osml_push_text(&args, row->name);
	osml_push_text(&args, row->owner);
	osml_push_text(&args, row->train);
	osml_push_text(&args, row->val);
	osml_push_text(&args, row->test);
	osml_push_text(&args, row->label);
	osml_push_texts(&args, row->features);
	osml_push_jsonb(&args, row->options);
	if (osml_statement_write(&insert_dataset, &args) > 0)
	{
		OsmlFields	fields = osml_fields(&scope, 0);

		id = osml_pull_int8(&fields);
	}
	osml_catalog_end(&scope);
	return id;
}

/* Other sources for a dataset; returns false when it was not there. */
bool
osml_dataset_update_split(const OsmlDatasetRow *row)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, row->dataset_id);
	osml_push_text(&args, row->train);
	osml_push_text(&args, row->val);
	osml_push_text(&args, row->test);
	osml_push_jsonb(&args, row->split);
	n = osml_statement_write(&update_split, &args);
	osml_catalog_end(&scope);
	return n > 0;
}

/* Returns false when it was not there. */
bool
osml_dataset_delete(const char *name)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_text(&args, name);
	n = osml_statement_write(&delete_dataset, &args);
	osml_catalog_end(&scope);
	return n > 0;
}

/* Names of datasets, for hints. */
List *
osml_dataset_names(bool own)
{
	OsmlCatalogScope scope;
	List	   *names = NIL;
	List	   *owners = NIL;
	List	   *result = NIL;
	const char *user = osml_current_role();
	uint64		n;

	osml_catalog_begin(&scope);
	n = osml_statement_read(&list_datasets, NULL);
	MemoryContextSwitchTo(scope.caller);
	for (uint64 i = 0; i < n; i++)
	{
		OsmlFields	fields = osml_fields(&scope, i);

		names = lappend(names, osml_pull_text(&fields));
		owners = lappend(owners, osml_pull_text(&fields));
	}
	osml_catalog_end(&scope);

	/* asked outside the scope: inside, the current user is the owner */
	for (int i = 0; i < list_length(names); i++)
	{
		const char *owner = list_nth(owners, i);

		if (own ? strcmp(owner, user) == 0 : osml_role_usable(owner))
			result = lappend(result, list_nth(names, i));
	}
	return result;
}
