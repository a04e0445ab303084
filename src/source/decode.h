/*
 * decode.h
 *	  From a datum to float64: one converter a type, chosen once a column.
 *
 * int2, int4, int8, float4, float8, numeric and bool are their value; date is
 * days and timestamp(tz) seconds since 1970-01-01; infinite dates become
 * infinities, which on_nonfinite then judges.  A new type is one line in
 * decode.c's table.
 */
#ifndef OSML_DECODE_H
#define OSML_DECODE_H

#include "features/transform.h"

typedef double (*OsmlDecode) (Datum value);

/* The converter for a scalar type (domains looked through), or NULL. */
extern OsmlDecode osml_decode_for(Oid type);

/* float4[] and float8[] (and arrays of any scalar above): the element type, or
 * InvalidOid when the type is not an array of numbers. */
extern Oid	osml_decode_element(Oid type);

/*
 * Write the n elements of an array datum to out[0], out[stride], ...
 * Returns the number of elements the array really has (out is untouched when
 * that is not n) and sets *has_null when one of them is NULL.
 */
extern int	osml_decode_array(Datum array, Oid element, int n, double *out,
							  size_t stride, bool *has_null);

/* What the number of a scalar type counts since 1970. */
extern OsmlTimeUnit osml_decode_unit(Oid type);

/*
 * Do numbers of both types mean the same, and their texts?  A date, the types of
 * a timestamp and a plain number mean four things.  InvalidOid, a type that nobody
 * knows any more, may be any.
 */
extern bool osml_decode_alike(Oid a, Oid b);

/* The same for a point in time: seconds since 1970, of dates too. */
extern OsmlDecode osml_decode_time_for(Oid type);

/*
 * From a datum of any type to the text that is its category.  Equal values have
 * equal texts under any settings: numeric without trailing zeros, citext in
 * lower case, char(n) without its padding, bool as true and false, floats in their shortest digits,
 * dates and times as ISO 8601 in UTC, the rest as the type prints it.
 */
typedef struct OsmlTextDecoder OsmlTextDecoder;

extern OsmlTextDecoder *osml_text_decoder(Oid type);

/* A decoder whose texts are, or are not, in lower case whatever its type: as the
 * vocabulary that they are looked up in. */
extern void osml_text_decoder_fold(OsmlTextDecoder *decoder, bool fold);

/* is a value of this type a category, a key, where nobody says otherwise? */
extern bool osml_decode_is_category(Oid type);	/* in the current context */

/* the text, not NUL-terminated; in the current context, or inside the datum */
extern const char *osml_decode_text(OsmlTextDecoder *decoder, Datum value, int *length);

/* Names of the types that are a number, for messages. */
extern const char *osml_decode_types(void);

#endif							/* OSML_DECODE_H */
