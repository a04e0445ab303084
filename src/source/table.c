/*
 * table.c
 *	  Rows of a relation or a query into blocks, through an SPI cursor; rows that
 *	  the caller has likewise.
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
#include "source/row.h"
#include "source/source.h"

/* what rows may leave behind in memory until it is reset */
#define SCRATCH_BYTES (1024 * 1024)

/* Everything that rows need on their way into blocks. */
struct OsmlRows
{
	const OsmlScan *scan;
	const OsmlScanUnit *unit;
	int			n_columns;		/* the set's, then the label if there is one */
	OsmlRowReader *reader;
	OsmlDecode	decode_weight;	/* NULL: there is none */
	OsmlDecode	decode_exposure;	/* likewise */
	OsmlDecode	decode_label;	/* NULL: there is none, or it is a key */
	bool		keep;			/* odd features are judged elsewhere */
	bool		scratch_needed; /* a converter may allocate */
	MemoryContext scratch;		/* reset a block, or once it has grown */
	OsmlBlock  *block;
	int64		rows_read;
	bool		stopped;		/* the sink wants no more */
};

/* A DestReceiver for one shard. */
typedef struct TableScan
{
	DestReceiver pub;
	OsmlRows   *rows;
} TableScan;

/* Which rows an error is about, in words. */
static void
row_error(OsmlRows *state, int sqlstate, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("%s in row " INT64_FORMAT " of %s", what, state->rows_read,
					state->unit->label),
			 errhint("%s", hint)));
}

/* Raise: an array is too short or too long. */
static void
length_error(void *arg, const OsmlInput *input, int n)
{
	row_error(arg, ERRCODE_ARRAY_SUBSCRIPT_ERROR,
			  psprintf("array column \"%s\" has %d elements, not %d,",
					   input->name, n, input->n_elements),
			  "All arrays of a feature must have the length of the first.");
}

/* A row without some number: the run's business, or an error. */
static bool
take_missing(OsmlRows *state, int row)
{
	const OsmlFeatureSet *set = state->scan->set;
	const OsmlInput *input = set->inputs;

	if (state->scan->on_null == OSML_ON_NULL_MEAN)
		return true;
	if (state->scan->on_null == OSML_ON_NULL_ERROR)
	{
		while (input->kind == OSML_INPUT_KEY ||
			   !osml_is_missing(osml_block_column(state->block, input->first)[row]))
			input++;
		row_error(state, ERRCODE_NULL_VALUE_NOT_ALLOWED,
				  psprintf("column \"%s\" %s", input->name,
						   input->n_elements > 0 ? "is NULL, or holds a NULL," : "is NULL"),
				  "Set \"on_null\" to skip or mean, or filter such rows out.");
	}
	state->block->n_null++;
	return false;
}

/* Raise: a value that is not finite, in a run that stops for it. */
static void
nonfinite_error(OsmlRows *state, const char *column, double value)
{
	row_error(state, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
			  psprintf("column \"%s\" is %s", column, isnan(value) ? "NaN" : "infinite"),
			  "Set \"on_nonfinite\" to skip, or filter such rows out.");
}

/* A row with NaN or infinity: name the column if it stops the run. */
static bool
take_nonfinite(OsmlRows *state, int row)
{
	const OsmlScan *scan = state->scan;

	if (scan->on_nonfinite == OSML_ON_NONFINITE_KEEP)
		return true;
	for (int j = 0; scan->on_nonfinite == OSML_ON_NONFINITE_STOP &&
		 j < scan->set->layout.n_dense; j++)
	{
		double		value = osml_block_column(state->block, j)[row];

		if (!isfinite(value) && !osml_is_missing(value))
			nonfinite_error(state, osml_input_name(scan->set, j), value);
	}
	state->block->n_nonfinite++;
	return false;
}

/* The label of a row.  Returns false to drop the row. */
static inline bool
take_label(OsmlRows *state, Datum datum, bool isnull, int row)
{
	const OsmlScan *scan = state->scan;
	double	   *label;
	double		value;

	if (isnull)
	{
		if (scan->on_null == OSML_ON_NULL_ERROR)
			row_error(state, ERRCODE_NULL_VALUE_NOT_ALLOWED,
					  psprintf("column \"%s\" is NULL", scan->set->label),
					  "Set \"on_null\" to skip or mean, or filter such rows out.");
		state->block->n_null++;
		return false;
	}
	label = &osml_block_label(state->block, &scan->set->layout)[row];
	if (scan->set->label_key)
	{
		uint64		key = osml_row_label_key(state->reader, datum);

		memcpy(label, &key, sizeof(key));
		return true;
	}
	value = *label = state->decode_label(datum);
	if (isfinite(value) || scan->on_nonfinite == OSML_ON_NONFINITE_KEEP)
		return true;
	if (scan->on_nonfinite == OSML_ON_NONFINITE_STOP)
		nonfinite_error(state, scan->set->label, value);
	state->block->n_nonfinite++;
	return false;
}

/*
 * One of the columns that weight a row: what it holds, or NaN to drop the row.
 */
static double
take_weight(OsmlRows *state, const char *name, OsmlDecode decode, Datum datum,
			bool isnull, bool exposure)
{
	const OsmlScan *scan = state->scan;
	double		value = isnull ? NAN : decode(datum);

	if (isnull && scan->on_null == OSML_ON_NULL_ERROR)
		row_error(state, ERRCODE_NULL_VALUE_NOT_ALLOWED,
				  psprintf("column \"%s\" is NULL", name),
				  "Set \"on_null\" to skip or mean, or filter such rows out.");
	if (!isnull && !isfinite(value) && scan->on_nonfinite == OSML_ON_NONFINITE_STOP)
		nonfinite_error(state, name, value);
	if (isfinite(value) && (value < 0 || (value == 0 && exposure)))
		row_error(state, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
				  psprintf("column \"%s\", which %s, is %g", name,
						   exposure ? "is the exposure" : "weights rows", value),
				  exposure ? "An exposure is above 0." : "Weights are at least 0.");
	state->block->n_null += isnull ? 1 : 0;
	state->block->n_nonfinite += !isnull && !isfinite(value) ? 1 : 0;
	return isfinite(value) ? value : NAN;
}

/*
 * The weight of a row, whose label is there already; the columns start at n.  A
 * count of y in an exposure of e has the gradient of a rate of y / e with weight
 * e.  False: drop the row.
 */
static bool
take_weights(OsmlRows *state, const Datum *values, const bool *nulls, int n, int row)
{
	const OsmlFeatureSet *set = state->scan->set;
	double	   *label = osml_block_label(state->block, &set->layout) + row;
	double		weight = 1;

	if (set->weight)
	{
		weight = take_weight(state, set->weight, state->decode_weight, values[n], nulls[n],
							 false);
		n++;
	}
	if (set->exposure)
	{
		double		exposure = take_weight(state, set->exposure, state->decode_exposure,
										   values[n], nulls[n], true);

		*label /= exposure;
		weight *= exposure;
	}
	label[OSML_BLOCK_STRIDE] = weight;
	return !isnan(weight);
}

/* All columns of a row into row r of the block.  Returns false to drop it. */
static pg_attribute_always_inline bool
take_row(OsmlRows *state, const Datum *values, const bool *nulls, int row)
{
	const OsmlLayout *layout = &state->scan->set->layout;
	int			n = state->scan->set->n_columns;
	unsigned	odd = osml_row_take(state->reader, values, nulls,
									osml_block_column(state->block, 0) + row,
									osml_block_keys(state->block, layout, 0) + row,
									OSML_BLOCK_STRIDE);

	if (unlikely(odd) && !state->keep)
	{
		if ((odd & OSML_ROW_MISSING) && !take_missing(state, row))
			return false;
		if ((odd & OSML_ROW_NONFINITE) && !take_nonfinite(state, row))
			return false;
	}
	if (state->scan->set->label == NULL)
		return true;
	return take_label(state, values[n], nulls[n], row) &&
		(!layout->has_weight || take_weights(state, values, nulls, n + 1, row));
}

/* Hand the block over and start the next. */
static void
emit_block(OsmlRows *state)
{
	OsmlBlock  *block = state->block;

	if (!state->scan->sink(state->scan->arg, block))
		state->stopped = true;
	block->nrows = 0;
	block->n_null = 0;
	block->n_nonfinite = 0;
	block->prepared = false;
	osml_row_reader_block(state->reader);
	MemoryContextReset(state->scratch);
}

/*
 * A row: the set's columns, then those with a role, as in osml_scan_columns(), then
 * the key.  False: no more are wanted.
 */
static pg_attribute_always_inline bool
put_row(OsmlRows *state, const Datum *values, const bool *nulls)
{
	const OsmlScan *scan = state->scan;
	OsmlBlock  *block = state->block;
	MemoryContext old = NULL;
	bool		taken;

	state->rows_read++;
	if (block->nrows == 0)
		block->first_row = state->rows_read;
	if (state->scratch_needed)
		old = MemoryContextSwitchTo(state->scratch);
	taken = take_row(state, values, nulls, block->nrows);
	if (state->scratch_needed)
	{
		MemoryContextSwitchTo(old);
		/* the block has what it needs of a row, and a row may be large */
		if (unlikely(MemoryContextMemAllocated(state->scratch, false) > SCRATCH_BYTES))
			MemoryContextReset(state->scratch);
	}
	if (!taken)
		return true;
	if (scan->set->layout.has_row_number)
		osml_block_row_numbers(block, &scan->set->layout)[block->nrows] =
			(uint32) state->rows_read;
	if (scan->key_sink)
		scan->key_sink(scan->arg, block->nrows, values[state->n_columns],
					   nulls[state->n_columns]);
	if (scan->row_sink)
		scan->row_sink(scan->arg, block->nrows, values, nulls);
	if (++block->nrows == OSML_BLOCK_ROWS)
		emit_block(state);
	return !state->stopped;
}

static bool
scan_receive(TupleTableSlot *slot, DestReceiver *self)
{
	OsmlRows   *state = ((TableScan *) self)->rows;

	if (state->scan->stop && *state->scan->stop)
	{
		state->stopped = true;
		return false;
	}
	slot_getallattrs(slot);
	return put_row(state, slot->tts_values, slot->tts_isnull);
}

static void
scan_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
scan_shutdown(DestReceiver *self)
{
}

/* Choose the converters. */
static void
plan_columns(OsmlRows *state)
{
	const OsmlScan *scan = state->scan;
	const OsmlFeatureSet *set = scan->set;

	/* whoever names a dataset's source owns it, so expressions are the user's */
	state->reader = osml_row_reader_create(set, OidIsValid(scan->owner) ? scan->owner :
										   GetUserId(), length_error, state);
	if (scan->text_keys != 0)
		osml_row_reader_texts(state->reader, scan->text_keys, scan->text_sink, scan->arg);
	state->n_columns = set->n_columns;
	state->scratch_needed = osml_row_reader_allocates(state->reader);
	state->keep = scan->keep_null_rows || !set->program->identity;
	if (set->label == NULL)
		return;
	if (!set->label_key)
		state->decode_label = osml_decode_for(set->label_type);
	state->n_columns++;
	/* varlena values may be detoasted on the way */
	state->scratch_needed = state->scratch_needed || !get_typbyval(set->label_type);
	if (set->weight)
	{
		state->decode_weight = osml_decode_for(set->weight_type);
		state->n_columns++;
		state->scratch_needed = state->scratch_needed || !get_typbyval(set->weight_type);
	}
	if (set->exposure)
	{
		state->decode_exposure = osml_decode_for(set->exposure_type);
		state->n_columns++;
		state->scratch_needed = state->scratch_needed || !get_typbyval(set->exposure_type);
	}
}

/* Those with a role stand in the order in which take_row() takes them. */
TupleDesc
osml_scan_columns(const OsmlFeatureSet *set)
{
	const char *roles[] = {set->label, set->weight, set->exposure};
	Oid			types[] = {set->label_type, set->weight_type, set->exposure_type};
	TupleDesc	desc;
	int			n = set->n_columns;

	for (int i = 0; i < (int) lengthof(roles); i++)
		n += roles[i] ? 1 : 0;
	desc = CreateTemplateTupleDesc(n);
	n = 0;
	for (int c = 0; c < set->n_columns; c++)
		TupleDescInitEntry(desc, ++n, set->columns[c].name, set->columns[c].type, -1, 0);
	for (int i = 0; i < (int) lengthof(roles); i++)
	{
		if (roles[i])
			TupleDescInitEntry(desc, ++n, roles[i], types[i], -1, 0);
	}
	return desc;
}

/* SELECT columns [, key] FROM unit [WHERE ctid in range] */
static char *
scan_sql(const OsmlRows *state, bool by_range, bool open_end)
{
	TupleDesc	columns = osml_scan_columns(state->scan->set);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int c = 0; c < columns->natts; c++)
		appendStringInfo(&sql, "%s%s", c ? ", " : "",
						 quote_identifier(NameStr(TupleDescAttr(columns, c)->attname)));
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

/*
 * The converters were chosen by the types that the source had when the run was planned.
 * Nobody holds a lock until a worker reads, and a datum of another type is no number
 * but, say, an address.
 */
static void
check_types(const OsmlRows *state, TupleDesc found)
{
	TupleDesc	planned = osml_scan_columns(state->scan->set);

	for (int c = 0; c < planned->natts; c++)
	{
		Form_pg_attribute column = TupleDescAttr(planned, c);
		Oid			type = TupleDescAttr(found, c)->atttypid;

		if (type != column->atttypid)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of %s has become %s",
							NameStr(column->attname), state->unit->label,
							format_type_be(type)),
					 errdetail("It was %s when the run was planned.",
							   format_type_be(column->atttypid)),
					 errhint("Start a new run.")));
	}
}

/* Open the cursor for a shard. */
static Portal
open_cursor(const OsmlRows *state, uint32 first_block, uint32 n_blocks)
{
	bool		by_range = n_blocks > 0;
	bool		open_end = n_blocks == PG_UINT32_MAX;
	Oid			types[2] = {TIDOID, TIDOID};
	ItemPointerData tids[2];
	Datum		values[2];
	SPIPlanPtr	plan;
	Portal		portal;
	char	   *sql = scan_sql(state, by_range, open_end);

	ItemPointerSet(&tids[0], first_block, 0);
	ItemPointerSet(&tids[1], open_end ? 0 : first_block + n_blocks, 0);
	values[0] = PointerGetDatum(&tids[0]);
	values[1] = PointerGetDatum(&tids[1]);
	plan = SPI_prepare_cursor(sql, by_range ? (open_end ? 1 : 2) : 0, types,
							  CURSOR_OPT_NO_SCROLL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", sql);
	portal = SPI_cursor_open(NULL, plan, values, NULL, true);
	check_types(state, portal->tupDesc);
	return portal;
}

OsmlRows *
osml_rows_begin(const OsmlScan *scan, const OsmlScanUnit *unit)
{
	OsmlRows   *state = palloc0(sizeof(OsmlRows));

	state->scan = scan;
	state->unit = unit;
	state->scratch = AllocSetContextCreate(CurrentMemoryContext, "osml scan block",
										   ALLOCSET_DEFAULT_SIZES);
	plan_columns(state);
	state->block = osml_new_block(CurrentMemoryContext, &scan->set->layout);
	state->block->shard = scan->shard;
	if (!scan->set->label)
		memset(osml_block_label(state->block, &scan->set->layout), 0,
			   OSML_BLOCK_ROWS * sizeof(double));
	return state;
}

void
osml_rows_put(OsmlRows *rows, const Datum *values, const bool *nulls)
{
	(void) put_row(rows, values, nulls);
}

void
osml_rows_flush(OsmlRows *rows)
{
	const OsmlBlock *block = rows->block;

	if (!rows->stopped && (block->nrows > 0 || block->n_null > 0 || block->n_nonfinite > 0))
		emit_block(rows);
}

int64
osml_scan_unit(const OsmlScan *scan, const OsmlScanUnit *unit, uint32 first_block,
			   uint32 n_blocks)
{
	TableScan	state = {0};
	int64		rows_read;
	int			level;
	Portal		portal;

	SPI_connect();
	level = osml_scan_settings();
	state.pub.receiveSlot = scan_receive;
	state.pub.rStartup = scan_startup;
	state.pub.rShutdown = scan_shutdown;
	state.pub.rDestroy = scan_shutdown;
	state.pub.mydest = DestNone;
	state.rows = osml_rows_begin(scan, unit);
	portal = open_cursor(state.rows, first_block, n_blocks);
	if (scan->opened)
		scan->opened(scan->arg);
	PortalRunFetch(portal, FETCH_FORWARD, FETCH_ALL, &state.pub);
	osml_rows_flush(state.rows);
	rows_read = state.rows->rows_read;
	SPI_cursor_close(portal);
	AtEOXact_GUC(false, level);
	/* the rows go with the memory */
	SPI_finish();
	return rows_read;
}
