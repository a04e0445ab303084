/*
 * survey.c
 *	  A pass that counts: see survey.h.
 *
 * Follows reader.c and intake.c, with a call in the place of the queue.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compute/rowhash.h"
#include "source/encode.h"
#include "train/length.h"
#include "train/load.h"
#include "train/survey.h"

/* a pass that counts */
typedef struct Counting
{
	OsmlEncoder encoder;
	bool		encodes;
	bool		splits;			/* some rows are held out */
	OsmlLayout	layout;			/* of features */
	const OsmlHparams *hparams;
	OsmlSurvey *survey;
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

static bool
count_block(void *arg, OsmlBlock *raw)
{
	Counting   *counting = arg;
	OsmlSurvey *survey = counting->survey;
	OsmlBlock  *block = raw;
	uint64		hash[OSML_BLOCK_ROWS];

	if (counting->splits)
		osml_row_hash_block(&counting->encoder.set->layout, raw, 0, hash);
	if (counting->encodes)
		block = osml_encode_block(&counting->encoder, raw, counting->splits ? hash : NULL);
	/* the key of a class is no number */
	if (counting->encoder.set->label_key)
		memset(osml_block_label(block, counting->encodes ? &counting->layout :
								&counting->encoder.set->layout), 0,
			   block->nrows * sizeof(double));
	survey->null += block->n_null;
	survey->nonfinite += block->n_nonfinite;
	survey->kept += block->nrows;
	for (int r = 0; counting->splits && r < block->nrows; r++)
		survey->held_out += osml_held_out(counting->hparams, hash[r]) ? 1 : 0;
	if (survey->stats)
		osml_stats_block(survey->stats, &counting->layout, block);
	if (counting->encodes && counting->hparams->on_null == OSML_ON_NULL_MEAN)
		count_filled(counting, block);
	return true;
}

void
osml_survey(const OsmlPart *part, bool complete, bool is_train,
			const OsmlHparams *hparams, OsmlSurvey *survey)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "osml survey",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	OsmlScanUnit whole = {part->source.from, part->source.label, 0};
	OsmlOnNull	on_null = hparams->on_null == OSML_ON_NULL_MEAN ? OSML_ON_NULL_MEAN :
		OSML_ON_NULL_SKIP;
	Counting	counting = {
		.encoder = {
			.set = &part->set,
			.on_null = on_null,
			.on_nonfinite = OSML_ON_NONFINITE_SKIP,
			.label = part->source.label
		},
		.encodes = complete,
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
	if (complete)
	{
		counting.layout = osml_model_layout(&part->set);
		osml_encoder_init(&counting.encoder);
		survey->stats = MemoryContextAlloc(old, sizeof(OsmlColumnStats) *
										   (counting.layout.n_dense + 1));
		osml_stats_init(survey->stats, counting.layout.n_dense + 1);
	}
	survey->rows = osml_scan_unit(&scan, &whole, 0, 0);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

void
osml_survey_judge(const OsmlPart *train, const OsmlHparams *hparams, const OsmlSurvey *survey)
{
	OsmlUsable	rows = {
		.train = survey->kept - survey->held_out,
		.held_out = survey->held_out,
		.null = survey->null,
		.nonfinite = survey->nonfinite
	};

	osml_require_usable(train->source.label, hparams, &rows);
	if (survey->stats && !osml_streams(hparams))
		osml_check_magnitudes(&train->set, hparams, survey->stats);
	if (!osml_optimizer_is_exact(hparams->optimizer) &&
		!osml_length_has_step(hparams, rows.train))
		osml_length_no_step(hparams);
}
