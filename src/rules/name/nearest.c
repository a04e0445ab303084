/*
 * nearest.c
 *	  Nearest name by edit distance, for hints.
 *
 * Names are compared byte by byte and without case.  A name counts as near when
 * at most half of the wanted name's letters are wrong, and never more than
 * four: farther ones confuse more than they help.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "rules/name/nearest.h"

#define NEAREST_MAX_LENGTH 64
#define NEAREST_MAX_DISTANCE 4

static int
lower(char c)
{
	return tolower((unsigned char) c);
}

/*
 * Optimal string alignment distance (Levenshtein with swaps of neighbours),
 * three rolling rows.  Both strings are at most NEAREST_MAX_LENGTH bytes.
 */
static int
edit_distance(const char *a, int na, const char *b, int nb)
{
	int			rows[3][NEAREST_MAX_LENGTH + 1];
	int		   *before = rows[0];
	int		   *last = rows[1];
	int		   *row = rows[2];

	for (int j = 0; j <= nb; j++)
		last[j] = j;
	for (int i = 1; i <= na; i++)
	{
		int		   *spare = before;

		row[0] = i;
		for (int j = 1; j <= nb; j++)
		{
			bool		same = lower(a[i - 1]) == lower(b[j - 1]);
			int			best = last[j - 1] + (same ? 0 : 1);

			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				lower(a[i - 2]) == lower(b[j - 1]) && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
		before = last;
		last = row;
		row = spare;
	}
	return last[nb];
}

/* Start a search for the name nearest to wanted. */
void
osml_nearest_begin(OsmlNearest *nearest, const char *wanted)
{
	nearest->wanted = wanted;
	nearest->best = NULL;
	nearest->distance = NEAREST_MAX_DISTANCE + 1;
}

/* Consider one valid name. */
void
osml_nearest_offer(OsmlNearest *nearest, const char *name)
{
	int			wanted_length = (int) strlen(nearest->wanted);
	int			length = (int) strlen(name);
	int			distance;

	if (wanted_length > NEAREST_MAX_LENGTH || length > NEAREST_MAX_LENGTH)
		return;
	distance = edit_distance(nearest->wanted, wanted_length, name, length);
	if (distance < nearest->distance && distance * 2 <= wanted_length)
	{
		nearest->best = name;
		nearest->distance = distance;
	}
}

/* The nearest name, or NULL when none is near. */
const char *
osml_nearest_end(const OsmlNearest *nearest)
{
	return nearest->best;
}
