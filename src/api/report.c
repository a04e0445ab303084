/*
 * report.c
 *	  Reading and assessing a dataset; see report.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "api/report.h"
#include "catalog/definition.h"
#include "catalog/feature_note.h"
#include "source/column.h"
#include "source/context_arena.h"
#include "source/learn.h"
#include "source/names.h"
#include "train/dataset.h"

/* cells of the sample: 32 MB, and some four times that for what is made of it */
#define MAX_CELLS (4 * 1024 * 1024)
#define MIN_SAMPLE 2000

static List *
add_name(List *names, char *name)
{
	return osml_names_hold(names, name) ? names : lappend(names, name);
}

/*
 * The columns behind chosen features: where nothing can be made of a row, a
 * feature that is defined is judged by the columns it is made of.  It is made of
 * columns and of features defined before it, so no more rounds are needed than
 * there are definitions.
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

/* Is a feature what definitions make?  A text's own category is the text. */
static bool
is_made(List *definitions, const char *name)
{
	ListCell   *cell;

	foreach(cell, definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);

		if (!definition->implied && strcmp(definition->feature, name) == 0)
			return true;
	}
	return false;
}

static bool
has_role(const OsmlRoles *roles, const char *name)
{
	return strcmp(name, roles->label) == 0 ||
		(roles->weight && strcmp(name, roles->weight) == 0) ||
		(roles->exposure && strcmp(name, roles->exposure) == 0) ||
		(roles->since && strcmp(name, roles->since) == 0);
}

/*
 * The features that a model would see: those chosen, or all columns without
 * another role, of whatever type they are, and what is defined.
 */
static List *
list_features(const OsmlDatasetRow *dataset, const OsmlSource *source, const OsmlRoles *roles,
			  const OsmlHparams *hparams, List *definitions)
{
	List	   *names = hparams->features ? hparams->features :
		osml_dataset_features(dataset, definitions);
	ListCell   *cell;

	if (names != NIL)
		return names;
	for (int i = 0; i < source->columns->natts; i++)
	{
		char	   *name = NameStr(TupleDescAttr(source->columns, i)->attname);

		if (!has_role(roles, name))
			names = lappend(names, name);
	}
	foreach(cell, definitions)
	{
		char	   *name = ((OsmlDefinition *) lfirst(cell))->feature;

		if (osml_find_column(source->columns, name) == NULL)
			names = add_name(names, name);
	}
	return names;
}

/* What definitions make of a row, once it is known what they learn from all rows. */
static OsmlMade *
make_features(const OsmlDatasetRow *dataset, OsmlSource *source, const OsmlRoles *roles,
			  List *features, List *definitions)
{
	List	   *made = NIL;
	OsmlFeatureSet *set;
	ListCell   *cell;

	foreach(cell, features)
	{
		if (is_made(definitions, lfirst(cell)))
			made = lappend(made, lfirst(cell));
	}
	if (made == NIL)
		return NULL;
	set = osml_source_features(source, roles, made, definitions, dataset->name);
	osml_source_learn(source, set, dataset->name, NULL);
	return osml_made_create(set);
}

/* the note of a feature or a column of that name, or NULL */
static const OsmlFeatureNoteRow *
find_note(List *rows, const char *name)
{
	ListCell   *cell;

	foreach(cell, rows)
	{
		const OsmlFeatureNoteRow *row = lfirst(cell);

		if (strcmp(row->feature, name) == 0)
			return row;
	}
	return NULL;
}

/* A feature that is made of what is not available is not, unless somebody says so. */
static void
inherit_note(OsmlFeatureNote *note, List *rows, const OsmlMadeColumn *made)
{
	ListCell   *cell;

	foreach(cell, made->behind)
	{
		const OsmlFeatureNoteRow *row = find_note(rows, lfirst(cell));

		if (row == NULL || !row->has_available || row->available)
			continue;
		note->available = OSML_AVAILABLE_NO;
		note->reason = psprintf("\"%s\", which it is made of: %s", row->feature,
								row->reason ? row->reason : "no reason given");
	}
}

/* Notes go to the features they are about; others, of columns gone since, wait. */
static void
take_notes(OsmlReport *report)
{
	const OsmlColumns *columns = report->columns;
	List	   *rows = osml_feature_notes_find(report->dataset->dataset_id);

	for (int j = 0; j < columns->n; j++)
	{
		const OsmlMadeColumn *made = columns->made_column[j] < 0 ? NULL :
			&columns->made->columns[columns->made_column[j]];
		OsmlFeatureNote *note = &report->notes[j];
		/* of several columns of a feature each has its note */
		const OsmlFeatureNoteRow *row = find_note(rows, made ?
												  columns->made->set->features[made->feature].name :
												  columns->kinds[j].name);

		if (row && row->has_available)
			note->available = row->available ? OSML_AVAILABLE_YES : OSML_AVAILABLE_NO;
		note->reason = row ? row->reason : NULL;
		note->rationale = row ? row->rationale : NULL;
		if (made && note->available == OSML_AVAILABLE_UNKNOWN)
			inherit_note(note, rows, made);
	}
}

OsmlReport *
osml_report_resolve(OsmlDatasetRow *dataset, const OsmlHparams *hparams, List *candidates,
					List *definitions, bool make)
{
	OsmlReport *report = palloc0(sizeof(OsmlReport));
	OsmlSource *source = osml_dataset_source(dataset, NULL);
	OsmlRoles	roles = {
		hparams->label ? hparams->label : dataset->label,
		hparams->sample_weight, hparams->exposure, hparams->since
	};
	OsmlMade   *made = NULL;
	List	   *features;

	if (source->columns->natts == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s has no columns", source->label)));
	if (roles.label == NULL)
		roles.label = NameStr(TupleDescAttr(source->columns, 0)->attname);
	report->arena = osml_context_arena(CurrentMemoryContext);
	report->dataset = dataset;
	features = list_features(dataset, source, &roles, hparams, definitions);
	if (make)
		made = make_features(dataset, source, &roles, features, definitions);
	else
		features = columns_behind(source, features, definitions);
	report->columns = osml_columns_resolve(source, roles.label, features, candidates, made);
	report->notes = palloc0(sizeof(OsmlFeatureNote) * report->columns->n);
	if (dataset->dataset_id)
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
	for (int j = 0; j < report->assess.n_features; j++)
	{
		if (report->columns->origin[j] >= 0)
			osml_assess_made_of(&report->assess, j, report->columns->origin[j],
								&report->notes[j]);
	}
}
