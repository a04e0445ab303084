/*
 * foresee.c
 *	  The load pass with numbers of rows in the place of rows: see foresee.h.
 *
 * Follows load.c: validation and test rows come first, those that are split off
 * beside the training rows.
 */
#include "postgres.h"

#include <math.h>

#include "train/carry.h"
#include "train/foresee.h"
#include "train/load.h"

/* a part being filled */
typedef struct Filling
{
	OsmlPlacing placing;
	OsmlPlace	place;			/* of the block being filled */
	double		in_block;		/* rows in it; 0: there is none */
	double		row_bytes;
	bool		lost;			/* the set was given up */
} Filling;

/* Where its block goes, or the set is given up. */
static void
commit(Filling *filling, OsmlForesight *foresight)
{
	int			n_move;

	filling->in_block = 0;
	if (osml_placing_commit(&filling->placing, filling->place, &n_move) == OSML_PLACE_NONE)
	{
		osml_placing_free(&filling->placing);
		filling->lost = true;
	}
	else
		foresight->spill = Max(foresight->spill,
							   (double) filling->placing.budget->spill_used);
}

/* Rows come; once the set is lost they are only counted. */
static void
add_rows(Filling *filling, OsmlForesight *foresight, double rows)
{
	foresight->row_bytes += rows * filling->row_bytes;
	while (rows > 0 && !filling->lost)
	{
		double		taken;

		if (filling->in_block == 0)
		{
			filling->place = osml_placing_reserve(&filling->placing);
			if (filling->place == OSML_PLACE_NONE)
			{
				osml_placing_free(&filling->placing);
				filling->lost = true;
				return;
			}
		}
		taken = Min(rows, OSML_BLOCK_ROWS - filling->in_block);
		filling->in_block += taken;
		rows -= taken;
		if (filling->in_block >= OSML_BLOCK_ROWS)
			commit(filling, foresight);
	}
}

static void
end_part(Filling *filling, OsmlForesight *foresight, OsmlPartKind part)
{
	if (filling->in_block > 0)
		commit(filling, foresight);
	foresight->reread[part] = filling->lost;
	if (!filling->lost)
		foresight->memory += (double) filling->placing.n_memory *
			filling->placing.block_bytes;
}

/* Are the training rows carried over from the pass that learns of them? */
static bool
carries(OsmlBudget *budget, const OsmlModelSpec *spec, const OsmlHparams *hparams,
		const OsmlLayout *inputs, double rows)
{
	int64		n_blocks = (int64) ceil(rows / OSML_BLOCK_ROWS);
	int64		bytes = n_blocks * (int64) osml_block_memory(inputs);
	bool		fits;

	if (!osml_budget_lend(budget, bytes))
		return false;
	fits = osml_carry_fits(budget, spec, hparams, n_blocks);
	osml_budget_repay(budget, bytes);
	return fits;
}

void
osml_foresee(const OsmlHparams *hparams, int n_classes, const OsmlLayout *layout,
			 const OsmlLayout *inputs, const double rows[OSML_N_PARTS], OsmlBudget budget,
			 OsmlForesight *foresight)
{
	OsmlModelSpec spec = osml_run_spec(hparams, layout, n_classes);
	int32	   *unknown = palloc0(sizeof(int32) * Max(1, layout->n_codes));
	Filling		parts[OSML_N_PARTS] = {0};
	double		held_out = hparams->val_fraction;

	/* how many categories there are may not be learned yet: they weigh little */
	if (spec.layout.code_sizes == NULL)
		spec.layout.code_sizes = unknown;
	memset(foresight, 0, sizeof(*foresight));
	foresight->spec = spec;
	foresight->streamed = osml_streams(hparams);
	foresight->needed = osml_run_model_bytes(&spec, hparams->batch_size) +
		osml_run_working_bytes(&spec, hparams->batch_size) + osml_run_fit_bytes(&spec, hparams);
	foresight->refused = !osml_budget_take(&budget, (int64) foresight->needed);
	if (foresight->refused)
		return;
	for (int p = 0; p < OSML_N_PARTS; p++)
	{
		osml_placing_init(&parts[p].placing, layout, &budget);
		parts[p].row_bytes = (double) parts[p].placing.block_bytes / OSML_BLOCK_ROWS;
	}
	for (int p = 0; p < OSML_PART_TRAIN; p++)
	{
		if (p == OSML_PART_VAL && (held_out > 0 || hparams->overfit_batches > 0))
			continue;
		add_rows(&parts[p], foresight, rows[p]);
		end_part(&parts[p], foresight, p);
	}
	foresight->carried = inputs && carries(&budget, &spec, hparams, inputs,
										   rows[OSML_PART_TRAIN]);
	if (foresight->streamed)
		return;
	for (double left = rows[OSML_PART_TRAIN]; left > 0; left -= OSML_BLOCK_ROWS)
	{
		double		n = Min(left, OSML_BLOCK_ROWS);

		if (held_out > 0)
			add_rows(&parts[OSML_PART_VAL], foresight, n * held_out);
		add_rows(&parts[OSML_PART_TRAIN], foresight, n * (1 - held_out));
	}
	if (held_out > 0)
		end_part(&parts[OSML_PART_VAL], foresight, OSML_PART_VAL);
	end_part(&parts[OSML_PART_TRAIN], foresight, OSML_PART_TRAIN);
}
