/*
 * pages.c
 *	  Which parts of a long vector have anything in them; see pages.h.
 */
#include "compute/pages.h"

void
osml_pages_mark_range(uint64_t *pages, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i += OSML_PAGE_VALUES)
		osml_pages_mark(pages, i);
	if (n > 0)
		osml_pages_mark(pages, first + n - 1);
}

/* the first page from `page` on whose bit is `set`; n_pages: there is none */
static size_t
find(const uint64_t *pages, size_t n_pages, size_t page, bool set)
{
	while (page < n_pages)
	{
		uint64_t	word = set ? pages[page / 64] : ~pages[page / 64];

		word >>= page % 64;
		if (word != 0)
		{
			page += (size_t) __builtin_ctzll(word);
			return page < n_pages ? page : n_pages;
		}
		page = (page / 64 + 1) * 64;
	}
	return n_pages;
}

bool
osml_pages_next(const uint64_t *pages, size_t n_values, OsmlPageRun *run)
{
	size_t		n_pages = (n_values + OSML_PAGE_VALUES - 1) / OSML_PAGE_VALUES;
	size_t		behind = (run->first + run->n + OSML_PAGE_VALUES - 1) / OSML_PAGE_VALUES;
	size_t		start = find(pages, n_pages, behind, true);
	size_t		end = find(pages, n_pages, start, false) * OSML_PAGE_VALUES;

	run->first = start * OSML_PAGE_VALUES;
	run->n = (end < n_values ? end : n_values) - run->first;
	return start < n_pages;
}
