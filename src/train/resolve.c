/*
 * resolve.c
 *	  From the arguments of osml_train() to a plan, in the caller's transaction.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "tcop/utility.h"
#include "utils/builtins.h"

#include "catalog/dataset.h"
#include "catalog/model.h"
#include "catalog/rights.h"
#include "catalog/role.h"
#include "catalog/run.h"
#include "hparams/hparams.h"
#include "train/dataset.h"
#include "train/device.h"
#include "train/launcher.h"
#include "train/parts.h"
#include "train/range_test.h"
#include "train/restart.h"
#include "train/since.h"
#include "train/warm.h"
#include "train/worker.h"

/* Where a run may not be started at all. */
static void
check_surroundings(const char *function)
{
	const char *command = psprintf("%s()", function);

	osml_prevent_write(command);
	PreventCommandIfParallelMode(command);
	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot train within a security-restricted operation"),
				 errdetail("Index expressions, materialized views and the like run as their "
						   "owner and must not start workers.")));
}

static void
resolve_parts(OsmlPlan *plan, const OsmlDatasetRow *dataset, OsmlHparams *hparams,
			  const OsmlVersionRow *warm)
{
	OsmlPart   *train = &plan->parts[OSML_PART_TRAIN];

	osml_resolve_train(&plan->parts[OSML_PART_TRAIN], dataset, hparams);
	if (warm)
		osml_warm_features(warm, plan->model, dataset, train);
	osml_resolve_counts(train, dataset, hparams);
	/* a test of learning rates measures nothing on them */
	for (int p = 0; p < OSML_PART_TRAIN && !plan->range.on; p++)
		osml_resolve_held_out(&plan->parts[p], p, dataset, train);
}

/* The model's name: given, or the data set's, or the relation's. */
static char *
model_name(const OsmlTrainRequest *request, const OsmlDatasetRow *dataset)
{
	const char *name = request->model ? request->model : osml_default_model(dataset);

	if (name == NULL && request->range.on)
		name = request->function;
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("a run on a query needs a model name"),
				 errhint("Call osml_train(query, model => 'name').")));
	if (!request->range.on)
		osml_check_model(name, request->model_named);
	return pstrdup(name);
}

/*
 * Rows that only this transaction sees may hold the greatest value of "since", and
 * workers would never read them: then the session reads.
 */
static void
resolve_since_readers(OsmlPlan *plan)
{
	if (plan->since.column == NULL || plan->n_readers == 0 ||
		!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return;
	if (!plan->wait)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("\"since\" does not go with workers in a transaction that has written, whose rows they do not see"),
				 errhint("Commit first, or call osml_train with wait => true.")));
	ereport(NOTICE,
			(errmsg("num_workers is ignored: only this session sees what its transaction has written")));
	plan->n_readers = 0;
}

/* Does any part live in this session only? */
static bool
has_temporary(const OsmlPlan *plan)
{
	for (int p = 0; p < OSML_N_PARTS; p++)
	{
		if (plan->parts[p].present && plan->parts[p].source.temporary)
			return true;
	}
	return false;
}

/* Who reads: the caller, or this many workers. */
static void
resolve_readers(OsmlPlan *plan, const OsmlHparams *hparams)
{
	plan->n_readers = (int) hparams->num_workers;
	if (!plan->wait && plan->n_readers == 0)
		plan->n_readers = 1;
	if (plan->n_readers > 0 && has_temporary(plan))
	{
		if (!plan->wait)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a temporary table can be read only by the session that waits for the run"),
					 errhint("Call osml_train with wait => true.")));
		ereport(NOTICE,
				(errmsg("num_workers is ignored: only this session can read its temporary table")));
		plan->n_readers = 0;
	}
	else if (plan->n_readers > 1 && !OidIsValid(plan->parts[OSML_PART_TRAIN].source.relid))
		ereport(NOTICE,
				(errmsg("one worker reads: %s cannot be read in parts",
						plan->parts[OSML_PART_TRAIN].source.label)));
}

/*
 * What "auto" means here, so that the stored set says what was done.  Only
 * max_epochs waits for the number of rows, and a model of classes for theirs.
 */
static void
resolve_hparams(OsmlHparams *hparams, const OsmlFeatureSet *set)
{
	hparams->label = set->label;
	hparams->features = NIL;
	for (int i = 0; i < set->n_features; i++)
		hparams->features = lappend(hparams->features, set->features[i].name);
	hparams->num_features = set->program->output.n_dense + set->program->output.n_codes;
	/* the one device there is */
	if (hparams->device == 0)
		hparams->device = 1;
	osml_resolve_scale_label(hparams);
}

static void
check_restart(const OsmlHparams *hparams)
{
	if (hparams->restart && !osml_restart_available())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("hyperparameter \"restart\" needs osml to be preloaded"),
				 errhint("Add osml to shared_preload_libraries and restart the server, or set \"restart\" to false.")));
}

/* The version that the run goes on from, or NULL; its hyperparameters are defaults then. */
static OsmlVersionRow *
resolve_warm(OsmlPlan *plan, const OsmlTrainRequest *request, const OsmlDatasetRow *dataset,
			 OsmlHparams **hparams)
{
	OsmlVersionRow *version;

	if ((*hparams)->warm_start == 0)
		return NULL;
	plan->model = model_name(request, dataset);
	version = osml_warm_find(plan->model, *hparams);
	if (version)
		*hparams = osml_warm_hparams(version, plan->model, dataset, request->hparams);
	return version;
}

/* May it start?  Who launches a run whose turn has come has asked already. */
static OsmlTurnAnswer
ask_turn(const OsmlTrainRequest *request, const OsmlDatasetRow *dataset,
		 const OsmlHparams *hparams, OsmlTurn *turn)
{
	if (turn->owner)
		return OSML_TURN_START;
	return osml_turn_ask(turn, osml_current_role(),
						 request->range.on ? NULL : model_name(request, dataset),
						 (OsmlIfRunning) hparams->if_running,
						 request->wait ? OSML_PATIENCE_CLIENT : OSML_PATIENCE_NONE);
}

/*
 * What a queued run is made of is looked up again when its turn has come; here it is
 * only checked.
 */
static void
keep_given(OsmlPlan *plan, const OsmlTrainRequest *request)
{
	plan->hparams = request->hparams ?
		JsonbToCString(NULL, &request->hparams->root, VARSIZE(request->hparams)) : "{}";
}

OsmlPlan *
osml_resolve(const OsmlTrainRequest *request, OsmlLaunch *launch)
{
	OsmlPlan   *plan = palloc0(sizeof(OsmlPlan));
	OsmlDatasetRow *dataset;
	OsmlHparams *hparams;
	OsmlVersionRow *warm;
	OsmlPart   *train = &plan->parts[OSML_PART_TRAIN];
	OsmlTurnAnswer answer;

	check_surroundings(request->function);
	dataset = osml_named_dataset(request->dataset);
	hparams = osml_hparams_parse(dataset->options, request->hparams);
	answer = ask_turn(request, dataset, hparams, &launch->turn);
	if (answer == OSML_TURN_SKIP)
		return NULL;
	plan->queued = answer == OSML_TURN_QUEUE;
	plan->range = request->range;
	warm = resolve_warm(plan, request, dataset, &hparams);
	if (plan->range.on)
		osml_range_resolve(hparams, &plan->range);
	osml_hparams_check(hparams);
	check_restart(hparams);
	osml_check_threads(hparams);
	if (warm == NULL)
		hparams->warm_start = 0;
	plan->wait = request->wait;
	plan->dataset = pstrdup(request->dataset);
	plan->model_named = request->model_named;
	osml_identity_capture(plan);
	resolve_parts(plan, dataset, hparams, warm);
	if (plan->model == NULL)
		plan->model = model_name(request, dataset);
	if (!plan->queued &&
		!osml_since_resolve(&plan->since, train, hparams, plan->model, warm,
							request->summary))
	{
		ereport(NOTICE,
				(errmsg("no row of %s has a \"%s\" above %s: there is nothing new to train on",
						train->source.label, hparams->since, plan->since.above)));
		return NULL;
	}
	resolve_readers(plan, hparams);
	resolve_since_readers(plan);
	resolve_hparams(hparams, &plan->parts[OSML_PART_TRAIN].set);
	plan->hparams = JsonbToCString(NULL, &osml_hparams_to_jsonb(hparams)->root, 0);
	if (plan->queued)
		keep_given(plan, request);
	plan->waited = request->waited;
	plan->resume = request->resume != 0 && !request->waited;
	plan->run_id = request->resume ? request->resume : osml_run_new_id();
	launch->continue_alone = hparams->on_disconnect == OSML_DISCONNECT_CONTINUE;
	return plan;
}
