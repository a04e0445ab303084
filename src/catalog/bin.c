/*
 * bin.c
 *	  osml.bin: see bin.h.
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"

#include "catalog/bin.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

static OsmlStatement delete_bins = OSML_STATEMENT(
	"DELETE FROM osml.bin WHERE (dataset_id = $1 OR version_id = $2) AND feature = $3",
	INT8OID, INT8OID, TEXTOID);

static OsmlStatement insert_bins = OSML_STATEMENT(
	"INSERT INTO osml.bin (dataset_id, version_id, feature, bin, low, high, category,"
	" count, mean_label) SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)",
	INT8ARRAYOID, INT8ARRAYOID, TEXTARRAYOID, INT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID,
	TEXTARRAYOID, INT8ARRAYOID, FLOAT8ARRAYOID);

static OsmlStatement find_categories = OSML_STATEMENT(
	"SELECT category FROM osml.bin WHERE dataset_id = $1 AND feature = $2 ORDER BY bin",
	INT8OID, TEXTOID);

char *
osml_code_text(const OsmlProgram *program, int k, int64 code)
{
	int			column = program->codes[k];
	const OsmlStep *step = &program->steps[osml_program_code_step(program, column)].step;
	int			param = osml_param_by_name(step->transform, "categories");
	char		name[1024];

	if (param >= 0 && step->params[param].given && code < step->params[param].n)
		return pstrdup(step->params[param].texts[code]);
	osml_program_code_name(program, column, code, name, sizeof(name));
	/* a long one may have been cut within a character */
	return pnstrdup(name, pg_mbcliplen(name, strlen(name), strlen(name)));
}

OsmlListing
osml_list_codes(const int64 *count, int64 n_codes, int most)
{
	OsmlListing listing;

	listing.codes = palloc(sizeof(int32) * Max(1, Min(n_codes, most)));
	if (n_codes > most && count != NULL)
	{
		listing.n = osml_code_stats_frequent(count, n_codes, most, listing.codes);
		return listing;
	}
	listing.n = (int) Min(n_codes, most);
	for (int i = 0; i < listing.n; i++)
		listing.codes[i] = i;
	return listing;
}

OsmlBinRow *
osml_bins_of_code(const OsmlProgram *program, int k, const OsmlCodeStats *stats,
				  int most, int *n)
{
	int			step = osml_program_code_step(program, program->codes[k]);
	const OsmlProgramStep *made_by = &program->steps[step];
	const double *edges;
	int			n_edges = 0;
	OsmlListing listing;
	OsmlBinRow *rows;

	*n = 0;
	if (!made_by->fitted)
		return NULL;
	edges = osml_bin_edges(&made_by->step, &n_edges);
	listing = osml_list_codes(stats ? stats->count : NULL,
							  made_by->step.transform->n_codes(&made_by->step), most);
	rows = palloc(sizeof(OsmlBinRow) * Max(1, listing.n));
	for (int i = 0; i < listing.n; i++)
	{
		OsmlBinRow *row = &rows[i];
		int32		code = listing.codes[i];
		int64		count = stats ? stats->count[code] : -1;

		row->bin = code;
		row->low = code + 1 < n_edges ? edges[code] : NAN;
		row->high = code + 1 < n_edges ? edges[code + 1] : NAN;
		row->category = osml_code_text(program, k, code);
		row->count = count;
		row->mean_label = count > 0 ? stats->label_mean[code] : NAN;
	}
	*n = listing.n;
	return rows;
}

/* An id, of which 0 means the other one. */
static void
push_id(OsmlArgs *args, int64 id)
{
	if (id == 0)
		osml_push_null(args);
	else
		osml_push_int8(args, id);
}

void
osml_bins_replace(int64 dataset_id, int64 version_id, const char *feature,
				  const OsmlBinRow *bins, int n)
{
	OsmlCatalogScope scope;
	OsmlArgs	all = {0};
	OsmlInserts inserts;

	osml_catalog_begin(&scope);
	push_id(&all, dataset_id);
	push_id(&all, version_id);
	osml_push_text(&all, feature);
	osml_statement_write(&delete_bins, &all);
	osml_inserts_begin(&inserts, &insert_bins);
	for (int i = 0; i < n; i++)
	{
		OsmlArgs	args = all;

		osml_push_int8(&args, bins[i].bin);
		osml_push_float8(&args, bins[i].low);
		osml_push_float8(&args, bins[i].high);
		osml_push_text(&args, bins[i].category);
		if (bins[i].count < 0)
			osml_push_null(&args);
		else
			osml_push_int8(&args, bins[i].count);
		osml_push_float8(&args, bins[i].mean_label);
		osml_inserts_add(&inserts, &args);
	}
	osml_inserts_end(&inserts);
	osml_catalog_end(&scope);
}

/* The last two codes are `other` and NULL. */
bool
osml_bins_categories(int64 dataset_id, const char *feature, List **categories)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	uint64		n;

	*categories = NIL;
	osml_catalog_begin(&scope);
	osml_push_int8(&args, dataset_id);
	osml_push_text(&args, feature);
	n = osml_statement_read(&find_categories, &args);
	MemoryContextSwitchTo(scope.caller);
	for (uint64 i = 0; i + 2 < n; i++)
	{
		OsmlFields	fields = osml_fields(&scope, i);

		*categories = lappend(*categories, osml_pull_text(&fields));
	}
	osml_catalog_end(&scope);
	return n > 0;
}
