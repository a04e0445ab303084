/*
 * check_cost.c
 *	  Memory, disk and time that a run would take; see check.h.
 *
 * Where rows go is foretold by the run's own rules, how long they take by a trial
 * with the first of them.
 */
#include "postgres.h"

#include <math.h>

#include "api/check.h"
#include "osml.h"
#include "source/encode.h"
#include "train/exact_memory.h"
#include "train/foresee.h"
#include "train/gram_cost.h"
#include "train/length.h"

#define MEGABYTE (1024.0 * 1024.0)

/* the rows of a run, and where they would be */
typedef struct Prospect
{
	double		read[OSML_N_PARTS]; /* that there are */
	double		rows[OSML_N_PARTS]; /* usable, as osml_foresee() takes them */
	double		held_out;		/* of the training rows */
	OsmlForesight where;
} Prospect;

/*
 * Rows of each part that a run keeps; those held out are the training rows' too.
 * Training rows that cannot be read as a run does it are all taken for usable.
 */
static void
count_rows(const OsmlCheck *check, Prospect *run)
{
	double		limit = (double) osml_length_read(check->hparams);

	for (int p = 0; p < OSML_N_PARTS; p++)
	{
		run->read[p] = (double) check->survey[p].rows;
		run->rows[p] = (double) check->survey[p].kept;
	}
	if (!check->surveyed[OSML_PART_TRAIN] && check->report)
		run->rows[OSML_PART_TRAIN] = run->read[OSML_PART_TRAIN] =
			(double) check->report->sample.rows;
	run->held_out = (double) check->survey[OSML_PART_TRAIN].held_out;
	/* reading ends early where a run only tries out */
	for (int p = 0; limit > 0 && p < OSML_N_PARTS; p++)
	{
		double		share = p == OSML_PART_TRAIN ? 1 - run->held_out / Max(1, run->rows[p]) : 1;
		double		left = Min(1, limit / Max(1, share * run->rows[p]));

		run->rows[p] *= left;
		run->read[p] *= left;
		if (p == OSML_PART_TRAIN)
			run->held_out *= left;
	}
}

static void
foresee(const OsmlCheck *check, Prospect *run)
{
	OsmlLayout	layout = osml_model_layout(check->set);

	/* every run's blocks have it */
	layout.has_row_number = true;
	osml_foresee(check->hparams, check->n_classes, &layout,
				 check->lesson.n_passes > 0 ? &check->set->layout : NULL, run->rows,
				 check->budget, &run->where);
}

/* What becomes of the rows that a run keeps. */
static void
check_memory(OsmlCheck *check, const OsmlForesight *where)
{
	double		limit = osml_max_memory / 1024.0;
	bool		lanes = check->hparams->lanes > 1;
	char	   *rows = psprintf("the rows of a run take an estimated %.1f MB",
								where->row_bytes / MEGABYTE);
	bool		lost = where->reread[OSML_PART_VAL] || where->reread[OSML_PART_TEST];

	if (where->refused)
		osml_check_put(check, "memory", OSML_CHECK_ERROR, NULL, (double) where->needed,
					   psprintf("a run needs at least %.1f MB beside its rows, osml.max_memory is %.1f MB",
								where->needed / MEGABYTE, limit),
					   "Raise \"osml.max_memory\", or name fewer features.");
	else if (where->reread[OSML_PART_TRAIN])
		osml_check_put(check, "memory", lanes ? OSML_CHECK_ERROR : OSML_CHECK_WARN, NULL,
					   where->row_bytes,
					   psprintf("%s, more than osml.max_memory (%.1f MB) and osml.max_spill (%.1f MB) hold: they %s",
								rows, limit, osml_max_spill / 1024.0,
								lanes ? "cannot be dealt to \"lanes\"" :
								"will be read again each epoch"),
					   "Raise \"osml.max_spill\" or \"osml.max_memory\", or name fewer features.");
	else if (lost)
		osml_check_put(check, "memory", OSML_CHECK_WARN, NULL, where->row_bytes,
					   psprintf("%s; held-out rows are more than osml.max_memory (%.1f MB) and osml.max_spill (%.1f MB) hold, and will be read again for each pass",
								rows, limit, osml_max_spill / 1024.0),
					   "Raise \"osml.max_spill\" or \"osml.max_memory\", or hold out fewer rows.");
	else if (where->spill > 0)
		osml_check_put(check, "memory", OSML_CHECK_WARN, NULL, where->row_bytes,
					   psprintf("%s: %.1f MB will stay in memory, as osml.max_memory (%.1f MB) allows, the rest will go to temporary files",
								rows, where->memory / MEGABYTE, limit),
					   "Raise \"osml.max_memory\", name fewer features, or accept temporary files.");
	else if (where->streamed)
		osml_check_put(check, "memory", OSML_CHECK_OK, NULL, where->row_bytes,
					   psprintf("training rows will go straight into the model and are not kept; others take an estimated %.1f MB of memory",
								where->row_bytes / MEGABYTE), NULL);
	else
		osml_check_put(check, "memory", OSML_CHECK_OK, NULL, where->row_bytes,
					   psprintf("%s and will stay in memory, osml.max_memory is %.1f MB", rows,
								limit), NULL);
}

/* What a run would write to temporary files. */
static void
check_disk(OsmlCheck *check, const OsmlForesight *where)
{
	double		limit = osml_max_spill / 1024.0;

	if (where->reread[OSML_PART_TRAIN])
		osml_check_put(check, "disk", OSML_CHECK_WARN, NULL, where->spill,
					   psprintf("up to %.1f MB of temporary files until osml.max_spill (%.1f MB) is reached; then they are given up",
								where->spill / MEGABYTE, limit),
					   "Rows will be read again each epoch; raise \"osml.max_spill\" to avoid it.");
	else
		osml_check_put(check, "disk", OSML_CHECK_OK, NULL, where->spill,
					   psprintf("an estimated %.1f MB of temporary files, osml.max_spill is %.1f MB",
								where->spill / MEGABYTE, limit), NULL);
}

/* Seconds of one pass over so many rows. */
static double
pass_seconds(const OsmlTrial *trial, double rows)
{
	return rows > 0 ? trial->start + rows * trial->read_row : 0;
}

/* Reading: to learn, to load, and again where rows are not kept. */
static double
reading_seconds(const OsmlCheck *check, const Prospect *run, double epochs)
{
	const OsmlTrial *trial = &check->trial;
	double		train = run->read[OSML_PART_TRAIN];
	double		seconds = check->learn_seconds + train * trial->shuffle_row;

	for (int p = 0; p < OSML_N_PARTS; p++)
		seconds += p == OSML_PART_TRAIN && run->where.carried ? train * trial->make_row :
			pass_seconds(trial, run->read[p]);
	if (run->where.reread[OSML_PART_TRAIN])
		seconds += epochs * pass_seconds(trial, train);
	if (run->where.reread[OSML_PART_VAL])
		seconds += epochs * pass_seconds(trial, run->read[OSML_PART_VAL] > 0 ?
										 run->read[OSML_PART_VAL] : train);
	return seconds;
}

/* What becomes of the training rows. */
static OsmlRowsKept
rows_kept(const OsmlCheck *check)
{
	const OsmlSurvey *survey = &check->survey[OSML_PART_TRAIN];

	return (OsmlRowsKept)
	{
		.n_blocks = (survey->kept - survey->held_out + OSML_BLOCK_ROWS - 1) / OSML_BLOCK_ROWS,
		.reread = check->where.reread[OSML_PART_TRAIN],
		.streamed = check->where.streamed,
		.val_lost = check->where.reread[OSML_PART_VAL]
	};
}

/*
 * Steps from sums of batches: their seconds, without the update, and with the pass that
 * makes the sums; NaN where they come from rows.
 */
static double
sums_seconds(const OsmlCheck *check, int64 n)
{
	const OsmlModelSpec *spec = &check->where.spec;
	OsmlRowsKept kept = rows_kept(check);
	OsmlGramCost cost;

	if (check->hparams->gram == OSML_GRAM_OFF ||
		osml_gram_obstacle(spec, check->hparams, &kept) != NULL)
		return NAN;
	cost = osml_gram_cost(spec, check->hparams, n, kept.n_blocks);
	return check->hparams->gram == OSML_GRAM_ON || cost.worth ? cost.making + cost.stepping : NAN;
}

/* How long it all takes, as the trial tells. */
static void
check_time(OsmlCheck *check, const Prospect *run)
{
	const OsmlTrial *trial = &check->trial;
	const OsmlHparams *hparams = check->hparams;
	bool		exact = osml_optimizer_is_exact(hparams->optimizer);
	int64		n = (int64) Max(1, run->rows[OSML_PART_TRAIN] - run->held_out);
	int64		rows = Max(1, osml_length_rows(hparams, n));
	double		val = hparams->overfit_batches > 0 ? (double) rows :
		run->rows[OSML_PART_VAL] + run->held_out;
	int64		epochs = exact ? 1 : osml_length_epochs(hparams, n);
	int64		steps = exact ? 0 : osml_length_steps(hparams, epochs, osml_length_batches(hparams, n));
	double		seen = (double) steps * hparams->batch_size * hparams->accumulate_grad_batches;
	double		passes;
	double		reading;
	double		stepping;
	double		sums;
	bool		endless = steps == 0 && !exact;
	StringInfoData message;

	if (epochs != OSML_AUTO)
		seen = Min(seen, (double) epochs * rows);
	/* times that the rows go by, and validations, which cost no more than steps */
	passes = exact ? 1 : Max(1, ceil(seen / rows));
	reading = reading_seconds(check, run, passes);
	sums = exact ? NAN : sums_seconds(check, n);
	stepping = passes * val * trial->epoch_row + steps * trial->step +
		(isnan(sums) ? seen * trial->epoch_row : sums);
	initStringInfo(&message);
	appendStringInfo(&message, "an estimated %.3g s to read the rows", reading);
	if (run->where.carried)
		appendStringInfo(&message, ", in %d pass%s to learn %s, the last of which keeps them",
						 check->lesson.n_passes, check->lesson.n_passes > 1 ? "es" : "",
						 check->lesson.fitted ? "features" : "classes");
	else if (check->lesson.n_passes > 0)
		appendStringInfo(&message, ", in %d passes of which %d to learn %s",
						 check->lesson.n_passes + 1, check->lesson.n_passes,
						 check->lesson.fitted ? "features" : "classes");
	if (run->where.reread[OSML_PART_TRAIN])
		appendStringInfoString(&message, ", and again each epoch");
	if (exact)
		appendStringInfoString(&message, "; solving is not included");
	else if (endless)
		appendStringInfo(&message, ", then steps until \"max_time\" (%g s) is over", hparams->max_time);
	else
		appendStringInfo(&message, "; %.3g s for %lld steps%s%s", stepping, (long long) steps,
						 isnan(sums) ? "" : " from sums of their batches",
						 isnan(hparams->max_time) ? "" :
						 psprintf(", which \"max_time\" ends after %g s", hparams->max_time));
	if (run->where.spill > 0 && !run->where.reread[OSML_PART_TRAIN])
		appendStringInfoString(&message, "; reading temporary files each epoch is not included");
	appendStringInfo(&message, "; timed with the first %lld rows in one process",
					 (long long) trial->rows);
	/* max_time counts from the start, but is looked at between batches, and after
	 * min_epochs and min_steps */
	if (!isnan(hparams->max_time) && endless)
		stepping = Max(0, hparams->max_time - reading);
	else if (!isnan(hparams->max_time))
	{
		double		least = stepping * Max((double) hparams->min_steps / Max(1, steps),
										   epochs == OSML_AUTO ? 0 : (double) hparams->min_epochs / epochs);

		stepping = Min(stepping, Max(least, hparams->max_time - reading));
	}
	osml_check_put(check, "time", OSML_CHECK_OK, NULL, reading + stepping, message.data, NULL);
}

/* What a run would refuse once it has all rows where they are to be. */
static void
attempt_length(OsmlCheck *check)
{
	OsmlRowsKept kept = rows_kept(check);

	osml_length_check(check->hparams, &kept);
}

/* Sums and solution of exact least squares, beside the model and what is held out. */
static void
attempt_exact(OsmlCheck *check)
{
	OsmlLayout	layout = osml_model_layout(check->set);
	OsmlBudget	budget = check->budget;

	budget.memory_used += (int64) check->where.needed + (int64) check->where.memory;
	osml_exact_take_sums(&budget, &layout);
	osml_exact_take_solution(&budget, check->survey[OSML_PART_TRAIN].active);
}

void
osml_check_cost(OsmlCheck *check)
{
	Prospect	run = {0};

	/* how many rows there are, nobody could tell */
	if (!check->surveyed[OSML_PART_TRAIN] && check->report == NULL)
		return;
	count_rows(check, &run);
	if (check->set != NULL)
	{
		foresee(check, &run);
		check->where = run.where;
		check_memory(check, &run.where);
		if (!run.where.refused)
			check_disk(check, &run.where);
		/* the memory check has said this already */
		if (check->trains && !run.where.refused &&
			!(run.where.reread[OSML_PART_TRAIN] && check->hparams->lanes > 1) &&
			!osml_check_attempt(check, "training", OSML_CHECK_ERROR, attempt_length))
			check->valid = false;
		if (check->trains && !run.where.refused &&
			osml_optimizer_is_exact(check->hparams->optimizer))
			(void) osml_check_attempt(check, "memory", OSML_CHECK_ERROR, attempt_exact);
	}
	if (check->tried && check->trial.rows > 0)
		check_time(check, &run);
	else
		osml_check_put(check, "time", OSML_CHECK_OK, NULL, check->seconds,
					   psprintf("reading takes an estimated %.3g s a pass, as this check's own did; learning features and training steps are not included",
								check->seconds), NULL);
}
