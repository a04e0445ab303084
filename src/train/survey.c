/*
 * survey.c
 *	  A pass that counts: see survey.h.
 *
 * Follows reader.c and intake.c, with a call in the place of the queue.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compute/code_stats.h"
#include "compute/rowhash.h"
#include "source/encode.h"
#include "source/resident.h"
#include "train/kind.h"
#include "train/length.h"
#include "train/load.h"
#include "train/survey.h"

/* a pass that counts */
typedef struct Counting
{
	OsmlEncoder encoder;
	bool		encodes;
	bool		splits;			/* some rows are held out */
	OsmlBlock  *kept;			/* for those that are not; NULL: statistics have all */
	OsmlLayout	layout;			/* of features */
	const OsmlHparams *hparams;
	OsmlSurvey *survey;
	OsmlCodeStats codes;		/* of the training rows, for exact least squares */
} Counting;

/* Rows that are there although a number of theirs is not. */
static void
count_filled(Counting *counting, OsmlBlock *block)
{
	bool		missing[OSML_BLOCK_ROWS] = {false};

	for (int j = 0; j < counting->layout.n_dense; j++)
	{
		const double *column = osml_block_column(block, j);

		for (int r = 0; r < block->nrows; r++)
			missing[r] = missing[r] || osml_is_missing(column[r]);
	}
	for (int r = 0; r < block->nrows; r++)
		counting->survey->filled += missing[r] ? 1 : 0;
}

/* Statistics are those of the rows that are trained on. */
static void
count_stats(Counting *counting, OsmlBlock *block, const uint64 *hash)
{
	int			next = 0;

	if (counting->kept)
	{
		counting->kept->nrows = 0;
		osml_split_rows(counting->hparams, &counting->layout, block, hash, 2, counting->kept,
						NULL, &next);
		block = counting->kept;
	}
	osml_stats_block(counting->survey->stats, &counting->layout, block);
	osml_vocabularies_count(&counting->survey->vocabularies, &counting->layout, block);
	if (counting->codes.count)
		osml_code_stats_block(&counting->codes, &counting->layout, block);
}

/* Categories of rows as they are read, but for those held out, of which none is learned. */
static void
meet_categories(Counting *counting, const OsmlBlock *raw, const uint64 *hash)
{
	for (int r = 0; r < raw->nrows; r++)
	{
		if (!counting->splits || !osml_held_out(counting->hparams, hash[r]))
			osml_vocabularies_meet(&counting->survey->vocabularies, counting->encoder.set, raw, r);
	}
}

/* Columns that least squares has to solve for. */
static int
count_active(const Counting *counting)
{
	const OsmlSurvey *survey = counting->survey;
	size_t		entries = osml_layout_entries(&counting->layout);
	int			active = 0;

	for (int j = 0; j < counting->layout.n_dense; j++)
		active += survey->stats[j].min < survey->stats[j].max ||
			(!counting->hparams->bias && survey->stats[j].max != 0);
	for (size_t i = 0; i < entries; i++)
		active += counting->codes.count[i] > 0 &&
			(counting->codes.count[i] < survey->kept || !counting->hparams->bias);
	return active;
}

/* What does not end the pass. */
static OsmlOnNull
lenient(const OsmlHparams *hparams)
{
	return hparams->on_null == OSML_ON_NULL_ERROR ? OSML_ON_NULL_SKIP : hparams->on_null;
}

static bool
count_block(void *arg, OsmlBlock *raw)
{
	Counting   *counting = arg;
	OsmlSurvey *survey = counting->survey;
	OsmlBlock  *block = raw;
	uint64		hash[OSML_BLOCK_ROWS];

	if (counting->splits)
		osml_row_hash_block(&counting->encoder.set->layout, raw, 0, hash);
	meet_categories(counting, raw, hash);
	if (counting->encodes)
		block = osml_encode_block(&counting->encoder, raw, counting->splits ? hash : NULL);
	survey->null += block->n_null;
	survey->nonfinite += block->n_nonfinite;
	survey->kept += block->nrows;
	survey->weighs = survey->weighs ||
		osml_block_weighs(counting->encodes ? &counting->layout : &counting->encoder.set->layout,
						  block, NULL);
	for (int r = 0; counting->splits && r < block->nrows; r++)
		survey->held_out += osml_held_out(counting->hparams, hash[r]) ? 1 : 0;
	if (survey->stats)
		count_stats(counting, block, hash);
	if (counting->encodes && counting->hparams->on_null == OSML_ON_NULL_MEAN)
		count_filled(counting, block);
	return true;
}

void
osml_survey(const OsmlPart *part, const OsmlLesson *lesson, bool is_train,
			const OsmlHparams *hparams, OsmlSurvey *survey)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "osml survey",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	OsmlScanUnit whole = {part->source.from, part->source.label, 0};
	OsmlOnNull	on_null = lenient(hparams);
	bool		exact = is_train && osml_optimizer_is_exact(hparams->optimizer);
	Counting	counting = {
		.encoder = {
			.set = &part->set,
			.on_null = on_null,
			.on_nonfinite = OSML_ON_NONFINITE_SKIP,
			.classes = lesson ? lesson->classes : NULL,
			.label = part->source.label
		},
		.encodes = lesson != NULL,
		.splits = is_train && hparams->val_fraction > 0,
		.hparams = hparams,
		.survey = survey
	};
	OsmlScan	scan = {
		.set = &part->set,
		.on_null = on_null,
		.on_nonfinite = OSML_ON_NONFINITE_SKIP,
		.sink = count_block,
		.arg = &counting
	};

	memset(survey, 0, sizeof(*survey));
	if (lesson)
	{
		counting.layout = osml_model_layout(&part->set);
		osml_encoder_init(&counting.encoder);
		if (counting.splits)
			counting.kept = osml_new_block(context, &counting.layout);
		survey->stats = MemoryContextAlloc(old, sizeof(OsmlColumnStats) *
										   (counting.layout.n_dense + 1));
		osml_stats_init(survey->stats, counting.layout.n_dense + 1);
		if (is_train)
		{
			MemoryContextSwitchTo(old);
			osml_vocabularies_init(&survey->vocabularies, &part->set, context);
			MemoryContextSwitchTo(context);
		}
		if (exact)
		{
			size_t		entries = osml_layout_entries(&counting.layout);

			counting.codes.count = MemoryContextAllocExtended(context, sizeof(int64) * Max(1, entries),
															  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
			counting.codes.label_mean = MemoryContextAllocExtended(context, sizeof(double) * Max(1, entries),
																   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		}
	}
	survey->rows = osml_scan_unit(&scan, &whole, 0, 0);
	survey->unknown = counting.encoder.n_unknown;
	osml_vocabularies_end(&survey->vocabularies);
	if (lesson && exact)
		survey->active = count_active(&counting);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

static bool
learn_block(void *arg, OsmlBlock *raw)
{
	OsmlLesson *lesson = arg;

	lesson->rows.null += raw->n_null;
	lesson->rows.nonfinite += raw->n_nonfinite;
	osml_learn_block(lesson, raw);
	return true;
}

/* One pass. */
static void
read_part(OsmlLesson *lesson)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "osml survey",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const OsmlPart *part = lesson->arg;
	OsmlScanUnit whole = {part->source.from, part->source.label, 0};
	OsmlScan	scan = {
		.set = lesson->set,
		.on_null = lenient(lesson->hparams),
		.on_nonfinite = OSML_ON_NONFINITE_SKIP,
		.sink = learn_block,
		.text_sink = osml_learn_text,
		.text_keys = lesson->text_keys,
		.arg = lesson
	};

	(void) osml_scan_unit(&scan, &whole, 0, 0);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

void
osml_survey_learn(OsmlPart *train, const OsmlHparams *hparams, OsmlLesson *lesson)
{
	lesson->set = &train->set;
	lesson->source = train->source.label;
	lesson->hparams = hparams;
	lesson->context = CurrentMemoryContext;
	lesson->read = read_part;
	lesson->arg = train;
	osml_learn(lesson);
}

void
osml_survey_judge(const OsmlPart *train, const OsmlHparams *hparams, const OsmlSurvey *survey)
{
	OsmlUsable	rows = {
		.train = survey->kept - survey->held_out,
		.held_out = survey->held_out,
		.null = survey->null,
		.nonfinite = survey->nonfinite,
		.weightless = !survey->weighs
	};
	bool		exact = osml_optimizer_is_exact(hparams->optimizer);

	osml_require_usable(train->source.label, hparams, &rows);
	if (survey->stats && (exact || !osml_streams(hparams)))
	{
		osml_check_magnitudes(&train->set, hparams, survey->stats);
		osml_kind_check_counts(hparams, &train->set, train->source.label, survey->stats);
	}
	if (!exact && !osml_length_has_step(hparams, rows.train))
		osml_length_no_step(hparams);
}
