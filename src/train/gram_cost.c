/*
 * gram_cost.c
 *	  Whether steps come from sums of batches: see gram_cost.h.
 */
#include "postgres.h"

#include "compute/gram.h"
#include "train/gram_cost.h"

/*
 * What a step costs, in nanoseconds, to decide by: for a row and a dense column, for a
 * row and a code column, for a row at all; to make sums, for a row and a pair of dense
 * columns, and for one with a code column; from sums, for an element of G, and at all.
 * Roughly what one x86-64 machine took; a factor of two either way does not matter.
 */
#define ROW_DENSE 0.4
#define ROW_CODE 2.0
#define ROW 2.0
#define PAIR_DENSE 1.5
#define PAIR_CODE 5.0
#define ELEMENT 1.5
#define APPLY 100.0

/* what sums have to save for "auto": so many nanoseconds, and half of the work */
#define WORTH 1e8
#define WORTH_FACTOR 2

const char *
osml_gram_obstacle(const OsmlModelSpec *spec, const OsmlHparams *hparams, const OsmlRowsKept *kept)
{
	if (spec->ops != &osml_model_linear || spec->loss != OSML_LOSS_MSE)
		return "only model_type linear with loss mse has sums that say all";
	if (hparams->shuffle == OSML_SHUFFLE_EPOCH)
		return "\"shuffle\" draws other batches in each epoch";
	if (osml_hparams_endless(hparams))
		return "batches of an endless stream differ from one pass to the next; give \"max_epochs\" or \"max_steps\"";
	if (kept->streamed)
		return "rows that are seen once go straight into steps";
	if (kept->reread)
		return "training rows are not kept; raise osml.max_spill";
	if (hparams->detect_anomaly)
		return "\"detect_anomaly\" looks at rows";
	if (osml_gram_values(&spec->layout, spec->bias) > OSML_GRAM_MAX_VALUES)
		return psprintf("the model has more than %d weights", OSML_GRAM_MAX_VALUES);
	return NULL;
}

/* Most batches that an epoch can have: lanes that end early leave short ones. */
static int64
most_batches(const OsmlHparams *hparams, int64 n_rows, int64 n_blocks)
{
	int64		lanes = hparams->lanes;
	int64		share = hparams->batch_size / lanes;
	int64		most = ((n_blocks + lanes - 1) / lanes * OSML_BLOCK_ROWS + share - 1) / share;

	return Min(lanes > 1 ? most : osml_length_batches(hparams, n_rows),
			   osml_length_overfit(hparams, n_rows));
}

OsmlGramCost
osml_gram_cost(const OsmlModelSpec *spec, const OsmlHparams *hparams, int64 n_rows, int64 n_blocks)
{
	const OsmlLayout *layout = &spec->layout;
	Size		p = osml_gram_values(layout, spec->bias);
	double		dense = layout->n_dense + (spec->bias ? 1 : 0);
	double		codes = layout->n_codes;
	double		rows = (double) osml_length_rows(hparams, n_rows);
	int64		n = most_batches(hparams, n_rows, n_blocks);
	int64		steps = osml_length_steps(hparams, osml_length_epochs(hparams, n_rows),
										  osml_length_batches(hparams, n_rows));
	/* the last step of an epoch may have fewer batches */
	double		epochs = Max(1, (double) steps * hparams->accumulate_grad_batches / n);
	double		by_rows = epochs * rows * (ROW + ROW_DENSE * dense + ROW_CODE * codes);
	OsmlGramCost cost = {.batches = n};

	cost.making = rows * (PAIR_DENSE * (dense + 1) * (dense + 2) / 2 +
						  PAIR_CODE * codes * (dense + 1 + codes / 2));
	cost.stepping = epochs * (double) n * (APPLY + ELEMENT * (double) p * (double) p);
	cost.worth = by_rows - cost.making - cost.stepping > WORTH &&
		by_rows > WORTH_FACTOR * (cost.making + cost.stepping);
	cost.bytes = (Size) n * (osml_gram_bytes(layout, spec->bias) + sizeof(OsmlGram *) +
							 sizeof(int64) * hparams->lanes) +
		osml_gram_tile_bytes(layout, spec->bias) +
		3 * osml_gram_stride(layout, spec->bias) * sizeof(double);
	cost.making /= 1e9;
	cost.stepping /= 1e9;
	return cost;
}
