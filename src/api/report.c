/*
 * report.c
 *	  Reading and assessing a dataset; see report.h.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "api/report.h"
#include "catalog/definition.h"
#include "catalog/feature_note.h"
#include "source/column.h"
#include "source/context_arena.h"
#include "train/dataset.h"

/* cells of the sample: 32 MB, and some four times that for what is made of it */
#define MAX_CELLS (4 * 1024 * 1024)
#define MIN_SAMPLE 2000

/* hashes that two parts are compared by */
#define OVERLAP_KEPT 65536

static List *
add_name(List *names, char *name)
{
	ListCell   *cell;

	foreach(cell, names)
	{
		if (strcmp(lfirst(cell), name) == 0)
			return names;
	}
	return lappend(names, name);
}

/*
 * The columns behind chosen features: a feature that is defined is judged by
 * the columns it is made of.  A feature is made of columns and of features
 * defined before it, so no more rounds are needed than there are definitions.
 */
static List *
columns_behind(const OsmlSource *source, List *features, List *definitions)
{
	for (int round = 0; round <= list_length(definitions); round++)
	{
		List	   *names = NIL;
		ListCell   *feature;
		ListCell   *cell;
		ListCell   *input;

		foreach(feature, features)
		{
			bool		defined = false;

			foreach(cell, osml_find_column(source->columns, lfirst(feature)) ? NIL : definitions)
			{
				OsmlDefinition *definition = lfirst(cell);

				if (strcmp(definition->feature, lfirst(feature)) != 0)
					continue;
				defined = true;
				foreach(input, definition->inputs)
					names = add_name(names, lfirst(input));
			}
			if (!defined)
				names = add_name(names, lfirst(feature));
		}
		features = names;
	}
	return features;
}

/* Notes go to the columns they are about; others, of columns gone since, wait. */
static void
take_notes(OsmlReport *report)
{
	ListCell   *cell;

	foreach(cell, osml_feature_notes_find(report->dataset->dataset_id))
	{
		const OsmlFeatureNoteRow *row = lfirst(cell);

		for (int j = 0; j < report->columns->n; j++)
		{
			OsmlFeatureNote *note = &report->notes[j];

			if (strcmp(row->feature, report->columns->kinds[j].name) != 0)
				continue;
			if (row->has_available)
				note->available = row->available ? OSML_AVAILABLE_YES : OSML_AVAILABLE_NO;
			note->reason = row->reason;
			note->rationale = row->rationale;
		}
	}
}

/* Times of day are read as keys, and go round all the same. */
static void
mark_clocks(OsmlColumns *columns)
{
	for (int j = 0; j < columns->n; j++)
	{
		Oid			type = getBaseType(columns->types[j]);

		columns->kinds[j].is_clock = type == TIMEOID || type == TIMETZOID;
	}
}

OsmlReport *
osml_report_resolve(const char *name, const char *label, List *features, List *candidates)
{
	OsmlReport *report = palloc0(sizeof(OsmlReport));
	OsmlSource *source;

	report->name = name;
	report->arena = osml_context_arena(CurrentMemoryContext);
	report->dataset = osml_own_dataset(name);
	if (report->dataset == NULL)
	{
		report->dataset = palloc0(sizeof(OsmlDatasetRow));
		report->dataset->train = pstrdup(name);
	}
	source = osml_dataset_source(report->dataset, NULL);
	features = features != NIL ? features : report->dataset->features;
	if (report->dataset->dataset_id)
		features = columns_behind(source, features,
								  osml_definitions_find(report->dataset->dataset_id));
	report->columns = osml_columns_resolve(source, label ? label : report->dataset->label,
										   features, candidates);
	mark_clocks(report->columns);
	report->notes = palloc0(sizeof(OsmlFeatureNote) * report->columns->n);
	if (report->dataset->dataset_id)
		take_notes(report);
	return report;
}

/* where rows go while they are read */
typedef struct Reading
{
	OsmlSample *sample;
	OsmlRowSink also;
	void	   *arg;
} Reading;

static bool
take_row(void *arg, const OsmlCell *row)
{
	Reading    *reading = arg;

	osml_sample_add(reading->sample, row);
	return reading->also == NULL || reading->also(reading->arg, row);
}

bool
osml_report_read(OsmlReport *report, int sample_rows, OsmlRowSink also, void *arg)
{
	Reading		reading = {&report->sample, also, arg};
	int			n = report->columns->n;
	int			capacity = Min(sample_rows, Max(MIN_SAMPLE, MAX_CELLS / n));

	osml_check_status(osml_sample_init(&report->sample, &report->arena,
									   report->columns->kinds, n, capacity));
	osml_columns_scan(report->columns, take_row, &reading);
	osml_check_status(osml_sample_finish(&report->sample));
	if (report->sample.n == 0)
		return false;
	osml_check_status(osml_assess_begin(&report->assess, &report->sample));
	return true;
}

void
osml_report_assess(OsmlReport *report)
{
	for (int j = 0; j < report->assess.n_features; j++)
	{
		CHECK_FOR_INTERRUPTS();
		osml_check_status(osml_assess(&report->assess, j, &report->notes[j]));
	}
}

/* What two parts are compared by. */
typedef struct Fingerprints
{
	const OsmlColumns *columns;
	const bool *use;
	int64		n;				/* rows read */
	OsmlBottom	rows;
} Fingerprints;

static bool
take_fingerprint(void *arg, const OsmlCell *row)
{
	Fingerprints *prints = arg;

	prints->n++;
	(void) osml_bottom_add(&prints->rows,
						   osml_cells_hash(prints->columns->kinds, prints->columns->n,
										   prints->use, row));
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
	osml_columns_scan(columns, take_fingerprint, prints);
	osml_bottom_finish(&prints->rows);
}

/*
 * Rows that differ in no more than an identifier, which a second copy gets anew,
 * are the same row.  Where identifiers are all there is they count.
 */
static bool *
columns_that_count(const OsmlReport *report, int n)
{
	bool	   *use = palloc0(sizeof(bool) * n);
	int			n_used = 0;

	for (int j = 0; j < n - 1 && report->sample.n > 0; j++)
	{
		const OsmlAssessment *found = &report->assess.found[j];

		use[j] = found->meaning.meaning != OSML_MEANS_IDENTIFIER &&
			!found->meaning.may_name_rows;
		n_used += use[j] && found->meaning.meaning != OSML_MEANS_CONSTANT ? 1 : 0;
	}
	use[n - 1] = true;
	for (int j = 0; n_used == 0 && j < n; j++)
		use[j] = true;
	return use;
}

bool
osml_report_overlap(OsmlReport *report, const char *part, OsmlOverlap *overlap)
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
	use = columns_that_count(report, train->n);
	take_fingerprints(report, &prints[0], train, use);
	take_fingerprints(report, &prints[1], other, use);
	*(is_val ? &report->val_rows : &report->test_rows) = prints[1].n;
	osml_bottom_overlap(&prints[0].rows, &prints[1].rows, overlap);
	return true;
}

double
osml_report_twins(OsmlReport *report)
{
	OsmlColumns *train = osml_columns_match(report->columns, report->columns->source);
	Fingerprints prints;
	OsmlOverlap overlap;

	take_fingerprints(report, &prints, train, columns_that_count(report, train->n));
	osml_bottom_overlap(&prints.rows, &prints.rows, &overlap);
	return overlap.expected;
}

bool
osml_overlap_is_leak(const OsmlOverlap *overlap)
{
	double		error = sqrt(overlap->expected * (1 - overlap->expected) /
							 Max(1, overlap->rows));

	return overlap->share * overlap->rows >= 1 &&
		overlap->share > overlap->expected + 0.005 + 4 * error;
}
