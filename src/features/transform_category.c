/*
 * transform_category.c
 *	  A category to its place in a vocabulary, the most frequent first.
 *
 * The table is open-addressed and at most half full.  A key is a hash already,
 * so its lowest bits are where the search starts; NULL, which is no key of a
 * text, marks free places.
 */
#include <stdio.h>
#include <string.h>

#include "features/key.h"
#include "features/transforms.h"

enum
{
	MAX_CATEGORIES, MIN_COUNT, CATEGORIES
};

static const OsmlParamDef params[] = {
	[MAX_CATEGORIES] = {"max_categories", OSML_PARAM_INTEGER,.low = 1,
		.high = OSML_MAX_CODES - 2,.standard = 10000,
		.meaning = "most categories to learn; the others share one code"},
	[MIN_COUNT] = {"min_count", OSML_PARAM_INTEGER,.low = 1,.high = 9007199254740992.0,
		.standard = 1,
		.meaning = "training rows that a category must have to be learned"},
	[CATEGORIES] = {"categories", OSML_PARAM_TEXTS, .fitted = true,.standard = NAN,
		.meaning = "the categories; learned from the training rows where not given"},
};

typedef struct Table
{
	uint64_t	mask;			/* places less one; their number is a power of 2 */
	uint64_t   *keys;
	int32_t    *codes;
} Table;

static bool
check(const OsmlStep *step, char *message)
{
	const OsmlParam *categories = &step->params[CATEGORIES];

	if (categories->given && categories->n > OSML_MAX_CODES - 2)
		return osml_step_wrong(message, "there may be at most %d categories",
							   OSML_MAX_CODES - 2);
	return true;
}

static unsigned
needs(const OsmlStep *step)
{
	return osml_step_given(step, CATEGORIES) ? 0 : OSML_NEED_TALLY;
}

/*
 * Where there is no room for more: some times as many as are kept, so that the
 * last of those are the right ones.  A tally loses at most rows / capacity of a
 * key, so with four times as many one that is in more than 1.25 / max_categories
 * of the rows is kept: its count is above rows / max_categories, and fewer than
 * max_categories others can be.
 */
static int
capacity(const OsmlStep *step)
{
	double		most = osml_step_number(step, MAX_CATEGORIES);

	return (int) fmin(fmax(4 * most, 1 << 14), OSML_MAX_CODES);
}

/* the text in the arena */
static char *
copy_text(const OsmlArena *arena, const char *text)
{
	size_t		size = strlen(text) + 1;
	char	   *copy = osml_arena_alloc(arena, size);

	if (copy != NULL)
		memcpy(copy, text, size);
	return copy;
}

/*
 * The texts of the entries.  A key without text, which lost its text while the
 * tally was full, cannot be stored and stays among the others.
 */
static OsmlStatus
keep_texts(OsmlParam *categories, const OsmlArena *arena, const OsmlTallyEntry *entries,
		   int n)
{
	categories->texts = osml_arena_alloc(arena, (size_t) n * sizeof(char *));
	if (categories->texts == NULL)
		return OSML_OUT_OF_MEMORY;
	categories->n = 0;
	for (int i = 0; i < n; i++)
	{
		char	   *text;

		if (entries[i].text == NULL)
			continue;
		text = copy_text(arena, entries[i].text);
		if (text == NULL)
			return OSML_OUT_OF_MEMORY;
		categories->texts[categories->n++] = text;
	}
	categories->given = true;
	return OSML_OK;
}

static OsmlStatus
fit(OsmlStep *step, const OsmlArena *arena, const OsmlProfile *profile)
{
	int			most = (int) osml_step_number(step, MAX_CATEGORIES);
	int64_t		min_count = (int64_t) osml_step_number(step, MIN_COUNT);
	int			held = osml_tally_size(profile->tally);
	int			n = held < most ? held : most;
	OsmlTallyEntry *entries;
	OsmlStatus	status;

	entries = osml_arena_alloc(arena, (size_t) n * sizeof(OsmlTallyEntry));
	if (entries == NULL)
		return OSML_OUT_OF_MEMORY;
	status = osml_tally_top(profile->tally, n, min_count, entries, &n);
	if (status == OSML_OK)
		status = keep_texts(&step->params[CATEGORIES], arena, entries, n);
	osml_arena_release(arena, entries);
	return status;
}

/* a key's code; n where it has none */
static inline int32_t
find(const Table *table, uint64_t key, int32_t n)
{
	uint64_t	place = key & table->mask;

	while (table->keys[place] != key)
	{
		if (table->keys[place] == OSML_KEY_NULL)
			return n;
		place = (place + 1) & table->mask;
	}
	return table->codes[place];
}

/* of two equal texts, which definitions do not have, the first one counts */
static void
insert(Table *table, uint64_t key, int32_t code)
{
	uint64_t	place = key & table->mask;

	while (table->keys[place] != OSML_KEY_NULL && table->keys[place] != key)
		place = (place + 1) & table->mask;
	if (table->keys[place] == key)
		return;
	table->keys[place] = key;
	table->codes[place] = code;
}

static OsmlStatus
prepare(OsmlStep *step, const OsmlArena *arena)
{
	const OsmlParam *categories = &step->params[CATEGORIES];
	Table	   *table = osml_arena_alloc(arena, sizeof(Table));
	size_t		places = 2;

	if (table == NULL)
		return OSML_OUT_OF_MEMORY;
	while (places < 2 * (size_t) categories->n)
		places *= 2;
	table->mask = places - 1;
	table->keys = osml_arena_alloc(arena, places * sizeof(uint64_t));
	table->codes = osml_arena_alloc(arena, places * sizeof(int32_t));
	if (table->keys == NULL || table->codes == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < categories->n; i++)
	{
		const char *text = categories->texts[i];

		insert(table, osml_key(text, strlen(text)), i);
	}
	step->table = table;
	return OSML_OK;
}

/* `other` and NULL come after the categories */
static int64_t
n_codes(const OsmlStep *step)
{
	return (int64_t) step->params[CATEGORIES].n + 2;
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	const Table table = *(const Table *) step->table;
	int32_t		other = step->params[CATEGORIES].n;

	for (int i = 0; i < n; i++)
	{
		uint64_t	key = in->key[i];

		out->code[i] = key == OSML_KEY_NULL ? other + 1 : find(&table, key, other);
	}
}

/*
 * What a code is called that is no text's: its word, in as many parentheses more
 * as it takes to be none of the categories.
 */
static void
name_apart(const OsmlStep *step, const char *word, char *out, size_t size)
{
	size_t		length = strlen(word);
	int32_t		n = step->params[CATEGORIES].n;

	snprintf(out, size, "%s", word);
	while (length + 3 <= size && find(step->table, osml_key(out, length), n) < n)
	{
		memmove(out + 1, out, length);
		out[0] = '(';
		out[length + 1] = ')';
		out[length + 2] = '\0';
		length += 2;
	}
}

static void
code_name(const OsmlStep *step, int64_t code, char *out, size_t size)
{
	const OsmlParam *categories = &step->params[CATEGORIES];

	if (code < categories->n)
		snprintf(out, size, "%s", categories->texts[code]);
	else
		name_apart(step, code == categories->n ? "(other)" : "(null)", out, size);
}

const OsmlTransform osml_transform_category = {
	.name = "category",
	.meaning = "a category to its place in a vocabulary, the most frequent first",
	.input = OSML_VALUE_KEY,
	.min_inputs = 1,
	.max_inputs = 1,
	.makes_codes = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.by_hand = "\"categories\"",
	.check = check,
	.needs = needs,
	.capacity = capacity,
	.fit = fit,
	.prepare = prepare,
	.n_codes = n_codes,
	.run = run,
	.code_name = code_name,
};
