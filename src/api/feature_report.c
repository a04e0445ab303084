/*
 * feature_report.c
 *	  osml_feature_report(), osml_feature_pairs(): what features are worth.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "api/need.h"
#include "api/report.h"
#include "catalog/definition.h"
#include "compat.h"
#include "source/context_arena.h"
#include "train/dataset.h"

PG_FUNCTION_INFO_V1(osml_feature_report);
PG_FUNCTION_INFO_V1(osml_feature_pairs);

/* the row that is about rows, not about a feature */
#define ROWS_FEATURE "(rows)"

#define REPORT_COLUMNS 21

/* a result row, filled from left to right */
typedef struct OutRow
{
	int			n;
	Datum		values[REPORT_COLUMNS];
	bool		nulls[REPORT_COLUMNS];
} OutRow;

static void
put_text(OutRow *row, const char *text)
{
	row->nulls[row->n] = text == NULL;
	row->values[row->n++] = text ? CStringGetTextDatum(text) : (Datum) 0;
}

/* NaN is NULL: not known, or without meaning */
static void
put_number(OutRow *row, double value)
{
	row->nulls[row->n] = isnan(value);
	row->values[row->n++] = Float8GetDatum(value);
}

static void
put_count(OutRow *row, double value)
{
	row->nulls[row->n] = isnan(value);
	row->values[row->n++] = isnan(value) ? (Datum) 0 : Int64GetDatum((int64) rint(value));
}

static void
put_row(ReturnSetInfo *rsinfo, OutRow *row)
{
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, row->values, row->nulls);
	row->n = 0;
}

/* Whether, and why, people say that it is known at prediction time. */
static void
put_available(OutRow *row, const OsmlFeatureNote *note)
{
	row->nulls[row->n] = note->available == OSML_AVAILABLE_UNKNOWN;
	row->values[row->n++] = BoolGetDatum(note->available == OSML_AVAILABLE_YES);
	put_text(row, note->reason);
}

/* Not so a column that is read only for what is made of it. */
static bool
is_feature(const OsmlReport *report, int j)
{
	return report->columns->roles[j] != OSML_COLUMN_BEHIND;
}

static void
put_feature(ReturnSetInfo *rsinfo, const OsmlReport *report, int j)
{
	const OsmlAssessment *found = &report->assess.found[j];
	const OsmlFeatureNote *note = &report->notes[j];
	OutRow		row = {0};

	put_text(&row, report->columns->kinds[j].name);
	put_text(&row, osml_verdict_name(found->verdict));
	/* it may have been cut within a character */
	put_text(&row, found->reason[0] ?
			 pnstrdup(found->reason, pg_mbcliplen(found->reason, (int) strlen(found->reason),
												  (int) strlen(found->reason))) : NULL);
	put_text(&row, osml_column_type(report->columns, j));
	put_number(&row, found->association);
	put_text(&row, found->measure);
	put_number(&row, found->p);
	put_available(&row, note);
	put_number(&row, found->leak);
	put_text(&row, found->leak_kind);
	put_count(&row, report->sample.rows - report->sample.unlabelled);
	put_number(&row, found->present);
	put_count(&row, found->distinct);
	put_count(&row, found->min_rows);
	put_count(&row, found->min_class_rows);
	put_text(&row, osml_meaning_name(found->meaning.meaning));
	put_number(&row, found->meaning.line);
	put_text(&row, note->rationale);
	put_text(&row, found->partner < 0 ? NULL : report->columns->kinds[found->partner].name);
	put_number(&row, found->partner < 0 ? NAN : found->redundancy);
	put_row(rsinfo, &row);
}

/* The same rows in train and in a part that is held out. */
static void
put_overlap(ReturnSetInfo *rsinfo, OsmlReport *report, const char *part)
{
	OsmlOverlap overlap;
	OsmlTwins	twins;
	OutRow		row = {0};
	bool		leak;
	char	   *words;

	if (!osml_report_overlap(report, part, &overlap, &twins))
		return;
	leak = osml_overlap_is_leak(&overlap, &twins);
	words = osml_report_overlap_words(part, &overlap, &twins);
	for (int i = 0; i < REPORT_COLUMNS; i++)
		row.nulls[i] = true;
	put_text(&row, ROWS_FEATURE);
	put_text(&row, osml_verdict_name(leak ? OSML_LOOK : OSML_KEEP));
	put_text(&row, leak ? psprintf("%s; split the whole with %s", words, osml_report_group_by(report)) :
			 words);
	row.n = 9;
	put_number(&row, overlap.share);
	put_text(&row, "overlap");
	put_count(&row, overlap.rows);
	put_row(rsinfo, &row);
}

static void
report_context(void *arg)
{
	errcontext("feature report of \"%s\"", (const char *) arg);
}

/* Arguments dataset, candidates, sample_rows: read and assess. */
static OsmlReport *
begin_report(FunctionCallInfo fcinfo, bool *empty)
{
	char	   *name = osml_need_text(fcinfo, 0, "dataset");
	List	   *candidates = osml_maybe_texts(fcinfo, 1, "candidates");
	int			sample_rows = PG_ARGISNULL(2) ? 20000 : PG_GETARG_INT32(2);
	OsmlDatasetRow *dataset;
	List	   *definitions = NIL;
	OsmlReport *report;

	if (sample_rows < 100)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sample_rows must be at least 100, not %d", sample_rows)));
	dataset = osml_named_dataset(name);
	if (dataset->dataset_id)
		definitions = osml_definitions_find(dataset->dataset_id);
	report = osml_report_resolve(dataset, osml_hparams_parse(dataset->options, NULL), candidates,
								 definitions, true);
	*empty = !osml_report_read(report, sample_rows, NULL, NULL);
	if (*empty)
		ereport(NOTICE,
				(errmsg("%s has no row with a label", report->columns->source->label)));
	else
		osml_report_assess(report);
	return report;
}

static void
put_pair(ReturnSetInfo *rsinfo, const OsmlReport *report, int a, int b,
		 const OsmlPairFound *pair)
{
	OutRow		row = {0};
	bool		look = pair->redundant || pair->tells || pair->names_row;

	put_text(&row, report->columns->kinds[a].name);
	put_text(&row, report->columns->kinds[b].name);
	put_text(&row, osml_verdict_name(look ? OSML_LOOK : OSML_KEEP));
	put_text(&row, pair->tells ? "together they tell the label, alone they do not" :
			 pair->names_row ? "together they name the row" :
			 pair->redundant ? "they say the same" :
			 pair->akin ? "one is made of the other, or both of one column" : NULL);
	put_text(&row, pair->redundancy.measure);
	put_number(&row, pair->redundancy.value);
	put_number(&row, report->assess.found[a].tells);
	put_number(&row, report->assess.found[b].tells);
	put_number(&row, pair->together.share);
	put_row(rsinfo, &row);
}

/* Look at each pair of features; a row a pair where rsinfo is given. */
static void
assess_pairs(OsmlReport *report, ReturnSetInfo *rsinfo)
{
	OsmlPairFound pair;

	for (int a = 0; a < report->assess.n_features; a++)
	{
		for (int b = a + 1; is_feature(report, a) && b < report->assess.n_features; b++)
		{
			bool		akin = osml_columns_akin(report->columns, a, b);

			CHECK_FOR_INTERRUPTS();
			if (!is_feature(report, b) || (akin && rsinfo == NULL))
				continue;
			osml_check_status(osml_assess_pair(&report->assess, a, b, akin, &pair));
			if (rsinfo)
				put_pair(rsinfo, report, a, b, &pair);
		}
	}
}

/* osml_feature_report(dataset, candidates, sample_rows) */
Datum
osml_feature_report(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *name = osml_need_text(fcinfo, 0, "dataset");
	ErrorContextCallback context = {error_context_stack, report_context, name};
	OsmlReport *report;
	bool		empty;

	InitMaterializedSRF(fcinfo, 0);
	error_context_stack = &context;
	report = begin_report(fcinfo, &empty);
	if (!empty)
		assess_pairs(report, NULL);
	for (int j = 0; !empty && j < report->assess.n_features; j++)
	{
		if (is_feature(report, j))
			put_feature(rsinfo, report, j);
	}
	if (!empty)
	{
		put_overlap(rsinfo, report, "val");
		put_overlap(rsinfo, report, "test");
	}
	error_context_stack = context.previous;
	return (Datum) 0;
}

/* osml_feature_pairs(dataset, candidates, sample_rows) */
Datum
osml_feature_pairs(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *name = osml_need_text(fcinfo, 0, "dataset");
	ErrorContextCallback context = {error_context_stack, report_context, name};
	OsmlReport *report;
	bool		empty;

	InitMaterializedSRF(fcinfo, 0);
	error_context_stack = &context;
	report = begin_report(fcinfo, &empty);
	if (!empty)
		assess_pairs(report, rsinfo);
	error_context_stack = context.previous;
	return (Datum) 0;
}
