/*
 * event.c
 *	  osml.event: what happened in a run that its user should know.
 */
#include "postgres.h"

#include "catalog/run.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

static OsmlStatement insert_event = OSML_STATEMENT(
	"INSERT INTO osml.event (run_id, severity, kind, step, message)"
	" VALUES ($1, $2, $3, $4, $5)",
	INT8OID, TEXTOID, TEXTOID, INT8OID, TEXTOID);

/* step below 0: not about a step */
void
osml_event_insert(int64 run_id, const char *severity, const char *kind,
				  int64 step, const char *message)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};

	osml_catalog_begin(&scope);
	osml_push_int8(&args, run_id);
	osml_push_text(&args, severity);
	osml_push_text(&args, kind);
	if (step < 0)
		osml_push_null(&args);
	else
		osml_push_int8(&args, step);
	osml_push_text(&args, message);
	osml_statement_write(&insert_event, &args);
	osml_catalog_end(&scope);
}
