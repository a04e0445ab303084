/*
 * kind.c
 *	  The kind of model of a run: see kind.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "train/kind.h"

static bool
wants_classes(OsmlLink link)
{
	return link == OSML_LINK_LOGISTIC || link == OSML_LINK_SOFTMAX;
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
	if (osml_optimizer_is_exact(hparams->optimizer) &&
		(classes || hparams->loss != OSML_LOSS_MSE + 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("optimizer \"exact\" solves least squares only"),
				 classes ? errdetail("The label \"%s\" is one of classes.", set->label) : 0,
				 classes ? errhint("Choose AdamW, Adam or SGD.") :
				 errhint("Set \"loss\" to mse, or choose AdamW, Adam or SGD.")));
	if (classes && hparams->scale_label == OSML_SCALE_STANDARDIZE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"scale_label\" is standardize, but the label \"%s\" is one of classes",
						set->label),
				 errhint("Leave it out.")));
	set->label_key = classes;
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
						hparams->classes, set->label, source, n)));
	if (classes)
		hparams->classes = n;
	return kind;
}
