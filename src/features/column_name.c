/*
 * column_name.c
 *	  Words of a column's name; see column_name.h.
 */
#include "features/column_name.h"

#include <ctype.h>
#include <string.h>

/* a longer word is none that a list has */
#define WORD_SIZE 32

/* The next word, in small letters and between spaces; false at the end. */
static bool
next_word(const char **at, char *word)
{
	const char *c = *at;
	size_t		n = 0;

	while (*c && !isalpha((unsigned char) *c))
		c++;
	if (*c == '\0')
		return false;
	word[n++] = ' ';
	do
	{
		if (n < WORD_SIZE - 2)
			word[n++] = (char) tolower((unsigned char) *c);
		c++;
	} while (isalpha((unsigned char) *c) &&
			 !(isupper((unsigned char) c[0]) && !isupper((unsigned char) c[-1])));
	word[n++] = ' ';
	word[n] = '\0';
	*at = c;
	return true;
}

/* the last word, and the one before it; both are empty where there is none */
static void
last_words(const char *name, char *last, char *before)
{
	char		word[WORD_SIZE];

	last[0] = before[0] = '\0';
	while (next_word(&name, word))
	{
		strcpy(before, last);
		strcpy(last, word);
	}
}

bool
osml_name_has(const char *name, const char *words)
{
	char		word[WORD_SIZE];

	while (next_word(&name, word))
	{
		if (strstr(words, word))
			return true;
	}
	return false;
}

bool
osml_name_ends(const char *name, const char *words)
{
	char		last[WORD_SIZE];
	char		before[WORD_SIZE];

	last_words(name, last, before);
	return last[0] && strstr(words, last);
}

bool
osml_name_ends_before(const char *name, const char *words, const char *skip)
{
	char		last[WORD_SIZE];
	char		before[WORD_SIZE];

	last_words(name, last, before);
	return before[0] && strstr(skip, last) && strstr(words, before);
}
