/*
 * kind.c
 *	  The kind of model of a run: see kind.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "features/key.h"
#include "source/fold.h"
#include "train/kind.h"

/* classes that a message names */
#define MAX_NAMED 8

char *
osml_classes_words(const OsmlClasses *classes)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int k = 0; k < classes->n && k < MAX_NAMED; k++)
		appendStringInfo(&out, "%s\"%s\"", k ? ", " : "", classes->texts[k]);
	if (classes->n > MAX_NAMED)
		appendStringInfo(&out, " and %d others", classes->n - MAX_NAMED);
	return out.data;
}

static bool
wants_classes(OsmlLink link)
{
	return link == OSML_LINK_LOGISTIC || link == OSML_LINK_SOFTMAX;
}

static bool
has_class_weight(const OsmlHparams *hparams)
{
	return hparams->class_weight.word || hparams->class_weight.n > 0;
}

/* Raise: a hyperparameter that this kind of model has no use for. */
static void
useless(const char *name, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("hyperparameter \"%s\" is given, but %s", name, why),
			 errhint("Leave it out.")));
}

/* Weights that this kind of model can have. */
static void
check_weights(const OsmlHparams *hparams, const OsmlFeatureSet *set)
{
	if (has_class_weight(hparams) && !set->label_key)
		useless("class_weight", "the label is no class");
	if (set->exposure && (hparams->loss == 0 ||
						  osml_losses[hparams->loss - 1].link != OSML_LINK_EXP))
		useless("exposure", "the label is no count");
	if ((set->weight || set->exposure) && osml_optimizer_is_exact(hparams->optimizer))
		useless("sample_weight", "optimizer \"exact\" weighs all rows the same");
}

/*
 * Hidden layers, or keys of such where there are none.  What auto leaves open while the
 * number of classes is, has none.
 */
static void
check_network(const OsmlHparams *hparams)
{
	const struct
	{
		const char *name;
		bool		given;
	}			keys[] = {
		{"num_hidden_neurons", hparams->num_hidden_neurons.n > 0},
		{"activation", hparams->activation != OSML_ACTIVATION_RELU},
		{"batch_norm_linear_layers", hparams->batch_norm_linear_layers},
		{"dropout", hparams->dropout > 0},
		{"embedding_dim", hparams->embedding_dim != OSML_AUTO}
	};

	if (hparams->model_type > 0 && osml_models[hparams->model_type - 1].ops == &osml_model_mlp)
	{
		if (osml_optimizer_is_exact(hparams->optimizer))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("optimizer \"exact\" cannot train model_type \"mlp\""),
					 errhint("Choose another \"optimizer\", or leave out \"model_type\".")));
		return;
	}
	for (int i = 0; i < (int) lengthof(keys); i++)
	{
		if (keys[i].given)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("hyperparameter \"%s\" is given, but only model_type \"mlp\" has hidden layers",
							keys[i].name),
					 errhint("Set \"model_type\" to mlp, or leave it out.")));
	}
}

void
osml_kind_resolve(OsmlHparams *hparams, OsmlFeatureSet *set)
{
	OsmlLabelType type = set->label_key ? OSML_LABEL_TYPE_TEXT :
		getBaseType(set->label_type) == BOOLOID ? OSML_LABEL_TYPE_BOOLEAN :
		OSML_LABEL_TYPE_NUMBER;
	const OsmlModelKind *kind = osml_hparams_kind(hparams, type, 0);
	bool		classes = kind == NULL || wants_classes(osml_losses[hparams->loss - 1].link);

	if (set->label_key && !classes)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("model_type \"%s\" with loss \"%s\" needs a number as label, but \"%s\" has type %s",
						kind->name, osml_loss_name(hparams->loss - 1), set->label,
						format_type_be(set->label_type)),
				 errhint("Leave out \"model_type\" and \"loss\" for a model of classes, or name another \"label\".")));
	if (hparams->classes != OSML_AUTO && !classes)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"classes\" is given, but the numbers of label \"%s\" are no classes",
						set->label),
				 errhint("Set \"model_type\" to softmax or logistic, or leave out \"classes\".")));
	check_network(hparams);
	if (osml_optimizer_is_exact(hparams->optimizer) &&
		(classes || hparams->loss != OSML_LOSS_MSE + 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("optimizer \"exact\" solves least squares only"),
				 classes ? errdetail("The label \"%s\" is one of classes.", set->label) : 0,
				 classes ? errhint("Choose another \"optimizer\".") :
				 errhint("Set \"loss\" to mse, or choose another \"optimizer\".")));
	if (classes && hparams->scale_label == OSML_SCALE_STANDARDIZE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"scale_label\" is standardize, but the label \"%s\" is one of classes",
						set->label),
				 errhint("Leave it out.")));
	if (kind && osml_losses[hparams->loss - 1].link == OSML_LINK_EXP &&
		hparams->scale_label == OSML_SCALE_STANDARDIZE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"scale_label\" is standardize, but the label \"%s\" is a count",
						set->label),
				 errdetail("A standardized count can be negative, whose logarithm there is none of."),
				 errhint("Leave it out.")));
	set->label_key = classes;
	check_weights(hparams, set);
	set->layout.has_weight = set->weight || set->exposure || has_class_weight(hparams);
}

const OsmlModelKind *
osml_kind_settle(OsmlHparams *hparams, const OsmlFeatureSet *set,
				 const OsmlClasses *classes, const char *source)
{
	int			n = classes ? classes->n : 0;
	const OsmlModelKind *kind;

	if (classes && n < 2)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("label \"%s\" of %s has one class only, \"%s\"", set->label, source,
						classes->texts[0]),
				 errhint("A model of classes needs rows of two at least.")));
	kind = osml_hparams_kind(hparams, classes ? OSML_LABEL_TYPE_TEXT :
							 OSML_LABEL_TYPE_NUMBER, n);
	if (osml_losses[hparams->loss - 1].link == OSML_LINK_LOGISTIC && n != 2)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("model_type \"%s\" with loss \"%s\" knows two classes, but label \"%s\" of %s has %d",
						kind->name, osml_loss_name(hparams->loss - 1), set->label, source, n),
				 errhint("Leave out \"model_type\" and \"loss\", or set \"model_type\" to softmax.")));
	if (hparams->classes != OSML_AUTO && hparams->classes != n)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("hyperparameter \"classes\" is " INT64_FORMAT ", but label \"%s\" of %s has %d classes",
						hparams->classes, set->label, source, n),
				 errhint("Leave \"classes\" out, or set it to %d.", n)));
	if (classes)
		hparams->classes = n;
	return kind;
}

double *
osml_kind_class_weights(const OsmlHparams *hparams, const OsmlFeatureSet *set,
						const OsmlClasses *classes, const int64 *class_rows)
{
	const OsmlMap *map = &hparams->class_weight;
	double	   *weights;
	double		rows = 0;

	if (!has_class_weight(hparams))
		return NULL;
	weights = palloc(sizeof(double) * classes->n);
	for (int k = 0; k < classes->n; k++)
		rows += class_rows[k];
	/* as scikit-learn's "balanced": all classes weigh the same, a row 1 on average */
	for (int k = 0; k < classes->n; k++)
		weights[k] = map->word && class_rows[k] > 0 ?
			rows / (classes->n * (double) class_rows[k]) : 1;
	for (int i = 0; i < map->n; i++)
	{
		const char *name = set->label_folds ?
			osml_fold_text(map->keys[i], strlen(map->keys[i])) : map->keys[i];
		int			k = osml_classes_find(classes, osml_key(name, strlen(name)));

		if (k < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("hyperparameter \"class_weight\" names \"%s\", which is no class of label \"%s\"",
							map->keys[i], set->label),
					 errhint("The classes are %s.", osml_classes_words(classes))));
		weights[k] = map->values[i];
	}
	for (int k = 0; k < classes->n; k++)
	{
		if (weights[k] > 0)
			return weights;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("hyperparameter \"class_weight\" gives all classes of label \"%s\" the weight 0",
					set->label),
			 errhint("Give one of %s a weight above 0.", osml_classes_words(classes))));
}

void
osml_kind_check_counts(const OsmlHparams *hparams, const OsmlFeatureSet *set,
					   const char *source, const OsmlColumnStats *stats)
{
	const OsmlColumnStats *label = &stats[set->program->output.n_dense];
	OsmlLoss	loss = hparams->loss - 1;

	if (hparams->batch_norm_linear_layers && label->n == 1)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("\"batch_norm_linear_layers\" needs two rows and more, but %s has one to train on",
						source),
				 errhint("Leave it out, or give more rows.")));
	if (osml_losses[loss].link == OSML_LINK_EXP && label->min < 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("model_type \"%s\" with loss \"%s\" needs counts as label, but \"%s\" of %s is as low as %g",
						osml_models[hparams->model_type - 1].name, osml_loss_name(loss),
						set->label, source, label->min),
				 set->exposure ? errdetail("That is \"%s\" over \"%s\".", set->label, set->exposure) : 0,
				 errhint("Choose another \"model_type\", or filter such rows out.")));
}
