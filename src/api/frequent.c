/*
 * frequent.c
 *	  The most frequent values of text columns; see frequent.h.
 *
 * A GROUP BY over all values would sort every text of an identifier.
 */
#include "postgres.h"

#include "access/htup_details.h"
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

/* Values of the rows of a fetch, row by row. */
typedef struct Fetched
{
	int			n_rows;
	int			n_columns;
	Datum	   *values;
	bool	   *nulls;
} Fetched;

/* Room for a fetch. */
static Fetched
fetched_room(int n_columns)
{
	Size		cells = (Size) FETCH_ROWS * n_columns;

	return (Fetched) {
		0, n_columns, palloc_extended(cells * sizeof(Datum), MCXT_ALLOC_HUGE),
		palloc_extended(cells * sizeof(bool), MCXT_ALLOC_HUGE)
	};
}

/*
 * Take the rows that were fetched apart, each once: to find one text of a row
 * takes a walk over all before it.
 */
static void
take_rows(Fetched *fetched)
{
	fetched->n_rows = (int) SPI_processed;
	for (int r = 0; r < fetched->n_rows; r++)
	{
		Size		first = (Size) r * fetched->n_columns;

		heap_deform_tuple(SPI_tuptable->vals[r], SPI_tuptable->tupdesc,
						  fetched->values + first, fetched->nulls + first);
	}
}

/* Count one column of the rows that were fetched. */
static void
count_column(OsmlTally *tally, const Fetched *fetched, int column)
{
	uint64		keys[FETCH_ROWS];

	for (int r = 0; r < fetched->n_rows; r++)
	{
		Size		cell = (Size) r * fetched->n_columns + column;
		text	   *packed;

		keys[r] = OSML_KEY_NULL;
		if (fetched->nulls[cell])
			continue;
		packed = DatumGetTextPP(fetched->values[cell]);
		keys[r] = osml_key(VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed));
		osml_check_status(osml_tally_text(tally, keys[r], VARDATA_ANY(packed),
										  VARSIZE_ANY_EXHDR(packed)));
	}
	osml_check_status(osml_tally_add(tally, keys, NULL, fetched->n_rows));
}

/* Count all columns of all rows. */
static void
count_rows(const char *from, List *expressions, OsmlTally **tallies)
{
	Fetched		fetched = fetched_room(list_length(expressions));
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
		take_rows(&fetched);
		for (int i = 0; i < fetched.n_columns; i++)
			count_column(tallies[i], &fetched, i);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	AtEOXact_GUC(false, level);
	SPI_finish();
	pfree(fetched.values);
	pfree(fetched.nulls);
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
