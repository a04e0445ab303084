/*
 * feature_note.c
 *	  osml.feature_note: availability, reasons and rationales of features.
 */
#include "postgres.h"

#include "catalog/feature_note.h"
#include "catalog/statement.h"

static OsmlStatement find_notes = OSML_STATEMENT(
	"SELECT feature, available, reason, rationale FROM osml.feature_note"
	" WHERE dataset_id = $1 ORDER BY feature",
	INT8OID);

static OsmlStatement put_note = OSML_STATEMENT(
	"INSERT INTO osml.feature_note AS n (dataset_id, feature, available, reason, rationale)"
	" VALUES ($1, $2, $3, $4, $5) ON CONFLICT (dataset_id, feature) DO UPDATE SET"
	" available = COALESCE(excluded.available, n.available),"
	" reason = COALESCE(excluded.reason, n.reason),"
	" rationale = COALESCE(excluded.rationale, n.rationale), noted_at = now()",
	INT8OID, TEXTOID, BOOLOID, TEXTOID, TEXTOID);

static OsmlStatement delete_note = OSML_STATEMENT(
	"DELETE FROM osml.feature_note WHERE dataset_id = $1 AND feature = $2",
	INT8OID, TEXTOID);

List *
osml_feature_notes_find(int64 dataset_id)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	List	   *notes = NIL;
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, dataset_id);
	n = osml_statement_read(&find_notes, &args);
	MemoryContextSwitchTo(scope.caller);
	for (uint64 i = 0; i < n; i++)
	{
		OsmlFields	fields = osml_fields(&scope, i);
		OsmlFeatureNoteRow *row = palloc0(sizeof(OsmlFeatureNoteRow));
		bool		isnull;
		Datum		available;

		row->feature = osml_pull_text(&fields);
		available = osml_pull(&fields, &isnull);
		row->has_available = !isnull;
		row->available = !isnull && DatumGetBool(available);
		row->reason = osml_pull_text(&fields);
		row->rationale = osml_pull_text(&fields);
		notes = lappend(notes, row);
	}
	osml_catalog_end(&scope);
	return notes;
}

void
osml_feature_note_put(int64 dataset_id, const OsmlFeatureNoteRow *row)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};

	osml_catalog_begin(&scope);
	osml_push_int8(&args, dataset_id);
	osml_push_text(&args, row->feature);
	if (row->has_available)
		osml_push(&args, BoolGetDatum(row->available));
	else
		osml_push_null(&args);
	osml_push_text(&args, row->reason);
	osml_push_text(&args, row->rationale);
	osml_statement_write(&put_note, &args);
	osml_catalog_end(&scope);
}

bool
osml_feature_note_delete(int64 dataset_id, const char *feature)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, dataset_id);
	osml_push_text(&args, feature);
	n = osml_statement_write(&delete_note, &args);
	osml_catalog_end(&scope);
	return n > 0;
}
