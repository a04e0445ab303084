/*
 * value_feed.c
 *	  Values of the common types, as the hash of osml.split_unit() takes them.
 *
 * Equal values are fed alike whatever their form, and nothing of a session's
 * settings, the server's encoding or the machine gets in.
 */
#include "postgres.h"

#include <errno.h>

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "api/value_feed.h"
#include "compute/valuehash.h"

/* significant digits up to which a decimal and its float64 are one to one */
#define EXACT_DIGITS 15
#define DAYS_PER_MONTH_OF_INTERVALS 30

/* --- Numbers ------------------------------------------------------------------ */

static uint64_t
feed_bool(Datum value, uint64_t hash)
{
	return osml_value_hash_integer(hash, DatumGetBool(value) ? 1 : 0);
}

static uint64_t
feed_int2(Datum value, uint64_t hash)
{
	return osml_value_hash_integer(hash, DatumGetInt16(value));
}

static uint64_t
feed_int4(Datum value, uint64_t hash)
{
	return osml_value_hash_integer(hash, DatumGetInt32(value));
}

static uint64_t
feed_int8(Datum value, uint64_t hash)
{
	return osml_value_hash_integer(hash, DatumGetInt64(value));
}

static uint64_t
feed_oid(Datum value, uint64_t hash)
{
	return osml_value_hash_integer(hash, DatumGetObjectId(value));
}

static uint64_t
feed_float4(Datum value, uint64_t hash)
{
	return osml_value_hash_number(hash, DatumGetFloat4(value));
}

static uint64_t
feed_float8(Datum value, uint64_t hash)
{
	return osml_value_hash_number(hash, DatumGetFloat8(value));
}

/* How many digits a decimal without trailing zeros of its fraction needs. */
static int
significant_digits(const char *digits)
{
	int			n = 0;
	int			zeros = 0;		/* seen since the last other digit */

	for (; *digits != '\0'; digits++)
	{
		if (*digits < '0' || *digits > '9')
			continue;
		if (*digits == '0')
			zeros += n > 0 ? 1 : 0;
		else
		{
			n += zeros + 1;
			zeros = 0;
		}
	}
	return n;
}

/*
 * The integer it is, the float64 it is as good as, or its digits.  NaN and the
 * infinities have no digits at all and so become float64.
 */
static uint64_t
feed_numeric(Datum value, uint64_t hash)
{
	char	   *digits = numeric_normalize(DatumGetNumeric(value));
	char	   *end;
	long long	whole;

	errno = 0;
	whole = strtoll(digits, &end, 10);
	if (errno == 0 && end != digits && *end == '\0')
		hash = osml_value_hash_integer(hash, whole);
	else if (significant_digits(digits) <= EXACT_DIGITS)
		hash = osml_value_hash_number(hash,
									  DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
																		 value)));
	else
		hash = osml_value_hash_bytes(hash, OSML_VALUE_DIGITS, digits, strlen(digits));
	pfree(digits);
	return hash;
}

/* --- Times -------------------------------------------------------------------- */

/* A date is its midnight; the infinite ones are those of timestamps. */
static uint64_t
feed_date(Datum value, uint64_t hash)
{
	DateADT		date = DatumGetDateADT(value);
	uint64_t	instant = (uint64_t) date * USECS_PER_DAY;	/* may wrap, and may */

	if (DATE_IS_NOBEGIN(date))
		instant = (uint64_t) DT_NOBEGIN;
	else if (DATE_IS_NOEND(date))
		instant = (uint64_t) DT_NOEND;
	return osml_value_hash_word(hash, OSML_VALUE_INSTANT, instant);
}

/* timestamp, timestamptz, time: microseconds already */
static uint64_t
feed_timestamp(Datum value, uint64_t hash)
{
	return osml_value_hash_word(hash, OSML_VALUE_INSTANT,
								(uint64_t) DatumGetTimestamp(value));
}

/* Intervals are equal when months of 30 days and days of 24 hours say so. */
static uint64_t
feed_interval(Datum value, uint64_t hash)
{
	const Interval *interval = DatumGetIntervalP(value);
	int64		days = (int64) interval->month * DAYS_PER_MONTH_OF_INTERVALS +
	interval->day + interval->time / USECS_PER_DAY;
	int64		rest = interval->time % USECS_PER_DAY;

	/* one of the two ways to write it: the rest has the sign of the days */
	if (days > 0 && rest < 0)
	{
		days--;
		rest += USECS_PER_DAY;
	}
	else if (days < 0 && rest > 0)
	{
		days++;
		rest -= USECS_PER_DAY;
	}
	hash = osml_value_hash_word(hash, OSML_VALUE_DURATION, (uint64_t) days);
	return osml_value_hash_word(hash, OSML_VALUE_DURATION, (uint64_t) rest);
}

/* --- Texts and bytes ---------------------------------------------------------- */

/* In UTF-8 whatever the database's encoding: a restored one may have another. */
uint64_t
osml_feed_chars(const char *text, int length, uint64_t hash)
{
	char	   *utf8 = pg_server_to_any(text, length, PG_UTF8);

	if (utf8 == text)
		return osml_value_hash_bytes(hash, OSML_VALUE_TEXT, text, length);
	hash = osml_value_hash_bytes(hash, OSML_VALUE_TEXT, utf8, strlen(utf8));
	pfree(utf8);
	return hash;
}

static uint64_t
feed_text(Datum value, uint64_t hash)
{
	text	   *t = DatumGetTextPP(value);

	hash = osml_feed_chars(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), hash);
	if ((Pointer) t != DatumGetPointer(value))
		pfree(t);
	return hash;
}

/* character(n): its trailing blanks are no part of the value */
static uint64_t
feed_bpchar(Datum value, uint64_t hash)
{
	BpChar	   *t = DatumGetBpCharPP(value);

	hash = osml_feed_chars(VARDATA_ANY(t),
					  bpchartruelen(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t)), hash);
	if ((Pointer) t != DatumGetPointer(value))
		pfree(t);
	return hash;
}

static uint64_t
feed_name(Datum value, uint64_t hash)
{
	const char *name = NameStr(*DatumGetName(value));

	return osml_feed_chars(name, (int) strlen(name), hash);
}

static uint64_t
feed_bytea(Datum value, uint64_t hash)
{
	bytea	   *bytes = DatumGetByteaPP(value);

	hash = osml_value_hash_bytes(hash, OSML_VALUE_BYTES, VARDATA_ANY(bytes),
								 VARSIZE_ANY_EXHDR(bytes));
	if ((Pointer) bytes != DatumGetPointer(value))
		pfree(bytes);
	return hash;
}

static uint64_t
feed_uuid(Datum value, uint64_t hash)
{
	return osml_value_hash_bytes(hash, OSML_VALUE_BYTES, DatumGetUUIDP(value)->data,
								 UUID_LEN);
}

/* --- Documents ---------------------------------------------------------------- */

uint64_t
osml_feed_null(uint64_t hash)
{
	return osml_value_hash_word(hash, OSML_VALUE_NULL, 0);
}

/* One key or scalar of a document: its numbers are numbers. */
static uint64_t
feed_json_scalar(const JsonbValue *scalar, uint64_t hash)
{
	switch (scalar->type)
	{
		case jbvString:
			return osml_feed_chars(scalar->val.string.val, scalar->val.string.len, hash);
		case jbvNumeric:
			return feed_numeric(NumericGetDatum(scalar->val.numeric), hash);
		case jbvBool:
			return osml_value_hash_integer(hash, scalar->val.boolean ? 1 : 0);
		default:
			return osml_feed_null(hash);
	}
}

/*
 * jsonb: the document's values, since its text keeps 1.00 apart from 1.0.
 * Keys come in the order of jsonb, by length and bytes.
 */
static uint64_t
feed_jsonb(Datum value, uint64_t hash)
{
	Jsonb	   *document = DatumGetJsonbP(value);
	JsonbIterator *it = JsonbIteratorInit(&document->root);
	JsonbIteratorToken token;
	JsonbValue	item;

	while ((token = JsonbIteratorNext(&it, &item, false)) != WJB_DONE)
	{
		if (token == WJB_BEGIN_ARRAY)
			hash = osml_value_hash_word(hash, OSML_VALUE_LIST, item.val.array.nElems);
		else if (token == WJB_BEGIN_OBJECT)
			hash = osml_value_hash_word(hash, OSML_VALUE_PAIRS, item.val.object.nPairs);
		else if (token == WJB_KEY || token == WJB_VALUE || token == WJB_ELEM)
			hash = feed_json_scalar(&item, hash);
	}
	if ((Pointer) document != DatumGetPointer(value))
		pfree(document);
	return hash;
}

/* --- The list ----------------------------------------------------------------- */

static const struct
{
	Oid			type;
	OsmlFeed	feed;
}			known[] = {
	{BOOLOID, feed_bool},
	{INT2OID, feed_int2},
	{INT4OID, feed_int4},
	{INT8OID, feed_int8},
	{OIDOID, feed_oid},
	{FLOAT4OID, feed_float4},
	{FLOAT8OID, feed_float8},
	{NUMERICOID, feed_numeric},
	{DATEOID, feed_date},
	{TIMESTAMPOID, feed_timestamp},
	{TIMESTAMPTZOID, feed_timestamp},
	{TIMEOID, feed_timestamp},
	{INTERVALOID, feed_interval},
	{TEXTOID, feed_text},
	{VARCHAROID, feed_text},
	{BPCHAROID, feed_bpchar},
	{NAMEOID, feed_name},
	{BYTEAOID, feed_bytea},
	{UUIDOID, feed_uuid},
	{JSONBOID, feed_jsonb},
};

OsmlFeed
osml_feed_for(Oid base)
{
	for (int i = 0; i < (int) lengthof(known); i++)
	{
		if (known[i].type == base)
			return known[i].feed;
	}
	return NULL;
}
