/*
 * models.c
 *	  The kinds of model.  A new one is one entry here, and one file in this folder
 *	  if no body there is fits.
 */
#include "model/model.h"

#include "rules/rule.h"

#define LOSS(symbol) (1u << OSML_LOSS_##symbol)
#define ALL_LOSSES ((1u << OSML_LOSS_COUNT) - 1)

const OsmlModelKind osml_models[] = {
	{"linear", &osml_model_linear, OSML_LOSS_MSE, LOSS(MSE) | LOSS(MAE) | LOSS(HUBER),
	"an amount: a weighted sum of the features"},
	{"logistic", &osml_model_linear, OSML_LOSS_LOGLOSS, LOSS(LOGLOSS),
	"two classes: the log odds of the second are a weighted sum"},
	{"softmax", &osml_model_linear, OSML_LOSS_CROSS_ENTROPY, LOSS(CROSS_ENTROPY),
	"several classes: a weighted sum for each"},
	{"poisson", &osml_model_linear, OSML_LOSS_POISSON, LOSS(POISSON),
	"a count: the logarithm of its mean is a weighted sum"},
	{"mlp", &osml_model_mlp, OSML_LOSS_MSE, ALL_LOSSES,
	"a network of hidden layers, for whatever its loss says"},
	{NULL, NULL, OSML_LOSS_MSE, 0, NULL}
};

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
