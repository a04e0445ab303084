/*
 * blame.c
 *	  Rows and columns of a step, for messages about it.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"

#include "train/blame.h"

/* what a message names */
#define NAMED_COLUMNS 3
#define SHOWN_SEGMENTS 4
#define SHOWN_ROWS 5

/* Are the rows of a segment still in their block?  A window may have been filled anew. */
static bool
is_there(const OsmlFit *fit, const OsmlRowSegment *segment)
{
	const uint32 *numbers = osml_block_row_numbers(segment->block, &fit->run->layout);

	return segment->hi <= segment->block->nrows && numbers[segment->lo] == segment->first &&
		numbers[segment->hi - 1] == segment->last;
}

/* Columns that may stand out: the features and, behind them, a label that is no class. */
static int
n_columns(const OsmlRun *run)
{
	return run->layout.n_dense + (run->classes ? 0 : 1);
}

static const char *
column_name(const OsmlRun *run, int j)
{
	return j < run->layout.n_dense ? osml_dense_name(run->set, j) : run->set->label;
}

/* The value of largest magnitude in a column of those rows of the step that are there. */
static OsmlPeak
column_peak(const OsmlFit *fit, int j)
{
	const OsmlRun *run = fit->run;
	bool		label = j == run->layout.n_dense;
	double		scale = label ? run->scaling.label_scale : run->scaling.scale[j];
	double		center = label ? run->scaling.label_center : run->scaling.center[j];
	OsmlPeak	peak = {.magnitude = -1};

	for (int i = 0; i < Min(fit->n_segments, OSML_MAX_SEGMENTS); i++)
	{
		const OsmlRowSegment *segment = &fit->segments[i];
		const double *column = osml_block_column(segment->block, j);
		int			hi = is_there(fit, segment) ? segment->hi : segment->lo;

		for (int r = segment->lo; r < hi; r++)
		{
			double		value = run->spec.precision == OSML_FLOAT32 ?
				((const float *) column)[r] : column[r];
			double		magnitude = isnan(value) ? INFINITY : fabs(value);

			if (magnitude > peak.magnitude)
				peak = (OsmlPeak)
			{
				magnitude, value * scale + center,
					osml_block_row_numbers(segment->block, &run->layout)[r]
			};
		}
	}
	return peak;
}

/* The peaks of the step's columns, once taken as they were then. */
static const OsmlPeak *
take_peaks(OsmlFit *fit)
{
	int			n = n_columns(fit->run);

	if (fit->has_peaks)
		return fit->peaks;
	if (fit->peaks == NULL)
		fit->peaks = MemoryContextAlloc(fit->run->context, sizeof(OsmlPeak) * Max(1, n));
	for (int j = 0; j < n; j++)
		fit->peaks[j] = column_peak(fit, j);
	fit->has_peaks = true;
	return fit->peaks;
}

void
osml_note_segment(OsmlFit *fit, OsmlBlock *block, int lo, int hi)
{
	const uint32 *numbers = osml_block_row_numbers(block, &fit->run->layout);

	if (fit->n_segments < OSML_MAX_SEGMENTS)
		fit->segments[fit->n_segments] = (OsmlRowSegment)
	{
		.first = numbers[lo],
			.last = numbers[hi - 1],
			.consecutive = fit->run->hparams->shuffle == OSML_SHUFFLE_NONE,
			.block = block,
			.lo = lo,
			.hi = hi
	};
	fit->n_segments++;
	/* other rows may be read into the block's place next */
	if (!isfinite(fit->loss_sum))
		(void) take_peaks(fit);
}

/* Some rows of a shuffled batch: the one that stands out first, then the newest. */
static void
append_rows(OsmlFit *fit, StringInfo out)
{
	const OsmlPeak *peaks = take_peaks(fit);
	const OsmlRowSegment *segment =
		&fit->segments[Min(fit->n_segments, OSML_MAX_SEGMENTS) - 1];
	const uint32 *numbers = osml_block_row_numbers(segment->block, &fit->run->layout);
	OsmlPeak	most = {.magnitude = -1};
	int			shown = 0;

	for (int j = 0; j < n_columns(fit->run); j++)
	{
		if (peaks[j].magnitude > most.magnitude)
			most = peaks[j];
	}
	if (most.magnitude >= 0)
	{
		appendStringInfo(out, "%u", most.row);
		shown++;
	}
	for (int r = segment->lo; r < segment->hi && shown < SHOWN_ROWS; r++)
	{
		if (most.magnitude >= 0 && numbers[r] == most.row)
			continue;
		appendStringInfo(out, "%s%u", shown ? ", " : "", numbers[r]);
		shown++;
	}
	if (fit->step_rows > shown)
		appendStringInfo(out, " and " INT64_FORMAT " more", fit->step_rows - shown);
}

char *
osml_describe_rows(OsmlFit *fit)
{
	StringInfoData out;
	int			shown = Min(fit->n_segments, SHOWN_SEGMENTS);

	Assert(fit->n_segments > 0);
	initStringInfo(&out);
	if (!fit->segments[0].consecutive)
	{
		append_rows(fit, &out);
		return out.data;
	}
	for (int i = 0; i < shown; i++)
		appendStringInfo(&out, "%s%u to %u", i ? ", " : "",
						 fit->segments[i].first, fit->segments[i].last);
	if (fit->n_segments > shown)
		appendStringInfo(&out, " and %d more ranges", fit->n_segments - shown);
	return out.data;
}

/* The columns of largest magnitude, largest first. */
static char *
describe_columns(OsmlFit *fit)
{
	int			n = n_columns(fit->run);
	OsmlPeak   *peaks = palloc(sizeof(OsmlPeak) * Max(1, n));
	StringInfoData out;

	initStringInfo(&out);
	memcpy(peaks, take_peaks(fit), sizeof(OsmlPeak) * n);
	for (int k = 0; k < NAMED_COLUMNS && k < n; k++)
	{
		int			best = 0;

		for (int j = 1; j < n; j++)
		{
			if (peaks[j].magnitude > peaks[best].magnitude)
				best = j;
		}
		if (peaks[best].magnitude < 0)
			break;
		appendStringInfo(&out, "%s\"%s\" (%g)", k ? ", " : "",
						 column_name(fit->run, best), peaks[best].raw);
		peaks[best].magnitude = -1;
	}
	return out.data;
}

char *
osml_blame(OsmlFit *fit)
{
	return psprintf("The step's batch holds rows %s of %s. Columns of largest magnitude there: %s.",
					osml_describe_rows(fit),
					fit->run->plan->parts[OSML_PART_TRAIN].source.label,
					describe_columns(fit));
}
