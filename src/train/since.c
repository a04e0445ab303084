/*
 * since.c
 *	  Rows that are newer than those of the last run: see since.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "source/column.h"
#include "source/pinned.h"
#include "source/value_sql.h"
#include "train/run.h"
#include "train/since.h"

/* the column, as a query compares it */
typedef struct Watermark
{
	const OsmlSource *source;
	const char *column;
	const char *quoted;
	Oid			type;
	Oid			greater;		/* its operator > */
} Watermark;

/* How values of the column compare; an error where they do not. */
static void
find_order(Watermark *mark)
{
	mark->greater = lookup_type_cache(mark->type, TYPECACHE_GT_OPR)->gt_opr;
	if (!OidIsValid(mark->greater) || !osml_value_readable(mark->type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("hyperparameter \"since\" names \"%s\" of %s, but values of type %s have no order",
						mark->column, mark->source->label, format_type_be(mark->type)),
				 errhint("Name a column of times or of growing numbers.")));
}

/* column > value, as SQL */
static char *
above(const Watermark *mark, const char *value)
{
	return osml_value_compare(mark->quoted, mark->greater, osml_value_literal(value, mark->type));
}

/* A value as text that any session reads as the same value; in `context`. */
static char *
value_text(const Watermark *mark, Datum value, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	int			level = osml_pin_settings();
	Oid			output;
	bool		varlena;
	char	   *text;

	getTypeOutputInfo(mark->type, &output, &varlena);
	text = OidOutputFunctionCall(output, value);
	AtEOXact_GUC(false, level);
	MemoryContextSwitchTo(old);
	return text;
}

/* The greatest value above last, if that is not NULL; NULL: there is none. */
static char *
greatest(const Watermark *mark, const char *last)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *sql = psprintf("SELECT %s FROM %s WHERE %s ORDER BY %s DESC LIMIT 1",
							   mark->quoted, mark->source->from,
							   last ? above(mark, last) :
							   psprintf("%s IS NOT NULL", mark->quoted), mark->quoted);
	char	   *value = NULL;

	SPI_connect();
	if (SPI_execute(sql, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute failed: %s", sql);
	if (SPI_processed > 0)
	{
		bool		isnull;
		Datum		datum = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1,
										  &isnull);

		value = value_text(mark, datum, context);
	}
	SPI_finish();
	return value;
}

/* Nothing is ever above these. */
static void
check_value(const Watermark *mark, const char *value)
{
	static const Oid types[] = {FLOAT4OID, FLOAT8OID, NUMERICOID, DATEOID, TIMESTAMPOID,
	TIMESTAMPTZOID};
	bool		known = false;

	for (int i = 0; i < (int) lengthof(types); i++)
		known = known || getBaseType(mark->type) == types[i];
	if (!known || (pg_strcasecmp(value, "nan") != 0 && pg_strcasecmp(value, "infinity") != 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("hyperparameter \"since\" names \"%s\" of %s, which has the value %s",
					mark->column, mark->source->label, value),
			 errdetail("No later row could be newer."),
			 errhint("Filter such rows out.")));
}

/* A string of an object, or NULL. */
static char *
string_of(JsonbContainer *object, const char *key)
{
	JsonbValue *value = getKeyJsonValueFromContainer(object, key, strlen(key), NULL);

	return value == NULL || value->type != jbvString ? NULL :
		pnstrdup(value->val.string.val, value->val.string.len);
}

/* What a run or a version keeps in its summary; the column is NULL if it keeps none. */
static OsmlSince
kept(const Jsonb *summary)
{
	OsmlSince	since = {0};
	JsonbValue *object = summary && JB_ROOT_IS_OBJECT(summary) ?
		getKeyJsonValueFromContainer((JsonbContainer *) &summary->root, "since",
									 strlen("since"), NULL) : NULL;

	if (object == NULL || object->type != jbvBinary ||
		!JsonContainerIsObject(object->val.binary.data))
		return since;
	since.column = string_of(object->val.binary.data, "column");
	since.above = string_of(object->val.binary.data, "above");
	since.value = string_of(object->val.binary.data, "value");
	if (since.value == NULL)
		since.column = NULL;
	return since;
}

/* That of the newest version that has one, of those committed by now (warm.c), or NULL. */
static char *
newest_value(const char *model, const char *column)
{
	OsmlModelRow *row;
	char	   *value;

	PushActiveSnapshot(GetLatestSnapshot());
	row = model ? osml_model_find(model) : NULL;
	value = row ? osml_version_since(row, column) : NULL;
	PopActiveSnapshot();
	return value;
}

/* The value that rows have to be above; NULL: none is kept. */
static char *
last_value(const char *column, const char *model, const OsmlVersionRow *warm)
{
	OsmlSince	since;

	if (warm == NULL)
		return newest_value(model, column);
	since = kept(warm->summary);
	if (since.column && strcmp(since.column, column) == 0)
		return since.value;
	if (since.column)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"since\" is \"%s\", but version %d of model \"%s\" has been trained since a value of \"%s\"",
						column, warm->version, model, since.column),
				 errhint("Name \"%s\", or train without \"warm_start\".", since.column)));
	ereport(NOTICE,
			(errmsg("version %d of model \"%s\" keeps no value of \"%s\": all rows count as new",
					warm->version, model, column)));
	return NULL;
}

/* The columns that a run reads, for which its user has the rights, as SQL. */
static char *
read_columns(const OsmlFeatureSet *set)
{
	const char *roles[] = {set->label, set->weight, set->exposure};
	List	   *names = NIL;
	StringInfoData out;
	ListCell   *cell;

	for (int i = 0; i < set->n_columns; i++)
		names = list_append_unique(names, makeString(set->columns[i].name));
	for (int i = 0; i < (int) lengthof(roles); i++)
	{
		if (roles[i])
			names = list_append_unique(names, makeString(pstrdup(roles[i])));
	}
	initStringInfo(&out);
	foreach(cell, names)
		appendStringInfo(&out, "%s%s", out.len > 0 ? ", " : "",
						 quote_identifier(strVal(lfirst(cell))));
	return out.data;
}

/* Have the source give new rows only, however it is cut; messages number these. */
static void
filter(const Watermark *mark, OsmlPart *part, const char *last, const char *value)
{
	OsmlSource *source = &part->source;
	char	   *columns = read_columns(&part->set);
	char	   *where = psprintf("%s%sNOT (%s)", last ? above(mark, last) : "", last ? " AND " : "",
								 above(mark, value));

	source->from = psprintf("(SELECT %s FROM %s WHERE %s) AS osml_source", columns, source->from,
							where);
	source->label = psprintf("the new rows of %s", source->label);
	for (int u = 0; u < source->n_units; u++)
	{
		source->units[u].from = psprintf("(SELECT %s FROM %s WHERE %s) AS osml_source", columns,
										 source->units[u].from, where);
		source->units[u].label = psprintf("the new rows of %s", source->units[u].label);
		source->units[u].n_blocks = 0;
	}
}

/* The rows that are new now; false: none. */
static bool
find_new(const Watermark *mark, OsmlSince *since)
{
	since->value = greatest(mark, since->above);
	if (since->value == NULL && since->above == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("%s has no row with a \"%s\" to train on", mark->source->label,
						since->column)));
	if (since->value)
		check_value(mark, since->value);
	return since->value != NULL;
}

bool
osml_since_resolve(OsmlSince *since, OsmlPart *train, const OsmlHparams *hparams,
				   const char *model, const OsmlVersionRow *warm, const Jsonb *summary)
{
	Watermark	mark = {.source = &train->source,.column = hparams->since};

	if (hparams->since == NULL)
		return true;
	mark.quoted = quote_identifier(hparams->since);
	mark.type = osml_need_column(&train->source, hparams->since)->atttypid;
	osml_check_unique(&train->source, hparams->since);
	find_order(&mark);
	*since = kept(summary);
	if (since->column == NULL)
		since->above = last_value(hparams->since, model, warm);
	since->type = format_type_extended(mark.type, -1, FORMAT_TYPE_TYPEMOD_GIVEN |
									   FORMAT_TYPE_FORCE_QUALIFY);
	since->column = hparams->since;
	if (since->value == NULL && !find_new(&mark, since))
		return false;
	filter(&mark, train, since->above, since->value);
	return true;
}

void
osml_since_note(OsmlRun *run)
{
	const OsmlSince *since = &run->plan->since;
	StringInfoData json;

	if (since->column == NULL)
		return;
	initStringInfo(&json);
	appendStringInfoString(&json, "{\"column\": ");
	escape_json(&json, since->column);
	appendStringInfoString(&json, ", \"type\": ");
	escape_json(&json, since->type);
	appendStringInfoString(&json, ", \"value\": ");
	escape_json(&json, since->value);
	if (since->above)
	{
		appendStringInfoString(&json, ", \"above\": ");
		escape_json(&json, since->above);
	}
	appendStringInfoChar(&json, '}');
	osml_run_summary(run, "since", json.data);
}
