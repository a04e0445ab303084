/*
 * parts.c
 *	  A dataset's parts as a run reads them: see parts.h.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/definition.h"
#include "catalog/model.h"
#include "catalog/rights.h"
#include "rules/loss/loss.h"
#include "source/column.h"
#include "source/definition.h"
#include "train/dataset.h"
#include "train/kind.h"
#include "train/monitor.h"
#include "train/parts.h"
#include "train/run.h"

static void
set_part(OsmlPart *part, OsmlSource *source, OsmlFeatureSet *set)
{
	part->present = true;
	part->source = *source;
	part->set = *set;
	part->set.layout.has_row_number = true;
}

/*
 * A name that the call gives may be mistyped, which no new dataset would mend: the
 * error is about the source alone.
 */
static void
check_named(const OsmlSource *source, const OsmlHparams *hparams, List *definitions)
{
	OsmlSource	plain = *source;
	ListCell   *name;
	ListCell   *cell;

	plain.dataset = NULL;
	if (hparams->label)
		(void) osml_need_column(&plain, hparams->label);
	if (hparams->sample_weight)
		(void) osml_need_column(&plain, hparams->sample_weight);
	if (hparams->exposure)
		(void) osml_need_column(&plain, hparams->exposure);
	if (hparams->since)
		(void) osml_need_column(&plain, hparams->since);
	foreach(name, hparams->features)
	{
		bool		defined = false;

		foreach(cell, definitions)
			defined = defined || strcmp(((OsmlDefinition *) lfirst(cell))->feature,
										lfirst(name)) == 0;
		if (!defined)
			(void) osml_need_column(&plain, lfirst(name));
	}
}

void
osml_resolve_train(OsmlPart *part, const OsmlDatasetRow *dataset, const OsmlHparams *hparams)
{
	OsmlRoles	roles = {
		hparams->label ? hparams->label : dataset->label,
		hparams->sample_weight, hparams->exposure, hparams->since
	};
	OsmlSource *train = osml_dataset_source(dataset, NULL);
	List	   *definitions = dataset->dataset_id ?
		osml_definitions_find(dataset->dataset_id) : NIL;
	List	   *features = hparams->features ? hparams->features :
		osml_dataset_features(dataset, definitions);

	check_named(train, hparams, definitions);
	set_part(part, train, osml_source_features(train, &roles, features, definitions,
											   dataset->name));
}

char *
osml_default_model(const OsmlDatasetRow *dataset)
{
	Oid			relid;

	if (dataset->name)
		return pstrdup(dataset->name);
	relid = osml_dataset_source(dataset, NULL)->relid;
	return OidIsValid(relid) ? get_rel_name(relid) : NULL;
}

void
osml_check_model(const char *name, bool named)
{
	OsmlModelRow *model;

	if (name[0] == '\0' || strlen(name) > OSML_MAX_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("model name must have 1 to %d bytes", OSML_MAX_NAME)));
	model = osml_model_find(name);
	if (model == NULL)
		return;
	osml_model_check(model, OSML_MANAGE);
	osml_model_check_named(model, named);
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
	/* how many categories and classes there are, only the trainer learns */
	if (layout->n_codes == 0 && !set->label_key)
		osml_check_initial_weights(hparams, layout, 0);
}

void
osml_resolve_counts(OsmlPart *train, const OsmlDatasetRow *dataset,
					OsmlHparams *hparams)
{
	osml_kind_resolve(hparams, &train->set);
	osml_monitor_check(hparams, hparams->loss > 0 ? &osml_models[hparams->model_type - 1] : NULL,
					   dataset->val != NULL || hparams->val_fraction > 0 ||
					   hparams->overfit_batches > 0);
	check_counts(hparams, &train->source, &train->set);
	if (hparams->val_fraction > 0 && dataset->val)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"val_fraction\" is given, but the dataset has a val source"),
				 errhint("Leave one of them out.")));
}

void
osml_resolve_held_out(OsmlPart *part, OsmlPartKind kind, const OsmlDatasetRow *dataset,
					  const OsmlPart *train)
{
	bool		is_val = kind == OSML_PART_VAL;
	OsmlSource *source;

	if ((is_val ? dataset->val : dataset->test) == NULL)
		return;
	source = osml_dataset_source(dataset, is_val ? "val" : "test");
	set_part(part, source, osml_source_match(source, &train->set, true));
	osml_set_weights(&part->set, source, train->set.weight, train->set.exposure);
	if (part->set.label_key && !train->set.label_key)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("label \"%s\" of %s has type %s, which is not a number",
						part->set.label, part->source.label,
						format_type_be(part->set.label_type))));
	osml_check_label_type(source, &part->set, train->set.label_type, train->source.label);
	part->set.label_key = train->set.label_key;
	part->set.layout.has_weight = train->set.layout.has_weight;
}

void
osml_check_initial_weights(const OsmlHparams *hparams, const OsmlLayout *layout,
						   int n_classes)
{
	OsmlModelSpec spec = osml_run_spec(hparams, layout, n_classes);
	size_t		n_params = spec.ops->n_params(&spec);
	int			given = hparams->initial_weights.n;

	if (given != 0 && (size_t) given != n_params)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"initial_weights\" has %d members, but the model has %zu parameters",
						given, n_params),
				 errhint("Give one number for each feature value%s%s.",
						 layout->n_codes > 0 ? " and each category" : "",
						 hparams->bias ? " and one for the intercept" : "")));
}

void
osml_resolve_scale_label(OsmlHparams *hparams)
{
	/* the loss may wait for the label */
	if (hparams->scale_label != OSML_SCALE_AUTO || hparams->loss == 0)
		return;
	hparams->scale_label = hparams->scale == OSML_SCALE_STANDARDIZE &&
		osml_loss_is_squared((OsmlLoss) (hparams->loss - 1)) ?
		OSML_SCALE_STANDARDIZE : OSML_SCALE_NONE;
}
