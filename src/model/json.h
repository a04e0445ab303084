/*
 * json.h
 *	  A strict reader of the JSON that a safetensors header may hold.
 *
 * A cursor over bytes that need not end in a zero byte.  Each function takes
 * one piece off the front and returns false, for good, at the first byte that
 * does not belong: after a failure every call fails.  Nothing is allocated.
 */
#ifndef OSML_JSON_H
#define OSML_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct OsmlJson
{
	const char *at;
	const char *end;
	bool		failed;
} OsmlJson;

extern void osml_json_init(OsmlJson *json, const char *text, size_t bytes);

/* skip blanks, then take this character */
extern bool osml_json_take(OsmlJson *json, char c);

/* skip blanks; is this character next?  Takes nothing */
extern bool osml_json_peek(OsmlJson *json, char c);

/*
 * A string, unescaped, into out (at most size bytes with the zero byte;
 * the rest is checked and dropped).  *length is that of the whole string; a
 * zero byte inside it is refused.
 */
extern bool osml_json_string(OsmlJson *json, char *out, size_t size,
							 size_t *length);

/* an integer from 0 to INT64_MAX: digits only, no leading zero */
extern bool osml_json_integer(OsmlJson *json, int64_t *value);

/* only blanks are left */
extern bool osml_json_end(OsmlJson *json);

#endif							/* OSML_JSON_H */
