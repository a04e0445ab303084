/*
 * gram.c
 *	  Sums of batches: whether, made, used; see gram.h.
 */
#include "postgres.h"

#include "compute/gram.h"
#include "model/model.h"
#include "train/gram.h"
#include "train/gram_cost.h"
#include "train/lane.h"

typedef struct OsmlGramBatches
{
	int64		most;			/* batches that there may be in an epoch */
	int64		n;				/* and that there are */
	OsmlGram  **batches;
	int64	   *ends;			/* [n x lanes] rows of a lane up to the end of a batch */
	int64		n_from_rows;	/* batches that were taken from rows */
	bool		away;			/* lanes stand there by their numbers only */
	double	   *gradient;
	double	   *scratch;
	OsmlGramTile *tile;
	OsmlGram   *filling;		/* while sums are made */
} OsmlGramBatches;

/* Rows into the batch whose sums are being made. */
static void
count_segment(OsmlFit *fit, OsmlBlock *block, int lo, int hi)
{
	OsmlGramBatches *gram = fit->gram;

	osml_gram_add(gram->filling, gram->tile, fit->run->spec.precision, block, lo, hi);
}

static OsmlGramBatches *
create(OsmlRun *run, int64 batches)
{
	const OsmlLayout *layout = &run->spec.layout;
	bool		bias = run->spec.bias;
	Size		vector = osml_gram_stride(layout, bias) * sizeof(double);
	OsmlGramBatches *gram = osml_run_zeroed(run, sizeof(OsmlGramBatches));

	gram->most = batches;
	gram->batches = osml_run_zeroed(run, sizeof(OsmlGram *) * gram->most);
	gram->ends = osml_run_zeroed(run, sizeof(int64) * gram->most * run->hparams->lanes);
	gram->gradient = osml_run_zeroed(run, vector);
	gram->scratch = osml_run_zeroed(run, 2 * vector);
	gram->tile = osml_gram_tile_init(osml_run_zeroed(run, osml_gram_tile_bytes(layout, bias)),
									 layout, bias);
	return gram;
}

/* The sums of the next batch; false when no row was left. */
static bool
sum_batch(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	OsmlGramBatches *gram = fit->gram;
	const OsmlLayout *layout = &run->spec.layout;
	int64		lanes = run->hparams->lanes;

	gram->filling = osml_gram_init(osml_run_zeroed(run, osml_gram_bytes(layout, run->spec.bias)),
								   layout, run->spec.bias);
	for (int l = 0; l < lanes; l++)
	{
		(void) osml_lane_take(fit, &fit->lanes[l], run->hparams->batch_size / lanes,
							  count_segment);
		gram->ends[gram->n * lanes + l] = fit->lanes[l].epoch_rows;
	}
	osml_gram_close(gram->filling, gram->tile);
	gram->batches[gram->n] = gram->filling;
	return gram->filling->rows > 0;
}

/* One pass over the batches of an epoch. */
static void
make_sums(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	OsmlGramBatches *gram = fit->gram;
	const char *before = osml_run_phase(run, "summing rows");

	for (int l = 0; l < run->hparams->lanes; l++)
		osml_lane_begin(fit, &fit->lanes[l], 0, 0);
	while (gram->n < gram->most && sum_batch(fit))
	{
		gram->n++;
		osml_run_check(run);
	}
	gram->away = true;
	(void) osml_run_phase(run, before);
}

void
osml_gram_setup(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	const OsmlPartData *train = &run->parts[OSML_PART_TRAIN];
	OsmlRowsKept kept = {.streamed = run->streamed,.reread = run->reread};
	bool		wanted = run->hparams->gram == OSML_GRAM_ON;
	OsmlGramCost cost;
	const char *why;

	if (run->hparams->gram == OSML_GRAM_OFF || run->plan->range.on)
		return;
	why = osml_gram_obstacle(&run->spec, run->hparams, &kept);
	if (why && wanted)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"gram\" cannot be on: %s", why),
				 errhint("Leave \"gram\" at auto.")));
	if (why)
		return;
	cost = osml_gram_cost(&run->spec, run->hparams, train->n_rows, train->set->place.n_blocks);
	if (!wanted && !cost.worth)
		return;
	if (!osml_budget_take(&run->budget, (int64) cost.bytes))
	{
		if (wanted)
			ereport(ERROR,
					(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
					 errmsg("sums of " INT64_FORMAT " batches need %.1f MB more memory than osml.max_memory leaves beside the rows",
							cost.batches, cost.bytes / (1024.0 * 1024.0)),
					 errhint("Raise osml.max_memory or \"batch_size\", or leave \"gram\" at auto.")));
		return;
	}
	fit->gram = create(run, cost.batches);
	make_sums(fit);
}

/* Lanes by their numbers to the end of a batch of the epoch; -1: to its beginning. */
static void
place_lanes(OsmlFit *fit, int64 batch)
{
	int64		lanes = fit->run->hparams->lanes;

	for (int l = 0; l < lanes; l++)
		fit->lanes[l].epoch_rows = batch < 0 ? 0 : fit->gram->ends[batch * lanes + l];
	fit->gram->away = true;
}

/* Lanes are there with their rows. */
static void
fetch_lanes(OsmlFit *fit)
{
	if (!fit->gram->away)
		return;
	for (int l = 0; l < fit->run->hparams->lanes; l++)
		osml_lane_begin(fit, &fit->lanes[l], fit->lanes[l].epoch, fit->lanes[l].epoch_rows);
	fit->gram->away = false;
}

void
osml_gram_rewind(OsmlFit *fit, int64 n_batches)
{
	place_lanes(fit, n_batches - fit->epoch_first_batch - 1);
	fetch_lanes(fit);
	fit->gram->n_from_rows += fit->n_batches - n_batches;
}

bool
osml_gram_batch(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	OsmlGramBatches *gram = fit->gram;
	int64		b = fit->n_batches - fit->epoch_first_batch;
	const OsmlGram *sums;
	double		loss;

	if (b >= gram->n)
		return true;
	sums = gram->batches[b];
	if (!osml_gram_apply(sums, run->spec.precision, run->params, gram->gradient, &loss,
						 gram->scratch))
	{
		fetch_lanes(fit);
		gram->n_from_rows++;
		return false;
	}
	for (int j = 0; j < sums->p; j++)
		osml_run_set_param(&run->spec, fit->grad, j,
						   osml_run_value(&run->spec, fit->grad, j) + gram->gradient[j]);
	fit->loss_sum += loss;
	fit->step_weight += sums->weight;
	fit->step_rows += sums->rows;
	fit->batch_rows += sums->rows;
	place_lanes(fit, b);
	return true;
}

void
osml_gram_end(OsmlFit *fit)
{
	if (fit->gram == NULL)
		return;
	osml_run_summary(fit->run, "gram", "true");
	osml_run_summary_number(fit->run, "gram_batches", fit->gram->n);
	osml_run_summary_number(fit->run, "batches_from_rows", (double) fit->gram->n_from_rows);
}
