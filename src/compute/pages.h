/*
 * pages.h
 *	  Which parts of a long vector have anything in them, a bit a page.
 *
 * The gradient of a table with a hundred thousand entries is zero but for those
 * of the rows at hand.  A page is as many values as sums have lanes, so that a
 * sum over the marked pages is that over the whole vector, to the bit.
 */
#ifndef OSML_PAGES_H
#define OSML_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OSML_PAGE_VALUES 16

/* a run of marked pages, as values [first, first + n) */
typedef struct OsmlPageRun
{
	size_t		first;
	size_t		n;
} OsmlPageRun;

/* words of bits for so many values */
static inline size_t
osml_pages_words(size_t n_values)
{
	return (n_values + 64 * OSML_PAGE_VALUES - 1) / (64 * OSML_PAGE_VALUES);
}

static inline void
osml_pages_mark(uint64_t *pages, size_t value)
{
	size_t		page = value / OSML_PAGE_VALUES;

	pages[page / 64] |= UINT64_C(1) << page % 64;
}

/* mark those of values [first, first + n) */
extern void osml_pages_mark_range(uint64_t *pages, size_t first, size_t n);

/* The next run behind *run, which starts as zeroes; false at the end. */
extern bool osml_pages_next(const uint64_t *pages, size_t n_values, OsmlPageRun *run);

#endif							/* OSML_PAGES_H */
