/*
 * divergence.c
 *	  A run that explodes ends with a message a user can act on: the step, the
 *	  rows of its batch and the columns of largest magnitude.  Or it leaves the step
 *	  out, or returns to weights before it; the message is an event then.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"

#include "compat.h"
#include "train/divergence.h"

/* what a message names */
#define NAMED_COLUMNS 3
#define SHOWN_SEGMENTS 4
#define SHOWN_ROWS 5

/* rollback: steps from one place to return to, to the next; and by what lr shrinks */
#define GOOD_EVERY 50
#define ROLLBACK_FACTOR 0.5

/* nothing helps a run that has done so much of it */
#define MAX_ROLLBACKS 30
#define MAX_SKIPPED_IN_A_ROW 100

/* events of one kind; the summary of the run counts them all */
#define MAX_EVENTS 10

/* Are the rows of a segment still in their block?  A window may have been filled anew. */
static bool
is_there(const OsmlFit *fit, const OsmlRowSegment *segment)
{
	const uint32 *numbers = osml_block_row_numbers(segment->block, &fit->run->layout);

	return segment->hi <= segment->block->nrows && numbers[segment->lo] == segment->first &&
		numbers[segment->hi - 1] == segment->last;
}

/* The value of largest magnitude in a column of those rows of the step that are there. */
static OsmlPeak
column_peak(const OsmlFit *fit, int j)
{
	const OsmlRun *run = fit->run;
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
				magnitude, value * run->scaling.scale[j] + run->scaling.center[j],
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
	int			n = fit->run->layout.n_dense;

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

	for (int j = 0; j < fit->run->layout.n_dense; j++)
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
	int			n = fit->run->layout.n_dense;
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
						 osml_dense_name(fit->run->set, best), peaks[best].raw);
		peaks[best].magnitude = -1;
	}
	return out.data;
}

/* "The step's batch holds rows 5, 7 of ...  Columns of largest magnitude ..." */
static char *
blame(OsmlFit *fit)
{
	return psprintf("The step's batch holds rows %s of %s. Columns of largest magnitude there: %s.",
					osml_describe_rows(fit),
					fit->run->plan->parts[OSML_PART_TRAIN].source.label,
					describe_columns(fit));
}

static const char *
remedy(const OsmlRun *run)
{
	return run->hparams->scale == OSML_SCALE_NONE ?
		"Set \"gradient_clip_val\", lower \"lr\", or set \"scale\" to standardize." :
		"Set \"gradient_clip_val\", or lower \"lr\".";
}

pg_noreturn static void
diverged(OsmlFit *fit, const OsmlStepResult *step, bool finite)
{
	OsmlRun    *run = fit->run;

	run->diverged = true;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 finite ?
			 errmsg("training diverged at step " INT64_FORMAT ": loss %g is more than %g times the first, %g",
					run->row.steps + 1, step->loss, run->hparams->divergence_factor,
					fit->first_loss * run->loss_unit) :
			 errmsg("training diverged at step " INT64_FORMAT ": loss %g, gradient norm %g",
					run->row.steps + 1, step->loss, step->norm),
			 errdetail_internal("%s", blame(fit)),
			 errhint("%s", remedy(run))));
}

/* All values of the model. */
Size
osml_fallback_params_bytes(const OsmlRun *run)
{
	return osml_model_values(&run->spec) * osml_precision_size(run->spec.precision);
}

Size
osml_fallback_optim_bytes(const OsmlFit *fit)
{
	return fit->n_params * osml_optim_slots((OsmlOptim) fit->run->hparams->optimizer) *
		osml_precision_size(fit->run->spec.precision);
}

/* Those alone that are not trained. */
static char *
buffers(const OsmlFit *fit, Size *bytes)
{
	Size		first = fit->n_params * osml_precision_size(fit->run->spec.precision);

	*bytes = osml_fallback_params_bytes(fit->run) - first;
	return (char *) fit->run->params + first;
}

void
osml_fallback_setup(OsmlFit *fit)
{
	OsmlFallback *fallback = &fit->fallback;
	OsmlRun    *run = fit->run;
	Size		bytes;

	fallback->lr_factor = 1;
	if (run->hparams->on_nonfinite == OSML_ON_NONFINITE_STOP)
		return;
	(void) buffers(fit, &bytes);
	fallback->buffers = bytes > 0 ? osml_run_alloc(run, bytes) : NULL;
	if (run->hparams->on_nonfinite != OSML_ON_NONFINITE_ROLLBACK)
		return;
	fallback->params = osml_run_alloc(run, osml_fallback_params_bytes(run));
	fallback->optim_state = osml_run_alloc(run, osml_fallback_optim_bytes(fit));
	if (run->hparams->weight_averaging > 0)
		fallback->averages = osml_run_alloc(run, osml_fallback_params_bytes(run));
}

/*
 * A loss that has doubled since is no place to return to: a run that explodes does
 * so over many steps.
 */
void
osml_fallback_note(OsmlFit *fit, bool force)
{
	OsmlFallback *fallback = &fit->fallback;
	OsmlRun    *run = fit->run;
	Size		bytes;
	const char *from = buffers(fit, &bytes);

	if (fallback->buffers)
		memcpy(fallback->buffers, from, bytes);
	fallback->skipped_in_a_row = 0;
	if (fallback->params == NULL)
		return;
	if (!force && (run->row.steps - fallback->step < GOOD_EVERY ||
				   fit->last.raw_loss > 2 * Max(fallback->loss, fit->first_loss)))
		return;
	memcpy(fallback->params, run->params, osml_fallback_params_bytes(run));
	memcpy(fallback->optim_state, fit->optim_state, osml_fallback_optim_bytes(fit));
	if (fallback->averages)
		memcpy(fallback->averages, fit->averaging.values, osml_fallback_params_bytes(run));
	fallback->averaged = fit->averaging.average.n;
	fallback->rate_before = fit->averaging.rate_before;
	fallback->stale = fit->averaging.stale;
	fallback->loss = fit->last.raw_loss;
	fallback->step = run->row.steps;
}

void
osml_fallback_resume(OsmlFit *fit)
{
	Size		bytes;
	const char *from = buffers(fit, &bytes);

	if (fit->fallback.buffers)
		memcpy(fit->fallback.buffers, from, bytes);
}

/* The batch may have passed through running statistics already. */
static void
skip_step(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlFallback *fallback = &fit->fallback;
	Size		bytes;
	char	   *to = buffers(fit, &bytes);

	if (fallback->buffers)
		memcpy(to, fallback->buffers, bytes);
	fallback->skipped_in_a_row++;
	if (++fallback->skipped <= MAX_EVENTS)
		osml_log_event(fit->run, "warning", "step_skipped",
					   psprintf("a step after step " INT64_FORMAT " was left out: loss %g, gradient norm %g. %s",
								fit->run->row.steps, step->loss, step->norm, blame(fit)));
}

static void
roll_back(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlFallback *fallback = &fit->fallback;
	OsmlRun    *run = fit->run;

	memcpy(run->params, fallback->params, osml_fallback_params_bytes(run));
	memcpy(fit->optim_state, fallback->optim_state, osml_fallback_optim_bytes(fit));
	if (fallback->averages)
		memcpy(fit->averaging.values, fallback->averages, osml_fallback_params_bytes(run));
	fit->averaging.average.n = fallback->averaged;
	fit->averaging.rate_before = fallback->rate_before;
	fit->averaging.stale = fallback->stale;
	fallback->lr_factor *= ROLLBACK_FACTOR;
	if (++fallback->rollbacks <= MAX_EVENTS)
		osml_log_event(run, "warning", "rolled_back",
					   psprintf("after step " INT64_FORMAT " loss is %g, gradient norm %g: back to the weights after step "
								INT64_FORMAT ", lr is multiplied by %g from here on. %s",
								run->row.steps, step->loss, step->norm, fallback->step,
								fallback->lr_factor, blame(fit)));
}

bool
osml_judge_step(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlRun    *run = fit->run;
	OsmlFallback *fallback = &fit->fallback;
	double		factor = run->hparams->divergence_factor;
	bool		finite = isfinite(step->raw_loss) && isfinite(step->norm);
	double		first = fabs(fit->first_loss);

	/* a loss without units, such as that of a count, may be negative, or pass
	 * through 0 by chance: it is measured by 1 */
	if (osml_losses[run->spec.loss].unit_power == 0)
		first = Max(first, 1);
	if (finite && (factor == 0 || first == 0 || step->raw_loss <= factor * first))
		return true;
	if (run->hparams->on_nonfinite == OSML_ON_NONFINITE_ROLLBACK &&
		fallback->rollbacks < MAX_ROLLBACKS)
		roll_back(fit, step);
	else if (run->hparams->on_nonfinite == OSML_ON_NONFINITE_SKIP && !finite &&
			 fallback->skipped_in_a_row < MAX_SKIPPED_IN_A_ROW)
		skip_step(fit, step);
	else
		diverged(fit, step, finite);
	return false;
}

void
osml_all_skipped(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;

	if (fit->fallback.skipped == 0)
		return;
	run->diverged = true;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("no step was taken: loss or gradient was not finite in each of " INT64_FORMAT,
					fit->fallback.skipped),
			 errhint("%s", remedy(run))));
}
