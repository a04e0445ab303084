/*
 * feature_rows.c
 *	  osml.feature and osml.weight: what a version sees, and its weights.
 *
 * osml.feature is what prediction needs, osml.weight a report for people; a
 * model that has no weight per column leaves the report out.
 */
#include "postgres.h"

#include "catalog/feature_rows.h"
#include "catalog/statement.h"

static OsmlStatement insert_feature = OSML_STATEMENT(
	"INSERT INTO osml.feature (version_id, position, column_name, element,"
	" n_elements, type, n, mean, std, min, max, center, scale, codes,"
	" average)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, nullif($14, 0), $15)",
	INT8OID, INT4OID, TEXTOID, INT4OID, INT4OID, TEXTOID, INT8OID, FLOAT8OID,
	FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, INT4OID, FLOAT8ARRAYOID);

static OsmlStatement insert_weights = OSML_STATEMENT(
	"INSERT INTO osml.weight (version_id, position, feature, class, category, weight,"
	" scaled_weight, std_error, t_stat, p_value, collinear)"
	" SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
	INT8ARRAYOID, INT4ARRAYOID, TEXTARRAYOID, TEXTARRAYOID, TEXTARRAYOID, FLOAT8ARRAYOID,
	FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID, BOOLARRAYOID);

static OsmlStatement find_features = OSML_STATEMENT(
	"SELECT column_name, element, n_elements, type, n, mean, std, min, max,"
	" center, scale, codes, average FROM osml.feature WHERE version_id = $1 ORDER BY position",
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
	osml_push_int4(&args, feature->codes);
	osml_push_float8s(&args, feature->average, feature->n_average);
	osml_statement_write(&insert_feature, &args);
}

/* One row of osml.weight. */
static void
add_weight(OsmlInserts *inserts, int64 version_id, int position, const OsmlVersionWeight *weight)
{
	OsmlArgs	args = {0};

	osml_push_int8(&args, version_id);
	osml_push_int4(&args, position);
	osml_push_text(&args, weight->feature);
	osml_push_text(&args, weight->class);
	osml_push_text(&args, weight->category);
	osml_push_float8(&args, weight->weight);
	osml_push_float8(&args, weight->scaled_weight);
	osml_push_float8(&args, weight->std_error);
	osml_push_float8(&args, weight->t_stat);
	osml_push_float8(&args, weight->p_value);
	osml_push(&args, BoolGetDatum(weight->collinear));
	osml_inserts_add(inserts, &args);
}

/* Features count from 1, weights from the intercept, which is 0. */
void
osml_features_insert(const OsmlVersionRow *row)
{
	OsmlInserts inserts;

	for (int i = 0; i < row->n_features; i++)
		insert_one_feature(row->version_id, i + 1, &row->features[i]);
	osml_inserts_begin(&inserts, &insert_weights);
	for (int i = 0; i < row->n_weights; i++)
		add_weight(&inserts, row->version_id, i, &row->weights_report[i]);
	osml_inserts_end(&inserts);
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
	for (uint64 i = 0; i < n; i++)
	{
		OsmlFields	fields = osml_fields(scope, i);
		OsmlVersionFeature *feature = &row->features[i];

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
		feature->codes = osml_pull_int4(&fields);
		feature->average = osml_pull_float8s(&fields, &feature->n_average);
	}
}
