/*
 * usable.c
 *	  Is there a row to train on: see usable.h.
 */
#include "postgres.h"

#include "source/source.h"
#include "train/usable.h"

bool
osml_block_weighs(const OsmlLayout *layout, const OsmlBlock *block,
				  const double *class_weights)
{
	const double *label = osml_block_label(block, layout);
	const double *weight = label + OSML_BLOCK_STRIDE;

	for (int r = 0; layout->has_weight && r < block->nrows; r++)
	{
		if (weight[r] > 0 && (class_weights == NULL || class_weights[(int) label[r]] > 0))
			return true;
	}
	return !layout->has_weight;
}

void
osml_require_usable(const char *source, const OsmlHparams *hparams, const OsmlUsable *rows)
{
	if (rows->train > 0 && rows->weightless)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("all rows of %s to train on weigh nothing", source),
				 errhint("Give some rows a \"sample_weight\", or some of their classes a \"class_weight\", above 0.")));
	if (rows->train > 0)
		return;
	if (rows->held_out > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("\"val_fraction\" leaves no row of %s to train on", source),
				 errdetail("Rows of equal values are always on the same side."),
				 errhint("Lower \"val_fraction\", change \"seed\", or give more rows.")));
	if (rows->null + rows->nonfinite > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("%s has no usable row to train on", source),
				 errdetail("Rows were skipped, " INT64_FORMAT " for a NULL and "
						   INT64_FORMAT " for NaN or infinity.", rows->null, rows->nonfinite),
				 rows->null == 0 || hparams->on_null == OSML_ON_NULL_MEAN ?
				 errhint("Look at the label and feature columns.") :
				 errhint("Look at the label and feature columns, or set \"on_null\" to mean.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("%s has no rows to train on", source)));
}
