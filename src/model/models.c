/*
 * models.c
 *	  The kinds of model.  A new one is one entry here, and one file in this folder
 *	  if no body there is fits.
 */
#include "model/model.h"

#include "rules/rule.h"

#define LINK(symbol) (1u << OSML_LINK_##symbol)
#define ALL_LINKS (~0u)

const OsmlModelKind osml_models[] = {
	{"linear", &osml_model_linear, OSML_LOSS_MSE, LINK(IDENTITY),
	"an amount: a weighted sum of the features"},
	{"logistic", &osml_model_linear, OSML_LOSS_LOGLOSS, LINK(LOGISTIC),
	"two classes: the log odds of the second are a weighted sum"},
	{"softmax", &osml_model_linear, OSML_LOSS_CROSS_ENTROPY, LINK(SOFTMAX),
	"several classes: a weighted sum for each"},
	{"poisson", &osml_model_linear, OSML_LOSS_POISSON, LINK(EXP),
	"a count: the logarithm of its mean is a weighted sum"},
	{"mlp", &osml_model_mlp, OSML_LOSS_MSE, ALL_LINKS,
	"a network of hidden layers, for whatever its loss says"},
	{NULL, NULL, OSML_LOSS_MSE, 0, NULL}
};

bool
osml_model_takes(const OsmlModelKind *kind, OsmlLoss loss)
{
	return (kind->links & (1u << osml_losses[loss].link)) != 0;
}

/* the kind of that name, whatever its case, or NULL */
const OsmlModelKind *
osml_model_by_name(const char *name)
{
	for (int i = 0; osml_models[i].name != NULL; i++)
	{
		if (osml_name_compare(name, osml_models[i].name) == 0)
			return &osml_models[i];
	}
	return NULL;
}
