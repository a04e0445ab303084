/*
 * server_json.c
 *	  JSON as a tree behind the server's calls for jsonb; see server.h.
 *
 * One reader serves two: jsonb_in(), where what is not JSON is an error, and the
 * target's bytes, where it is passed over.
 */
#include "server.h"

#include <ctype.h>

#include "utils/fmgrprotos.h"

#define MOST_DEPTH 64

/* begins like a Jsonb, and its header like a JsonbContainer */
typedef struct Tree
{
	int32		length;
	uint32		header;
	int			n;
	int			room;
	JsonbValue *keys;			/* of an object */
	JsonbValue *values;
} Tree;

typedef struct Reader
{
	const char *at;
	const char *end;
	bool		strict;
	int			depth;
	const char *const *keys;
	int			n_keys;
} Reader;

char	   *fuzz_last_text;

static Tree *
tree_of(const JsonbContainer *container)
{
	return (Tree *) ((char *) container - offsetof(Tree, header));
}

/* An error in jsonb_in(); true where the caller may go on. */
static bool
pass_over(const Reader *reader)
{
	if (reader->strict)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type json")));
	return true;
}

static void
skip_blanks(Reader *reader)
{
	while (reader->at < reader->end && strchr(" \t\n\r", *reader->at) && *reader->at)
		reader->at++;
}

/* take this character if it is next */
static bool
take(Reader *reader, char c)
{
	skip_blanks(reader);
	if (reader->at == reader->end || *reader->at != c)
		return false;
	reader->at++;
	return true;
}

/* One character of a string, as UTF-8 without zero bytes, which is all jsonb can hold. */
static int
read_character(Reader *reader, char *out)
{
	unsigned	c = (unsigned char) *reader->at++;

	if (c == '\\' && reader->at < reader->end)
	{
		static const char from[] = "bfnrt";
		static const char to[] = "\b\f\n\r\t";
		const char *found;

		c = (unsigned char) *reader->at++;
		found = c == 0 ? NULL : strchr(from, (int) c);
		if (found)
			c = (unsigned char) to[found - from];
		else if (c == 'u')
		{
			c = 0;
			for (int i = 0; i < 4 && reader->at < reader->end &&
				 isxdigit((unsigned char) *reader->at); i++)
			{
				int			digit = tolower((unsigned char) *reader->at++);

				c = c << 4 | (unsigned) (digit <= '9' ? digit - '0' : digit - 'a' + 10);
			}
			c &= 0x7ff;
		}
	}
	if (c == 0)
		c = '?';
	/* a string of ours, which to_jsonb wrote, is UTF-8 already */
	if (c < 0x80 || reader->strict)
	{
		out[0] = (char) c;
		return 1;
	}
	out[0] = (char) (0xC0 | c >> 6);
	out[1] = (char) (0x80 | (c & 0x3F));
	return 2;
}

static void
read_string(Reader *reader, JsonbValue *value)
{
	char	   *out = palloc(2 * (size_t) (reader->end - reader->at) + 1);

	value->type = jbvString;
	value->val.string.val = out;
	value->val.string.len = 0;
	while (reader->at < reader->end && *reader->at != '"')
		value->val.string.len += read_character(reader, out + value->val.string.len);
	if (!take(reader, '"'))
		pass_over(reader);
}

/* numeric is its text here */
static bool
read_number(Reader *reader, JsonbValue *value)
{
	const char *first = reader->at;
	char	   *text;
	char	   *end;

	while (reader->at < reader->end && *reader->at && strchr("+-.0123456789eE", *reader->at))
		reader->at++;
	text = pnstrdup(first, (Size) (reader->at - first));
	strtod(text, &end);
	if (end == text || *end != '\0')
	{
		pass_over(reader);
		*end = '\0';
	}
	value->type = jbvNumeric;
	value->val.numeric = (Numeric) (*text ? text : pstrdup("0"));
	return reader->at > first;
}

static bool
read_word(Reader *reader, const char *word)
{
	size_t		length = strlen(word);

	if ((size_t) (reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
		return false;
	reader->at += length;
	return true;
}

static void read_value(Reader *reader, JsonbValue *value);

/* The value of a key, the last one given; or another element. */
static JsonbValue *
add_member(Tree *tree, const JsonbValue *key)
{
	for (int i = 0; key && i < tree->n; i++)
	{
		if (tree->keys[i].val.string.len == key->val.string.len &&
			memcmp(tree->keys[i].val.string.val, key->val.string.val,
				   (size_t) key->val.string.len) == 0)
			return &tree->values[i];
	}
	if (tree->n == tree->room)
	{
		JsonbValue *keys = tree->keys;
		JsonbValue *values = tree->values;

		tree->room = tree->room * 2 + 4;
		tree->keys = palloc(sizeof(JsonbValue) * (size_t) tree->room);
		tree->values = palloc(sizeof(JsonbValue) * (size_t) tree->room);
		if (tree->n > 0 && key)
			memcpy(tree->keys, keys, sizeof(JsonbValue) * (size_t) tree->n);
		if (tree->n > 0)
			memcpy(tree->values, values, sizeof(JsonbValue) * (size_t) tree->n);
	}
	if (key)
		tree->keys[tree->n] = *key;
	tree->header++;				/* whose lower bits count */
	return &tree->values[tree->n++];
}

static bool
read_key(Reader *reader, JsonbValue *key)
{
	if (take(reader, '"'))
		read_string(reader, key);
	else if (reader->n_keys > 0 && reader->at < reader->end && *reader->at < 0)
	{
		const char *name = reader->keys[(*reader->at++ & 0x7f) % reader->n_keys];

		key->type = jbvString;
		key->val.string.val = pstrdup(name);
		key->val.string.len = (int) strlen(name);
	}
	else
		return false;
	return true;
}

/* The members of a container up to its end. */
static void
read_members(Reader *reader, Tree *tree, bool object)
{
	char		close = object ? '}' : ']';

	while (!take(reader, close))
	{
		JsonbValue	key;
		JsonbValue	value;

		if (reader->at == reader->end)
		{
			pass_over(reader);
			return;
		}
		if (object && !read_key(reader, &key))
		{
			pass_over(reader);
			reader->at++;
			continue;
		}
		if (object && !take(reader, ':'))
			pass_over(reader);
		read_value(reader, &value);
		*add_member(tree, object ? &key : NULL) = value;
		if (!take(reader, ',') && reader->at < reader->end && *reader->at != close)
			pass_over(reader);
	}
}

static void
read_container(Reader *reader, JsonbValue *value, bool object)
{
	Tree	   *tree = palloc0(sizeof(Tree));

	tree->header = object ? JB_FOBJECT : JB_FARRAY;
	value->type = jbvBinary;
	value->val.binary.data = (JsonbContainer *) &tree->header;
	value->val.binary.len = (int) sizeof(Tree);
	if (++reader->depth <= MOST_DEPTH)
		read_members(reader, tree, object);
	else if (reader->strict)
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("stack depth limit exceeded")));
	reader->depth--;
}

static void
read_value(Reader *reader, JsonbValue *value)
{
	value->type = jbvNull;
	for (;;)
	{
		skip_blanks(reader);
		if (reader->at == reader->end)
			pass_over(reader);
		else if (take(reader, '{'))
			read_container(reader, value, true);
		else if (take(reader, '['))
			read_container(reader, value, false);
		else if (take(reader, '"'))
			read_string(reader, value);
		else if (read_word(reader, "true") || read_word(reader, "false"))
		{
			value->type = jbvBool;
			value->val.boolean = reader->at[-2] == 'u';
		}
		else if (read_word(reader, "null"))
			return;
		else if ((*reader->at != '-' && !isdigit((unsigned char) *reader->at)) ||
				 !read_number(reader, value))
		{
			pass_over(reader);
			reader->at++;
			continue;
		}
		return;
	}
}

Jsonb *
fuzz_read_object(const char *bytes, size_t size, const char *const *keys, int n_keys)
{
	Reader		reader = {bytes, bytes + size, false, 0, keys, n_keys};
	JsonbValue	value;

	(void) take(&reader, '{');
	read_container(&reader, &value, true);
	return JsonbValueToJsonb(&value);
}

/* --- What the server calls it ----------------------------------------------------- */

Datum
jsonb_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);
	Reader		reader = {text, text + strlen(text), true};
	JsonbValue	value;

	fuzz_last_text = text;
	read_value(&reader, &value);
	skip_blanks(&reader);
	if (reader.at < reader.end)
		pass_over(&reader);
	if (value.type != jbvBinary)
		abort();				/* nothing here reads a text that is a scalar */
	return JsonbPGetDatum(JsonbValueToJsonb(&value));
}

Datum
numeric_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING((char *) PG_GETARG_POINTER(0));
}

Jsonb *
JsonbValueToJsonb(JsonbValue *value)
{
	if (value->type != jbvBinary)
		abort();
	return (Jsonb *) tree_of(value->val.binary.data);
}

/* the server's own is not known to those who use it */
typedef struct Walk
{
	Tree	   *tree;
	int			next;
	int			step;			/* 0 begin, 1 keys or elements, 2 values, 3 end */
} Walk;

JsonbIterator *
JsonbIteratorInit(JsonbContainer *container)
{
	Walk	   *walk = palloc0(sizeof(Walk));

	walk->tree = tree_of(container);
	return (JsonbIterator *) walk;
}

JsonbIteratorToken
JsonbIteratorNext(JsonbIterator **it, JsonbValue *value, bool skip_nested)
{
	Walk	   *walk = (Walk *) *it;
	bool		object;

	if (walk == NULL)
		return WJB_DONE;
	if (!skip_nested)
		abort();				/* nothing here goes into a member */
	object = (walk->tree->header & JB_FOBJECT) != 0;
	/* what is no value is left as it was, which nobody may look at */
	if (walk->step == 0)
	{
		walk->step = 1;
		value->type = object ? jbvObject : jbvArray;
		return object ? WJB_BEGIN_OBJECT : WJB_BEGIN_ARRAY;
	}
	if (walk->next == walk->tree->n)
	{
		*it = NULL;
		return object ? WJB_END_OBJECT : WJB_END_ARRAY;
	}
	if (object && walk->step == 1)
	{
		walk->step = 2;
		*value = walk->tree->keys[walk->next];
		return WJB_KEY;
	}
	walk->step = 1;
	*value = walk->tree->values[walk->next++];
	return object ? WJB_VALUE : WJB_ELEM;
}
