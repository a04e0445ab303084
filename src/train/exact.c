/*
 * exact.c
 *	  Least squares itself: sums over one streaming pass, then one solution.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/json.h"
#include "utils/memutils.h"

#include "compute/jacobi.h"
#include "compute/ols.h"
#include "compute/sums.h"
#include "model/linear.h"
#include "train/blas_module.h"
#include "train/exact.h"
#include "train/exact_memory.h"
#include "train/load.h"
#include "train/validate.h"

/* below this many columns Jacobi's rotations are done in milliseconds */
#define SMALL_PROBLEM 64

/* The eigensolver: LAPACK's for many columns, where there is one. */
static osml_syev_fn
choose_eigensolver(int n_columns)
{
	osml_syev_fn found = n_columns <= SMALL_PROBLEM ? NULL :
		(osml_syev_fn) osml_blas_function("osml_blas_syev", 1);

	return found ? found : osml_jacobi_syev;
}

/* Sum over all training rows. */
static OsmlSums *
sum_rows(OsmlRun *run)
{
	const OsmlLayout *layout = &run->layout;
	OsmlSums   *sums;
	void	   *scratch;
	OsmlBlock  *block;
	uint64		hash[OSML_BLOCK_ROWS];

	osml_exact_take_sums(&run->budget, layout);
	sums = osml_sums_init(MemoryContextAllocHuge(run->context, osml_sums_bytes(layout)),
						  layout);
	scratch = MemoryContextAllocHuge(run->context, osml_sums_scratch(layout));
	block = osml_new_block(run->context, &run->layout);
	osml_intake_start(run, OSML_PART_TRAIN, 0, 0);
	while (osml_intake_fill(run, block, hash))
	{
		osml_run_check(run);
		osml_account_streamed(run, block, hash);
		osml_sums_block(sums, layout, block, scratch);
		run->row.rows_seen += block->nrows;
		run->shared->rows_seen = run->row.rows_seen;
		block->nrows = 0;
	}
	osml_streamed_end(run);
	return sums;
}

/*
 * Names of flagged dense columns as a JSON list; an event when there are any.
 * Categories are left out: those of a code column add up to a constant, so they
 * are dependent by construction.
 */
static void
report_collinear(OsmlRun *run, const OsmlOls *ols)
{
	StringInfoData names;
	StringInfoData list;
	bool		any = false;

	initStringInfo(&names);
	initStringInfo(&list);
	for (int j = 0; j < run->layout.n_dense; j++)
	{
		char	   *name = osml_dense_name(run->set, j);

		if (!ols->collinear[j] && !ols->constant[j])
			continue;
		appendStringInfo(&names, "%s\"%s\"%s", any ? ", " : "", name,
						 ols->constant[j] ? " (constant)" : "");
		appendStringInfoString(&list, any ? ", " : "[");
		escape_json(&list, name);
		any = true;
	}
	if (!any)
		return;
	appendStringInfoChar(&list, ']');
	osml_run_summary(run, "collinear", list.data);
	osml_log_event(run, "warning", "collinear",
				   psprintf("columns are linearly dependent to working precision; the weights "
							"are the solution of minimum norm: %s", names.data));
}

/* What the solution says about itself, into summary and metrics. */
static void
report_solution(OsmlRun *run, const OsmlOls *ols, int64 n)
{
	double		mse = ols->sse / n;

	osml_run_summary_number(run, "r2", ols->r2);
	osml_run_summary_number(run, "adjusted_r2", ols->adjusted_r2);
	osml_run_summary_number(run, "condition_number", ols->condition);
	osml_run_summary_number(run, "residual_std_error", ols->residual_std_error);
	osml_run_summary_number(run, "rank", ols->rank);
	osml_run_summary_number(run, "degrees_of_freedom", ols->dof);
	report_collinear(run, ols);
	run->train_loss = mse;
	run->shared->loss = mse;
	osml_log_metric(run, "train", "train_mse", mse);
	osml_log_metric(run, "train", "train_rmse", sqrt(mse));
	osml_log_metric(run, "train", "train_r2", ols->r2);
	osml_log_metric(run, "train", "condition_number", ols->condition);
}

void
osml_exact(OsmlRun *run)
{
	OsmlSums   *sums = sum_rows(run);
	OsmlOls    *ols = osml_ols_init(MemoryContextAllocHuge(run->context,
														   osml_ols_bytes(sums->d)),
									sums->d);
	OsmlOlsCoords coords = run->hparams->scale == OSML_SCALE_NONE ?
		OSML_OLS_RAW : OSML_OLS_STANDARDISED;
	int			active = osml_ols_active(sums, run->hparams->bias);
	OsmlStatus	status;

	osml_check_magnitudes(run->set, run->hparams, run->stats);
	osml_exact_take_solution(&run->budget, active);
	status = osml_ols_solve(sums, run->hparams->bias, coords,
							choose_eigensolver(active), ols);
	if (status == OSML_OUT_OF_MEMORY)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory solving least squares over %d columns", sums->d)));
	if (status != OSML_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg_plural("could not solve least squares over %d column",
							   "could not solve least squares over %d columns",
							   sums->d, sums->d),
				 errdetail("Sums of squares of the columns are not finite."),
				 errhint("Look for columns of enormous values.")));
	osml_scaling_from_stats(run);
	osml_linear_rescale(&run->spec, &run->scaling, ols->weight, ols->intercept,
						run->params);
	run->row.steps = 1;
	run->shared->step = 1;
	report_solution(run, ols, sums->n);
	run->ols = ols;
	run->val_loss = osml_validate(run, OSML_PART_VAL, "val",
								  run->hparams->limit_val_batches, true);
}
