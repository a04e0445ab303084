/*
 * version.c
 *	  osml.model_version: what a run made of a model, never updated.
 *
 * Next: feature_rows.c (a version's columns and weights).
 */
#include "postgres.h"

#include "catalog/feature_rows.h"
#include "catalog/model.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

static OsmlStatement next_version = OSML_STATEMENT(
	"UPDATE osml.model SET last_version = last_version + 1"
	" WHERE model_id = $1 RETURNING last_version",
	INT8OID);

static OsmlStatement insert_version = OSML_STATEMENT(
	"INSERT INTO osml.model_version (model_id, version, run_id, author, model_type,"
	" loss, label, label_type, classes, label_center, label_scale, hparams, weights,"
	" train_rows, skipped_rows, val_rows, test_rows, fingerprint,"
	" train_loss, val_loss, test_loss, summary, program, steps, calibration_rows,"
	" residuals_below, residuals_above)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,"
	" $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, nullif($25, 0),"
	" $26, $27) RETURNING version_id",
	INT8OID, INT4OID, INT8OID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID, FLOAT8OID,
	FLOAT8OID, JSONBOID, BYTEAOID, INT8OID, INT8OID, INT8OID, INT8OID,
	INT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, JSONBOID, JSONBOID, INT8OID, INT8OID,
	FLOAT8ARRAYOID, FLOAT8ARRAYOID);

static OsmlStatement find_version = OSML_STATEMENT(
	"SELECT version_id, model_id, version, run_id, author, model_type, loss, label,"
	" label_type, classes, label_center, label_scale, hparams, weights, train_rows,"
	" skipped_rows, val_rows, test_rows, fingerprint, train_loss, val_loss,"
	" test_loss, summary, program, calibration_rows, residuals_below, residuals_above,"
	" tableoid, xmin"
	" FROM osml.model_version WHERE model_id = $1 AND version = $2",
	INT8OID, INT4OID);

static OsmlStatement find_key = OSML_STATEMENT(
	"SELECT version_id, tableoid, xmin FROM osml.model_version"
	" WHERE model_id = $1 AND version = $2",
	INT8OID, INT4OID);

/*
 * The figure that counts is the one over the data least known to the run, as
 * far as any version has it; of equals the newest wins.  Floats in PostgreSQL
 * sort NaN last.
 */
static OsmlStatement best_version = OSML_STATEMENT(
	"SELECT version FROM (SELECT version, CASE"
	" WHEN bool_or(val_loss IS NOT NULL) OVER () THEN val_loss"
	" WHEN bool_or(test_loss IS NOT NULL) OVER () THEN test_loss"
	" ELSE train_loss END AS loss"
	" FROM osml.model_version WHERE model_id = $1) AS v"
	" WHERE loss IS NOT NULL ORDER BY loss, version DESC LIMIT 1",
	INT8OID);

static OsmlStatement find_since = OSML_STATEMENT(
	"SELECT summary #>> '{since,value}' FROM osml.model_version"
	" WHERE model_id = $1 AND summary #>> '{since,column}' = $2"
	" ORDER BY version DESC LIMIT 1",
	INT8OID, TEXTOID);

static OsmlStatement drop_version = OSML_STATEMENT(
	"DELETE FROM osml.model_version WHERE model_id = $1 AND version = $2",
	INT8OID, INT4OID);

static OsmlStatement forget_version = OSML_STATEMENT(
	"UPDATE osml.model SET deployed = nullif(deployed, $2),"
	" previous = nullif(previous, $2) WHERE model_id = $1",
	INT8OID, INT4OID);

static OsmlStatement drop_versions = OSML_STATEMENT(
	"DELETE FROM osml.model_version WHERE model_id = $1",
	INT8OID);

static OsmlStatement drop_model = OSML_STATEMENT(
	"DELETE FROM osml.model WHERE model_id = $1",
	INT8OID);

/* Numbers are not used again, also when the newest version was dropped. */
static int
take_number(const OsmlCatalogScope *scope, int64 model_id)
{
	OsmlArgs	args = {0};
	OsmlFields	fields;

	osml_push_int8(&args, model_id);
	if (osml_statement_write(&next_version, &args) != 1)
		elog(ERROR, "row of model " INT64_FORMAT " is gone", model_id);
	fields = osml_fields(scope, 0);
	return osml_pull_int4(&fields);
}

/* The parameters of insert_version. */
static void
push_version(OsmlArgs *args, const OsmlVersionRow *row)
{
	osml_push_int8(args, row->model_id);
	osml_push_int4(args, row->version);
	osml_push_int8(args, row->run_id);
	osml_push_text(args, row->author);
	osml_push_text(args, row->model_type);
	osml_push_text(args, row->loss);
	osml_push_text(args, row->label);
	osml_push_text(args, row->label_type);
	osml_push_texts(args, row->classes);
	osml_push(args, Float8GetDatum(row->label_center));
	osml_push(args, Float8GetDatum(row->label_scale));
	osml_push_jsonb(args, row->hparams);
	osml_push(args, PointerGetDatum(row->weights));
	osml_push_int8(args, row->train_rows);
	osml_push_int8(args, row->skipped_rows);
	osml_push_int8(args, row->val_rows);
	osml_push_int8(args, row->test_rows);
	osml_push_int8(args, (int64) row->fingerprint);
	osml_push_float8(args, row->train_loss);
	osml_push_float8(args, row->val_loss);
	osml_push_float8(args, row->test_loss);
	osml_push_jsonb(args, row->summary);
	osml_push_jsonb(args, row->program);
	osml_push_int8(args, row->steps);
	osml_push_int8(args, row->calibration_rows);
	osml_push_float8s(args, row->residuals_below, row->n_residuals);
	osml_push_float8s(args, row->residuals_above, row->n_residuals);
}

/*
 * Add a version to a model that osml_model_ensure() locked; sets the row's
 * model_id, version_id and version.
 */
void
osml_version_insert(OsmlModelRow *model, OsmlVersionRow *row, bool deploy)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	OsmlFields	fields;

	osml_catalog_begin(&scope);
	row->model_id = model->model_id;
	row->version = take_number(&scope, model->model_id);
	push_version(&args, row);
	osml_statement_write(&insert_version, &args);
	fields = osml_fields(&scope, 0);
	row->version_id = osml_pull_int8(&fields);
	osml_features_insert(row);
	osml_catalog_end(&scope);

	if (deploy)
		osml_model_deploy(model, row->version);
}

/* Read a result row of find_version. */
static OsmlVersionRow *
pull_version(const OsmlCatalogScope *scope)
{
	OsmlFields	fields = osml_fields(scope, 0);
	OsmlVersionRow *row = MemoryContextAllocZero(scope->caller,
												 sizeof(OsmlVersionRow));
	bool		isnull;
	int			n_above;

	row->version_id = osml_pull_int8(&fields);
	row->model_id = osml_pull_int8(&fields);
	row->version = osml_pull_int4(&fields);
	row->run_id = osml_pull_int8(&fields);
	row->author = osml_pull_text(&fields);
	row->model_type = osml_pull_text(&fields);
	row->loss = osml_pull_text(&fields);
	row->label = osml_pull_text(&fields);
	row->label_type = osml_pull_text(&fields);
	row->classes = osml_pull_texts(&fields);
	row->label_center = osml_pull_float8(&fields);
	row->label_scale = osml_pull_float8(&fields);
	row->hparams = osml_pull_jsonb(&fields);
	row->weights = osml_pull_bytea(&fields);
	row->train_rows = osml_pull_int8(&fields);
	row->skipped_rows = osml_pull_int8(&fields);
	row->val_rows = osml_pull_int8(&fields);
	row->test_rows = osml_pull_int8(&fields);
	row->fingerprint = (uint64) osml_pull_int8(&fields);
	row->train_loss = osml_pull_float8(&fields);
	row->val_loss = osml_pull_float8(&fields);
	row->test_loss = osml_pull_float8(&fields);
	row->summary = osml_pull_jsonb(&fields);
	row->program = osml_pull_jsonb(&fields);
	row->calibration_rows = osml_pull_int8(&fields);
	row->residuals_below = osml_pull_float8s(&fields, &row->n_residuals);
	row->residuals_above = osml_pull_float8s(&fields, &n_above);
	/* tails of two lengths fit no number of rows */
	if (n_above != row->n_residuals)
		row->n_residuals = -1;
	row->table_oid = DatumGetObjectId(osml_pull(&fields, &isnull));
	row->row_xmin = DatumGetTransactionId(osml_pull(&fields, &isnull));
	return row;
}

/* Find a version with its features; 0 is the deployed one. */
OsmlVersionRow *
osml_version_find(const OsmlModelRow *model, int version)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	OsmlVersionRow *row = NULL;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, model->model_id);
	osml_push_int4(&args, version > 0 ? version : model->deployed);
	if (osml_statement_read(&find_version, &args) > 0)
	{
		row = pull_version(&scope);
		osml_features_find(&scope, row);
	}
	osml_catalog_end(&scope);
	return row;
}

/* Identify a version without reading its weights. */
bool
osml_version_key(const OsmlModelRow *model, int version, OsmlVersionKey *key)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	bool		found;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, model->model_id);
	osml_push_int4(&args, version > 0 ? version : model->deployed);
	found = osml_statement_read(&find_key, &args) > 0;
	if (found)
	{
		OsmlFields	fields = osml_fields(&scope, 0);
		bool		isnull;

		key->version = version > 0 ? version : model->deployed;
		key->version_id = osml_pull_int8(&fields);
		key->table_oid = DatumGetObjectId(osml_pull(&fields, &isnull));
		key->row_xmin = DatumGetTransactionId(osml_pull(&fields, &isnull));
	}
	osml_catalog_end(&scope);
	return found;
}

/* Number of the version with the lowest loss. */
int
osml_version_best(const OsmlModelRow *model)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	int			version = 0;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, model->model_id);
	if (osml_statement_read(&best_version, &args) > 0)
	{
		OsmlFields	fields = osml_fields(&scope, 0);

		version = osml_pull_int4(&fields);
	}
	osml_catalog_end(&scope);
	return version;
}

/* The text of a value, as since.c wrote it. */
char *
osml_version_since(const OsmlModelRow *model, const char *column)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	char	   *value = NULL;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, model->model_id);
	osml_push_text(&args, column);
	if (osml_statement_read(&find_since, &args) > 0)
	{
		OsmlFields	fields = osml_fields(&scope, 0);

		value = osml_pull_text(&fields);
	}
	osml_catalog_end(&scope);
	return value;
}

/* Drop one version, or with 0 the model and all; returns how many versions. */
int
osml_version_drop(const OsmlModelRow *model, int version)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, model->model_id);
	if (version == 0)
	{
		n = osml_statement_write(&drop_versions, &args);
		osml_statement_write(&drop_model, &args);
	}
	else
	{
		osml_push_int4(&args, version);
		n = osml_statement_write(&drop_version, &args);
		osml_statement_write(&forget_version, &args);
	}
	osml_catalog_end(&scope);
	return (int) n;
}
