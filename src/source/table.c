/*
 * table.c
 *	  Rows of a relation or a query into blocks, through an SPI cursor.
 *
 * The cursor's portal runs with a DestReceiver of ours, so a row is taken from
 * the executor's slot straight to the block's columns: no tuple is formed, no
 * row is copied on the way.  Next: decode.c.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/itemptr.h"
#include "tcop/dest.h"
#include "tcop/pquery.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "source/decode.h"
#include "source/resident.h"
#include "source/source.h"

/* One column of the cursor, with its converter chosen once. */
typedef struct ScanColumn
{
	OsmlDecode	decode;			/* NULL: an array */
	bool		is_float8;		/* the usual case, without a call */
	Oid			element;		/* array: element type */
	int			n_elements;
	int			dense;			/* first column in the block */
	const char *name;
} ScanColumn;

/* The DestReceiver and everything it needs for one shard. */
typedef struct TableScan
{
	DestReceiver pub;
	const OsmlScan *scan;
	const OsmlScanUnit *unit;
	int			n_columns;		/* features, then the label if there is one */
	ScanColumn *columns;
	bool		scratch_needed; /* a converter may allocate */
	MemoryContext scratch;		/* reset a block */
	OsmlBlock  *block;
	int64		rows_read;
	bool		stopped;		/* the sink wants no more */
} TableScan;

/* Which rows an error is about, in words. */
static void
row_error(TableScan *state, int sqlstate, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("%s in row " INT64_FORMAT " of %s", what, state->rows_read,
					state->unit->label),
			 errhint("%s", hint)));
}

/*
 * A column is NULL, or its array has a NULL in it: drop, impute or complain.
 * Returns false to drop.
 */
static bool
take_null(TableScan *state, const ScanColumn *column, int row, const char *problem)
{
	const OsmlScan *scan = state->scan;
	bool		is_label = column->dense == scan->set->layout.n_dense;

	if (scan->keep_null_rows || (scan->on_null == OSML_ON_NULL_MEAN && !is_label))
	{
		for (int k = 0; k < Max(1, column->n_elements); k++)
			osml_block_column(state->block, column->dense + k)[row] = osml_missing();
		return true;
	}
	if (scan->on_null == OSML_ON_NULL_ERROR)
		row_error(state, ERRCODE_NULL_VALUE_NOT_ALLOWED,
				  psprintf("column \"%s\" %s", column->name, problem),
				  "Set \"on_null\" to skip or mean, or filter such rows out.");
	return false;
}

/* An array column's values.  Returns false to drop the row. */
static bool
take_array(TableScan *state, const ScanColumn *column, Datum value, int row,
		   double *finite)
{
	double	   *out = osml_block_column(state->block, column->dense) + row;
	bool		has_null;
	int			n = osml_decode_array(value, column->element, column->n_elements,
									  out, OSML_BLOCK_ROWS, &has_null);

	if (n != column->n_elements)
		row_error(state, ERRCODE_ARRAY_SUBSCRIPT_ERROR,
				  psprintf("array column \"%s\" has %d elements, not %d,",
						   column->name, n, column->n_elements),
				  "All arrays of a feature must have the length of the first.");
	if (has_null)
		return take_null(state, column, row, "holds a NULL");
	for (int k = 0; k < n; k++)
		*finite += out[(size_t) k * OSML_BLOCK_ROWS] * 0.0;
	return true;
}

/* A row with NaN or infinity: name the column if it stops the run. */
static bool
take_nonfinite(TableScan *state, int row)
{
	const OsmlScan *scan = state->scan;
	const OsmlLayout *layout = &scan->set->layout;

	if (scan->on_nonfinite == OSML_ON_NONFINITE_KEEP)
		return true;
	for (int j = 0; scan->on_nonfinite == OSML_ON_NONFINITE_STOP &&
		 j <= layout->n_dense; j++)
	{
		double		value = osml_block_column(state->block, j)[row];

		if (!isfinite(value) && !osml_is_missing(value) &&
			(j < layout->n_dense || scan->set->label))
			row_error(state, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
					  psprintf("column \"%s\" is %s",
							   j < layout->n_dense ? osml_dense_name(scan->set, j) :
							   scan->set->label,
							   isnan(value) ? "NaN" : "infinite"),
					  "Set \"on_nonfinite\" to skip, or filter such rows out.");
	}
	state->block->n_nonfinite++;
	return false;
}

/* All columns of a row into row r of the block.  Returns false to drop it. */
static inline bool
take_row(TableScan *state, TupleTableSlot *slot, int row)
{
	double		finite = 0;

	for (int c = 0; c < state->n_columns; c++)
	{
		const ScanColumn *column = &state->columns[c];
		double		value;

		if (unlikely(slot->tts_isnull[c]))
		{
			if (!take_null(state, column, row, "is NULL"))
			{
				state->block->n_null++;
				return false;
			}
			continue;
		}
		if (column->is_float8)
			value = DatumGetFloat8(slot->tts_values[c]);
		else if (column->decode)
			value = column->decode(slot->tts_values[c]);
		else if (take_array(state, column, slot->tts_values[c], row, &finite))
			continue;
		else
		{
			state->block->n_null++;
			return false;
		}
		osml_block_column(state->block, column->dense)[row] = value;
		finite += value * 0.0;
	}
	return finite == 0 || take_nonfinite(state, row);
}

/* Hand the block over and start the next. */
static void
emit_block(TableScan *state)
{
	OsmlBlock  *block = state->block;

	if (!state->scan->sink(state->scan->arg, block))
		state->stopped = true;
	block->nrows = 0;
	block->n_null = 0;
	block->n_nonfinite = 0;
	block->prepared = false;
	MemoryContextReset(state->scratch);
}

static bool
scan_receive(TupleTableSlot *slot, DestReceiver *self)
{
	TableScan  *state = (TableScan *) self;
	OsmlBlock  *block = state->block;
	bool		taken;

	if (state->scan->stop && *state->scan->stop)
	{
		state->stopped = true;
		return false;
	}
	state->rows_read++;
	slot_getallattrs(slot);
	if (block->nrows == 0)
		block->first_row = state->rows_read;
	if (state->scratch_needed)
	{
		MemoryContext old = MemoryContextSwitchTo(state->scratch);

		taken = take_row(state, slot, block->nrows);
		MemoryContextSwitchTo(old);
	}
	else
		taken = take_row(state, slot, block->nrows);
	if (!taken)
		return true;
	if (state->scan->set->layout.has_row_number)
		osml_block_row_numbers(block, &state->scan->set->layout)[block->nrows] =
			(uint32) state->rows_read;
	if (state->scan->key_sink)
		state->scan->key_sink(state->scan->arg, block->nrows,
							  slot->tts_values[state->n_columns],
							  slot->tts_isnull[state->n_columns],
							  TupleDescAttr(slot->tts_tupleDescriptor,
											state->n_columns)->atttypid);
	if (++block->nrows == OSML_BLOCK_ROWS)
		emit_block(state);
	return !state->stopped;
}

static void
scan_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
scan_shutdown(DestReceiver *self)
{
}

/* Choose a converter for each column. */
static void
plan_columns(TableScan *state)
{
	const OsmlFeatureSet *set = state->scan->set;

	state->columns = palloc0(sizeof(ScanColumn) * (set->n_features + 1));
	for (int i = 0; i <= set->n_features; i++)
	{
		ScanColumn *column = &state->columns[state->n_columns];
		bool		is_label = i == set->n_features;
		Oid			type = is_label ? set->label_type : set->features[i].type;

		if (is_label && set->label == NULL)
			break;
		column->name = is_label ? set->label : set->features[i].name;
		column->dense = is_label ? set->layout.n_dense : set->features[i].first_dense;
		column->n_elements = is_label ? 0 : set->features[i].n_elements;
		if (column->n_elements > 0)
			column->element = osml_decode_element(type);
		else
			column->decode = osml_decode_for(type);
		column->is_float8 = column->n_elements == 0 && getBaseType(type) == FLOAT8OID;
		/* varlena values may be detoasted on the way */
		if (!get_typbyval(type))
			state->scratch_needed = true;
		state->n_columns++;
	}
}

/* SELECT columns [, key] FROM unit [WHERE ctid in range] */
static char *
scan_sql(const TableScan *state, bool by_range, bool open_end)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int c = 0; c < state->n_columns; c++)
		appendStringInfo(&sql, "%s%s", c ? ", " : "",
						 quote_identifier(state->columns[c].name));
	if (state->scan->key_column)
		appendStringInfo(&sql, ", %s", state->scan->key_column);
	appendStringInfo(&sql, " FROM %s", state->unit->from);
	if (by_range)
		appendStringInfo(&sql, " WHERE ctid OPERATOR(pg_catalog.>=) $1%s",
						 open_end ? "" : " AND ctid OPERATOR(pg_catalog.<) $2");
	return sql.data;
}

/*
 * Settings for a whole-table pass: start at the first block, so that the same
 * table gives the same rows in the same order; no JIT, whose compile time a
 * short scan does not earn back and whose deforming gains nothing here.
 */
int
osml_scan_settings(void)
{
	int			level = NewGUCNestLevel();

	(void) set_config_option("synchronize_seqscans", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("jit", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

/* Open the cursor for a shard. */
static Portal
open_cursor(TableScan *state, uint32 first_block, uint32 n_blocks)
{
	bool		by_range = n_blocks > 0;
	bool		open_end = n_blocks == PG_UINT32_MAX;
	Oid			types[2] = {TIDOID, TIDOID};
	ItemPointerData tids[2];
	Datum		values[2];
	SPIPlanPtr	plan;
	char	   *sql = scan_sql(state, by_range, open_end);

	ItemPointerSet(&tids[0], first_block, 0);
	ItemPointerSet(&tids[1], open_end ? 0 : first_block + n_blocks, 0);
	values[0] = PointerGetDatum(&tids[0]);
	values[1] = PointerGetDatum(&tids[1]);
	plan = SPI_prepare_cursor(sql, by_range ? (open_end ? 1 : 2) : 0, types,
							  CURSOR_OPT_NO_SCROLL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", sql);
	return SPI_cursor_open(NULL, plan, values, NULL, true);
}

int64
osml_scan_unit(const OsmlScan *scan, const OsmlScanUnit *unit, uint32 first_block,
			   uint32 n_blocks)
{
	TableScan	state = {0};
	int			level;
	Portal		portal;

	SPI_connect();
	level = osml_scan_settings();
	state.pub.receiveSlot = scan_receive;
	state.pub.rStartup = scan_startup;
	state.pub.rShutdown = scan_shutdown;
	state.pub.rDestroy = scan_shutdown;
	state.pub.mydest = DestNone;
	state.scan = scan;
	state.unit = unit;
	state.scratch = AllocSetContextCreate(CurrentMemoryContext, "osml scan block",
										  ALLOCSET_DEFAULT_SIZES);
	plan_columns(&state);
	state.block = osml_new_block(CurrentMemoryContext, &scan->set->layout);
	state.block->shard = scan->shard;
	if (!scan->set->label)
		memset(osml_block_label(state.block, &scan->set->layout), 0,
			   OSML_BLOCK_ROWS * sizeof(double));
	portal = open_cursor(&state, first_block, n_blocks);
	PortalRunFetch(portal, FETCH_FORWARD, FETCH_ALL, &state.pub);
	if (!state.stopped && (state.block->nrows > 0 || state.block->n_null > 0 ||
						   state.block->n_nonfinite > 0))
		emit_block(&state);
	SPI_cursor_close(portal);
	AtEOXact_GUC(false, level);
	SPI_finish();
	return state.rows_read;
}
