/*
 * split_args.c
 *	  What a call of osml_split() asks for.
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "compat.h"
#include "api/need.h"
#include "api/split.h"

#define DEFAULT_TRIES 20
#define MAX_TRIES 1000

/* places of the arguments */
enum
{
	ARG_DATASET, ARG_FRACTIONS, ARG_METHOD, ARG_BY, ARG_GROUP_BY, ARG_SEED,
	ARG_GAP, ARG_TRIES
};

const char *const osml_split_part_names[OSML_SPLIT_PARTS] = {"train", "val", "test"};

static const double default_fractions[OSML_SPLIT_PARTS] = {0.8, 0.1, 0.1};

const char *const osml_split_method_names[OSML_SPLIT_METHODS] = {
	[OSML_SPLIT_HASH] = "hash",
	[OSML_SPLIT_TIME] = "time",
	[OSML_SPLIT_COLUMN] = "column",
};

/* One fraction, a number or a string that holds one. */
static double
fraction_value(const JsonbValue *value, const char *part)
{
	double		fraction = NAN;

	if (value->type == jbvNumeric)
		fraction = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
													  NumericGetDatum(value->val.numeric)));
	else if (value->type == jbvString)
	{
		char	   *text = pnstrdup(value->val.string.val, value->val.string.len);
		char	   *end;

		fraction = strtod(text, &end);
		if (end == text || *end != '\0')
			fraction = NAN;
	}
	if (!(fraction >= 0 && fraction < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("fraction of \"%s\" must be a number from 0 to less than 1", part),
				 errhint("Write fractions as {\"train\": 0.8, \"val\": 0.1, \"test\": 0.1}.")));
	return fraction;
}

/* Which part a name among the fractions means. */
static OsmlSplitPart
part_by_name(const char *name)
{
	List	   *names = NIL;
	const char *nearest;

	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
	{
		if (strcmp(osml_split_part_names[p], name) == 0)
			return p;
		names = lappend(names, unconstify(char *, osml_split_part_names[p]));
	}
	nearest = osml_nearest_of(name, names);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" is no part of a split", name),
			 nearest ? errhint("Perhaps you meant \"%s\".", nearest) :
			 errhint("The parts are train, val and test.")));
}

/* Raise: no object of fractions. */
pg_noreturn static void
bad_fractions(const char *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("fractions %s", problem),
			 errhint("Write fractions as {\"train\": 0.8, \"val\": 0.1, \"test\": 0.1}; val or test may be left out.")));
}

/* {"train": 0.8, "val": 0.1, "test": 0.1} */
static void
take_fractions(OsmlSplit *split, Jsonb *json)
{
	JsonbIterator *it;
	JsonbIteratorToken token;
	JsonbValue	value;
	OsmlSplitPart part = OSML_SPLIT_TRAIN;
	double		sum = 0;

	if (!JB_ROOT_IS_OBJECT(json))
		bad_fractions("must be a JSON object");
	it = JsonbIteratorInit(&json->root);
	while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			part = part_by_name(pnstrdup(value.val.string.val, value.val.string.len));
		else if (token == WJB_VALUE)
			split->fractions[part] = fraction_value(&value, osml_split_part_names[part]);
	}
	if (split->fractions[OSML_SPLIT_TRAIN] == 0)
		bad_fractions("must give \"train\" a share");
	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
		sum += split->fractions[p];
	if (fabs(sum - 1) > 1e-6)
		bad_fractions(psprintf("must sum to 1, not to %s",
							   double_to_shortest_decimal(rint(sum * 1e12) / 1e12)));
}

/* The method of a name. */
static OsmlSplitMethod
method_by_name(const char *name)
{
	List	   *names = NIL;
	const char *nearest;

	for (int i = 0; i < OSML_SPLIT_METHODS; i++)
	{
		if (strcmp(osml_split_method_names[i], name) == 0)
			return i;
		names = lappend(names, unconstify(char *, osml_split_method_names[i]));
	}
	nearest = osml_nearest_of(name, names);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown split method \"%s\"", name),
			 nearest ? errhint("Perhaps you meant \"%s\".", nearest) :
			 errhint("The methods are hash, time and column.")));
}

/* An argument that the method has no use for would be a mistake unnoticed. */
static void
refuse_argument(FunctionCallInfo fcinfo, int arg, OsmlSplitMethod method,
				const char *name, const char *hint)
{
	if (PG_ARGISNULL(arg))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("split method \"%s\" does not take \"%s\"", osml_split_method_names[method], name),
			 errhint("%s", hint)));
}

/* Which arguments go with which method. */
static void
check_arguments(FunctionCallInfo fcinfo, OsmlSplitMethod method)
{
	if (method == OSML_SPLIT_HASH)
	{
		refuse_argument(fcinfo, ARG_BY, method, "by",
						"Name columns that keep groups together in \"group_by\", or say method => 'time' or 'column'.");
		refuse_argument(fcinfo, ARG_GAP, method, "gap", "A gap goes with method => 'time'.");
		return;
	}
	refuse_argument(fcinfo, ARG_GROUP_BY, method, "group_by",
					"Groups are kept together by method => 'hash'.");
	refuse_argument(fcinfo, ARG_SEED, method, "seed", "Only method => 'hash' draws by a seed.");
	refuse_argument(fcinfo, ARG_TRIES, method, "tries", "Only method => 'hash' draws by a seed.");
	if (method == OSML_SPLIT_COLUMN)
	{
		refuse_argument(fcinfo, ARG_FRACTIONS, method, "fractions", "The column itself says the part.");
		refuse_argument(fcinfo, ARG_GAP, method, "gap", "A gap goes with method => 'time'.");
	}
	if (PG_ARGISNULL(ARG_BY))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("split method \"%s\" needs a column", osml_split_method_names[method]),
				 errhint("Name it: \"by\" => 'column'.")));
}

/* Columns whose values make a group. */
static List *
group_columns(FunctionCallInfo fcinfo)
{
	List	   *names = osml_maybe_texts(fcinfo, ARG_GROUP_BY, "group_by");

	if (names == NIL && !PG_ARGISNULL(ARG_GROUP_BY))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"group_by\" must name a column"),
				 errhint("Leave it out to split row by row.")));
	return names;
}

/* How many seeds may be looked at. */
static int
tries_argument(FunctionCallInfo fcinfo)
{
	int			tries = PG_ARGISNULL(ARG_TRIES) ? DEFAULT_TRIES : PG_GETARG_INT32(ARG_TRIES);

	if (tries < 1 || tries > MAX_TRIES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"tries\" must be from 1 to %d", MAX_TRIES),
				 errhint("1 takes the split of the seed as it is.")));
	return tries;
}

/* The split that the arguments describe. */
OsmlSplit *
osml_split_arguments(FunctionCallInfo fcinfo)
{
	OsmlSplit  *split = palloc0(sizeof(OsmlSplit));
	char	   *dataset = osml_need_text(fcinfo, ARG_DATASET, "dataset");
	ListCell   *cell;

	split->method = method_by_name(osml_need_text(fcinfo, ARG_METHOD, "method"));
	check_arguments(fcinfo, split->method);
	if (!PG_ARGISNULL(ARG_FRACTIONS))
		take_fractions(split, PG_GETARG_JSONB_P(ARG_FRACTIONS));
	else if (split->method != OSML_SPLIT_COLUMN)
		memcpy(split->fractions, default_fractions, sizeof(default_fractions));
	split->by = osml_maybe_text(fcinfo, ARG_BY);
	split->group_by = group_columns(fcinfo);
	split->gap = osml_maybe_text(fcinfo, ARG_GAP);
	split->tries = tries_argument(fcinfo);
	split->seed = PG_ARGISNULL(ARG_SEED) ? 0 : PG_GETARG_INT64(ARG_SEED);
	osml_split_take(split, dataset);
	foreach(cell, split->group_by)
		(void) osml_split_column_type(split, lfirst(cell));
	if (split->by)
		(void) osml_split_column_type(split, split->by);
	return split;
}
