/*
 * report_twins.c
 *	  The same rows in train, and in train and a part that is held out; see report.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "api/report.h"
#include "source/context_arena.h"
#include "train/dataset.h"

/* hashes that two parts are compared by */
#define OVERLAP_KEPT 65536

/* so many columns are listed */
#define MAX_LISTED 10

/* What two parts are compared by. */
typedef struct Fingerprints
{
	const OsmlColumns *columns;
	const bool *use;
	int64		n;				/* rows read */
	OsmlBottom	rows;
	OsmlBottom	groups;
} Fingerprints;

static bool
take_fingerprint(void *arg, const OsmlCell *row)
{
	Fingerprints *prints = arg;
	uint64_t	whole;
	uint64_t	group;

	prints->n++;
	osml_cells_hash(prints->columns->kinds, prints->columns->n, prints->use, row, &whole, &group);
	(void) osml_bottom_add(&prints->rows, whole);
	(void) osml_bottom_add(&prints->groups, group);
	return true;
}

static void
take_fingerprints(OsmlReport *report, Fingerprints *prints, const OsmlColumns *columns,
				  const bool *use)
{
	prints->columns = columns;
	prints->use = use;
	prints->n = 0;
	osml_check_status(osml_bottom_init(&prints->rows, &report->arena, OVERLAP_KEPT));
	osml_check_status(osml_bottom_init(&prints->groups, &report->arena, OVERLAP_KEPT));
	osml_columns_scan(columns, take_fingerprint, prints);
	osml_bottom_finish(&prints->rows);
	osml_bottom_finish(&prints->groups);
}

/*
 * Rows that differ in no more than an identifier, which a second copy gets anew,
 * are the same row.  Where identifiers are all there is they count.
 */
static bool *
columns_that_count(const OsmlReport *report)
{
	int			n = report->columns->n;
	bool	   *use = palloc0(sizeof(bool) * n);
	int			n_used = 0;

	for (int j = 0; j < n - 1 && report->sample.n > 0; j++)
	{
		const OsmlAssessment *found = &report->assess.found[j];

		if (!osml_column_is_read(report->columns, j))
			continue;
		use[j] = found->meaning.meaning != OSML_MEANS_IDENTIFIER &&
			!found->meaning.may_name_rows;
		n_used += use[j] && found->meaning.meaning != OSML_MEANS_CONSTANT ? 1 : 0;
	}
	use[n - 1] = true;
	for (int j = 0; n_used == 0 && j < n; j++)
		use[j] = osml_column_is_read(report->columns, j);
	return use;
}

/* The same of columns that are read only. */
static bool *
use_of_match(const OsmlReport *report, const OsmlColumns *match)
{
	const bool *all = columns_that_count(report);
	bool	   *use = palloc(sizeof(bool) * match->n);
	int			n = 0;

	for (int j = 0; j < report->columns->n; j++)
	{
		if (osml_column_is_read(report->columns, j))
			use[n++] = all[j];
	}
	return use;
}

/* The chance that two rows have one label. */
static double
labels_alike(const OsmlReport *report)
{
	const OsmlView *label = report->assess.target.view;
	double		alike = 0;

	for (int c = 0; report->sample.n > 0 && c < label->n_values; c++)
		alike += ((double) label->count[c] / label->n) * ((double) label->count[c] / label->n);
	return alike;
}

bool
osml_report_overlap(OsmlReport *report, const char *part, OsmlOverlap *overlap,
					OsmlTwins *twins)
{
	bool		is_val = strcmp(part, "val") == 0;
	const char *text = is_val ? report->dataset->val : report->dataset->test;
	OsmlColumns *train;
	OsmlColumns *other;
	Fingerprints prints[2];
	bool	   *use;

	if (text == NULL)
		return false;
	train = osml_columns_match(report->columns, report->columns->source);
	other = osml_columns_match(report->columns, osml_dataset_source(report->dataset, part));
	use = use_of_match(report, train);
	take_fingerprints(report, &prints[0], train, use);
	take_fingerprints(report, &prints[1], other, use);
	*(is_val ? &report->val_rows : &report->test_rows) = prints[1].n;
	osml_overlap(&prints[0].rows, &prints[1].rows, overlap);
	osml_twins(&prints[0].rows, &prints[0].groups, labels_alike(report), twins);
	return true;
}

char *
osml_report_overlap_words(const char *part, const OsmlOverlap *overlap, const OsmlTwins *twins)
{
	return psprintf("%.1f %% of the %s rows are in train too; %.1f %% of the rows of train have "
					"a twin there, identifiers aside%s", 100 * overlap->share, part,
					100 * twins->share,
					twins->copies ? ", copies rather than rows alike by chance" : "");
}

void
osml_report_twins(OsmlReport *report, OsmlTwins *twins)
{
	OsmlColumns *train = osml_columns_match(report->columns, report->columns->source);
	Fingerprints prints;

	take_fingerprints(report, &prints, train, use_of_match(report, train));
	osml_twins(&prints.rows, &prints.groups, labels_alike(report), twins);
}

/* An array counts as a whole. */
static char *
column_name(const OsmlColumns *columns, int j)
{
	const char *sql = columns->sql[j];
	char	   *name = pstrdup(columns->kinds[j].name);

	if (sql[strlen(sql) - 1] == ']')
		*strrchr(name, '[') = '\0';
	return name;
}

char *
osml_report_group_by(const OsmlReport *report)
{
	const bool *use = columns_that_count(report);
	StringInfoData names;
	const char *last = "";
	int			n = 0;

	initStringInfo(&names);
	for (int j = 0; j < report->columns->n; j++)
	{
		const char *name;

		if (!use[j])
			continue;
		name = column_name(report->columns, j);
		if (strcmp(name, last) == 0)
			continue;
		appendStringInfo(&names, "%s%s", n++ ? ", " : "", quote_literal_cstr(name));
		last = name;
	}
	return n > MAX_LISTED ?
		pstrdup("osml_split and group_by => all columns but those that name rows") :
		psprintf("osml_split and group_by => ARRAY[%s]", names.data);
}
