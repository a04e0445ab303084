/*
 * clock_words.c
 *	  Words that tell the time: see clock_words.h.
 *
 * Literals and constants are looked at when the expression is judged; other texts
 * when they are there.
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/lsyscache.h"

#include "source/adapt.h"
#include "source/clock_words.h"

static const char *const clock_words[] = {"now", "today", "tomorrow", "yesterday"};

/* Values of the type are, or hold, dates or times; of rows it is taken for granted. */
static bool
holds_time(Oid type)
{
	type = osml_inner_type(type);
	return type == DATEOID || type == TIMEOID || type == TIMETZOID ||
		type == TIMESTAMPOID || type == TIMESTAMPTZOID ||
		get_typtype(type) == TYPTYPE_COMPOSITE;
}

/* The first of the words in text, as the server looks for them (in any case), or NULL. */
static const char *
find_word(const char *text)
{
	while (*text)
	{
		int			length = 0;

		while (isalpha((unsigned char) text[length]))
			length++;
		for (int i = 0; i < (int) lengthof(clock_words); i++)
		{
			if (length == (int) strlen(clock_words[i]) &&
				pg_strncasecmp(text, clock_words[i], length) == 0)
				return clock_words[i];
		}
		text += Max(length, 1);
	}
	return NULL;
}

void
osml_judge_clock_words(const char *text, Oid type, const char *feature)
{
	const char *word = holds_time(type) ? find_word(text) : NULL;

	if (word != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("expression of feature \"%s\" depends on more than the row", feature),
				 errdetail("'%s' as a date or time is that at which the expression is read.",
						   word),
				 errhint("Write the date itself, or make the time a column of the source.")));
}

void
osml_refuse_clock_words(const char *text)
{
	const char *word = find_word(text);

	if (word != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_DATETIME_FORMAT),
				 errmsg("date or time \"%s\" depends on the clock", text),
				 errdetail("'%s' as a date or time is that at which it is read.", word),
				 errhint("Write the date itself into the source.")));
}

/* osml.refuse_clock_words(anyelement) */
static Oid
guard_function(void)
{
	Oid			any = ANYELEMENTOID;

	return LookupFuncName(list_make2(makeString("osml"), makeString("refuse_clock_words")),
						  1, &any, false);
}

static Node *
guard_casts(Node *node, void *context)
{
	CoerceViaIO *cast;
	Oid			type;

	if (node == NULL)
		return NULL;
	node = expression_tree_mutator(node, guard_casts, context);
	if (!IsA(node, CoerceViaIO) || !holds_time(((CoerceViaIO *) node)->resulttype))
		return node;
	cast = (CoerceViaIO *) node;
	type = exprType((Node *) cast->arg);
	cast->arg = (Expr *) makeFuncExpr(guard_function(), type, list_make1(cast->arg),
									  exprCollation((Node *) cast->arg), InvalidOid,
									  COERCE_EXPLICIT_CALL);
	return node;
}

Node *
osml_guard_clock_words(Node *planned)
{
	return guard_casts(planned, NULL);
}
