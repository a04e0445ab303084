/*
 * check_survey.c
 *	  What a run would meet while it reads; see check.h.
 *
 * A trial with the first rows, which is timed; then every row of each part goes
 * through the run's reader and encoder.
 */
#include "postgres.h"

#include <math.h>

#include "api/check.h"
#include "train/parts.h"

/* so many rows lost are worth a word */
#define LOST_SHARE 0.05

/* The first rows, through all that a run does with rows. */
static void
attempt_trial(OsmlCheck *check)
{
	const OsmlPart *train = &check->parts[OSML_PART_TRAIN];
	double		rows = check->report ? (double) check->report->sample.rows : 0;

	osml_trial(&train->source, check->set, check->hparams, check->lesson.classes, rows,
			   &check->trial);
}

static void
attempt_survey(OsmlCheck *check)
{
	OsmlPart   *part = &check->parts[check->kind];

	/* as the training rows were learned */
	part->set.program = check->set->program;
	osml_survey(part, check->learned ? &check->lesson : NULL, check->kind == OSML_PART_TRAIN,
				check->hparams, &check->survey[check->kind]);
}

/* Rows that miss a number. */
static void
check_nulls(OsmlCheck *check, const OsmlSurvey *survey)
{
	OsmlOnNull	on_null = check->hparams->on_null;
	int64		missing = survey->null + survey->filled;
	double		share = survey->rows > 0 ? (double) missing / survey->rows : 0;
	bool		stop = missing > 0 && on_null == OSML_ON_NULL_ERROR;
	bool		skip = missing > 0 && on_null == OSML_ON_NULL_SKIP;
	/* a run does without held-out rows */
	bool		all = skip && share >= 1 && check->kind == OSML_PART_TRAIN;

	osml_check_put(check, "nulls", stop || all ? OSML_CHECK_ERROR :
				   skip && share > LOST_SHARE ? OSML_CHECK_WARN : OSML_CHECK_OK, check->subject, share,
				   psprintf("%.1f %% of rows have a NULL where a number is needed", 100 * share),
				   stop ? "\"on_null\" is error: set it to skip or mean, or filter such rows out." :
				   skip ? "They are skipped; \"on_null\" may be mean, which keeps them." : NULL);
}

static void
check_nonfinite(OsmlCheck *check, const OsmlSurvey *survey)
{
	bool		stop = check->hparams->on_nonfinite == OSML_ON_NONFINITE_STOP;
	bool		found = survey->nonfinite > 0;

	osml_check_put(check, "nonfinite", !found ? OSML_CHECK_OK : stop ? OSML_CHECK_ERROR :
				   OSML_CHECK_WARN, check->subject,
				   survey->rows > 0 ? (double) survey->nonfinite / survey->rows : 0,
				   psprintf("rows with NaN or infinity: %lld", (long long) survey->nonfinite),
				   !found ? NULL :
				   stop ? "\"on_nonfinite\" is stop: set it to skip, or filter such rows out." :
				   "They are skipped.");
}

/* What a run would say of the training rows, once it has them all. */
static void
attempt_usable(OsmlCheck *check)
{
	osml_survey_judge(&check->parts[OSML_PART_TRAIN], check->hparams,
					  &check->survey[OSML_PART_TRAIN]);
}

/* Every row of a part. */
static void
survey_part(OsmlCheck *check, OsmlPartKind kind)
{
	const OsmlSurvey *survey = &check->survey[kind];

	if (!check->parts[kind].present)
		return;
	check->kind = kind;
	check->subject = osml_check_part(kind);
	check->surveyed[kind] = osml_check_attempt(check, "reading", OSML_CHECK_ERROR,
											   attempt_survey);
	if (check->surveyed[kind])
	{
		osml_check_put(check, "reading", OSML_CHECK_OK, check->subject, survey->kept,
					   psprintf("all %lld rows were read as a run reads them%s",
								(long long) survey->rows,
								check->learned ? "" : ", but no features were made of them"),
					   NULL);
		check_nulls(check, survey);
		check_nonfinite(check, survey);
	}
	else
		/* it got half-way */
		memset(&check->survey[kind], 0, sizeof(OsmlSurvey));
	check->subject = NULL;
}

/* Values so large that no step can be taken. */
static void
check_first_step(OsmlCheck *check)
{
	const OsmlTrial *trial = &check->trial;

	if (!check->tried || !trial->explodes)
		return;
	/* with steps before it, or scaled by other rows too, it may be finite after all */
	osml_check_put(check, "training", trial->one_step ? OSML_CHECK_ERROR : OSML_CHECK_WARN,
				   NULL, NAN,
				   psprintf("the loss of the first rows, or its gradient, is not finite: training %s diverge",
							trial->one_step ? "would" : "may"),
				   "Clip enormous values, or divide the column in a view or a SELECT.");
}

/* Whether the training rows are enough; that there are none at all is said elsewhere. */
static void
judge(OsmlCheck *check)
{
	const OsmlSurvey *survey = &check->survey[OSML_PART_TRAIN];

	check->trains = survey->rows > 0 &&
		osml_check_attempt(check, "training", OSML_CHECK_ERROR, attempt_usable);
	check->valid = check->valid && (check->trains || survey->kept == 0);
}

void
osml_check_survey(OsmlCheck *check)
{
	if (check->set == NULL)
		return;
	check->tried = check->settled &&
		osml_check_attempt(check, "trial", OSML_CHECK_WARN, attempt_trial);
	survey_part(check, OSML_PART_TRAIN);
	for (int p = 0; p < OSML_PART_TRAIN; p++)
		survey_part(check, p);
	if (check->surveyed[OSML_PART_TRAIN] && check->settled)
		judge(check);
	if (check->trains)
		check_first_step(check);
}
