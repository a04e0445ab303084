/*
 * check_data.c
 *	  The checks of osml_check() that are about data; see check.h.
 */
#include "postgres.h"

#include <math.h>

#include "api/check.h"
#include "source/source.h"

/* farther than so many interquartile ranges from the quartiles */
#define OUTLIER_RANGES 10

/* a class this rare is hardly learnt */
#define RARE_CLASS 0.01

/* rows sorted by the label: what their order tells, and how surely */
#define ORDER_SHARE 0.01
#define ORDER_P 1e-6

/* so many equal rows would end on both sides of a careless split */
#define TWINS_SHARE 0.05

/* deviations of columns further apart than this need scaling */
#define SCALE_RATIO 1e3

void
osml_check_rows(OsmlCheck *check)
{
	const OsmlSample *sample = &check->report->sample;
	/* as the check of features counts them; a number or a code is what is learned of */
	const OsmlFeatureSet *set = check->set;
	int			features = set ? set->n_features : check->report->columns->n - 1;
	int			values = set ? set->program->output.n_dense + set->program->output.n_codes :
		features;
	bool		few = sample->rows < 10 * (int64) values;

	if (sample->rows - sample->unlabelled == 0)
	{
		osml_check_put(check, "rows", OSML_CHECK_ERROR, NULL, sample->rows,
					   sample->rows == 0 ? "there are no rows" : "no row has a label", NULL);
		return;
	}
	osml_check_put(check, "rows", few ? OSML_CHECK_WARN : OSML_CHECK_OK, NULL, sample->rows,
				   psprintf("%lld rows for %d features%s", (long long) sample->rows, features,
							values == features ? "" : psprintf(" of %d values", values)),
				   few ? "Fewer than ten rows a value teach noise: name fewer features." : NULL);
}

/* Does the label vary, and are its classes all there? */
static void
check_label(OsmlCheck *check)
{
	const OsmlTarget *target = &check->report->assess.target;
	const OsmlView *label = target->view;
	const char *name = check->report->columns->kinds[check->report->columns->n - 1].name;
	double		rarest = 1;

	if (osml_check_label_values(check) < 2)
	{
		/* of classes a run has refused it */
		if (!check->learned || check->lesson.classes == NULL)
			osml_check_put(check, "label", OSML_CHECK_WARN, name, 1,
						   "the label has one value in all rows",
						   "There is nothing to learn from it.");
		return;
	}
	osml_check_put(check, "label", OSML_CHECK_OK, name, label->n_values,
				   psprintf("%d different values in %d rows", label->n_values, label->n), NULL);
	if (!target->is_class)
		return;
	for (int c = 0; c < label->n_values; c++)
		rarest = Min(rarest, (double) label->count[c] / label->n);
	osml_check_put(check, "balance", rarest < RARE_CLASS ? OSML_CHECK_WARN : OSML_CHECK_OK, name,
				   rarest, psprintf("the rarest of %d labels is that of %.2f %% of rows",
									label->n_values, 100 * rarest),
				   rarest < RARE_CLASS ? "Gather more such rows, or weigh what accuracy means here." :
				   NULL);
}

/* Values far outside, column by column; one row where there are none. */
static void
check_outliers(OsmlCheck *check)
{
	const OsmlColumns *columns = check->report->columns;
	int			found = 0;

	for (int j = 0; j < columns->n; j++)
	{
		double		share = osml_view_outliers(&check->report->assess.views[j], OUTLIER_RANGES);

		if (share == 0 || columns->roles[j] == OSML_COLUMN_BEHIND)
			continue;
		found++;
		osml_check_put(check, "outliers", OSML_CHECK_WARN, columns->kinds[j].name, share,
					   psprintf("%.2g %% of values are more than %d interquartile ranges outside",
								100 * share, OUTLIER_RANGES),
					   "Transforms clip and log1p tame them; \"loss\":\"huber\" minds them less.");
	}
	if (found == 0)
		osml_check_put(check, "outliers", OSML_CHECK_OK, NULL, 0,
					   psprintf("no value is more than %d interquartile ranges outside",
								OUTLIER_RANGES), NULL);
}

/*
 * Vocabularies that leave out the categories of many rows, as the run would say when
 * it is over.  Of bins, crosses and hashes each code is kept, however many there are.
 */
static void
check_categories(OsmlCheck *check)
{
	const OsmlSurvey *survey = &check->survey[OSML_PART_TRAIN];
	int64		rows = survey->kept - survey->held_out;

	for (int i = 0; i < survey->vocabularies.n; i++)
	{
		const OsmlVocabulary *vocabulary = &survey->vocabularies.of[i];

		if (!osml_vocabulary_lacks(vocabulary->others, rows))
			continue;
		osml_check_put(check, "categories", OSML_CHECK_WARN,
					   osml_code_feature(check->set, vocabulary->code)->name,
					   vocabulary->distinct,
					   psprintf("an estimated %.0f categories, of which %d are learned: "
								"%.1f %% of rows have another one and count as (other)",
								vocabulary->distinct, vocabulary->kept,
								100.0 * vocabulary->others / rows),
					   "Raise max_categories or lower min_count, use hash, or group them in a view.");
	}
}

static void
check_columns(OsmlCheck *check)
{
	const OsmlReport *report = check->report;
	double		smallest = INFINITY;
	double		largest = 0;

	for (int j = 0; j < report->assess.n_features; j++)
	{
		const OsmlAssessment *found = &report->assess.found[j];
		const char *name = report->columns->kinds[j].name;

		/* a run reads it, but learns nothing of it */
		if (report->columns->roles[j] == OSML_COLUMN_BEHIND)
			continue;
		if (found->meaning.meaning == OSML_MEANS_CONSTANT)
			osml_check_put(check, "constant", OSML_CHECK_WARN, name, found->distinct,
						   "the feature has one value", "Leave it out.");
		if (!report->columns->kinds[j].is_key && found->meaning.meaning != OSML_MEANS_CONSTANT &&
			report->sample.facts[j].min < report->sample.facts[j].max)
		{
			double		range = report->sample.facts[j].max - report->sample.facts[j].min;

			smallest = Min(smallest, range);
			largest = Max(largest, range);
		}
	}
	if (check->hparams->scale == OSML_SCALE_NONE && largest > SCALE_RATIO * smallest)
		osml_check_put(check, "scale", OSML_CHECK_WARN, NULL, largest / smallest,
					   "ranges of features differ widely, and \"scale\" is none",
					   "Leave \"scale\" at standardize, or clip gradients.");
}

/* Rows in the order of the label make batches that know one kind only. */
static void
check_order(OsmlCheck *check)
{
	const OsmlExplained *order = &check->report->assess.order;
	bool		sorted = order->p < ORDER_P && order->share >= ORDER_SHARE;
	bool		shuffled = check->hparams->shuffle != OSML_SHUFFLE_NONE;

	osml_check_put(check, "order", sorted && !shuffled ? OSML_CHECK_WARN : OSML_CHECK_OK, NULL,
				   order->share,
				   psprintf("the place of a row in its source tells %.1f %% of the label's variance",
							100 * order->share),
				   !sorted ? NULL : !shuffled ? "Set \"shuffle\" to once or epoch." :
				   "\"shuffle\" takes care of batches; a split by time tests such data more fairly.");
}

static void
attempt_duplicates(OsmlCheck *check)
{
	static const char *const parts[] = {"val", "test"};
	const OsmlDatasetRow *dataset = check->report->dataset;
	OsmlTwins	twins;
	bool		torn;

	/* nothing is read of rows where features could not be made of them */
	if (check->report->assess.n_features == 0)
		return;
	osml_report_twins(check->report, &twins);
	/* where parts are held out, whether they share rows is seen below */
	torn = twins.share > TWINS_SHARE && dataset->val == NULL && dataset->test == NULL;
	osml_check_put(check, "duplicates", torn ? OSML_CHECK_WARN : OSML_CHECK_OK, "train",
				   twins.share,
				   psprintf("%.1f %% of the rows of train have a twin there, identifiers aside",
							100 * twins.share),
				   torn ? psprintf("A split tears them apart, unless it is by %s.",
								   osml_report_group_by(check->report)) : NULL);
	for (int i = 0; i < (int) lengthof(parts); i++)
	{
		OsmlOverlap overlap;
		bool		leak;

		if (!osml_report_overlap(check->report, parts[i], &overlap, &twins))
			continue;
		leak = osml_overlap_is_leak(&overlap, &twins);
		osml_check_put(check, "duplicates", leak ? OSML_CHECK_WARN : OSML_CHECK_OK, parts[i],
					   overlap.share, osml_report_overlap_words(parts[i], &overlap, &twins),
					   leak ? psprintf("Split the whole with %s.", osml_report_group_by(check->report)) :
					   NULL);
	}
}

void
osml_check_data(OsmlCheck *check)
{
	check_label(check);
	check_outliers(check);
	check_columns(check);
	check_categories(check);
	check_order(check);
	/* reads the other parts, which may fail as a run does */
	(void) osml_check_attempt(check, "duplicates", OSML_CHECK_WARN, attempt_duplicates);
}
