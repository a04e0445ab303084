/*
 * decode.c
 *	  Datum to float64, a converter a type.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "datatype/timestamp.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "source/decode.h"
#include "source/fold.h"
#include "source/pinned.h"

#define UNIX_DAYS (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)

static double
decode_int2(Datum value)
{
	return DatumGetInt16(value);
}

static double
decode_int4(Datum value)
{
	return DatumGetInt32(value);
}

static double
decode_int8(Datum value)
{
	return (double) DatumGetInt64(value);
}

static double
decode_float4(Datum value)
{
	return DatumGetFloat4(value);
}

static double
decode_float8(Datum value)
{
	return DatumGetFloat8(value);
}

/* Out of float64's range becomes an infinity, which on_nonfinite judges. */
static double
decode_numeric(Datum value)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
}

static double
decode_bool(Datum value)
{
	return DatumGetBool(value) ? 1 : 0;
}

/* days since 1970-01-01 */
static double
decode_date(Datum value)
{
	DateADT		date = DatumGetDateADT(value);

	if (DATE_IS_NOBEGIN(date))
		return -INFINITY;
	if (DATE_IS_NOEND(date))
		return INFINITY;
	return (double) date + UNIX_DAYS;
}

/* seconds since 1970-01-01 */
static double
decode_timestamp(Datum value)
{
	Timestamp	time = DatumGetTimestamp(value);

	if (TIMESTAMP_IS_NOBEGIN(time))
		return -INFINITY;
	if (TIMESTAMP_IS_NOEND(time))
		return INFINITY;
	return (double) time / USECS_PER_SEC + (double) UNIX_DAYS * SECS_PER_DAY;
}

/* the types of a number; the only place to add one */
static const struct
{
	Oid			type;
	OsmlDecode	decode;
}			decoders[] = {
	{INT2OID, decode_int2},
	{INT4OID, decode_int4},
	{INT8OID, decode_int8},
	{FLOAT4OID, decode_float4},
	{FLOAT8OID, decode_float8},
	{NUMERICOID, decode_numeric},
	{BOOLOID, decode_bool},
	{DATEOID, decode_date},
	{TIMESTAMPOID, decode_timestamp},
	{TIMESTAMPTZOID, decode_timestamp},
};

OsmlDecode
osml_decode_for(Oid type)
{
	Oid			base = getBaseType(type);

	for (int i = 0; i < (int) lengthof(decoders); i++)
	{
		if (decoders[i].type == base)
			return decoders[i].decode;
	}
	return NULL;
}

OsmlTimeUnit
osml_decode_unit(Oid type)
{
	Oid			base = getBaseType(type);

	return base == DATEOID ? OSML_UNIT_DAYS :
		base == TIMESTAMPOID || base == TIMESTAMPTZOID ? OSML_UNIT_SECONDS : OSML_UNIT_NONE;
}

bool
osml_decode_alike(Oid a, Oid b)
{
	return !OidIsValid(a) || !OidIsValid(b) || getBaseType(a) == getBaseType(b) ||
		(osml_decode_unit(a) == OSML_UNIT_NONE && osml_decode_unit(b) == OSML_UNIT_NONE);
}

/* a date's first second */
static double
decode_date_time(Datum value)
{
	return decode_date(value) * SECS_PER_DAY;
}

OsmlDecode
osml_decode_time_for(Oid type)
{
	return getBaseType(type) == DATEOID ? decode_date_time : osml_decode_for(type);
}

Oid
osml_decode_element(Oid type)
{
	Oid			element = get_element_type(getBaseType(type));

	return OidIsValid(element) && osml_decode_for(element) ? element : InvalidOid;
}

int
osml_decode_array(Datum array, Oid element, int n, double *out, size_t stride,
				  bool *has_null)
{
	ArrayType  *a = DatumGetArrayTypeP(array);
	int			n_items = ArrayGetNItems(ARR_NDIM(a), ARR_DIMS(a));

	*has_null = false;
	if (n_items != n)
		n = 0;
	else if (!ARR_HASNULL(a) && element == FLOAT8OID)
	{
		const float8 *values = (const float8 *) ARR_DATA_PTR(a);

		for (int i = 0; i < n; i++)
			out[i * stride] = values[i];
	}
	else if (!ARR_HASNULL(a) && element == FLOAT4OID)
	{
		const float4 *values = (const float4 *) ARR_DATA_PTR(a);

		for (int i = 0; i < n; i++)
			out[i * stride] = values[i];
	}
	else
	{
		OsmlDecode	decode = osml_decode_for(element);
		ArrayIterator it = array_create_iterator(a, 0, NULL);
		Datum		value;
		bool		isnull;

		for (int i = 0; array_iterate(it, &value, &isnull); i++)
		{
			*has_null = *has_null || isnull;
			out[i * stride] = isnull ? 0 : decode(value);
		}
		array_free_iterator(it);
	}
	if ((Pointer) a != DatumGetPointer(array))
		pfree(a);
	return n_items;
}

/* how a type's text comes about */
typedef enum TextWay
{
	TEXT_BYTES,					/* its own bytes */
	TEXT_PADDED,				/* likewise, without blanks at the end */
	TEXT_BOOL,
	TEXT_NUMERIC,
	TEXT_FLOAT4,				/* the shortest digits; -0 is 0 */
	TEXT_FLOAT8,
	TEXT_TIME,					/* ISO 8601, in UTC */
	TEXT_OUTPUT,				/* what the type prints, whatever the settings */
	TEXT_PINNED					/* likewise, but settings have a say */
} TextWay;

struct OsmlTextDecoder
{
	TextWay		way;
	Oid			type;
	bool		fold;			/* lower case */
	FmgrInfo	output;
};

bool
osml_decode_is_category(Oid type)
{
	char		category;
	bool		preferred;
	Oid			base = getBaseType(type);

	get_type_category_preferred(base, &category, &preferred);
	return category == TYPCATEGORY_STRING || category == TYPCATEGORY_ENUM ||
		base == UUIDOID;
}

void
osml_text_decoder_fold(OsmlTextDecoder *decoder, bool fold)
{
	decoder->fold = fold;
}

OsmlTextDecoder *
osml_text_decoder(Oid type)
{
	OsmlTextDecoder *decoder = palloc0(sizeof(OsmlTextDecoder));
	Oid			function;
	bool		is_varlena;

	decoder->type = getBaseType(type);
	decoder->fold = osml_type_folds(type);
	switch (decoder->type)
	{
		case TEXTOID:
		case VARCHAROID:
			decoder->way = TEXT_BYTES;
			break;
		case BPCHAROID:
			decoder->way = TEXT_PADDED;
			break;
		case BOOLOID:
			decoder->way = TEXT_BOOL;
			break;
		case NUMERICOID:
			decoder->way = TEXT_NUMERIC;
			break;
		case FLOAT4OID:
			decoder->way = TEXT_FLOAT4;
			break;
		case FLOAT8OID:
			decoder->way = TEXT_FLOAT8;
			break;
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			decoder->way = TEXT_TIME;
			break;
		default:
			if (decoder->fold)
			{
				decoder->way = TEXT_BYTES;	/* citext is a text */
				break;
			}
			decoder->way = get_typtype(decoder->type) == TYPTYPE_ENUM ||
				decoder->type == INT2OID || decoder->type == INT4OID ||
				decoder->type == INT8OID || decoder->type == UUIDOID ||
				decoder->type == NAMEOID ? TEXT_OUTPUT : TEXT_PINNED;
			getTypeOutputInfo(type, &function, &is_varlena);
			fmgr_info(function, &decoder->output);
	}
	return decoder;
}

/* A number's shortest digits; adding 0 makes 0 of -0, which it equals. */
static char *
float_text(const OsmlTextDecoder *decoder, Datum value)
{
	char	   *out = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

	if (decoder->way == TEXT_FLOAT4)
		float_to_shortest_decimal_buf(DatumGetFloat4(value) + 0.0f, out);
	else
		double_to_shortest_decimal_buf(DatumGetFloat8(value) + 0.0, out);
	return out;
}

static char *
pinned_text(OsmlTextDecoder *decoder, Datum value)
{
	int			level = osml_pin_settings();
	char	   *out = OutputFunctionCall(&decoder->output, value);

	AtEOXact_GUC(false, level);
	return out;
}

/* The text as the type prints it. */
static const char *
plain_text(OsmlTextDecoder *decoder, Datum value, int *length)
{
	static const int utc = 0;
	text	   *bytes;
	char	   *out;

	switch (decoder->way)
	{
		case TEXT_BYTES:
		case TEXT_PADDED:
			bytes = DatumGetTextPP(value);
			*length = VARSIZE_ANY_EXHDR(bytes);
			if (decoder->way == TEXT_PADDED)
				*length = bpchartruelen(VARDATA_ANY(bytes), *length);
			return VARDATA_ANY(bytes);
		case TEXT_BOOL:
			out = DatumGetBool(value) ? "true" : "false";
			break;
		case TEXT_NUMERIC:
			out = numeric_normalize(DatumGetNumeric(value));
			break;
		case TEXT_FLOAT4:
		case TEXT_FLOAT8:
			out = float_text(decoder, value);
			break;
		case TEXT_TIME:
			out = JsonEncodeDateTime(palloc(MAXDATELEN + 1), value, decoder->type, &utc);
			break;
		case TEXT_PINNED:
			out = pinned_text(decoder, value);
			break;
		default:
			out = OutputFunctionCall(&decoder->output, value);
	}
	*length = (int) strlen(out);
	return out;
}

const char *
osml_decode_text(OsmlTextDecoder *decoder, Datum value, int *length)
{
	const char *text = plain_text(decoder, value, length);

	if (!decoder->fold)
		return text;
	text = osml_fold_text(text, *length);
	*length = (int) strlen(text);
	return text;
}

const char *
osml_decode_types(void)
{
	return "smallint, integer, bigint, real, double precision, numeric, boolean, "
		"date, timestamp and timestamptz";
}
