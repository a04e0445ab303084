/*
 * learn.c
 *	  Fitting a set's program in the process that reads: see learn.h.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "features/fit.h"
#include "osml.h"
#include "source/context_arena.h"
#include "source/encode.h"
#include "source/learn.h"

static void
take_text(void *arg, int key_column, uint64 key, const char *text, int length)
{
	osml_check_status(osml_fit_text(arg, key_column, key, text, length));
}

uint64
osml_wanted_texts(const OsmlFitPass *pass, const OsmlLayout *layout)
{
	uint64		wanted = 0;

	for (int k = 0; k < layout->n_keys; k++)
	{
		if (osml_fit_wants_texts(pass, k))
			wanted |= OSML_KEY_BIT(k);
	}
	return wanted;
}

static bool
take_block(void *arg, OsmlBlock *raw)
{
	osml_check_status(osml_fit_block(arg, raw, NULL));
	return true;
}

/* All units of a source; rows that a run would drop for their label are. */
static int64
scan_source(const OsmlSource *source, OsmlScan *scan)
{
	int64		rows = 0;

	scan->on_nonfinite = OSML_ON_NONFINITE_SKIP;
	for (int i = 0; i < source->n_units; i++)
	{
		scan->shard = i;
		rows += osml_scan_unit(scan, &source->units[i], 0, 0);
	}
	return rows;
}

/* A column of an analysis is an input of the analysed set's program. */
static OsmlRegister
input_of(const OsmlAnalysisColumn *column)
{
	OsmlRegister input = {column->is_key ? OSML_VALUE_KEY : OSML_VALUE_NUMBER,
	column->index};

	return input;
}

void
osml_source_learn_plan(OsmlFeatureSet *set, const char *dataset, OsmlAnalysis *analysis)
{
	MemoryContext context;
	OsmlArena	arena;
	OsmlStatus	status;
	OsmlFitPass *pass;

	if (osml_feature_set_prepare(set, dataset))
		return;
	context = AllocSetContextCreate(CurrentMemoryContext, "osml learning",
									ALLOCSET_DEFAULT_SIZES);
	arena = osml_context_arena(context);
	pass = osml_fit_begin(set->program, &arena, 0, &status);
	for (int i = 0; pass != NULL && i < analysis->n_columns; i++)
	{
		OsmlAnalysisColumn *column = &analysis->columns[i];

		column->capacity = Max(column->capacity,
							   osml_fit_capacity(pass, input_of(column)));
	}
	MemoryContextDelete(context);
	osml_check_status(status);
}

/*
 * Tell a pass what is known.  A run drops rows without a label, and so does a
 * pass; an analysis does not, and serves only where there are none.
 */
static void
tell_known(OsmlFitPass *pass, const OsmlAnalysis *known)
{
	for (int i = 0; i < known->n_columns; i++)
	{
		const OsmlProfile *profile = &known->columns[i].profile;

		if (known->columns[i].is_label && profile->stats.n < profile->rows)
			return;
	}
	for (int i = 0; i < known->n_columns; i++)
		osml_check_status(osml_fit_profile(pass, input_of(&known->columns[i]),
										   &known->columns[i].profile));
}

void
osml_source_learn(const OsmlSource *source, OsmlFeatureSet *set, const char *dataset,
				  const OsmlAnalysis *known)
{
	MemoryContext context;
	OsmlArena	arena;
	OsmlFitPass *pass;
	OsmlStatus	status;

	if (osml_feature_set_prepare(set, dataset))
		return;
	context = AllocSetContextCreate(CurrentMemoryContext, "osml learning",
									ALLOCSET_DEFAULT_SIZES);
	arena = osml_context_arena(context);
	while ((pass = osml_fit_begin(set->program, &arena,
								  OSML_FIT_ROOM((int64) osml_max_memory * 1024),
								  &status)) != NULL)
	{
		OsmlScan	scan = {.set = set,.sink = take_block,.text_sink = take_text,.arg = pass};
		int			bad = 0;
		char		message[256] = "";

		if (known != NULL)
			tell_known(pass, known);
		scan.text_keys = osml_wanted_texts(pass, &set->layout);
		if (osml_fit_wants_rows(pass) && scan_source(source, &scan) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 errmsg("%s has no rows to learn features from", source->label)));
		if (osml_fit_end(pass, &bad, message) != OSML_OK)
			osml_step_error(set, dataset, bad, message);
		MemoryContextReset(context);
	}
	osml_check_status(status);
	MemoryContextDelete(context);
	osml_feature_set_fitted(set, dataset, WARNING);
}

/* what count_block needs */
typedef struct Counting
{
	OsmlEncoder encoder;
	OsmlLayout	layout;
	OsmlCodeStats *stats;
} Counting;

static bool
count_block(void *arg, OsmlBlock *raw)
{
	Counting   *counting = arg;
	OsmlBlock  *block = osml_encode_block(&counting->encoder, raw, NULL);
	double	   *label = osml_block_label(block, &counting->layout);

	/* a label of classes has no mean */
	for (int r = 0; counting->encoder.set->label_key && r < block->nrows; r++)
		label[r] = NAN;
	osml_code_stats_block(counting->stats, &counting->layout, block);
	return true;
}

void
osml_source_code_stats(const OsmlSource *source, const OsmlFeatureSet *set,
					   OsmlCodeStats *stats)
{
	Counting	counting = {{.set = set}, osml_model_layout(set), stats};
	OsmlScan	scan = {.set = set,.sink = count_block,.arg = &counting};
	size_t		entries = osml_layout_entries(&counting.layout);

	stats->count = MemoryContextAllocExtended(CurrentMemoryContext,
											  sizeof(int64) * Max(1, entries),
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	stats->label_mean = MemoryContextAllocExtended(CurrentMemoryContext,
												   sizeof(double) * Max(1, entries),
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	counting.encoder.keep_null_rows = true;
	counting.encoder.on_nonfinite = OSML_ON_NONFINITE_KEEP;
	counting.encoder.label = source->label;
	osml_encoder_init(&counting.encoder);
	(void) scan_source(source, &scan);
}
