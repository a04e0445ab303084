/*
 * resolve.c
 *	  From the arguments of osml_train() to a plan, in the caller's transaction.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/dataset.h"
#include "catalog/definition.h"
#include "catalog/model.h"
#include "catalog/rights.h"
#include "catalog/run.h"
#include "hparams/hparams.h"
#include "model/model.h"
#include "rules/loss/loss.h"
#include "source/column.h"
#include "train/dataset.h"
#include "train/kind.h"
#include "train/launcher.h"
#include "train/monitor.h"
#include "train/run.h"
#include "train/worker.h"

#define MAX_MODEL_NAME 200

/* Where a run may not be started at all. */
static void
check_surroundings(void)
{
	PreventCommandDuringRecovery("osml_train()");
	PreventCommandIfReadOnly("osml_train()");
	PreventCommandIfParallelMode("osml_train()");
	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot train within a security-restricted operation"),
				 errdetail("Index expressions, materialized views and the like run as their "
						   "owner and must not start workers.")));
}

/* The user's own dataset of that name; else the text is the source itself. */
static OsmlDatasetRow *
find_dataset(const char *name)
{
	OsmlDatasetRow *row = osml_own_dataset(name);

	if (row)
		return row;
	row = palloc0(sizeof(OsmlDatasetRow));
	row->train = pstrdup(name);
	return row;
}

/* Resolve one part; val and test must have what train has. */
static void
resolve_part(OsmlPart *part, OsmlSource *source, OsmlFeatureSet *set,
			 const OsmlRoles *roles)
{
	part->present = true;
	part->source = *source;
	part->set = *set;
	part->set.layout.has_row_number = true;
	osml_set_weights(&part->set, source, roles->weight, roles->exposure);
}

/* A hyperparameter that counts the columns must count them right. */
static void
check_counts(const OsmlHparams *hparams, const OsmlSource *train,
			 const OsmlFeatureSet *set)
{
	const OsmlLayout *layout = &set->program->output;
	int			n_values = layout->n_dense + layout->n_codes;

	if (hparams->num_features != OSML_AUTO && hparams->num_features != n_values)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_plural("hyperparameter \"num_features\" is " INT64_FORMAT
							   ", but %s gives %d feature value",
							   "hyperparameter \"num_features\" is " INT64_FORMAT
							   ", but %s gives %d feature values",
							   n_values, hparams->num_features, train->label, n_values),
				 errhint("Leave it out, or name the columns in \"features\".")));
}

static void
resolve_parts(OsmlPlan *plan, const OsmlDatasetRow *dataset, const OsmlHparams *hparams)
{
	OsmlRoles	roles = {
		hparams->label ? hparams->label : dataset->label,
		hparams->sample_weight, hparams->exposure
	};
	OsmlSource *train = osml_dataset_source(dataset, NULL);
	List	   *definitions = dataset->dataset_id ?
		osml_definitions_find(dataset->dataset_id) : NIL;
	List	   *features = hparams->features ? hparams->features :
		osml_dataset_features(dataset, definitions);
	OsmlFeatureSet *set = osml_source_features(train, &roles, features, definitions,
											   dataset->name);
	const char *others[OSML_PART_TRAIN] = {dataset->val, dataset->test};
	static const char *const names[OSML_PART_TRAIN] = {"val", "test"};

	check_counts(hparams, train, set);
	if (hparams->val_fraction > 0 && dataset->val)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"val_fraction\" is given, but the dataset has a val source"),
				 errhint("Leave one of them out.")));
	resolve_part(&plan->parts[OSML_PART_TRAIN], train, set, &roles);
	for (int p = 0; p < OSML_PART_TRAIN; p++)
	{
		OsmlSource *source;

		if (others[p] == NULL)
			continue;
		source = osml_dataset_source(dataset, names[p]);
		resolve_part(&plan->parts[p], source, osml_source_match(source, set, true), &roles);
	}
}

/* The model's name: given, or the data set's, or the relation's. */
static char *
model_name(const OsmlTrainRequest *request, const OsmlDatasetRow *dataset,
		   const OsmlPlan *plan)
{
	Oid			relid = plan->parts[OSML_PART_TRAIN].source.relid;
	const char *name = request->model ? request->model :
		dataset->name ? dataset->name :
		OidIsValid(relid) ? get_rel_name(relid) : NULL;

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("a run on a query needs a model name"),
				 errhint("Call osml_train(query, model => 'name').")));
	if (name[0] == '\0' || strlen(name) > MAX_MODEL_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("model name must have 1 to %d bytes", MAX_MODEL_NAME)));
	return pstrdup(name);
}

/* A model of that name must be ours to train into. */
static void
check_model(const char *name)
{
	OsmlModelRow *model = osml_model_find(name);

	if (model)
		osml_model_check(model, OSML_MANAGE);
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
}

/* How the label is read in each part, as the kind of model wants it. */
static void
resolve_labels(OsmlPlan *plan, OsmlHparams *hparams)
{
	OsmlFeatureSet *train = &plan->parts[OSML_PART_TRAIN].set;

	osml_kind_resolve(hparams, train);
	osml_monitor_check(hparams, hparams->loss > 0 ? &osml_models[hparams->model_type - 1] : NULL,
					   plan->parts[OSML_PART_VAL].present || hparams->val_fraction > 0);
	for (int p = 0; p < OSML_PART_TRAIN; p++)
	{
		OsmlPart   *part = &plan->parts[p];

		if (part->present && part->set.label_key && !train->label_key)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("label \"%s\" of %s has type %s, which is not a number",
							part->set.label, part->source.label,
							format_type_be(part->set.label_type))));
		part->set.label_key = train->label_key;
		part->set.layout.has_weight = train->layout.has_weight;
	}
}

/*
 * What "auto" means here, so that the stored set says what was done.  Only
 * max_epochs waits for the number of rows, and a model of classes for theirs.
 */
static void
resolve_hparams(OsmlHparams *hparams, const OsmlFeatureSet *set)
{
	bool		squared = hparams->loss > 0 &&
		osml_loss_is_squared((OsmlLoss) (hparams->loss - 1));

	hparams->label = set->label;
	hparams->features = NIL;
	for (int i = 0; i < set->n_features; i++)
		hparams->features = lappend(hparams->features, set->features[i].name);
	hparams->num_features = set->program->output.n_dense + set->program->output.n_codes;
	/* the one device there is */
	if (hparams->device == 0)
		hparams->device = 1;
	/* how many categories and classes there are, only the trainer learns */
	if (set->program->output.n_codes == 0 && !set->label_key)
	{
		OsmlModelSpec spec = osml_run_spec(hparams, &set->program->output, 0);

		osml_check_initial_weights(hparams, &spec);
	}
	if (hparams->scale_label == OSML_SCALE_AUTO)
		hparams->scale_label = squared && hparams->scale == OSML_SCALE_STANDARDIZE ?
			OSML_SCALE_STANDARDIZE : OSML_SCALE_NONE;
}

OsmlPlan *
osml_resolve(const OsmlTrainRequest *request, bool *continue_alone)
{
	OsmlPlan   *plan = palloc0(sizeof(OsmlPlan));
	OsmlDatasetRow *dataset;
	OsmlHparams *hparams;

	check_surroundings();
	dataset = find_dataset(request->dataset);
	hparams = osml_hparams_parse(dataset->options, request->hparams);
	osml_hparams_check(hparams);
	plan->wait = request->wait;
	plan->dataset = pstrdup(request->dataset);
	osml_identity_capture(plan);
	resolve_parts(plan, dataset, hparams);
	plan->model = model_name(request, dataset, plan);
	check_model(plan->model);
	resolve_readers(plan, hparams);
	resolve_labels(plan, hparams);
	resolve_hparams(hparams, &plan->parts[OSML_PART_TRAIN].set);
	plan->hparams = JsonbToCString(NULL, &osml_hparams_to_jsonb(hparams)->root, 0);
	plan->run_id = osml_run_new_id();
	*continue_alone = hparams->on_disconnect == OSML_DISCONNECT_CONTINUE;
	return plan;
}
