/*
 * checkpoint.c
 *	  Saving and restoring the state of a run: see checkpoint.h.
 *
 * One list names the counters, for both ways.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "catalog/checkpoint.h"
#include "source/definition.h"
#include "train/best.h"
#include "train/checkpoint.h"
#include "train/divergence.h"
#include "train/monitor.h"
#include "train/version.h"
#include "train/weights.h"
#include "train/worker.h"

/* where no hyperparameter says how often: an interrupted run loses five minutes */
#define AUTO_INTERVAL 300

#define MAX_COUNTERS 48
#define MAX_SLOTS 4
#define FALLBACK_VECTORS 3

/* an opened checkpoint, while a run that goes on needs it */
struct OsmlResume
{
	MemoryContext context;		/* of the row and of this */
	OsmlCheckpointRow *row;
	OsmlSafetensors file;
	uint64		fingerprint;	/* of the training rows read by then */
	uint64		val_fingerprint;
	bool		has_order;		/* an older checkpoint has not */
	uint64		order;
	uint64		val_order;
};

typedef struct FallbackVector
{
	const char *name;
	int64		n;
	void	   *data;
} FallbackVector;

typedef enum CounterKind
{
	COUNTER_INT,
	COUNTER_REAL,
	COUNTER_FLAG
} CounterKind;

typedef struct Counter
{
	const char *name;
	CounterKind kind;
	void	   *value;
} Counter;

/* All numbers that a step leaves behind. */
static int
list_counters(OsmlFit *fit, Counter *out)
{
	OsmlRun    *run = fit->run;
	OsmlMonitor *monitor = run->monitor;
	Counter		counters[] = {
		{"steps", COUNTER_INT, &run->row.steps},
		{"epoch", COUNTER_INT, &run->row.epoch},
		{"rows_seen", COUNTER_INT, &run->row.rows_seen},
		{"train_loss", COUNTER_REAL, &run->train_loss},
		{"val_loss", COUNTER_REAL, &run->val_loss},
		{"validation_logged", COUNTER_FLAG, &run->validation_logged},
		{"batches", COUNTER_INT, &fit->n_batches},
		{"epoch_first_batch", COUNTER_INT, &fit->epoch_first_batch},
		{"validated_batch", COUNTER_INT, &fit->validated_batch},
		{"epoch_loss_sum", COUNTER_REAL, &fit->epoch_loss_sum},
		{"epoch_weight", COUNTER_REAL, &fit->epoch_weight},
		{"first_loss", COUNTER_REAL, &fit->first_loss},
		{"clipped_steps", COUNTER_INT, &fit->clipped_steps},
		{"logged_step", COUNTER_INT, &fit->logged_step},
		{"last_raw_loss", COUNTER_REAL, &fit->last.raw_loss},
		{"last_loss", COUNTER_REAL, &fit->last.loss},
		{"last_norm", COUNTER_REAL, &fit->last.norm},
		{"last_norm_clipped", COUNTER_REAL, &fit->last.norm_clipped},
		{"last_lr", COUNTER_REAL, &fit->last.lr},
		{"lr_factor", COUNTER_REAL, &fit->fallback.lr_factor},
		{"steps_skipped", COUNTER_INT, &fit->fallback.skipped},
		{"skipped_in_a_row", COUNTER_INT, &fit->fallback.skipped_in_a_row},
		{"rollbacks", COUNTER_INT, &fit->fallback.rollbacks},
		{"fallback_step", COUNTER_INT, &fit->fallback.step},
		{"fallback_loss", COUNTER_REAL, &fit->fallback.loss},
		{"fallback_epoch", COUNTER_INT, &fit->fallback.epoch},
		{"fallback_epoch_loss_sum", COUNTER_REAL, &fit->fallback.epoch_loss_sum},
		{"fallback_epoch_weight", COUNTER_REAL, &fit->fallback.epoch_weight},
		{"fallback_kept", COUNTER_INT, &fit->fallback.kept},
		{"fallback_since", COUNTER_INT, &fit->fallback.since},
		{"fallback_due", COUNTER_FLAG, &fit->fallback.due},
		{"fallback_exploded", COUNTER_INT, &fit->fallback.exploded},
		{"fallback_averaged", COUNTER_INT, &fit->fallback.averaged},
		{"fallback_stale", COUNTER_FLAG, &fit->fallback.stale},
		{"fallback_rate_before_swa", COUNTER_REAL, &fit->fallback.rate_before},
		{"averaged", COUNTER_INT, &fit->averaging.average.n},
		{"averages_stale", COUNTER_FLAG, &fit->averaging.stale},
		{"rate_before_swa", COUNTER_REAL, &fit->averaging.rate_before},
		{"plateau_factor", COUNTER_REAL, &monitor->plateau.factor},
		{"plateau_best", COUNTER_REAL, &monitor->plateau.best},
		{"plateau_bad", COUNTER_INT, &monitor->plateau.bad},
		{"plateau_cooldown", COUNTER_INT, &monitor->plateau.cooldown},
		{"stop_best", COUNTER_REAL, &monitor->stop.best},
		{"stop_waited", COUNTER_INT, &monitor->stop.waited},
		{"stop_improved", COUNTER_FLAG, &monitor->stop.improved},
	};

	StaticAssertStmt(lengthof(counters) <= MAX_COUNTERS, "too many counters");
	memcpy(out, counters, sizeof(counters));
	return lengthof(counters);
}

static char *
counter_text(const Counter *counter)
{
	switch (counter->kind)
	{
		case COUNTER_INT:
			return psprintf(INT64_FORMAT, *(int64 *) counter->value);
		case COUNTER_REAL:
			return psprintf("%.17g", *(double *) counter->value);
		case COUNTER_FLAG:
			return psprintf("%d", *(bool *) counter->value);
	}
	return NULL;
}

/* A text of the metadata, palloc'd, or NULL. */
static char *
metadata(const OsmlSafetensors *file, const char *key)
{
	int64		length = osml_safetensors_metadata(file, key, NULL, 0);
	char	   *text;

	if (length < 0)
		return NULL;
	text = MemoryContextAllocHuge(CurrentMemoryContext, length + 1);
	(void) osml_safetensors_metadata(file, key, text, length + 1);
	return text;
}

/* A checkpoint without it keeps the counter as it is: it is older than the counter. */
static void
read_counter(const OsmlSafetensors *file, const Counter *counter)
{
	char	   *text = metadata(file, counter->name);

	if (text == NULL)
		return;
	switch (counter->kind)
	{
		case COUNTER_INT:
			*(int64 *) counter->value = strtoi64(text, NULL, 10);
			break;
		case COUNTER_REAL:
			*(double *) counter->value = strtod(text, NULL);
			break;
		case COUNTER_FLAG:
			*(bool *) counter->value = text[0] == '1';
			break;
	}
}

static uint64
read_fingerprint(const OsmlSafetensors *file, const char *name)
{
	char	   *text = metadata(file, name);

	return text ? strtou64(text, NULL, 10) : 0;
}

/* The classes of the label as JSON, in their order. */
static char *
classes_text(const OsmlRun *run)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '[');
	for (int k = 0; run->classes && k < run->classes->n; k++)
	{
		appendStringInfoString(&out, k ? ", " : "");
		escape_json(&out, run->classes->texts[k]);
	}
	appendStringInfoChar(&out, ']');
	return out.data;
}

static void
add_vector(OsmlSafetensor *out, const char *name, OsmlPrecision precision, int64 n,
		   const void *data)
{
	memset(out, 0, sizeof(*out));
	strlcpy(out->name, name, sizeof(out->name));
	out->precision = precision;
	out->ndim = 1;
	out->shape[0] = n;
	out->data = data;
}

static int
optimizer_slots(const OsmlRun *run)
{
	return osml_optim_slots((OsmlOptim) run->hparams->optimizer);
}

/* Slot s of the optimiser's state: a value a trained parameter. */
static char *
optimizer_slot(OsmlFit *fit, int s)
{
	return (char *) fit->optim_state +
		(size_t) s * fit->n_params * osml_precision_size(fit->run->spec.precision);
}

/* What a rollback returns to: values, optimiser, averages. */
static int
list_fallback(OsmlFit *fit, FallbackVector *out)
{
	const OsmlFallback *fallback = &fit->fallback;
	Size		width = osml_precision_size(fit->run->spec.precision);
	Size		all = osml_fallback_params_bytes(fit->run) / width;
	FallbackVector vectors[] = {
		{"fallback.params", all, fallback->params},
		{"fallback.optimizer", osml_fallback_optim_bytes(fit) / width, fallback->optim_state},
		{"fallback.average", all, fallback->averages},
	};
	int			n = 0;

	StaticAssertStmt(lengthof(vectors) == FALLBACK_VECTORS, "another number of vectors");
	for (int i = 0; i < FALLBACK_VECTORS; i++)
	{
		if (vectors[i].data)
			out[n++] = vectors[i];
	}
	return n;
}

static int
add_fallback(OsmlFit *fit, OsmlSafetensor *out)
{
	FallbackVector vectors[FALLBACK_VECTORS];
	int			n = list_fallback(fit, vectors);

	for (int i = 0; i < n; i++)
		add_vector(&out[i], vectors[i].name, fit->run->spec.precision, vectors[i].n,
				   vectors[i].data);
	return n;
}

/* Beside the parameters: the optimiser, the scaling and the places in the data. */
static int
add_state(OsmlFit *fit, OsmlSafetensor *out, double *label, double *lanes)
{
	OsmlRun    *run = fit->run;
	const OsmlScaling *scaling = &run->scaling;
	int			n = 0;

	for (int s = 0; s < optimizer_slots(run); s++)
		add_vector(&out[n++], psprintf("optimizer.%d", s), run->spec.precision,
				   fit->n_params, optimizer_slot(fit, s));
	add_vector(&out[n++], "scaling.center", OSML_FLOAT64, scaling->n, scaling->center);
	add_vector(&out[n++], "scaling.scale", OSML_FLOAT64, scaling->n, scaling->scale);
	add_vector(&out[n++], "scaling.impute", OSML_FLOAT64, scaling->n, scaling->impute);
	label[0] = scaling->label_center;
	label[1] = scaling->label_scale;
	add_vector(&out[n++], "scaling.label", OSML_FLOAT64, 2, label);
	for (int l = 0; l < run->hparams->lanes; l++)
	{
		lanes[2 * l] = fit->lanes[l].epoch;
		lanes[2 * l + 1] = fit->lanes[l].epoch_rows;
	}
	add_vector(&out[n++], "lanes", OSML_FLOAT64, 2 * run->hparams->lanes, lanes);
	if (fit->averaging.average.n > 0)
		add_vector(&out[n++], "average", run->spec.precision, fit->averaging.n_values,
				   fit->averaging.values);
	return n + add_fallback(fit, out + n);
}

static int64
checkpoint_bytes(const OsmlFit *fit)
{
	return (int64) osml_run_checkpoint_bytes(&fit->run->spec, fit->run->hparams);
}

static bytea *
pack_state(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	OsmlSafetensor *tensors = palloc(sizeof(OsmlSafetensor) * (OSML_MAX_TENSORS + MAX_SLOTS +
													   FALLBACK_VECTORS + 8));
	OsmlSafetensorsMeta meta[MAX_COUNTERS + 8];
	Counter		counters[MAX_COUNTERS];
	double		label[2];
	int			n_counters = list_counters(fit, counters);
	int			n = osml_weights_tensors(run, tensors);
	int			m = 0;
	Jsonb	   *features = osml_pack_features(run);

	n += add_state(fit, tensors + n, label, palloc(sizeof(double) * 2 * run->hparams->lanes));
	meta[m++] = (OsmlSafetensorsMeta) {"format", "osml checkpoint"};
	for (int i = 0; i < n_counters; i++)
		meta[m++] = (OsmlSafetensorsMeta) {counters[i].name, counter_text(&counters[i])};
	meta[m++] = (OsmlSafetensorsMeta) {"fingerprint",
		psprintf(UINT64_FORMAT, run->fingerprint)};
	meta[m++] = (OsmlSafetensorsMeta) {"val_fingerprint",
		psprintf(UINT64_FORMAT, run->val_fingerprint)};
	meta[m++] = (OsmlSafetensorsMeta) {"order", psprintf(UINT64_FORMAT, run->order)};
	meta[m++] = (OsmlSafetensorsMeta) {"val_order", psprintf(UINT64_FORMAT, run->val_order)};
	meta[m++] = (OsmlSafetensorsMeta) {"seconds",
		psprintf("%.6f", (GetCurrentTimestamp() - run->started_at) / 1e6)};
	meta[m++] = (OsmlSafetensorsMeta) {"classes", classes_text(run)};
	meta[m++] = (OsmlSafetensorsMeta) {"features",
		JsonbToCString(NULL, &features->root, VARSIZE(features))};
	return osml_weights_pack(tensors, n, meta, m);
}

/* With what was measured by then, in one transaction. */
static void
save(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	MemoryContext old = CurrentMemoryContext;
	const char *before = osml_run_phase(run, "writing a checkpoint");
	OsmlCheckpointRow row = {
		.run_id = run->row.run_id,
		.kind = OSML_CHECKPOINT_LAST,
		.step = run->row.steps,
		.epoch = run->row.epoch,
		.value = NAN,
		.train_loss = run->train_loss,
		.val_loss = run->val_loss
	};

	osml_log_flush(run, true);
	osml_worker_begin(run->plan);
	row.state = pack_state(fit);
	osml_checkpoint_put_last(&row);
	osml_worker_end();
	MemoryContextSwitchTo(old);
	fit->checkpoint_step = run->row.steps;
	fit->checkpoint_at = GetCurrentTimestamp();
	(void) osml_run_phase(run, before);
}

/* Seconds between checkpoints; 0: time makes none. */
static double
interval(const OsmlHparams *hparams)
{
	if (!isnan(hparams->train_time_interval))
		return hparams->train_time_interval;
	return hparams->every_n_train_steps == OSML_AUTO ? AUTO_INTERVAL : 0;
}

/*
 * Checkpoints that were asked for have their memory, or the run is refused; those
 * that nobody asked for are made if there is room when they are due.
 */
void
osml_checkpoint_setup(OsmlFit *fit)
{
	const OsmlHparams *hparams = fit->run->hparams;
	bool		asked = hparams->every_n_train_steps != OSML_AUTO ||
		!isnan(hparams->train_time_interval);

	fit->checkpoint_at = GetCurrentTimestamp();
	fit->checkpoint_off = hparams->fast_dev_run > 0 || fit->run->plan->range.on ||
		(hparams->every_n_train_steps == OSML_AUTO && interval(hparams) == 0);
	if (!asked || fit->checkpoint_off)
		return;
	if (checkpoint_bytes(fit) > OSML_MAX_CHECKPOINT)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a checkpoint of this model would have more than %d MB",
						OSML_MAX_CHECKPOINT / 1024 / 1024),
				 errhint("Leave out \"every_n_train_steps\" and set \"train_time_interval\" to 0.")));
	osml_run_take(fit->run, checkpoint_bytes(fit));
	fit->checkpoint_paid = true;
}

static bool
is_due(const OsmlFit *fit)
{
	const OsmlHparams *hparams = fit->run->hparams;
	double		seconds = interval(hparams);

	if (hparams->every_n_train_steps != OSML_AUTO &&
		fit->run->row.steps - fit->checkpoint_step >= hparams->every_n_train_steps)
		return true;
	return seconds > 0 &&
		TimestampDifferenceExceeds(fit->checkpoint_at, GetCurrentTimestamp(),
								   (int) Min(seconds * 1000, (double) INT_MAX));
}

void
osml_checkpoint_maybe(OsmlFit *fit)
{
	/* between steps there is nothing that is not in the state */
	if (fit->checkpoint_off || fit->step_rows > 0 ||
		fit->run->row.steps == fit->checkpoint_step || !is_due(fit))
		return;
	if (!fit->checkpoint_paid &&
		(checkpoint_bytes(fit) > OSML_MAX_CHECKPOINT ||
		 !osml_budget_take(&fit->run->budget, checkpoint_bytes(fit))))
	{
		fit->checkpoint_off = true;
		osml_log_event(fit->run, "warning", "no_checkpoints",
					   "there is no room for checkpoints within osml.max_memory: interrupted, "
					   "the run would have to begin anew");
		return;
	}
	fit->checkpoint_paid = true;
	save(fit);
}

/* Raise: the features of the run have other inputs, or other names, by now. */
static void
other_features(const OsmlRun *run)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the features of run " INT64_FORMAT " have changed since its checkpoint",
					run->row.run_id),
			 errhint("Restore the columns and definitions of \"%s\", or train anew with osml_train.",
					 run->plan->dataset)));
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The definitions as they were fitted: what is learned anew might differ. */
static void
take_definitions(OsmlRun *run)
{
	char	   *json = metadata(&run->resume->file, "features");
	OsmlFeatureSet *stored;

	if (json == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the checkpoint of run " INT64_FORMAT " cannot be read", run->row.run_id),
				 errdetail("It has no features.")));
	stored = osml_feature_set_from_jsonb(DatumGetJsonbP(DirectFunctionCall1(jsonb_in,
																			CStringGetDatum(json))));
	if (stored->n_inputs != run->set->n_inputs || stored->n_features != run->set->n_features ||
		list_length(stored->definitions) != list_length(run->set->definitions))
		other_features(run);
	for (int i = 0; i < stored->n_inputs; i++)
	{
		const OsmlInput *a = &stored->inputs[i];
		const OsmlInput *b = &run->set->inputs[i];

		if (a->kind != b->kind || a->column != b->column || a->n_elements != b->n_elements ||
			!same_text(a->name, b->name) || !same_text(a->expression, b->expression))
			other_features(run);
	}
	for (int i = 0; i < stored->n_features; i++)
	{
		if (!same_text(stored->features[i].name, run->set->features[i].name))
			other_features(run);
	}
	run->set->definitions = stored->definitions;
	osml_feature_set_build(run->set, run->plan->dataset);
}

/* What osml.runs shows is true at once, and stays so where the run is refused later. */
static void
show_progress(OsmlRun *run)
{
	Counter		rows_seen = {"rows_seen", COUNTER_INT, &run->row.rows_seen};

	run->row.steps = run->resume->row->step;
	run->row.epoch = run->resume->row->epoch;
	read_counter(&run->resume->file, &rows_seen);
}

void
osml_checkpoint_open(OsmlRun *run)
{
	MemoryContext context;
	MemoryContext old = CurrentMemoryContext;
	OsmlCheckpointRow *row;
	struct OsmlResume *resume;
	char	   *text;

	context = AllocSetContextCreate(run->context, "osml checkpoint", ALLOCSET_DEFAULT_SIZES);
	osml_worker_begin(run->plan);
	MemoryContextSwitchTo(context);
	row = osml_checkpoint_last(run->row.run_id);
	osml_worker_end();
	MemoryContextSwitchTo(old);
	if (row == NULL)
	{
		MemoryContextDelete(context);
		osml_log_event(run, "info", "resumed", "there is no checkpoint: the run begins anew");
		return;
	}
	resume = MemoryContextAllocZero(context, sizeof(struct OsmlResume));
	resume->context = context;
	resume->row = row;
	osml_weights_open(row->state, &resume->file);
	run->resume = resume;
	resume->fingerprint = read_fingerprint(&resume->file, "fingerprint");
	resume->val_fingerprint = read_fingerprint(&resume->file, "val_fingerprint");
	resume->has_order = metadata(&resume->file, "order") != NULL;
	resume->order = read_fingerprint(&resume->file, "order");
	resume->val_order = read_fingerprint(&resume->file, "val_order");
	show_progress(run);
	text = metadata(&resume->file, "seconds");
	if (text)
		run->started_at -= (int64) (strtod(text, NULL) * 1e6);
	take_definitions(run);
	osml_log_event(run, "info", "resumed",
				   psprintf("the run goes on from its checkpoint after step " INT64_FORMAT, row->step));
}

/* A vector that every checkpoint of such a model has. */
static void
read_vector(const OsmlRun *run, const char *name, OsmlPrecision precision, size_t n, void *out)
{
	if (!osml_weights_copy(&run->resume->file, name, precision, n, out))
		other_features(run);
}

void
osml_checkpoint_scaling(OsmlRun *run)
{
	OsmlScaling *scaling = &run->scaling;
	double		label[2];
	char	   *classes;

	if (run->resume == NULL)
		return;
	classes = metadata(&run->resume->file, "classes");
	if (!same_text(classes, classes_text(run)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the classes of label \"%s\" have changed since the checkpoint of run "
						INT64_FORMAT, run->set->label, run->row.run_id),
				 errdetail("They were %s and are %s.", classes ? classes : "[]", classes_text(run)),
				 errhint("Train anew with osml_train.")));
	read_vector(run, "scaling.center", OSML_FLOAT64, scaling->n, scaling->center);
	read_vector(run, "scaling.scale", OSML_FLOAT64, scaling->n, scaling->scale);
	read_vector(run, "scaling.impute", OSML_FLOAT64, scaling->n, scaling->impute);
	read_vector(run, "scaling.label", OSML_FLOAT64, 2, label);
	scaling->label_center = label[0];
	scaling->label_scale = label[1];
}

void
osml_checkpoint_restore(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	Counter		counters[MAX_COUNTERS];
	FallbackVector vectors[FALLBACK_VECTORS];
	int			n = list_counters(fit, counters);
	double	   *lanes = palloc(sizeof(double) * 2 * run->hparams->lanes);

	osml_weights_load(run, &run->resume->file);
	for (int s = 0; s < optimizer_slots(run); s++)
		read_vector(run, psprintf("optimizer.%d", s), run->spec.precision, fit->n_params,
					optimizer_slot(fit, s));
	for (int i = 0; i < n; i++)
		read_counter(&run->resume->file, &counters[i]);
	if (fit->averaging.average.n > 0)
		read_vector(run, "average", run->spec.precision, fit->averaging.n_values,
					fit->averaging.values);
	n = list_fallback(fit, vectors);
	for (int i = 0; i < n; i++)
		read_vector(run, vectors[i].name, run->spec.precision, vectors[i].n, vectors[i].data);
	read_vector(run, "lanes", OSML_FLOAT64, 2 * run->hparams->lanes, lanes);
	for (int l = 0; l < run->hparams->lanes; l++)
	{
		fit->lanes[l].epoch = (int64) lanes[2 * l];
		fit->lanes[l].epoch_rows = (int64) lanes[2 * l + 1];
	}
	fit->checkpoint_step = run->row.steps;
	fit->lap_step = run->row.steps;
	fit->lap_rows = run->row.rows_seen;
	run->shared->step = run->row.steps;
	run->shared->epoch = run->row.epoch;
	run->shared->rows_seen = run->row.rows_seen;
}

/* Rows that are others than they were, or the same in another order. */
static void
rows_changed(OsmlRun *run, const char *part, int64 step, bool moved)
{
	if (run->hparams->on_changed_data == OSML_CHANGED_DATA_CONTINUE)
	{
		osml_log_event(run, "warning", "data_changed",
					   psprintf("the %s rows are %s than before step " INT64_FORMAT, part,
								moved ? "in another order" : "others", step));
		return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 moved ?
			 errmsg("the %s rows of run " INT64_FORMAT " are in another order than before its checkpoint",
					part, run->row.run_id) :
			 errmsg("the %s rows of run " INT64_FORMAT " have changed since its checkpoint", part,
					run->row.run_id),
			 errdetail("On the same rows%s it would end as if it had not been interrupted.",
					   moved ? " in the same order" : ""),
			 errhint("Resume it with '{\"on_changed_data\": \"continue\"}', or train anew with osml_train.")));
}

/*
 * A streamed pass has counted the rows up to here, as it had then.  What was needed
 * of the checkpoint has been copied.
 */
void
osml_checkpoint_compare(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	const struct OsmlResume *resume = run->resume;
	bool		changed = run->fingerprint != resume->fingerprint;
	bool		val_changed = run->val_fingerprint != resume->val_fingerprint;
	bool		moved = resume->has_order && run->order != resume->order;
	bool		val_moved = resume->has_order && run->val_order != resume->val_order;
	int64		step = resume->row->step;

	MemoryContextDelete(resume->context);
	run->resume = NULL;
	if (changed || moved)
		rows_changed(run, "training", step, !changed);
	if (val_changed || val_moved)
		rows_changed(run, "validation", step, !val_changed);
}
