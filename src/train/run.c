/*
 * run.c
 *	  What every stage of a run calls: its pulse, and notes for its summary.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include <math.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/pmsignal.h"
#include "utils/json.h"
#include "utils/ps_status.h"

#include "rules/optim/optim.h"
#include "train/run.h"

/* blocks that a run needs beside its resident set: intake, split, window */
#define WORKING_BLOCKS 8

/*
 * Raise what ends the run early, a cancel from anybody or an interrupt; and
 * once a second write what is pending, however long a load pass or a
 * validation takes.
 */
void
osml_run_check(void *arg)
{
	OsmlRun    *run = arg;

	/* no server starts while this process is there; asking the system takes too long here */
	if (!PostmasterIsAlive())
		proc_exit(1);
	CHECK_FOR_INTERRUPTS();
	if (run->shared->cancel)
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg_internal("%s", run->shared->cancel_reason)));
	osml_log_flush(run, false);
}

const char *
osml_run_phase(OsmlRun *run, const char *phase)
{
	const char *before = run->phase;
	char		activity[64];

	osml_account_phase(&run->account, before);
	run->phase = phase;
	set_ps_display(phase);
	snprintf(activity, sizeof(activity), "osml trainer: %s", phase);
	pgstat_report_activity(STATE_RUNNING, activity);
	return before;
}

void
osml_run_summary(OsmlRun *run, const char *key, const char *value)
{
	appendStringInfoString(run->summary, run->summary->len > 0 ? ", " : "");
	escape_json(run->summary, key);
	appendStringInfo(run->summary, ": %s", value);
}

/* JSON has no NaN and no infinity: those are strings, as PostgreSQL casts them */
void
osml_run_summary_number(OsmlRun *run, const char *key, double value)
{
	char	   *text = psprintf("%.15g", value);

	osml_run_summary(run, key, isfinite(value) ? text :
					 isnan(value) ? "null" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

void
osml_run_take(OsmlRun *run, Size bytes)
{
	Size		reserved = Min(bytes, run->reserved);

	run->reserved -= reserved;
	if (!osml_budget_take(&run->budget, (int64) (bytes - reserved)))
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("parameters of the model need more memory than osml.max_memory allows"),
				 errhint("Raise osml.max_memory, or lower what makes them many: categories and buckets of features, or \"num_hidden_neurons\".")));
}

void *
osml_run_alloc(OsmlRun *run, Size bytes)
{
	osml_run_take(run, bytes);
	return osml_run_zeroed(run, bytes);
}

void *
osml_run_zeroed(OsmlRun *run, Size bytes)
{
	return MemoryContextAllocExtended(run->context, Max(1, bytes),
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

OsmlModelSpec
osml_run_spec(const OsmlHparams *hparams, const OsmlLayout *layout, int n_classes)
{
	OsmlModelSpec spec = {
		.ops = osml_models[hparams->model_type - 1].ops,
		.layout = *layout,
		.precision = hparams->precision,
		.bias = hparams->bias,
		.n_outputs = 1,
		.loss = (OsmlLoss) (hparams->loss - 1),
		.init = hparams->init > 0 ? hparams->init - 1 : OSML_INIT_TORCH_LINEAR,
		.seed = hparams->seed
	};

	if (osml_loss_by_class(spec.loss))
		spec.n_outputs = n_classes;
	if (spec.ops == &osml_model_mlp)
		spec.network = osml_hparams_network(hparams);
	return spec;
}

Size
osml_run_model_bytes(const OsmlModelSpec *spec, int64 batch_rows)
{
	Size		n = spec->layout.n_dense;
	Size		entries = osml_layout_entries(&spec->layout);

	return sizeof(OsmlColumnStats) * (n + 1) + 3 * sizeof(double) * n +
		(sizeof(int64) + sizeof(double)) * entries +
		osml_model_values(spec) * osml_precision_size(spec->precision) +
		spec->ops->scratch(spec, batch_rows);
}

Size
osml_run_working_bytes(const OsmlModelSpec *spec, int64 batch_rows)
{
	return osml_block_bytes(&spec->layout) * WORKING_BLOCKS +
		spec->ops->scratch(spec, batch_rows);
}

/* What a rollback and a checkpoint keep of a step: values, averages, optimiser. */
static Size
kept_bytes(const OsmlModelSpec *spec, const OsmlHparams *hparams)
{
	size_t		values = osml_model_values(spec) * (hparams->weight_averaging > 0 ? 2 : 1) +
		spec->ops->n_params(spec) * osml_optim_slots((OsmlOptim) hparams->optimizer);

	return values * osml_precision_size(spec->precision);
}

Size
osml_run_checkpoint_bytes(const OsmlModelSpec *spec, const OsmlHparams *hparams)
{
	/* where a rollback would go is kept beside */
	return kept_bytes(spec, hparams) *
		(hparams->on_nonfinite == OSML_ON_NONFINITE_ROLLBACK ? 2 : 1);
}

Size
osml_run_fit_bytes(const OsmlModelSpec *spec, const OsmlHparams *hparams)
{
	Size		width = osml_precision_size(spec->precision);
	Size		trained = spec->ops->n_params(spec) * width;
	Size		all = osml_model_values(spec) * width;
	Size		bytes;

	if (osml_optimizer_is_exact(hparams->optimizer))
		return 0;
	/* the parameters themselves are the model's */
	bytes = trained * (hparams->drop_last ? 2 : 1) + kept_bytes(spec, hparams) - all;
	if (hparams->on_nonfinite != OSML_ON_NONFINITE_STOP)
		bytes += all - trained;
	if (hparams->on_nonfinite == OSML_ON_NONFINITE_ROLLBACK)
		bytes += kept_bytes(spec, hparams);
	if (hparams->save_top_k > 0)
		bytes += all * (hparams->save_last ? 2 : 1);
	if (hparams->every_n_train_steps != OSML_AUTO || hparams->train_time_interval > 0)
		bytes += osml_run_checkpoint_bytes(spec, hparams);
	return bytes;
}

double
osml_run_value(const OsmlModelSpec *spec, const void *vector, size_t i)
{
	return spec->precision == OSML_FLOAT32 ? ((const float *) vector)[i] :
		((const double *) vector)[i];
}

size_t
osml_run_first_odd(const OsmlModelSpec *spec, const void *vector, size_t i, size_t n)
{
	while (i < n && isfinite(osml_run_value(spec, vector, i)))
		i++;
	return i;
}

void
osml_run_set_param(const OsmlModelSpec *spec, void *params, size_t i, double value)
{
	if (spec->precision == OSML_FLOAT32)
		((float *) params)[i] = (float) value;
	else
		((double *) params)[i] = value;
}

void
osml_run_init(const OsmlModelSpec *spec, const OsmlHparams *hparams, void *params)
{
	const OsmlReals *given = &hparams->initial_weights;

	spec->ops->init(spec, params);
	for (int i = 0; i < given->n; i++)
		osml_run_set_param(spec, params, i, given->values[i]);
}

double
osml_run_weight(const OsmlModelSpec *spec, const OsmlBlock *block, int lo, int hi)
{
	const void *column;
	double		sum = 0;

	if (!spec->layout.has_weight)
		return hi - lo;
	column = osml_block_column(block, spec->layout.n_dense + 1);
	for (int i = lo; i < hi; i++)
		sum += osml_run_value(spec, column, i);
	return sum;
}
