/*
 * row.c
 *	  One row's values into the inputs of a set: see row.h.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "features/key.h"
#include "source/adapt.h"
#include "source/decode.h"
#include "source/expression.h"
#include "source/fold.h"
#include "source/row.h"

/* keys told lately, by their low bits; a column has a table of its own */
#define TOLD 1024

/* one input, with its converter chosen */
typedef struct Reading
{
	const OsmlInput *input;
	OsmlDecode	decode;			/* numbers */
	OsmlAdapt  *adapt;			/* before that; NULL: the value as it is */
	Oid			element;		/* arrays */
	OsmlTextDecoder *text;		/* keys */
	OsmlExpression *expression; /* instead of a column */
	uint64	   *told;			/* keys whose texts are told, or NULL */
} Reading;

/* a column of float8, the usual case: nothing is asked about it row by row */
typedef struct PlainReading
{
	int			column;
	int			first;
} PlainReading;

struct OsmlRowReader
{
	int			n_plain;
	PlainReading *plain;
	int			n;				/* the other inputs */
	Reading    *readings;
	Reading		label;			/* where it is a key */
	Oid			owner;
	bool		allocates;
	OsmlTextSink text_sink;
	void	   *text_arg;
	OsmlLengthError length_error;
	void	   *arg;

	/* columns as expressions see them */
	List	   *used;			/* by expressions, as int */
	OsmlAdapt  *adapts;			/* of each column */
	Datum	   *adapted;		/* values of one row */
	int			n_columns;
};

Oid
osml_row_column_type(const OsmlSourceColumn *column)
{
	return column->written ? osml_type_by_name(column->written) : InvalidOid;
}

/* The type that expressions see a column as. */
static Oid
written_type(const OsmlFeatureSet *set, const OsmlSourceColumn *column)
{
	Oid			type;

	if (column->written == NULL)
		return column->type;
	type = osml_row_column_type(column);
	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type %s of column \"%s\", which expressions%s%s are written over, does not exist",
						column->written, column->name, set->subject ? " " : "",
						set->subject ? set->subject : "")));
	return type;
}

/* Raise: a column's type is neither the one that it must be nor made into that. */
static void
other_type(const OsmlFeatureSet *set, const OsmlSourceColumn *column, const char *what,
		   const char *are, Oid written)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" has type %s here, but %s%s%s are %s %s", column->name,
					format_type_be(column->type), what, set->subject ? " " : "",
					set->subject ? set->subject : "", are, format_type_be(written)),
			 errhint("Cast it in a view or a SELECT.")));
}

/* How a column that an expression uses becomes what it is written over. */
static void
plan_adapt(OsmlRowReader *reader, const OsmlFeatureSet *set, int column, Oid to)
{
	if (!osml_adapt_plan(&reader->adapts[column], set->columns[column].type, to))
		other_type(set, &set->columns[column], "expressions", "written over", to);
}

/* An input that is an expression over the columns. */
static Oid
compile(OsmlRowReader *reader, Reading *reading, const OsmlFeatureSet *set)
{
	Oid			owner = reader->owner;
	char	  **names = palloc(sizeof(char *) * Max(1, set->n_columns));
	Oid		   *types = palloc(sizeof(Oid) * Max(1, set->n_columns));
	List	   *used = NIL;
	ListCell   *cell;
	Oid			type;
	bool		usable;

	for (int i = 0; i < set->n_columns; i++)
	{
		names[i] = set->columns[i].name;
		types[i] = written_type(set, &set->columns[i]);
	}
	reading->expression = osml_expression_compile(reading->input->expression,
												  reading->input->name, owner,
												  set->n_columns, names, types, &used);
	foreach(cell, used)
	{
		int			column = lfirst_int(cell);

		plan_adapt(reader, set, column, types[column]);
		reader->used = list_append_unique_int(reader->used, column);
	}
	osml_expression_subject(reading->expression, set->subject);
	type = osml_expression_type(reading->expression);
	usable = reading->input->kind == OSML_INPUT_KEY || osml_decode_for(type) != NULL;
	if (!usable)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("expression of feature \"%s\" has type %s here, which is not a number",
						reading->input->name, format_type_be(type))));
	return type;
}

/* Dates and times have texts of their own: another type's would all be unknown. */
static void
check_key(const OsmlFeatureSet *set, const OsmlSourceColumn *column)
{
	Oid			written = written_type(set, column);

	if (!osml_decode_alike(written, column->type))
		other_type(set, column, "the categories", "of type", written);
}

Oid
osml_row_number_type(const OsmlFeatureSet *set, const OsmlInput *input)
{
	Oid			type = osml_row_column_type(&set->columns[input->column]);

	return OidIsValid(type) && input->n_elements > 0 ? osml_decode_element(type) : type;
}

/*
 * The type to read a column of numbers as.  A date counts days, a timestamp seconds,
 * and one with a time zone seconds in UTC, so values are first made what the numbers
 * were made of: a date's midnight, or a timestamp's date, as in expressions.  A time
 * zone is the session's, and what a plain number counts nobody knows: they are refused.
 */
static Oid
plan_number(Reading *reading, const OsmlFeatureSet *set, const OsmlInput *input)
{
	const OsmlSourceColumn *column = &set->columns[input->column];
	bool		is_array = input->kind == OSML_INPUT_ARRAY;
	Oid			from = is_array ? osml_decode_element(column->type) : column->type;
	Oid			to = osml_row_number_type(set, input);

	/* a number whose domain is gone is still one */
	if (!OidIsValid(to) || osml_decode_alike(from, to))
		return column->type;
	reading->adapt = palloc(sizeof(OsmlAdapt));
	if (is_array || !osml_adapt_plan(reading->adapt, from, to))
		other_type(set, column, is_array ? "the elements" : "the numbers", "of type", to);
	return to;
}

/* Whose input an error is about, where the set knows that. */
typedef struct Whose
{
	const OsmlFeatureSet *set;
	const OsmlInput *input;
} Whose;

static void
add_subject(void *arg)
{
	const Whose *whose = arg;

	if (whose->set->subject)
		errcontext("feature \"%s\" %s", whose->input->name, whose->set->subject);
}

/* Choose the converter of an input. */
static void
plan_reading(OsmlRowReader *reader, Reading *reading, const OsmlFeatureSet *set,
			 const OsmlInput *input)
{
	Whose		whose = {set, input};
	ErrorContextCallback callback = {error_context_stack, add_subject, &whose};
	Oid			type;

	reading->input = input;
	if (input->column < 0)
	{
		error_context_stack = &callback;
		type = compile(reader, reading, set);
		error_context_stack = callback.previous;
	}
	else if (input->kind == OSML_INPUT_KEY)
		type = set->columns[input->column].type;
	else
		type = plan_number(reading, set, input);
	reader->allocates = reader->allocates || input->column < 0 || !get_typbyval(type);
	switch (input->kind)
	{
		case OSML_INPUT_KEY:
			if (input->column >= 0)
				check_key(set, &set->columns[input->column]);
			reading->text = osml_text_decoder(type);
			if (input->column >= 0)
				osml_text_decoder_fold(reading->text,
									   osml_type_folds(written_type(set, &set->columns[input->column])));
			reader->allocates = true;
			break;
		case OSML_INPUT_ARRAY:
			reading->element = osml_decode_element(type);
			break;
		case OSML_INPUT_TIME:
			reading->decode = osml_decode_time_for(type);
			break;
		case OSML_INPUT_NUMBER:
			reading->decode = osml_decode_for(type);
			break;
	}
}

/* Is the input's number the column's datum itself? */
static bool
is_plain(const OsmlFeatureSet *set, const OsmlInput *input)
{
	return input->kind == OSML_INPUT_NUMBER && input->column >= 0 &&
		getBaseType(set->columns[input->column].type) == FLOAT8OID &&
		osml_decode_alike(FLOAT8OID, osml_row_number_type(set, input));
}

OsmlRowReader *
osml_row_reader_create(const OsmlFeatureSet *set, Oid owner,
					   OsmlLengthError length_error, void *arg)
{
	OsmlRowReader *reader = palloc0(sizeof(OsmlRowReader));

	reader->owner = owner;
	reader->length_error = length_error;
	reader->arg = arg;
	reader->plain = palloc(sizeof(PlainReading) * Max(1, set->n_inputs));
	reader->readings = palloc0(sizeof(Reading) * Max(1, set->n_inputs));
	reader->n_columns = set->n_columns;
	reader->adapts = palloc0(sizeof(OsmlAdapt) * Max(1, set->n_columns));
	reader->adapted = palloc0(sizeof(Datum) * Max(1, set->n_columns));
	for (int i = 0; i < set->n_inputs; i++)
	{
		const OsmlInput *input = &set->inputs[i];

		if (is_plain(set, input))
			reader->plain[reader->n_plain++] = (PlainReading) {input->column, input->first};
		else
			plan_reading(reader, &reader->readings[reader->n++], set, input);
	}
	if (set->label && set->label_key)
	{
		OsmlInput  *input = palloc0(sizeof(OsmlInput));

		input->kind = OSML_INPUT_KEY;
		input->name = set->label;
		input->first = OSML_LABEL_KEY;
		reader->label.input = input;
		reader->label.text = osml_text_decoder(set->label_type);
		reader->allocates = true;
	}
	return reader;
}

void
osml_row_reader_texts(OsmlRowReader *reader, uint64 key_columns, OsmlTextSink sink,
					  void *arg)
{
	reader->text_sink = sink;
	reader->text_arg = arg;
	for (int i = 0; i < reader->n; i++)
	{
		const OsmlInput *input = reader->readings[i].input;

		if (input->kind == OSML_INPUT_KEY && (key_columns & OSML_KEY_BIT(input->first)))
			reader->readings[i].told = palloc0(sizeof(uint64) * TOLD);
	}
	if (reader->label.text && (key_columns & OSML_LABEL_BIT))
		reader->label.told = palloc0(sizeof(uint64) * TOLD);
}

void
osml_row_reader_block(OsmlRowReader *reader)
{
	for (int i = 0; reader->text_sink && i < reader->n; i++)
	{
		if (reader->readings[i].told)
			memset(reader->readings[i].told, 0, sizeof(uint64) * TOLD);
	}
	if (reader->label.told)
		memset(reader->label.told, 0, sizeof(uint64) * TOLD);
}

bool
osml_row_reader_allocates(const OsmlRowReader *reader)
{
	return reader->allocates;
}

/* The key of a value, whose text is told if it is wanted and was not told just now. */
static uint64
take_key(OsmlRowReader *reader, Reading *reading, Datum value)
{
	int			length;
	const char *text = osml_decode_text(reading->text, value, &length);
	uint64		key = osml_key(text, length);

	if (reading->told && reading->told[key % TOLD] != key)
	{
		reading->told[key % TOLD] = key;
		reader->text_sink(reader->text_arg, reading->input->first, key, text, length);
	}
	return key;
}

uint64
osml_row_label_key(OsmlRowReader *reader, Datum value)
{
	return take_key(reader, &reader->label, value);
}

/* The values of a row's columns that expressions use, as they are written over. */
static const Datum *
adapt_row(OsmlRowReader *reader, const Datum *values, const bool *nulls)
{
	ListCell   *cell;

	foreach(cell, reader->used)
	{
		int			column = lfirst_int(cell);

		reader->adapted[column] = nulls[column] ? (Datum) 0 :
			osml_adapt(&reader->adapts[column], values[column]);
	}
	return reader->adapted;
}

static unsigned
take_missing(const OsmlInput *input, double *numbers, size_t stride)
{
	for (int k = 0; k < Max(1, input->n_elements); k++)
		numbers[(input->first + k) * stride] = osml_missing();
	return OSML_ROW_MISSING;
}

/* An array; with a NULL in it all of it counts as missing. */
static unsigned
take_array(const OsmlRowReader *reader, const Reading *reading, Datum value,
		   double *numbers, size_t stride, double *finite)
{
	const OsmlInput *input = reading->input;
	double	   *out = numbers + input->first * stride;
	bool		has_null;
	int			n = osml_decode_array(value, reading->element, input->n_elements,
									  out, stride, &has_null);

	if (n != input->n_elements)
		reader->length_error(reader->arg, input, n);
	if (has_null)
		return take_missing(input, numbers, stride);
	for (int k = 0; k < n; k++)
		*finite += out[k * stride] * 0.0;
	return 0;
}

/* The columns of float8. */
static inline unsigned
take_plain(const OsmlRowReader *reader, const Datum *values, const bool *nulls,
		   double *numbers, size_t stride)
{
	const PlainReading *plain = reader->plain;
	unsigned	odd = 0;

	for (int i = 0; i < reader->n_plain; i++)
	{
		double	   *number = &numbers[plain[i].first * stride];

		if (unlikely(nulls[plain[i].column]))
		{
			*number = osml_missing();
			odd |= OSML_ROW_MISSING;
			continue;
		}
		*number = DatumGetFloat8(values[plain[i].column]);
		if (unlikely(!isfinite(*number)))
			odd |= OSML_ROW_NONFINITE;
	}
	return odd;
}

/* All other inputs; a function of its own, so that rows of numbers pay for none of it. */
static pg_noinline unsigned
take_others(OsmlRowReader *reader, const Datum *values, const bool *nulls,
			double *numbers, uint64 *keys, size_t stride)
{
	unsigned	odd = 0;
	double		finite = 0;
	const Datum *adapted = reader->used == NIL ? NULL : adapt_row(reader, values, nulls);

	for (int i = 0; i < reader->n; i++)
	{
		Reading    *reading = &reader->readings[i];
		const OsmlInput *input = reading->input;
		double		number;
		Datum		value;
		bool		isnull;

		if (unlikely(reading->expression))
			value = osml_expression_eval(reading->expression, reader->owner,
										 adapted ? adapted : values,
										 nulls, &isnull);
		else
		{
			value = values[input->column];
			isnull = nulls[input->column];
		}
		if (input->kind == OSML_INPUT_KEY)
		{
			keys[input->first * stride] = isnull ? OSML_KEY_NULL :
				take_key(reader, reading, value);
			continue;
		}
		if (unlikely(isnull))
		{
			odd |= take_missing(input, numbers, stride);
			continue;
		}
		if (input->kind == OSML_INPUT_ARRAY)
		{
			odd |= take_array(reader, reading, value, numbers, stride, &finite);
			continue;
		}
		if (unlikely(reading->adapt))
			value = osml_adapt(reading->adapt, value);
		number = reading->decode(value);
		numbers[input->first * stride] = number;
		finite += number * 0.0;
	}
	return odd | (finite == 0 ? 0 : OSML_ROW_NONFINITE);
}

unsigned
osml_row_take(OsmlRowReader *reader, const Datum *values, const bool *nulls,
			  double *numbers, uint64 *keys, size_t stride)
{
	unsigned	odd = take_plain(reader, values, nulls, numbers, stride);

	return reader->n == 0 ? odd :
		odd | take_others(reader, values, nulls, numbers, keys, stride);
}
