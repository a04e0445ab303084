/*
 * server.c
 *	  Stand-ins for what src/hparams calls in the server: memory, errors, lists
 *	  and small services; see server.h.
 *
 * Next: server_json.c.
 */
#include "server.h"

#include <ctype.h>
#include <sanitizer/asan_interface.h>

#include "mb/pg_wchar.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/json.h"

/* --- Memory ----------------------------------------------------------------------- */

#define ARENA_BYTES (64 * 1024 * 1024)
#define FENCE_BYTES 16

static char *arena;
static size_t arena_used;

void *
palloc(Size size)
{
	char	   *piece;

	if (arena == NULL)
	{
		arena = malloc(ARENA_BYTES);
		ASAN_POISON_MEMORY_REGION(arena, ARENA_BYTES);
	}
	piece = arena + arena_used;
	arena_used += MAXALIGN(size) + FENCE_BYTES;
	if (arena_used > ARENA_BYTES)
	{
		fprintf(stderr, "a set of hyperparameters took more than %d bytes\n", ARENA_BYTES);
		abort();
	}
	ASAN_UNPOISON_MEMORY_REGION(piece, size);
	/* whatever relies on zeros finds none */
	memset(piece, 0x7e, size);
	return piece;
}

void
fuzz_forget(void)
{
	if (arena)
		ASAN_POISON_MEMORY_REGION(arena, arena_used);
	arena_used = 0;
}

void *
palloc0(Size size)
{
	return memset(palloc(size), 0, size);
}

/* The old size is not known, but no piece reaches beyond what is used. */
void *
repalloc(void *pointer, Size size)
{
	char	   *from = pointer;
	char	   *to = palloc(size);

	for (size_t i = 0; i < size && !__asan_address_is_poisoned(from + i); i++)
		to[i] = from[i];
	return to;
}

void
pfree(void *pointer)
{
	/* the arena is forgotten as a whole */
	(void) pointer;
}

char *
pnstrdup(const char *text, Size length)
{
	Size		n = strnlen(text, length);
	char	   *copy = palloc(n + 1);

	memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

char *
pstrdup(const char *text)
{
	return pnstrdup(text, strlen(text));
}

/* --- Errors ----------------------------------------------------------------------- */

sigjmp_buf	fuzz_error_jump;
int			fuzz_error_code;
ErrorContextCallback *error_context_stack;

bool
errstart(int level, const char *domain)
{
	(void) domain;
	fuzz_error_code = ERRCODE_INTERNAL_ERROR;
	return level >= ERROR;
}

bool
errstart_cold(int level, const char *domain)
{
	return errstart(level, domain);
}

void
errfinish(const char *file, int line, const char *function)
{
	for (ErrorContextCallback *callback = error_context_stack; callback;
		 callback = callback->previous)
		callback->callback(callback->arg);
	error_context_stack = NULL;
	if (fuzz_error_code == ERRCODE_INTERNAL_ERROR)
	{
		fprintf(stderr, "internal error at %s:%d in %s\n", file, line, function);
		abort();
	}
	siglongjmp(fuzz_error_jump, 1);
}

int
errcode(int code)
{
	fuzz_error_code = code;
	return 0;
}

int
set_errcontext_domain(const char *domain)
{
	(void) domain;
	return 0;
}

/* A message is put together, so that the sanitizers see what it reads. */
#define MESSAGE(function) \
	int \
	function(const char *format, ...) \
	{ \
		static char text[4096]; \
		va_list		args; \
	\
		va_start(args, format); \
		vsnprintf(text, sizeof(text), format, args); \
		va_end(args); \
		return 0; \
	}

MESSAGE(errmsg)
MESSAGE(errmsg_internal)
MESSAGE(errdetail)
MESSAGE(errhint)
MESSAGE(errcontext_msg)

/* --- Lists and sets --------------------------------------------------------------- */

List *
lappend(List *list, void *datum)
{
	if (list == NIL)
	{
		list = palloc0(sizeof(List));
		list->type = T_List;
	}
	if (list->length == list->max_length)
	{
		ListCell   *wider;

		list->max_length = list->max_length * 2 + 4;
		wider = palloc(sizeof(ListCell) * list->max_length);
		if (list->length > 0)
			memcpy(wider, list->elements, sizeof(ListCell) * list->length);
		list->elements = wider;
	}
	lfirst(&list->elements[list->length++]) = datum;
	return list;
}

#define SET_WORDS 32

Bitmapset *
bms_add_member(Bitmapset *set, int member)
{
	if (set == NULL)
	{
		set = palloc0(offsetof(Bitmapset, words) + SET_WORDS * sizeof(bitmapword));
		set->nwords = SET_WORDS;
	}
	if (member / BITS_PER_BITMAPWORD >= SET_WORDS)
		abort();
	set->words[member / BITS_PER_BITMAPWORD] |= (bitmapword) 1 << member % BITS_PER_BITMAPWORD;
	return set;
}

bool
bms_is_member(int member, const Bitmapset *set)
{
	return set != NULL && member / BITS_PER_BITMAPWORD < set->nwords &&
		(set->words[member / BITS_PER_BITMAPWORD] >> member % BITS_PER_BITMAPWORD & 1) != 0;
}

/* --- Small services --------------------------------------------------------------- */

/* a word or a beginning of it that is of no other */
bool
parse_bool(const char *value, bool *result)
{
	static const struct
	{
		const char *word;
		size_t		least;
		bool		is;
	}			words[] = {
		{"true", 1, true}, {"false", 1, false}, {"yes", 1, true}, {"no", 1, false},
		{"on", 2, true}, {"off", 2, false}, {"1", 1, true}, {"0", 1, false}
	};
	size_t		length = strlen(value);

	for (int i = 0; i < (int) lengthof(words); i++)
	{
		if (length >= words[i].least && pg_strncasecmp(value, words[i].word, length) == 0)
		{
			*result = words[i].is;
			return true;
		}
	}
	return false;
}

/* of UTF-8 */
int
pg_mbcliplen(const char *text, int length, int limit)
{
	if (length <= limit)
		return length;
	while (limit > 0 && ((unsigned char) text[limit] & 0xC0) == 0x80)
		limit--;
	return limit;
}

void
escape_json(StringInfo out, const char *text)
{
	appendStringInfoChar(out, '"');
	for (const char *c = text; *c; c++)
	{
		if (*c == '"' || *c == '\\')
			appendStringInfo(out, "\\%c", *c);
		else if ((unsigned char) *c < ' ')
			appendStringInfo(out, "\\u%04x", *c);
		else
			appendStringInfoCharMacro(out, *c);
	}
	appendStringInfoChar(out, '"');
}

Datum
DirectFunctionCall1Coll(PGFunction function, Oid collation, Datum argument)
{
	LOCAL_FCINFO(fcinfo, 1);

	InitFunctionCallInfoData(*fcinfo, NULL, 1, collation, NULL, NULL);
	fcinfo->args[0].value = argument;
	fcinfo->args[0].isnull = false;
	return function(fcinfo);
}

struct varlena *
pg_detoast_datum(struct varlena *datum)
{
	return datum;
}
