/*
 * mlp_layers.c
 *	  A multi-layer perceptron layer by layer, for who wants to see it: embeddings,
 *	  then the Sequential with what it has no parameters for.
 */
#include "model/mlp.h"

#include <stdio.h>

/* where layers go */
typedef struct Visiting
{
	const OsmlModelSpec *spec;
	OsmlLayerVisit visit;
	void	   *arg;
} Visiting;

/* module number of the Sequential: as many values in as out, but of a Linear */
static void
visit(const Visiting *visiting, int number, const char *type, int n_in, int n_out,
	  size_t trained, size_t buffers)
{
	OsmlLayer	layer = {
		.type = type,
		.code = -1,
		.n_in = n_in,
		.n_out = n_out,
		.trained = trained,
		.params = trained + buffers
	};

	snprintf(layer.name, sizeof(layer.name), "%d", number);
	visiting->visit(visiting->arg, &layer);
}

static void
visit_embeddings(const Visiting *visiting)
{
	const OsmlModelSpec *spec = visiting->spec;

	for (int k = 0; k < spec->layout.n_codes; k++)
	{
		int			width = osml_mlp_embedding_width(spec, k);
		OsmlLayer	layer = {
			.type = "Embedding",
			.code = k,
			.n_out = width,
			.trained = (size_t) spec->layout.code_sizes[k] * (size_t) width
		};

		layer.params = layer.trained;
		snprintf(layer.name, sizeof(layer.name), "embedding.%d", k);
		visiting->visit(visiting->arg, &layer);
	}
}

/* batch norm, linear, and but for the last one activation and dropout */
static void
visit_linear(const Visiting *visiting, const OsmlMlpLayer *layer, bool hidden)
{
	const OsmlModelSpec *spec = visiting->spec;
	const OsmlNetwork *network = &spec->network;
	size_t		n_in = (size_t) layer->n_in;
	size_t		n_out = (size_t) layer->n_out;
	int			after = layer->linear_number + 1;

	/* running mean and variance, and the number of batches */
	if (network->batch_norm)
		visit(visiting, layer->norm_number, "BatchNorm1d", layer->n_in, layer->n_in,
			  2 * n_in, 2 * n_in + 1);
	visit(visiting, layer->linear_number, "Linear", layer->n_in, layer->n_out,
		  n_in * n_out + (spec->bias ? n_out : 0), 0);
	if (!hidden)
		return;
	visit(visiting, after, osml_activation_name(network->activation), layer->n_out,
		  layer->n_out, 0, 0);
	if (network->dropout > 0)
		visit(visiting, after + 1, "Dropout", layer->n_out, layer->n_out, 0, 0);
}

void
osml_mlp_layers(const OsmlModelSpec *spec, OsmlLayerVisit visit, void *arg)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);
	Visiting	visiting = {spec, visit, arg};

	visit_embeddings(&visiting);
	for (int l = 0; l < mlp.n_layers; l++)
		visit_linear(&visiting, &mlp.layer[l], l < spec->network.n_hidden);
}
