/*
 * definition.c
 *	  osml.definition: see definition.h.
 *
 * A change writes all rows of a dataset: they are few, they were checked as a
 * whole, and positions then need no care.
 */
#include "postgres.h"

#include "catalog/definition.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

static OsmlStatement find_definitions = OSML_STATEMENT(
	"SELECT feature, step, transform, inputs, shared, params, fitted"
	" FROM osml.definition WHERE dataset_id = $1 ORDER BY position, step",
	INT8OID);

static OsmlStatement lock_dataset = OSML_STATEMENT(
	"SELECT FROM osml.dataset WHERE dataset_id = $1 FOR NO KEY UPDATE",
	INT8OID);

static OsmlStatement delete_definitions = OSML_STATEMENT(
	"DELETE FROM osml.definition WHERE dataset_id = $1",
	INT8OID);

static OsmlStatement insert_definition = OSML_STATEMENT(
	"INSERT INTO osml.definition (dataset_id, position, feature, step, transform,"
	" inputs, shared, params, fitted) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
	INT8OID, INT4OID, TEXTOID, INT4OID, TEXTOID, TEXTARRAYOID, TEXTOID, JSONBOID,
	JSONBOID);

static OsmlStatement set_fitted = OSML_STATEMENT(
	"UPDATE osml.definition SET fitted = $4"
	" WHERE dataset_id = $1 AND feature = $2 AND step = $3",
	INT8OID, TEXTOID, INT4OID, JSONBOID);

/* The result rows of find_definitions. */
static List *
pull_definitions(const OsmlCatalogScope *scope, uint64 n)
{
	MemoryContext old = MemoryContextSwitchTo(scope->caller);
	List	   *definitions = NIL;

	for (uint64 i = 0; i < n; i++)
	{
		OsmlFields	fields = osml_fields(scope, i);
		OsmlDefinition *definition = palloc0(sizeof(OsmlDefinition));

		definition->feature = osml_pull_text(&fields);
		definition->step = osml_pull_int4(&fields);
		definition->transform = osml_pull_text(&fields);
		definition->inputs = osml_pull_texts(&fields);
		definition->shared = osml_pull_text(&fields);
		definition->params = osml_pull_jsonb(&fields);
		definition->fitted = osml_pull_jsonb(&fields);
		definition->program_step = -1;
		definitions = lappend(definitions, definition);
	}
	MemoryContextSwitchTo(old);
	return definitions;
}

List *
osml_definitions_find(int64 dataset_id)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	List	   *definitions;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, dataset_id);
	definitions = pull_definitions(&scope, osml_statement_read(&find_definitions, &args));
	osml_catalog_end(&scope);
	return definitions;
}

/* Two statements: the second one's snapshot is taken with the lock held. */
List *
osml_definitions_lock(int64 dataset_id)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	List	   *definitions;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, dataset_id);
	if (osml_statement_write(&lock_dataset, &args) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("the dataset was dropped meanwhile")));
	definitions = pull_definitions(&scope, osml_statement_write(&find_definitions, &args));
	osml_catalog_end(&scope);
	return definitions;
}

void
osml_definitions_replace(int64 dataset_id, List *definitions)
{
	OsmlCatalogScope scope;
	OsmlArgs	old = {0};
	const char *last = NULL;
	int			position = 0;
	ListCell   *cell;

	osml_catalog_begin(&scope);
	osml_push_int8(&old, dataset_id);
	osml_statement_write(&delete_definitions, &old);
	foreach(cell, definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);
		OsmlArgs	args = {0};

		if (last == NULL || strcmp(last, definition->feature) != 0)
			position++;
		last = definition->feature;
		osml_push_int8(&args, dataset_id);
		osml_push_int4(&args, position);
		osml_push_text(&args, definition->feature);
		osml_push_int4(&args, definition->step);
		osml_push_text(&args, definition->transform);
		osml_push_texts(&args, definition->inputs);
		osml_push_text(&args, definition->shared);
		osml_push_jsonb(&args, definition->params);
		osml_push_jsonb(&args, definition->fitted);
		osml_statement_write(&insert_definition, &args);
	}
	osml_catalog_end(&scope);
}

void
osml_definitions_set_fitted(int64 dataset_id, List *definitions)
{
	OsmlCatalogScope scope;
	ListCell   *cell;

	osml_catalog_begin(&scope);
	foreach(cell, definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);
		OsmlArgs	args = {0};

		osml_push_int8(&args, dataset_id);
		osml_push_text(&args, definition->feature);
		osml_push_int4(&args, definition->step);
		osml_push_jsonb(&args, definition->fitted);
		osml_statement_write(&set_fitted, &args);
	}
	osml_catalog_end(&scope);
}
