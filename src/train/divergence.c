/*
 * divergence.c
 *	  A run that explodes ends with a message a user can act on: the step, the
 *	  rows of its batch and the columns of largest magnitude.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"

#include "train/divergence.h"

#define NAMED_COLUMNS 3

void
osml_note_segment(OsmlFit *fit, OsmlBlock *block, int lo, int hi)
{
	const uint32 *numbers = osml_block_row_numbers(block, &fit->run->layout);

	fit->last_block = block;
	fit->last_lo = lo;
	fit->last_hi = hi;
	if (fit->n_segments < OSML_MAX_SEGMENTS)
	{
		OsmlRowSegment *segment = &fit->segments[fit->n_segments];

		segment->first = numbers[lo];
		segment->last = numbers[hi - 1];
		segment->consecutive = fit->run->hparams->shuffle == OSML_SHUFFLE_NONE;
	}
	fit->n_segments++;
}

char *
osml_describe_rows(const OsmlFit *fit)
{
	StringInfoData out;
	int			shown = Min(fit->n_segments, OSML_MAX_SEGMENTS);

	initStringInfo(&out);
	if (fit->segments[0].consecutive)
	{
		for (int i = 0; i < shown; i++)
			appendStringInfo(&out, "%s%u to %u", i ? ", " : "",
							 fit->segments[i].first, fit->segments[i].last);
		if (fit->n_segments > shown)
			appendStringInfo(&out, " and %d more ranges", fit->n_segments - shown);
	}
	else
	{
		const uint32 *numbers = osml_block_row_numbers(fit->last_block,
													   &fit->run->layout);
		int			n = Min(5, fit->last_hi - fit->last_lo);

		for (int i = 0; i < n; i++)
			appendStringInfo(&out, "%s%u", i ? ", " : "", numbers[fit->last_lo + i]);
		if (fit->step_rows > n)
			appendStringInfo(&out, " and " INT64_FORMAT " more", fit->step_rows - n);
	}
	return out.data;
}

/* Largest absolute value of column j over the newest segment, as the model
 * sees it (scaled), with the raw value.  NaN beats all. */
static double
column_peak(const OsmlFit *fit, int j, double *raw)
{
	const OsmlRun *run = fit->run;
	const double *column = osml_block_column(fit->last_block, j);
	double		peak = -1;

	for (int r = fit->last_lo; r < fit->last_hi; r++)
	{
		double		value = run->spec.precision == OSML_FLOAT32 ?
			((const float *) column)[r] : column[r];
		double		magnitude = isnan(value) ? INFINITY : fabs(value);

		if (magnitude > peak)
		{
			peak = magnitude;
			*raw = value * run->scaling.scale[j] + run->scaling.center[j];
		}
	}
	return peak;
}

/* The columns that weigh most in the gradient, largest first. */
static char *
describe_columns(const OsmlFit *fit)
{
	StringInfoData out;
	bool	   *named = palloc0(sizeof(bool) * fit->run->layout.n_dense);

	initStringInfo(&out);
	for (int k = 0; k < NAMED_COLUMNS && k < fit->run->layout.n_dense; k++)
	{
		int			best = -1;
		double		best_peak = -1;
		double		best_raw = 0;

		for (int j = 0; j < fit->run->layout.n_dense; j++)
		{
			double		raw = 0;
			double		peak = named[j] ? -1 : column_peak(fit, j, &raw);

			if (peak > best_peak)
			{
				best = j;
				best_peak = peak;
				best_raw = raw;
			}
		}
		if (best < 0)
			break;
		named[best] = true;
		appendStringInfo(&out, "%s\"%s\" (%g)", k ? ", " : "",
						 osml_dense_name(fit->run->set, best), best_raw);
	}
	return out.data;
}

void
osml_check_divergence(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlRun    *run = fit->run;
	double		factor = run->hparams->divergence_factor;
	bool		finite = isfinite(step->raw_loss) && isfinite(step->norm);
	double		first = fabs(fit->first_loss);

	/* a loss without units, such as that of a count, may be negative, or pass
	 * through 0 by chance: it is measured by 1 */
	if (osml_losses[run->spec.loss].unit_power == 0)
		first = Max(first, 1);
	if (finite && (factor == 0 || first == 0 || step->raw_loss <= factor * first))
		return;
	run->diverged = true;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 finite ?
			 errmsg("training diverged at step " INT64_FORMAT ": loss %g is more than %g times the first, %g",
					run->row.steps + 1, step->loss, factor,
					fit->first_loss * run->loss_unit) :
			 errmsg("training diverged at step " INT64_FORMAT ": loss %g, gradient norm %g",
					run->row.steps + 1, step->loss, step->norm),
			 errdetail("The step's batch holds rows %s of %s. Columns of largest magnitude there: %s.",
					   osml_describe_rows(fit),
					   run->plan->parts[OSML_PART_TRAIN].source.label,
					   describe_columns(fit)),
			 run->hparams->scale == OSML_SCALE_NONE ?
			 errhint("Set \"gradient_clip_val\", lower \"lr\", or set \"scale\" to standardize.") :
			 errhint("Set \"gradient_clip_val\", or lower \"lr\".")));
}
