/*
 * model.c
 *	  osml.model: a name, its owner, and the version in use.
 *
 * Next: version.c (what a version holds), grant.c (who else may use it).
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "catalog/rights.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

#define MODEL_COLUMNS "model_id, name, owner, deployed, previous"

static OsmlStatement find_model = OSML_STATEMENT(
	"SELECT " MODEL_COLUMNS " FROM osml.model WHERE name = $1",
	TEXTOID);

static OsmlStatement insert_model = OSML_STATEMENT(
	"INSERT INTO osml.model (name, owner) VALUES ($1, $2)"
	" ON CONFLICT (name) DO NOTHING",
	TEXTOID, TEXTOID);

static OsmlStatement lock_model = OSML_STATEMENT(
	"SELECT " MODEL_COLUMNS " FROM osml.model WHERE name = $1 FOR UPDATE",
	TEXTOID);

/* deploying what is deployed keeps the way back */
static OsmlStatement deploy_model = OSML_STATEMENT(
	"UPDATE osml.model SET previous = deployed, deployed = $2"
	" WHERE model_id = $1 AND deployed IS DISTINCT FROM $2"
	" RETURNING previous",
	INT8OID, INT4OID);

static OsmlStatement list_models = OSML_STATEMENT(
	"SELECT name, owner, (SELECT array_agg(g.grantee) FROM osml.model_grant g"
	" WHERE g.model_id = m.model_id) FROM osml.model m ORDER BY name");

/* Read a row of MODEL_COLUMNS. */
static OsmlModelRow *
pull_model(const OsmlCatalogScope *scope)
{
	OsmlFields	fields = osml_fields(scope, 0);
	OsmlModelRow *row = MemoryContextAllocZero(scope->caller,
											   sizeof(OsmlModelRow));

	row->model_id = osml_pull_int8(&fields);
	row->name = osml_pull_text(&fields);
	row->owner = osml_pull_text(&fields);
	row->deployed = osml_pull_int4(&fields);
	row->previous = osml_pull_int4(&fields);
	return row;
}

/* Find a model; what the user may do with it, rights.h says. */
OsmlModelRow *
osml_model_find(const char *name)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	OsmlModelRow *row = NULL;

	osml_catalog_begin(&scope);
	osml_push_text(&args, name);
	if (osml_statement_read(&find_model, &args) > 0)
		row = pull_model(&scope);
	osml_catalog_end(&scope);
	return row;
}

/*
 * Find a model and lock its row until the transaction ends, so that its
 * versions neither come nor go meanwhile.  NULL when there is none.
 */
OsmlModelRow *
osml_model_lock(const char *name)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	OsmlModelRow *row = NULL;

	osml_catalog_begin(&scope);
	osml_push_text(&args, name);
	if (osml_statement_write(&lock_model, &args) > 0)
		row = pull_model(&scope);
	osml_catalog_end(&scope);
	return row;
}

/* Insert unless it is there, whoever else does the same right now. */
static void
insert_if_absent(const char *name)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	char	   *owner = osml_current_role();

	osml_catalog_begin(&scope);
	osml_push_text(&args, name);
	osml_push_text(&args, owner);
	osml_statement_write(&insert_model, &args);
	osml_catalog_end(&scope);
}

/* The name is somebody else's, who has not given 'manage' away. */
static void
check_name_free(const OsmlModelRow *model)
{
	if (osml_model_allowed(model, OSML_MANAGE))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("model \"%s\" belongs to role \"%s\"",
					model->name, model->owner),
			 errhint("Choose another name with the argument model, or ask its owner for osml_grant(%s, %s, 'manage').",
					 quote_literal_cstr(model->name),
					 quote_literal_cstr(osml_current_role()))));
}

/*
 * Find or create a model and lock it.  A drop by somebody else may fall
 * between the two statements, hence the loop.
 */
OsmlModelRow *
osml_model_ensure(const char *name, bool named)
{
	OsmlModelRow *row;

	while ((row = osml_model_lock(name)) == NULL)
		insert_if_absent(name);
	check_name_free(row);
	osml_model_check_named(row, named);
	return row;
}

/* Use this version from now on; row->previous is the way back. */
void
osml_model_deploy(OsmlModelRow *model, int version)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};

	osml_catalog_begin(&scope);
	osml_push_int8(&args, model->model_id);
	osml_push_int4(&args, version);
	if (osml_statement_write(&deploy_model, &args) > 0)
	{
		OsmlFields	fields = osml_fields(&scope, 0);

		model->previous = osml_pull_int4(&fields);
	}
	model->deployed = version;
	osml_catalog_end(&scope);
}

/* A model as osml_model_names() sees it. */
typedef struct Listed
{
	char	   *name;
	char	   *owner;
	List	   *grantees;
} Listed;

/* All models, in the caller's context. */
static List *
list_all(void)
{
	OsmlCatalogScope scope;
	List	   *all = NIL;
	uint64		n;

	osml_catalog_begin(&scope);
	n = osml_statement_read(&list_models, NULL);
	MemoryContextSwitchTo(scope.caller);
	for (uint64 i = 0; i < n; i++)
	{
		OsmlFields	fields = osml_fields(&scope, i);
		Listed	   *model = palloc(sizeof(Listed));

		model->name = osml_pull_text(&fields);
		model->owner = osml_pull_text(&fields);
		model->grantees = osml_pull_texts(&fields);
		all = lappend(all, model);
	}
	osml_catalog_end(&scope);
	return all;
}

/* Names of the models that the current user may see, for hints. */
List *
osml_model_names(void)
{
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, list_all())
	{
		Listed	   *model = lfirst(lc);

		if (osml_role_usable(model->owner) ||
			osml_grantee_matches(model->grantees))
			names = lappend(names, model->name);
	}
	return names;
}
