/*
 * trainer.c
 *	  The trainer: a background worker that lives as long as one run.
 *
 * It maps the segment, becomes the caller, takes the run's liveness lock and
 * commits the run row; only then does osml_train() go on.  From there it works
 * outside of any transaction, with short ones for what it writes.  However the
 * run ends, the row says so before the process is gone:
 *
 *	finished, diverged, failed, cancelled	by end_run() below, and so where a reader
 *											was terminated: interrupted
 *	interrupted (terminated, server stop)	by the before_shmem_exit callback
 *	interrupted (crash)						by nobody: the lock is free, and
 *											osml.runs reads it so
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "catalog/checkpoint.h"
#include "catalog/turn_lock.h"
#include "model/linear.h"
#include "osml.h"
#include "train/best.h"
#include "train/checkpoint.h"
#include "train/device.h"
#include "train/exact.h"
#include "train/fit.h"
#include "train/kind.h"
#include "train/learn.h"
#include "train/load.h"
#include "train/parts.h"
#include "train/run.h"
#include "train/since.h"
#include "train/ticket.h"
#include "train/trainer.h"
#include "train/validate.h"
#include "train/version.h"
#include "train/warm.h"
#include "train/worker.h"

/* the process runs one run; the exit callback needs to find it */
static OsmlRun *current_run = NULL;

static Jsonb *
json_from_text(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

/* The members noted so far, as an object. */
static Jsonb *
summary_json(const OsmlRun *run)
{
	return json_from_text(psprintf("{%s}", run->summary->data));
}

/*
 * A run that has failed needs its rows no more.  They go before its last words are
 * written: whatever was used up, memory or disk, is there again for those.
 */
static void
let_rows_go(OsmlRun *run)
{
	for (int p = 0; p < OSML_N_PARTS; p++)
	{
		OsmlResident *set = run->parts[p].set;

		for (int q = p; q < OSML_N_PARTS; q++)
		{
			/* "overfit_batches" has two parts share a set */
			if (run->parts[q].set == set)
				run->parts[q].set = NULL;
		}
		if (set)
			osml_resident_free(set);
	}
	MemoryContextDeleteChildren(run->context);
}

/*
 * By themselves, since they may be what cannot be written, and how the run ended must be
 * told all the same.  What ended it has been said, so this error is not.
 */
static void
write_last_metrics(OsmlRun *run)
{
	PG_TRY();
	{
		osml_log_flush(run, true);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(run->context);
		FlushErrorState();
		AbortOutOfAnyTransaction();
		MemoryContextSwitchTo(run->context);
		run->log.n = 0;
	}
	PG_END_TRY();
}

/* The end of a run that made no version: row, then waiters. */
static void
end_run(OsmlRun *run, const char *status, const char *error)
{
	MemoryContextSwitchTo(run->context);
	let_rows_go(run);
	write_last_metrics(run);
	osml_worker_begin(run->plan);
	run->row.status = pstrdup(status);
	run->row.error = error ? pstrdup(error) : NULL;
	osml_run_end(&run->row);
	osml_worker_end();
	if (strcmp(status, "interrupted") != 0)
		osml_ticket_void(run->plan->database, run->row.run_id);
	osml_shared_end(run->shared, status, run->row.version);
}

/*
 * Terminated or shut down in the middle.  Runs before the server's own
 * clean-up of the session, so a transaction is still possible; not when the
 * postmaster is gone, since then nobody may write.
 */
static void
trainer_exit(int code, Datum arg)
{
	OsmlRun    *run = current_run;

	if (run == NULL || run->shared->ended || !run->shared->committed ||
		osml_worker_orphaned())
		return;
	current_run = NULL;
	AbortOutOfAnyTransaction();
	osml_intake_end(run);
	end_run(run, "interrupted", "the trainer was terminated");
}

/* A run that was interrupted, or queued, is ours from here on. */
static void
take_over(OsmlRun *run)
{
	osml_worker_take_run(run->row.run_id);
	osml_run_restart(&run->row, run->plan->waited);
	osml_checkpoint_rewind(run->row.run_id);
}

/* The run's row, visible to everybody before the caller goes on. */
static void
commit_run_row(OsmlRun *run)
{
	OsmlPlan   *plan = run->plan;

	run->row.run_id = plan->run_id;
	run->row.owner = plan->role;
	run->row.dataset = plan->dataset;
	run->row.model = plan->model;
	run->row.model_named = plan->model_named;
	run->row.status = pstrdup("running");
	run->row.hparams = json_from_text(plan->hparams);
	run->row.device = pstrdup(run->backend->name);
	run->row.trainer_pid = MyProcPid;
	run->row.segment = dsm_segment_handle(run->segment->dsm);
	osml_since_note(run);
	if (run->summary->len > 0)
		run->row.summary = summary_json(run);

	osml_worker_begin(plan);
	if (!plan->range.on)
		osml_model_lock_hold(plan->model);
	if (plan->resume || plan->waited)
		take_over(run);
	else
	{
		osml_run_lock_take(plan->run_id);
		osml_run_insert(&run->row);
	}
	if (run->hparams->restart)
		osml_ticket_issue(plan);
	osml_worker_end();
	MemoryContextSwitchTo(run->context);

	osml_shared_commit(run->shared);
}

/* Everything that is known before a row is read. */
static OsmlRun *
create_run(OsmlSegment *segment)
{
	OsmlRun    *run = palloc0(sizeof(OsmlRun));
	OsmlPlan   *plan = segment->plan;

	run->segment = segment;
	run->shared = segment->shared;
	run->plan = plan;
	run->context = CurrentMemoryContext;
	run->hparams = osml_plan_hparams(plan);
	run->set = &plan->parts[OSML_PART_TRAIN].set;
	run->backend = &osml_backend_cpu;
	run->train_loss = run->val_loss = run->test_loss = NAN;
	run->summary = makeStringInfo();
	run->started_at = GetCurrentTimestamp();
	run->streamed = osml_streams(run->hparams);
	return run;
}

/* The features are known: make room for what depends on their number. */
static void
create_model(OsmlRun *run)
{
	OsmlModelSpec *spec = &run->spec;
	int			n;
	Size		entries;

	run->layout = osml_model_layout(run->set);
	*spec = osml_run_spec(run->hparams, &run->layout, run->classes ? run->classes->n : 0);
	run->backend = osml_choose_backend(run);
	osml_run_take(run, osml_run_model_bytes(spec, run->hparams->batch_size));
	n = run->layout.n_dense;
	entries = osml_layout_entries(&run->layout);
	run->stats = osml_run_zeroed(run, sizeof(OsmlColumnStats) * (n + 1));
	osml_stats_init(run->stats, n + 1);
	run->code_stats.count = osml_run_zeroed(run, sizeof(int64) * entries);
	run->code_stats.label_mean = osml_run_zeroed(run, sizeof(double) * entries);
	run->scaling.n = n;
	run->scaling.center = osml_run_zeroed(run, sizeof(double) * n);
	run->scaling.scale = osml_run_zeroed(run, sizeof(double) * n);
	run->scaling.impute = osml_run_zeroed(run, sizeof(double) * n);
	run->params = osml_run_zeroed(run, osml_model_values(spec) *
								  osml_precision_size(spec->precision));
	run->scratch = osml_run_zeroed(run, spec->ops->scratch(spec, run->hparams->batch_size));
	osml_check_initial_weights(run->hparams, &run->layout,
							   run->classes ? run->classes->n : 0);
	run->class_weights =
		osml_kind_class_weights(run->hparams, run->set, run->classes, run->class_rows);
	osml_intake_encode(run);
}

/* Weights of a linear model that no training row would ever change. */
static void
zero_unseen(OsmlRun *run)
{
	size_t		entries = osml_layout_entries(&run->layout);

	for (int k = 0; k < run->spec.n_outputs; k++)
	{
		for (int j = 0; j < run->layout.n_dense; j++)
		{
			if (osml_stats_deviation(&run->stats[j]) == 0)
				osml_run_set_param(&run->spec, run->params, osml_linear_weight(&run->spec, k, j), 0);
		}
		for (size_t i = 0; run->have_stats && i < entries; i++)
		{
			if (run->code_stats.count[i] == 0)
				osml_run_set_param(&run->spec, run->params, osml_linear_entry(&run->spec, k, i), 0);
		}
	}
}

/*
 * A count's label is not scaled, and steps from 0 to the logarithm of a large mean are
 * many: the intercept begins there, as that of a standardized amount begins at the mean.
 */
static void
start_at_mean(OsmlRun *run)
{
	double		mean = run->stats[run->layout.n_dense].mean;
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	int			n = run->spec.ops->tensors(&run->spec, tensors);

	if (run->hparams->init > 0 || osml_losses[run->spec.loss].link != OSML_LINK_EXP ||
		!run->have_stats || !(mean > 0))
		return;
	while (tensors[n - 1].buffer)
		n--;
	osml_run_set_param(&run->spec, run->params, tensors[n - 1].offset, log(mean));
}

/*
 * Parameters at step 0: drawn, or given in the scaled columns' units.  A column
 * that does not vary is zero once it is scaled, and no step would ever touch
 * its weight: it starts at 0, so that a value seen only later counts for
 * nothing rather than for a random number.
 */
static void
init_params(OsmlRun *run)
{
	if (run->warm)
	{
		osml_warm_params(run);
		return;
	}
	osml_run_init(&run->spec, run->hparams, run->params);
	if (run->hparams->initial_weights.n > 0 || run->hparams->scale == OSML_SCALE_NONE || !run->spec.bias)
		return;
	if (run->spec.ops == &osml_model_linear)
		zero_unseen(run);
	start_at_mean(run);
}

/* Units of loss and huber_delta follow the label's scaling. */
static void
set_units(OsmlRun *run)
{
	run->loss_unit = osml_loss_unit(run->spec.loss, run->scaling.label_scale);
	run->spec.loss_param = run->hparams->huber_delta / run->scaling.label_scale;
}

/* Are there rows that the load pass did not keep? */
static bool
reads_again(const OsmlRun *run)
{
	for (int p = 0; p < OSML_N_PARTS; p++)
	{
		if (run->parts[p].present && run->parts[p].set == NULL)
			return true;
	}
	return false;
}

/* From the first row read to the last measure taken. */
static void
train(OsmlRun *run)
{
	osml_intake_init(run);
	(void) osml_run_phase(run, "learning features");
	if (run->plan->resume)
		osml_checkpoint_open(run);
	osml_warm_load(run);
	osml_learn_features(run);
	osml_warm_classes(run);
	run->kind = osml_kind_settle(run->hparams, run->set, run->classes,
								 run->plan->parts[OSML_PART_TRAIN].source.label);
	create_model(run);
	(void) osml_run_phase(run, "loading rows");
	osml_load_parts(run);
	osml_scaling_from_stats(run);
	osml_warm_scaling(run);
	osml_checkpoint_scaling(run);
	if (run->have_stats)
		osml_kind_check_counts(run->hparams, run->set,
							   run->plan->parts[OSML_PART_TRAIN].source.label, run->stats);
	set_units(run);
	init_params(run);
	if (!reads_again(run))
		osml_intake_end(run);
	(void) osml_run_phase(run, "training");
	/* a run that goes on has passed it, and its weights are not there yet */
	if (run->hparams->num_sanity_val_steps > 0 && run->resume == NULL)
		(void) osml_validate(run, OSML_PART_VAL, "sanity",
							 run->hparams->num_sanity_val_steps, true);
	if (osml_optimizer_is_exact(run->hparams->optimizer))
		osml_exact(run);
	else
		osml_fit(run);
	run->version_step = run->row.steps;
	osml_best_take(run);
	osml_settle_unseen(run);
	osml_calibrate(run);
	run->test_loss = osml_validate(run, OSML_PART_TEST, "test",
								   run->hparams->limit_test_batches, true);
	osml_intake_end(run);
}

/* A run that only tries everything out keeps nothing but its row, which says more. */
static void
summarize_trying(OsmlRun *run)
{
	const char *const names[] = {"val_loss", "test_loss", "train_loss"};
	const double losses[] = {run->val_loss, run->test_loss, run->train_loss};

	osml_run_summary_number(run, "fast_dev_run", (double) run->hparams->fast_dev_run);
	for (int i = 0; i < (int) lengthof(names); i++)
		osml_run_summary_number(run, names[i], losses[i]);
	osml_log_event(run, "info", "fast_dev_run",
				   psprintf("all went well with " INT64_FORMAT " batches of " INT64_FORMAT
							" rows at most; metrics and a version of the model were not kept",
							run->hparams->fast_dev_run, run->hparams->batch_size));
}

/* What the run did, for osml.runs. */
static void
finish_summary(OsmlRun *run)
{
	if (run->hparams->fast_dev_run > 0)
		summarize_trying(run);
	osml_run_summary_number(run, "train_rows", (double) run->parts[OSML_PART_TRAIN].n_rows);
	osml_run_summary_number(run, "rows_skipped_null", (double) run->rows_null);
	osml_run_summary_number(run, "rows_skipped_nonfinite", (double) run->rows_nonfinite);
	osml_run_summary_number(run, "spilled_kb", (double) (run->budget.spill_used / 1024));
	osml_run_summary(run, "streamed", run->streamed ? "true" : "false");
	osml_run_summary(run, "reread", run->reread ? "true" : "false");
	osml_account_summary(run);
	osml_report_categories(run);
	if (run->log.points_dropped > 0)
		osml_log_event(run, "info", "metrics_thinned",
					   psprintf(INT64_FORMAT " steps, epochs or validations due in osml.metrics were left out to keep "
								"to osml.max_metric_rows a second",
								run->log.points_dropped));
	run->row.summary = summary_json(run);
	run->row.hparams = osml_hparams_to_jsonb(run->hparams);
}

/* The version and the end of the run become visible together. */
static void
commit_result(OsmlRun *run)
{
	(void) osml_run_phase(run, "storing the model");
	finish_summary(run);
	osml_log_flush(run, true);
	MemoryContextSwitchTo(run->context);
	osml_worker_begin(run->plan);
	if (run->hparams->fast_dev_run == 0 && !run->plan->range.on)
	{
		osml_best_store_others(run);
		osml_store_version(run, run->version_step, run->hparams->deploy);
	}
	osml_checkpoints_delete(run->row.run_id);
	run->row.status = "finished";
	osml_run_end(&run->row);
	osml_worker_end();
	osml_ticket_void(run->plan->database, run->row.run_id);
	osml_shared_end(run->shared, "finished", run->row.version);
}

/* The run failed: say how, in the row and to whoever waits. */
static void
handle_error(OsmlRun *run, ErrorData *edata)
{
	const char *status = run->diverged ? "diverged" : run->interrupted ? "interrupted" :
		edata->sqlerrcode == ERRCODE_QUERY_CANCELED ? "cancelled" : "failed";
	StringInfoData text;

	/* a cancel comes with an interrupt, whose own words say less */
	if (edata->sqlerrcode == ERRCODE_QUERY_CANCELED && run->shared->cancel)
		edata->message = run->shared->cancel_reason;
	/* "out of shared memory" has the same code, and a hint of its own */
	if (edata->sqlerrcode == ERRCODE_OUT_OF_MEMORY && edata->hint == NULL)
		edata->hint = psprintf("There is less memory than osml.max_memory (%d kB) allows the run: lower it, and rows go to temporary files.",
							   osml_max_memory);
	/* a reader's own error came first, and is what the user must see */
	osml_shared_report(run->shared, edata);
	initStringInfo(&text);
	appendStringInfoString(&text, run->shared->report.message);
	if (run->shared->report.detail[0])
		appendStringInfo(&text, "\nDETAIL: %s", run->shared->report.detail);
	if (run->shared->report.hint[0])
		appendStringInfo(&text, "\nHINT: %s", run->shared->report.hint);
	osml_intake_end(run);
	run->row.summary = summary_json(run);
	end_run(run, status, text.data);
}

/* Train and store, or record why not. */
static void
run_to_end(OsmlRun *run)
{
	PG_TRY();
	{
		train(run);
		commit_result(run);
	}
	PG_CATCH();
	{
		ErrorData  *edata;

		/* the waiting session goes with the postmaster, and cancels on its way */
		if (osml_worker_orphaned())
			proc_exit(1);
		MemoryContextSwitchTo(run->context);
		edata = CopyErrorData();
		FlushErrorState();
		AbortOutOfAnyTransaction();
		MemoryContextSwitchTo(run->context);
		/* an interrupt that came too late must not break the last words */
		HOLD_INTERRUPTS();
		QueryCancelPending = false;
		if (!run->shared->ended)
			handle_error(run, edata);
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
}

/* Errors before the run row is there go to the caller alone. */
static void
start_run(OsmlRun *run)
{
	PG_TRY();
	{
		osml_worker_connect(run->plan, "trainer");
		/* the caller's settings are in force only now */
		run->budget.memory_limit = (int64) osml_max_memory * 1024;
		run->budget.spill_limit = (int64) osml_max_spill * 1024;
		current_run = run;
		before_shmem_exit(trainer_exit, 0);
		osml_log_init(run);
		commit_run_row(run);
	}
	PG_CATCH();
	{
		ErrorData  *edata;

		MemoryContextSwitchTo(run->context);
		edata = CopyErrorData();
		osml_shared_report(run->shared, edata);
		osml_shared_end(run->shared, "failed", run->row.version);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

void
osml_trainer_main(Datum main_arg)
{
	OsmlSegment *segment = osml_worker_start(main_arg);
	OsmlRun    *run;

	osml_segment_own(segment);
	run = create_run(segment);
	start_run(run);
	run_to_end(run);
	current_run = NULL;
}
