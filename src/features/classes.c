/*
 * classes.c
 *	  The classes of a label; see classes.h.
 */
#include "features/classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "features/key.h"

typedef struct Entry
{
	const char *text;
	double		value;			/* NaN: no number */
	uint64_t	key;
	int			number;
} Entry;

static double
number_of(const char *text)
{
	char	   *end;
	double		value = strtod(text, &end);

	return end == text || *end != '\0' ? NAN : value;
}

static int
compare_values(const void *left, const void *right)
{
	const Entry *a = left;
	const Entry *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return strcmp(a->text, b->text);
}

static int
compare_texts(const void *left, const void *right)
{
	return strcmp(((const Entry *) left)->text, ((const Entry *) right)->text);
}

static int
compare_keys(const void *left, const void *right)
{
	const Entry *a = left;
	const Entry *b = right;

	return a->key < b->key ? -1 : a->key > b->key;
}

static const char *
copy_text(const OsmlArena *arena, const char *text)
{
	size_t		bytes = strlen(text) + 1;
	char	   *copy = osml_arena_alloc(arena, bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

OsmlStatus
osml_classes_create(const OsmlArena *arena, const char *const *texts, int n,
					OsmlClasses *classes)
{
	Entry	   *entries = osml_arena_alloc(arena, sizeof(Entry) * (size_t) (n + 1));
	bool		numbers = true;

	classes->n = n;
	classes->texts = osml_arena_alloc(arena, sizeof(char *) * (size_t) (n + 1));
	classes->values = osml_arena_alloc(arena, sizeof(double) * (size_t) (n + 1));
	classes->keys = osml_arena_alloc(arena, sizeof(uint64_t) * (size_t) (n + 1));
	classes->numbers = osml_arena_alloc(arena, sizeof(int) * (size_t) (n + 1));
	if (!entries || !classes->texts || !classes->values || !classes->keys ||
		!classes->numbers)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < n; i++)
	{
		entries[i].text = copy_text(arena, texts[i]);
		if (entries[i].text == NULL)
			return OSML_OUT_OF_MEMORY;
		entries[i].value = number_of(texts[i]);
		entries[i].key = osml_key(texts[i], strlen(texts[i]));
		numbers = numbers && !isnan(entries[i].value);
	}
	qsort(entries, (size_t) n, sizeof(Entry), numbers ? compare_values : compare_texts);
	for (int i = 0; i < n; i++)
	{
		entries[i].number = i;
		classes->texts[i] = entries[i].text;
		classes->values[i] = entries[i].value;
	}
	qsort(entries, (size_t) n, sizeof(Entry), compare_keys);
	for (int i = 0; i < n; i++)
	{
		classes->keys[i] = entries[i].key;
		classes->numbers[i] = entries[i].number;
	}
	if (!numbers)
		classes->values = NULL;
	osml_arena_release(arena, entries);
	return OSML_OK;
}

int
osml_classes_find(const OsmlClasses *classes, uint64_t key)
{
	int			low = 0;
	int			high = classes->n;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (classes->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < classes->n && classes->keys[low] == key ? classes->numbers[low] : -1;
}
