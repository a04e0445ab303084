/*
 * frequent.h
 *	  The most frequent values of text columns, in one pass and bounded memory.
 *
 * Next: frequent.c, features/tally.h.
 */
#ifndef OSML_API_FREQUENT_H
#define OSML_API_FREQUENT_H

#include "nodes/pg_list.h"

/* different values of a column that are counted for sure */
#define OSML_FREQUENT_COUNTED 500

/*
 * For each SQL expression over a FROM item, which gives a text of at most 1,024
 * bytes: its most frequent values (List of char *), the first ones first, equal
 * ones by their bytes, at most so many.  A column of more different values than
 * are counted has those alone that surely are in more rows than could have been
 * lost, one of OSML_FREQUENT_COUNTED at most; of an identifier none is left.
 * Reads as the user.
 */
extern List **osml_frequent_values(const char *from, List *expressions, int most);

#endif							/* OSML_API_FREQUENT_H */
