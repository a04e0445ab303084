/*
 * feature_rows.c
 *	  osml.feature and osml.weight: a version's dense columns.
 *
 * osml.feature is what prediction needs, osml.weight a report for people; a
 * model that has no weight per column leaves the report out.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/feature_rows.h"
#include "catalog/statement.h"

static OsmlStatement insert_feature = OSML_STATEMENT(
	"INSERT INTO osml.feature (version_id, position, column_name, element,"
	" n_elements, type, n, mean, std, min, max, center, scale)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
	INT8OID, INT4OID, TEXTOID, INT4OID, INT4OID, TEXTOID, INT8OID, FLOAT8OID,
	FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID);

static OsmlStatement insert_weight = OSML_STATEMENT(
	"INSERT INTO osml.weight (version_id, position, feature, weight,"
	" scaled_weight, std_error, t_stat, p_value, collinear)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
	INT8OID, INT4OID, TEXTOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID,
	FLOAT8OID, BOOLOID);

static OsmlStatement find_features = OSML_STATEMENT(
	"SELECT column_name, element, n_elements, type, n, mean, std, min, max,"
	" center, scale FROM osml.feature WHERE version_id = $1 ORDER BY position",
	INT8OID);

static OsmlStatement find_weights = OSML_STATEMENT(
	"SELECT position, weight, scaled_weight, std_error, t_stat, p_value,"
	" collinear FROM osml.weight WHERE version_id = $1",
	INT8OID);

/* "column", or "column[k]" for an element of an array column; palloc'd */
char *
osml_version_feature_name(const OsmlVersionFeature *feature)
{
	if (feature->element == 0)
		return pstrdup(feature->column);
	return psprintf("%s[%d]", feature->column, feature->element);
}

/* One row of osml.feature. */
static void
insert_one_feature(int64 version_id, int position,
				   const OsmlVersionFeature *feature)
{
	OsmlArgs	args = {0};

	osml_push_int8(&args, version_id);
	osml_push_int4(&args, position);
	osml_push_text(&args, feature->column);
	osml_push_int4(&args, feature->element);
	osml_push_int4(&args, feature->n_elements);
	osml_push_text(&args, feature->type);
	osml_push_int8(&args, feature->n);
	osml_push_float8(&args, feature->mean);
	osml_push_float8(&args, feature->std);
	osml_push_float8(&args, feature->min);
	osml_push_float8(&args, feature->max);
	osml_push_float8(&args, feature->center);
	osml_push_float8(&args, feature->scale);
	osml_statement_write(&insert_feature, &args);
}

/* One row of osml.weight, if the run reported this weight. */
static void
insert_one_weight(int64 version_id, int position, const char *name,
				  const OsmlVersionFeature *feature)
{
	OsmlArgs	args = {0};

	if (isnan(feature->weight) && isnan(feature->scaled_weight))
		return;
	osml_push_int8(&args, version_id);
	osml_push_int4(&args, position);
	osml_push_text(&args, name);
	osml_push_float8(&args, feature->weight);
	osml_push_float8(&args, feature->scaled_weight);
	osml_push_float8(&args, feature->std_error);
	osml_push_float8(&args, feature->t_stat);
	osml_push_float8(&args, feature->p_value);
	osml_push(&args, BoolGetDatum(feature->collinear));
	osml_statement_write(&insert_weight, &args);
}

/* Positions count from 1; position 0 of osml.weight is the intercept. */
void
osml_features_insert(const OsmlVersionRow *row)
{
	for (int i = 0; i < row->n_features; i++)
	{
		OsmlVersionFeature *feature = &row->features[i];

		insert_one_feature(row->version_id, i + 1, feature);
		insert_one_weight(row->version_id, i + 1,
						  osml_version_feature_name(feature), feature);
	}
	insert_one_weight(row->version_id, 0, "(intercept)", &row->intercept);
}

/* No report: all numbers absent. */
static void
clear_weight(OsmlVersionFeature *feature)
{
	feature->weight = feature->scaled_weight = NAN;
	feature->std_error = feature->t_stat = feature->p_value = NAN;
}

/* Fill in the report of the weights that have one. */
static void
find_weight_rows(const OsmlCatalogScope *scope, OsmlVersionRow *row)
{
	OsmlArgs	args = {0};
	uint64		n;

	osml_push_int8(&args, row->version_id);
	n = osml_statement_read(&find_weights, &args);
	for (uint64 i = 0; i < n; i++)
	{
		OsmlFields	fields = osml_fields(scope, i);
		int			position = osml_pull_int4(&fields);
		OsmlVersionFeature *feature;

		if (position > row->n_features)
			continue;
		feature = position == 0 ? &row->intercept : &row->features[position - 1];
		feature->weight = osml_pull_float8(&fields);
		feature->scaled_weight = osml_pull_float8(&fields);
		feature->std_error = osml_pull_float8(&fields);
		feature->t_stat = osml_pull_float8(&fields);
		feature->p_value = osml_pull_float8(&fields);
		feature->collinear = osml_pull_bool(&fields);
	}
}

/* Read the features of a version in the order of its weights. */
void
osml_features_find(const OsmlCatalogScope *scope, OsmlVersionRow *row)
{
	OsmlArgs	args = {0};
	uint64		n;

	osml_push_int8(&args, row->version_id);
	n = osml_statement_read(&find_features, &args);
	row->n_features = (int) n;
	row->features = MemoryContextAllocZero(scope->caller,
										   (n + 1) * sizeof(OsmlVersionFeature));
	clear_weight(&row->intercept);
	for (uint64 i = 0; i < n; i++)
	{
		OsmlFields	fields = osml_fields(scope, i);
		OsmlVersionFeature *feature = &row->features[i];

		clear_weight(feature);
		feature->column = osml_pull_text(&fields);
		feature->element = osml_pull_int4(&fields);
		feature->n_elements = osml_pull_int4(&fields);
		feature->type = osml_pull_text(&fields);
		feature->n = osml_pull_int8(&fields);
		feature->mean = osml_pull_float8(&fields);
		feature->std = osml_pull_float8(&fields);
		feature->min = osml_pull_float8(&fields);
		feature->max = osml_pull_float8(&fields);
		feature->center = osml_pull_float8(&fields);
		feature->scale = osml_pull_float8(&fields);
	}
	find_weight_rows(scope, row);
}
