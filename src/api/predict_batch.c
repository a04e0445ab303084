/*
 * predict_batch.c
 *	  osml_predict_batch(): predictions for each row of a source, by blocks.
 *
 * Every row of the source gives a row of the result, in the order of the scan;
 * one with a missing feature has a NULL prediction, as osml_predict() would
 * give.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "api/need.h"
#include "api/outputs.h"
#include "api/score.h"
#include "source/value_sql.h"
#include "compat.h"

PG_FUNCTION_INFO_V1(osml_predict_batch);

/* row_number, key, prediction, class, proba, lower, upper */
#define N_COLUMNS 7

typedef struct Batch
{
	OsmlScore  *score;
	ReturnSetInfo *rsinfo;
	double		level;			/* of intervals; 0: none are asked for */
	int64		rows;
	MemoryContext key_context;	/* of the block's keys; NULL without a key */
	Datum		keys[OSML_BLOCK_ROWS];
	bool		key_nulls[OSML_BLOCK_ROWS];
	bool		missing[OSML_BLOCK_ROWS];
} Batch;

/* Keep a row's key until its block is full. */
static void
take_key(void *arg, int row, Datum key, bool isnull)
{
	Batch	   *batch = arg;

	batch->key_nulls[row] = isnull;
	if (!isnull)
	{
		MemoryContext old = MemoryContextSwitchTo(batch->key_context);

		batch->keys[row] = PointerGetDatum(PG_DETOAST_DATUM_COPY(key));
		MemoryContextSwitchTo(old);
	}
}

/* Mark the rows that lack a feature; none does when the model imputes. */
static void
mark_missing(Batch *batch, OsmlBlock *block)
{
	const OsmlLayout *layout = &batch->score->loaded->layout;

	memset(batch->missing, 0, sizeof(batch->missing));
	if (batch->score->loaded->impute)
		return;
	for (int j = 0; j < layout->n_dense; j++)
	{
		const double *column = osml_block_column(block, j);

		for (int i = 0; i < block->nrows; i++)
			batch->missing[i] |= osml_is_missing(column[i]);
	}
}

/* The columns lower and upper. */
static void
put_interval(const Batch *batch, double prediction, Datum *values)
{
	double		lower;
	double		upper;

	osml_loaded_interval(batch->score->loaded, prediction, batch->level, &lower, &upper);
	values[0] = Float8GetDatum(lower);
	values[1] = Float8GetDatum(upper);
}

/* Predict a block and store its rows. */
static bool
predict_block(void *arg, OsmlBlock *raw)
{
	Batch	   *batch = arg;
	OsmlBlock  *block = osml_score_encode(batch->score, raw, NULL);
	const OsmlLoaded *loaded = batch->score->loaded;
	bool		classes = loaded->classes != NULL;
	bool		nulls[N_COLUMNS] = {false, true, false, true, true, true, true};
	Datum		values[N_COLUMNS] = {0};
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "osml batch row",
											  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	mark_missing(batch, block);
	osml_score_block(batch->score, block);
	osml_predictor_link(&loaded->predictor, block->nrows, batch->score->out);
	for (int i = 0; i < block->nrows; i++)
	{
		values[0] = Int64GetDatum(++batch->rows);
		if (batch->key_context != NULL)
		{
			values[1] = batch->keys[i];
			nulls[1] = batch->key_nulls[i];
		}
		values[2] = Float8GetDatum(batch->score->out[i]);
		nulls[2] = batch->missing[i] || loaded->predictor.spec.n_outputs > 1;
		nulls[3] = nulls[4] = !classes || batch->missing[i];
		if (!nulls[4])
		{
			const double *out = batch->score->out + i;
			const char *class = osml_class_text(loaded, out, block->nrows);

			MemoryContextReset(row);
			nulls[3] = class == NULL;
			values[3] = class ? CStringGetTextDatum(class) : (Datum) 0;
			values[4] = osml_proba(loaded, out, block->nrows);
		}
		nulls[5] = nulls[6] = batch->level == 0 || batch->missing[i];
		if (!nulls[5])
			put_interval(batch, batch->score->out[i], &values[5]);
		tuplestore_putvalues(batch->rsinfo->setResult, batch->rsinfo->setDesc,
							 values, nulls);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
	if (batch->key_context != NULL)
		MemoryContextReset(batch->key_context);
	return true;
}

/* The column that the user named, as SQL that gives text. */
static char *
named_key(const OsmlSource *source, const char *name)
{
	List	   *names = NIL;
	const char *nearest;

	for (int i = 0; i < source->columns->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(source->columns, i);
		char	   *column = NameStr(attribute->attname);

		if (strcmp(column, name) == 0)
			return osml_value_text(quote_identifier(name), attribute->atttypid);
		names = lappend(names, column);
	}
	nearest = osml_nearest_of(name, names);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("key column \"%s\" does not exist in %s", name, source->label),
			 nearest ? errhint("Perhaps you meant the column \"%s\".", nearest) : 0));
}

/* May the user read this column?  One may be shown the features and no more. */
static bool
readable(Oid relation, int attno)
{
	return pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(relation, attno, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/* The relation's primary key, as SQL that gives text, or NULL. */
static char *
primary_key(const OsmlSource *source)
{
	StringInfoData sql;
	Bitmapset  *columns = NULL;
	Oid			constraint;
	Oid			type = InvalidOid;
	int			member = -1;
	int			n = 0;

	if (OidIsValid(source->relid))
		columns = get_primary_key_attnos(source->relid, true, &constraint);
	initStringInfo(&sql);
	while ((member = bms_next_member(columns, member)) >= 0)
	{
		int			attno = member + FirstLowInvalidHeapAttributeNumber;

		if (!readable(source->relid, attno))
			return NULL;
		appendStringInfo(&sql, "%s%s", n++ > 0 ? ", " : "",
						 quote_identifier(get_attname(source->relid, attno, false)));
		type = get_atttype(source->relid, attno);
	}
	if (n == 0)
		return NULL;
	return n == 1 ? osml_value_text(sql.data, type) :
		psprintf("ROW(%s)::pg_catalog.text", sql.data);
}

/* osml_predict_batch(model, source, key, level) */
Datum
osml_predict_batch(PG_FUNCTION_ARGS)
{
	char	   *model = osml_need_text(fcinfo, 0, "model");
	char	   *source = osml_need_text(fcinfo, 1, "source");
	char	   *key = osml_maybe_text(fcinfo, 2);
	Batch	   *batch = palloc0(sizeof(Batch));
	OsmlScan	scan = {0};

	InitMaterializedSRF(fcinfo, 0);
	batch->rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	batch->level = PG_ARGISNULL(3) ? 0 : osml_need_level(PG_GETARG_FLOAT8(3));
	batch->score = osml_score_begin(model, source, false);
	if (batch->level > 0)
		osml_need_intervals(batch->score->loaded);
	scan.key_column = key != NULL ? named_key(batch->score->source, key) :
		primary_key(batch->score->source);
	if (scan.key_column != NULL)
	{
		scan.key_sink = take_key;
		batch->key_context = AllocSetContextCreate(CurrentMemoryContext,
												   "osml batch keys",
												   ALLOCSET_DEFAULT_SIZES);
	}
	scan.keep_null_rows = true;
	scan.on_nonfinite = OSML_ON_NONFINITE_KEEP;
	scan.sink = predict_block;
	scan.arg = batch;
	osml_score_scan(batch->score, &scan);
	return (Datum) 0;
}
