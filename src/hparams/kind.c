/*
 * kind.c
 *	  Which kind of model, which loss, and which hidden layers.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "hparams/hparams.h"
#include "model/model.h"

/* The losses that a kind may have, for a hint; palloc'd. */
static char *
losses_of(const OsmlModelKind *kind)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < OSML_LOSS_COUNT; i++)
	{
		if (osml_model_takes(kind, (OsmlLoss) i))
			appendStringInfo(&names, "%s%s", names.len ? ", " : "", osml_loss_name(i));
	}
	return names.data;
}

/* The first kind that is trained with a loss. */
static int
kind_of_loss(OsmlLoss loss)
{
	int			i = 0;

	while (!osml_model_takes(&osml_models[i], loss))
		i++;
	return i;
}

static int
kind_by_name(const char *name)
{
	return (int) (osml_model_by_name(name) - osml_models);
}

/* The kind where nobody named one; -1 while the number of classes is open. */
static int
kind_of_label(const OsmlHparams *hparams, OsmlLabelType label, int n_classes)
{
	if (hparams->num_hidden_neurons.n > 0)
		return kind_by_name("mlp");
	if (hparams->loss > 0)
		return kind_of_loss((OsmlLoss) (hparams->loss - 1));
	if (label == OSML_LABEL_TYPE_NUMBER ||
		(label == OSML_LABEL_TYPE_BOOLEAN && osml_optimizer_is_exact(hparams->optimizer)))
		return kind_by_name("linear");
	if (label == OSML_LABEL_TYPE_BOOLEAN || n_classes == 2)
		return kind_by_name("logistic");
	return n_classes == 0 ? -1 : kind_by_name("softmax");
}

/* The loss where nobody named one; -1 while the number of classes is open. */
static int
loss_of_label(const OsmlModelKind *kind, OsmlLabelType label, int n_classes)
{
	OsmlLoss	loss = OSML_LOSS_CROSS_ENTROPY;

	/* most kinds have no choice */
	if (label == OSML_LABEL_TYPE_NUMBER || !osml_model_takes(kind, loss) ||
		kind->loss == loss)
		return (int) kind->loss;
	if (label == OSML_LABEL_TYPE_BOOLEAN || n_classes == 2)
		loss = OSML_LOSS_LOGLOSS;
	else if (n_classes == 0)
		return -1;
	return (int) (osml_model_takes(kind, loss) ? loss : kind->loss);
}

const OsmlModelKind *
osml_hparams_kind(OsmlHparams *hparams, OsmlLabelType label, int n_classes)
{
	int			i = hparams->model_type > 0 ? hparams->model_type - 1 :
		kind_of_label(hparams, label, n_classes);
	const OsmlModelKind *kind = i < 0 ? NULL : &osml_models[i];

	if (kind == NULL)
		return NULL;
	if (hparams->loss > 0 && !osml_model_takes(kind, (OsmlLoss) (hparams->loss - 1)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model_type \"%s\" cannot be trained with loss \"%s\"", kind->name,
						osml_loss_name(hparams->loss - 1)),
				 errhint("Its losses: %s.  Leave out one of the two.", losses_of(kind))));
	hparams->model_type = i + 1;
	if (hparams->loss == 0)
		hparams->loss = loss_of_label(kind, label, n_classes) + 1;
	return hparams->loss == 0 ? NULL : kind;
}

/* hidden layers where nobody chose any */
static const int default_hidden[] = {64, 32};

OsmlNetwork
osml_hparams_network(const OsmlHparams *hparams)
{
	OsmlNetwork network = {
		.activation = (OsmlActivation) hparams->activation,
		.batch_norm = hparams->batch_norm_linear_layers,
		.dropout = hparams->dropout,
		.embedding = hparams->embedding_dim == OSML_AUTO ? 0 : (int) hparams->embedding_dim,
		.seed = hparams->seed
	};
	const OsmlReals *given = &hparams->num_hidden_neurons;

	network.n_hidden = given->n > 0 ? given->n : (int) lengthof(default_hidden);
	for (int i = 0; i < network.n_hidden; i++)
		network.hidden[i] = given->n > 0 ? (int) given->values[i] : default_hidden[i];
	return network;
}
