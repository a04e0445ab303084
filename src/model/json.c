/*
 * json.c
 *	  A strict reader of a little JSON; see json.h.
 */
#include "model/json.h"

#include <string.h>

/* fail now and for good */
static bool
fail(OsmlJson *json)
{
	json->failed = true;
	json->at = json->end;
	return false;
}

/* start at the first byte */
void
osml_json_init(OsmlJson *json, const char *text, size_t bytes)
{
	json->at = text;
	json->end = text + bytes;
	json->failed = false;
}

/* skip what JSON calls whitespace */
static void
skip_blanks(OsmlJson *json)
{
	while (json->at < json->end && *json->at != '\0' &&
		   strchr(" \t\n\r", *json->at) != NULL)
		json->at++;
}

/* is this character next? */
bool
osml_json_peek(OsmlJson *json, char c)
{
	skip_blanks(json);
	return !json->failed && json->at < json->end && *json->at == c;
}

/* take this character */
bool
osml_json_take(OsmlJson *json, char c)
{
	if (!osml_json_peek(json, c))
		return fail(json);
	json->at++;
	return true;
}

/* where an unescaped string goes: what does not fit is counted, not kept */
typedef struct Sink
{
	char	   *out;
	size_t		size;
	size_t		length;
} Sink;

/* append one byte */
static void
put(Sink *sink, unsigned byte)
{
	if (sink->length + 1 < sink->size)
		sink->out[sink->length] = (char) byte;
	sink->length++;
}

/* append a code point as UTF-8 */
static void
put_utf8(Sink *sink, unsigned code)
{
	if (code < 0x80)
	{
		put(sink, code);
		return;
	}
	if (code < 0x800)
		put(sink, 0xC0 | code >> 6);
	else
	{
		if (code < 0x10000)
			put(sink, 0xE0 | code >> 12);
		else
		{
			put(sink, 0xF0 | code >> 18);
			put(sink, 0x80 | (code >> 12 & 0x3F));
		}
		put(sink, 0x80 | (code >> 6 & 0x3F));
	}
	put(sink, 0x80 | (code & 0x3F));
}

/* four hexadecimal digits */
static bool
take_hex(OsmlJson *json, unsigned *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++)
	{
		unsigned	c = json->at < json->end ? (unsigned char) *json->at++ : 0;

		if (c >= '0' && c <= '9')
			c -= '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			c = (c | 0x20) - 'a' + 10;
		else
			return fail(json);
		*code = *code << 4 | c;
	}
	return true;
}

/* what follows \u: one code unit, or two that make a pair; never zero */
static bool
take_unicode(OsmlJson *json, Sink *sink)
{
	unsigned	code;
	unsigned	low;

	if (!take_hex(json, &code))
		return false;
	if (code >= 0xD800 && code < 0xDC00)
	{
		if (json->end - json->at < 2 || json->at[0] != '\\' || json->at[1] != 'u')
			return fail(json);
		json->at += 2;
		if (!take_hex(json, &low))
			return false;
		if (low < 0xDC00 || low > 0xDFFF)
			return fail(json);
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
	}
	else if (code == 0 || (code >= 0xDC00 && code <= 0xDFFF))
		return fail(json);
	put_utf8(sink, code);
	return true;
}

/* what follows a backslash */
static bool
take_escape(OsmlJson *json, Sink *sink)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	char		c = json->at < json->end ? *json->at++ : '\0';
	const char *found = c == '\0' ? NULL : strchr(from, c);

	if (c == 'u')
		return take_unicode(json, sink);
	if (found == NULL)
		return fail(json);
	put(sink, (unsigned char) to[found - from]);
	return true;
}

/*
 * One character of more than a byte, checked as Unicode's table of well-formed
 * UTF-8 says: no overlong form, no surrogate, nothing above U+10FFFF.
 */
static bool
take_utf8(OsmlJson *json, Sink *sink)
{
	unsigned	first = (unsigned char) *json->at++;
	int			more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
	unsigned	low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
	unsigned	high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;

	if (first < 0xC2 || first > 0xF4)
		return fail(json);
	put(sink, first);
	for (; more > 0; more--)
	{
		unsigned	c = json->at < json->end ? (unsigned char) *json->at++ : 0;

		if (c < low || c > high)
			return fail(json);
		put(sink, c);
		low = 0x80;
		high = 0xBF;
	}
	return true;
}

/* one character inside a string, escaped or not */
static bool
take_character(OsmlJson *json, Sink *sink)
{
	unsigned	c = (unsigned char) *json->at;

	if (c >= 0x80)
		return take_utf8(json, sink);
	json->at++;
	if (c == '\\')
		return take_escape(json, sink);
	if (c < 0x20)
		return fail(json);
	put(sink, c);
	return true;
}

/* a string; see json.h */
bool
osml_json_string(OsmlJson *json, char *out, size_t size, size_t *length)
{
	Sink		sink = {.out = out,.size = size};

	if (!osml_json_take(json, '"'))
		return false;
	while (json->at < json->end && *json->at != '"')
	{
		if (!take_character(json, &sink))
			return false;
	}
	if (json->at == json->end)
		return fail(json);
	json->at++;
	if (size > 0)
		out[sink.length < size ? sink.length : size - 1] = '\0';
	if (length != NULL)
		*length = sink.length;
	return true;
}

/* an integer, not negative */
bool
osml_json_integer(OsmlJson *json, int64_t *value)
{
	const char *first;

	skip_blanks(json);
	first = json->at;
	*value = 0;
	while (json->at < json->end && *json->at >= '0' && *json->at <= '9')
	{
		if (__builtin_mul_overflow(*value, 10, value) ||
			__builtin_add_overflow(*value, *json->at - '0', value))
			return fail(json);
		json->at++;
	}
	if (json->at == first || (*first == '0' && json->at - first > 1))
		return fail(json);
	return true;
}

/* nothing but blanks is left */
bool
osml_json_end(OsmlJson *json)
{
	skip_blanks(json);
	return !json->failed && json->at == json->end;
}
