/*
 * anomaly.c
 *	  Where a value that is not finite comes from: see anomaly.h.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "model/linear.h"
#include "train/anomaly.h"
#include "train/blame.h"

/* Raise: what is this; row 0: it is of the whole batch. */
pg_noreturn static void
found(OsmlFit *fit, const char *what, double value, uint32 row)
{
	OsmlRun    *run = fit->run;
	const char *source = run->plan->parts[OSML_PART_TRAIN].source.label;

	run->diverged = true;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("value that is not finite at step " INT64_FORMAT ": %s is %g",
					run->row.steps + 1, what, value),
			 row > 0 ?
			 errdetail("It comes from row %u of %s, in batch " INT64_FORMAT ".", row, source,
					   fit->n_batches + 1) :
			 errdetail("It comes from batch " INT64_FORMAT ", which holds rows %s of %s.",
					   fit->n_batches + 1, osml_describe_rows(fit), source),
			 run->hparams->scale == OSML_SCALE_NONE ?
			 errhint("Set \"scale\" to standardize, set \"gradient_clip_val\", or lower \"lr\".") :
			 errhint("Set \"gradient_clip_val\", or lower \"lr\".")));
}

/* The number of a block's row in its source. */
static uint32
row_number(const OsmlFit *fit, OsmlBlock *block, int r)
{
	return osml_block_row_numbers(block, &fit->run->layout)[r];
}

/* What stands at place i of the parameter vector, in words; palloc'd. */
static char *
describe_parameter(const OsmlRun *run, size_t i)
{
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	int			n = run->spec.ops->tensors(&run->spec, tensors);
	const OsmlTensor *tensor = tensors;
	int			n_dense = run->layout.n_dense;

	while (tensor < tensors + n - 1 && (i < tensor->offset || i >= tensor->offset + tensor->size))
		tensor++;
	if (run->spec.ops == &osml_model_linear && i < osml_linear_entry(&run->spec, 0, 0))
		return psprintf("the weight of \"%s\"", osml_dense_name(run->set, (int) (i % n_dense)));
	return psprintf("tensor \"%s\"", tensor->name);
}

/* Columns of rows [lo, hi), row by row: finite when read, but scaled or narrowed since. */
static void
check_columns(OsmlFit *fit, OsmlBlock *block, int lo, int hi)
{
	OsmlRun    *run = fit->run;
	int			n = run->layout.n_dense;

	for (int r = lo; r < hi; r++)
	{
		for (int j = 0; j <= n + (run->layout.has_weight ? 1 : 0); j++)
		{
			double		value = osml_run_value(&run->spec, osml_block_column(block, j), r);

			if (isfinite(value))
				continue;
			found(fit, j > n ? "the weight of a row" :
				  psprintf("%s \"%s\"", j < n ? "feature" : "label",
						   j < n ? osml_dense_name(run->set, j) : run->set->label),
				  value, row_number(fit, block, r));
		}
	}
}

void
osml_anomaly_before(OsmlFit *fit, OsmlBlock *block, int lo, int hi, OsmlRowsAt at)
{
	OsmlRun    *run = fit->run;
	OsmlAnomaly anomaly = {.module = ""};

	if (block)
		check_columns(fit, block, lo, hi);
	if (!run->spec.ops->find_anomaly(&run->spec, run->backend, block, lo, hi, at, run->params,
									 run->scratch, &anomaly))
		return;
	found(fit, anomaly.module[0] ? psprintf("an output of layer \"%s\"", anomaly.module) :
		  "the model's output", anomaly.value,
		  block ? row_number(fit, block, lo + (int) anomaly.row) : 0);
}

/* A sum is not finite: look for the row that it has it from, one by one. */
static void
check_rows(OsmlFit *fit, OsmlBlock *block, int lo, int hi, OsmlRowsAt at)
{
	OsmlRun    *run = fit->run;
	Size		bytes = fit->n_params * osml_precision_size(run->spec.precision);
	void	   *grad = MemoryContextAllocHuge(run->context, bytes);

	for (int r = lo; r < hi; r++, at.row++)
	{
		double		loss = 0;
		size_t		i;

		osml_run_check(run);
		memset(grad, 0, bytes);
		run->spec.ops->accumulate(&run->spec, run->backend, block, r, r + 1, at, run->params,
								  grad, &loss, run->scratch);
		if (!isfinite(loss))
			found(fit, "the loss", loss, row_number(fit, block, r));
		i = osml_run_first_odd(&run->spec, grad, 0, fit->n_params);
		if (i < fit->n_params)
			found(fit, psprintf("the gradient of %s", describe_parameter(run, i)),
				  osml_run_value(&run->spec, grad, i), row_number(fit, block, r));
	}
	pfree(grad);
}

/*
 * What batch norm keeps for prediction.  A batch's variance may overflow where loss and
 * gradient do not, as the batch is divided by infinity.
 */
static void
check_running(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	size_t		n = osml_model_values(&run->spec);
	size_t		i = osml_run_first_odd(&run->spec, run->params, fit->n_params, n);

	if (i < n)
		found(fit, psprintf("running statistics, %s,", describe_parameter(run, i)),
			  osml_run_value(&run->spec, run->params, i), 0);
}

void
osml_anomaly_after(OsmlFit *fit, OsmlBlock *block, int lo, int hi, OsmlRowsAt at)
{
	OsmlRun    *run = fit->run;
	size_t		i = osml_run_first_odd(&run->spec, fit->grad, 0, fit->n_params);

	if (isfinite(fit->loss_sum) && i == fit->n_params)
	{
		check_running(fit);
		return;
	}
	/* the batch's rows as osml_describe_rows() is to have them */
	if (block)
	{
		osml_note_segment(fit, block, lo, hi);
		check_rows(fit, block, lo, hi, at);
	}
	/* each row's is finite, their sum is not */
	found(fit, isfinite(fit->loss_sum) ?
		  psprintf("the gradient of %s", describe_parameter(run, i)) : "the loss",
		  isfinite(fit->loss_sum) ? osml_run_value(&run->spec, fit->grad, i) : fit->loss_sum, 0);
}

void
osml_anomaly_update(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	size_t		i = osml_run_first_odd(&run->spec, run->params, 0, fit->n_params);

	if (i == fit->n_params)
		return;
	/* the batch has been counted already */
	fit->n_batches--;
	found(fit, psprintf("after the update %s", describe_parameter(run, i)),
		  osml_run_value(&run->spec, run->params, i), 0);
}
