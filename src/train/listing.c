/*
 * listing.c
 *	  Which codes of a version people see; see listing.h.
 */
#include "postgres.h"

#include "train/listing.h"
#include "train/log.h"

/* The counts of a code column. */
static const int64 *
counts_of(const OsmlRun *run, int code)
{
	return run->code_stats.count + osml_layout_table(&run->layout, code);
}

/* Rows of a code column: of codes that training rows have, where there are many. */
static int
wanted(const OsmlRun *run, int code)
{
	int			n = run->layout.code_sizes[code];

	if (n <= OSML_MAX_BIN_ROWS)
		return n;
	return (int) Min(osml_code_stats_used(counts_of(run, code), n), OSML_MAX_BIN_ROWS);
}

/* Rows of all; an output has weights of its own. */
static int
room_of(const OsmlRun *run)
{
	return Max(OSML_MAX_BIN_ROWS, OSML_MAX_VERSION_ROWS / Max(1, run->spec.n_outputs));
}

/*
 * How many rows a column may have so that all fit in.  Those with fewer have all of
 * theirs; the others share what is left.
 */
static int
share_of_room(const OsmlRun *run, const int *rows)
{
	int			share = OSML_MAX_BIN_ROWS;

	for (;;)
	{
		int64		left = room_of(run);
		int			sharing = 0;
		int			next;

		for (int k = 0; k < run->layout.n_codes; k++)
		{
			sharing += rows[k] >= share;
			left -= rows[k] < share ? rows[k] : 0;
		}
		if (sharing == 0 || left >= (int64) share * sharing)
			return share;
		next = (int) Max(1, left / sharing);
		if (next >= share)
			return share;
		share = next;
	}
}

int *
osml_run_listed(const OsmlRun *run)
{
	int		   *rows = palloc(sizeof(int) * Max(1, run->layout.n_codes));
	int			share;

	for (int k = 0; k < run->layout.n_codes; k++)
		rows[k] = wanted(run, k);
	share = share_of_room(run, rows);
	for (int k = 0; k < run->layout.n_codes; k++)
		rows[k] = Min(rows[k], share);
	return rows;
}

OsmlListing *
osml_run_listings(const OsmlRun *run, int *n)
{
	OsmlListing *listings = palloc(sizeof(OsmlListing) * Max(1, run->layout.n_codes));
	int		   *most = osml_run_listed(run);

	*n = 0;
	for (int k = 0; k < run->layout.n_codes; k++)
	{
		listings[k] = osml_list_codes(counts_of(run, k), run->layout.code_sizes[k], most[k]);
		*n += listings[k].n;
	}
	return listings;
}

void
osml_report_listing(OsmlRun *run)
{
	int		   *most = osml_run_listed(run);
	int			short_of = 0;
	int			first = 0;

	for (int k = 0; k < run->layout.n_codes; k++)
	{
		if (osml_code_stats_used(counts_of(run, k), run->layout.code_sizes[k]) <= most[k])
			continue;
		first = short_of++ == 0 ? k : first;
	}
	if (short_of == 0)
		return;
	osml_log_event(run, "info", "categories_not_listed",
				   psprintf("osml.weights and osml.bins list the %d most frequent of the "
							INT64_FORMAT " categories of \"%s\" that training rows have%s; "
							"the model has them all", most[first],
							osml_code_stats_used(counts_of(run, first),
												 run->layout.code_sizes[first]),
							osml_code_feature(run->set, first)->name,
							short_of == 1 ? "" :
							psprintf(", and not all of %d other feature%s", short_of - 1,
									 short_of == 2 ? "" : "s")));
}
