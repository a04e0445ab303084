/*
 * frequent.c
 *	  The most frequent values of text columns; see frequent.h.
 *
 * A GROUP BY over all values would sort every text of an identifier.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "api/frequent.h"
#include "features/key.h"
#include "features/tally.h"
#include "source/context_arena.h"
#include "source/source.h"

/* a fetch: no more texts than a tally keeps ahead of their keys */
#define FETCH_ROWS OSML_TALLY_PENDING

/* An open cursor over the expressions. */
static Portal
open_cursor(const char *from, List *expressions)
{
	StringInfoData sql;
	SPIPlanPtr	plan;
	ListCell   *cell;

	initStringInfo(&sql);
	foreach(cell, expressions)
		appendStringInfo(&sql, "%s%s", sql.len ? ", " : "SELECT ", (char *) lfirst(cell));
	appendStringInfo(&sql, " FROM %s", from);
	plan = SPI_prepare_cursor(sql.data, 0, NULL, CURSOR_OPT_NO_SCROLL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", sql.data);
	return SPI_cursor_open(NULL, plan, NULL, NULL, true);
}

/* Count one column of the rows that were fetched. */
static void
count_column(OsmlTally *tally, int column)
{
	uint64		keys[FETCH_ROWS];

	for (uint64 r = 0; r < SPI_processed; r++)
	{
		bool		isnull;
		Datum		value = SPI_getbinval(SPI_tuptable->vals[r], SPI_tuptable->tupdesc,
										  column, &isnull);
		text	   *packed;

		keys[r] = OSML_KEY_NULL;
		if (isnull)
			continue;
		packed = DatumGetTextPP(value);
		keys[r] = osml_key(VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed));
		osml_check_status(osml_tally_text(tally, keys[r], VARDATA_ANY(packed),
										  VARSIZE_ANY_EXHDR(packed)));
	}
	osml_check_status(osml_tally_add(tally, keys, NULL, (int) SPI_processed));
}

/* Count all columns of all rows. */
static void
count_rows(const char *from, List *expressions, OsmlTally **tallies)
{
	Portal		portal;
	int			level;

	SPI_connect();
	level = osml_scan_settings();
	portal = open_cursor(from, expressions);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		for (int i = 0; i < list_length(expressions); i++)
			count_column(tallies[i], i + 1);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	AtEOXact_GUC(false, level);
	SPI_finish();
}

/* What a tally is sure of. */
static List *
top_values(const OsmlTally *tally, int most)
{
	OsmlTallyEntry *top = palloc(sizeof(OsmlTallyEntry) * most);
	List	   *values = NIL;
	int			n;

	osml_check_status(osml_tally_top(tally, most, osml_tally_error(tally) + 1, top, &n));
	for (int i = 0; i < n; i++)
	{
		if (top[i].text != NULL)
			values = lappend(values, pstrdup(top[i].text));
	}
	pfree(top);
	return values;
}

List **
osml_frequent_values(const char *from, List *expressions, int most)
{
	int			n = list_length(expressions);
	List	  **values = palloc0(sizeof(List *) * Max(1, n));
	OsmlTally **tallies = palloc0(sizeof(OsmlTally *) * Max(1, n));
	OsmlArena	arena = osml_context_arena(CurrentMemoryContext);

	for (int i = 0; i < n; i++)
	{
		tallies[i] = osml_tally_create(&arena, OSML_FREQUENT_COUNTED);
		if (tallies[i] == NULL)
			osml_check_status(OSML_OUT_OF_MEMORY);
	}
	if (n > 0)
		count_rows(from, expressions, tallies);
	for (int i = 0; i < n; i++)
	{
		values[i] = top_values(tallies[i], most);
		osml_tally_free(tallies[i]);
	}
	pfree(tallies);
	return values;
}
