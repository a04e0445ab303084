/*
 * mlp_plan.c
 *	  The parameters of a multi-layer perceptron: where they are, what they are
 *	  called and how they start.
 *
 * Embeddings first, then the Sequential in order; behind all of them the buffers
 * of batch norm.  Initial values are drawn in the same order, as PyTorch draws
 * them when the modules are made in that order.
 */
#include "model/mlp.h"

#include <math.h>
#include <stdio.h>

#include "compute/mt19937.h"

#define MAX_WIDTH 50

/*
 * Columns of code column k's embedding.  Unless the user says, half the
 * categories, at most 50: the rule of fast.ai's courses up to its library 0.7,
 * min(50, (categories + 1) // 2).
 */
int
osml_mlp_embedding_width(const OsmlModelSpec *spec, int k)
{
	int			half = spec->layout.code_sizes[k] / 2 + spec->layout.code_sizes[k] % 2;

	if (spec->network.embedding > 0)
		return spec->network.embedding;
	return half < MAX_WIDTH ? half : MAX_WIDTH;
}

/* values of code column k's embedding */
static size_t
embedding_size(const OsmlModelSpec *spec, int k)
{
	return (size_t) spec->layout.code_sizes[k] * (size_t) osml_mlp_embedding_width(spec, k);
}

/* value j of a code's embedding */
size_t
osml_mlp_code_place(const OsmlModelSpec *spec, int k, int32_t code, int j)
{
	size_t		place = (size_t) code * (size_t) osml_mlp_embedding_width(spec, k) + (size_t) j;

	for (int i = 0; i < k; i++)
		place += embedding_size(spec, i);
	return place;
}

/* hand out n places */
static size_t
take(size_t *next, size_t n)
{
	size_t		place = *next;

	*next += n;
	return place;
}

/* places of layer l's trained values and its numbers in the Sequential */
static void
place_layer(OsmlMlp *mlp, int l, int *number)
{
	const OsmlModelSpec *spec = mlp->spec;
	OsmlMlpLayer *layer = &mlp->layer[l];
	size_t		n_norm = spec->network.batch_norm ? (size_t) layer->n_in : 0;

	layer->norm_number = *number;
	*number += spec->network.batch_norm ? 1 : 0;
	layer->linear_number = (*number)++;
	/* the activation, and dropout */
	*number += spec->network.dropout > 0 ? 2 : 1;
	layer->gain = take(&mlp->n_params, n_norm);
	layer->shift = take(&mlp->n_params, n_norm);
	layer->weight = take(&mlp->n_params, (size_t) layer->n_in * (size_t) layer->n_out);
	layer->bias = take(&mlp->n_params, spec->bias ? (size_t) layer->n_out : 0);
}

/* the network that a spec describes */
OsmlMlp
osml_mlp_plan(const OsmlModelSpec *spec)
{
	const OsmlNetwork *network = &spec->network;
	OsmlMlp		mlp = {.spec = spec,.n_layers = network->n_hidden + 1};
	int			n_in = spec->layout.n_dense;
	int			number = 0;

	for (int k = 0; k < spec->layout.n_codes; k++)
	{
		n_in += osml_mlp_embedding_width(spec, k);
		mlp.n_params += embedding_size(spec, k);
	}
	for (int l = 0; l < mlp.n_layers; l++)
	{
		mlp.layer[l].n_in = n_in;
		mlp.layer[l].n_out = l < network->n_hidden ? network->hidden[l] : spec->n_outputs;
		place_layer(&mlp, l, &number);
		mlp.width = n_in > mlp.width ? n_in : mlp.width;
		n_in = mlp.layer[l].n_out;
	}
	mlp.n_values = mlp.n_params;
	for (int l = 0; network->batch_norm && l < mlp.n_layers; l++)
	{
		mlp.layer[l].mean = take(&mlp.n_values, (size_t) mlp.layer[l].n_in);
		mlp.layer[l].var = take(&mlp.n_values, (size_t) mlp.layer[l].n_in);
		mlp.layer[l].batches = take(&mlp.n_values, 1);
	}
	return mlp;
}

/* value i of a vector in the compute type */
double
osml_mlp_get(const OsmlMlp *mlp, const void *vector, size_t i)
{
	return mlp->spec->precision == OSML_FLOAT32 ? ((const float *) vector)[i] :
		((const double *) vector)[i];
}

void
osml_mlp_set(const OsmlMlp *mlp, void *vector, size_t i, double value)
{
	if (mlp->spec->precision == OSML_FLOAT32)
		((float *) vector)[i] = (float) value;
	else
		((double *) vector)[i] = value;
}

/* n values from place i on */
static void
fill(const OsmlMlp *mlp, void *vector, size_t i, int n, double value)
{
	for (int j = 0; j < n; j++)
		osml_mlp_set(mlp, vector, i + (size_t) j, value);
}

/*
 * A linear layer: the weight by the spec's init, then the bias as nn.Linear draws
 * it, in PyTorch's own arithmetic: kaiming_uniform_ draws from gain / sqrt(fan_in)
 * * sqrt(3), and nn.Linear calls it with a = sqrt(5).
 */
static void
init_linear(const OsmlMlp *mlp, const OsmlMlpLayer *layer, OsmlMt19937 *mt, void *params)
{
	const OsmlModelSpec *spec = mlp->spec;
	double		a = spec->init == OSML_INIT_TORCH_LINEAR ? sqrt(5.0) : 0;
	double		gain = sqrt(2.0 / (1 + a * a));
	double		root = sqrt((double) layer->n_in);
	double		bound = layer->n_in > 0 ? sqrt(3.0) * (gain / root) : 0;
	size_t		n = (size_t) layer->n_in * (size_t) layer->n_out;
	void	   *weight = osml_mlp_place(mlp, params, layer->weight);

	if (spec->init == OSML_INIT_NORMAL)
		osml_mt19937_normal(mt, spec->precision, n, weight);
	else if (spec->init != OSML_INIT_ZEROS)
		osml_mt19937_uniform(mt, spec->precision, n, -bound, bound, weight);
	if (!spec->bias || spec->init == OSML_INIT_ZEROS)
		return;
	bound = layer->n_in > 0 ? 1 / root : 0;
	osml_mt19937_uniform(mt, spec->precision, (size_t) layer->n_out, -bound, bound,
						 osml_mlp_place(mlp, params, layer->bias));
}

/* running statistics of no batch */
void
osml_mlp_reset_buffers(const OsmlModelSpec *spec, void *params)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);

	for (int l = 0; spec->network.batch_norm && l < mlp.n_layers; l++)
	{
		fill(&mlp, params, mlp.layer[l].mean, mlp.layer[l].n_in, 0);
		fill(&mlp, params, mlp.layer[l].var, mlp.layer[l].n_in, 1);
		fill(&mlp, params, mlp.layer[l].batches, 1, 0);
	}
}

/* initial parameters and buffers */
void
osml_mlp_init(const OsmlModelSpec *spec, void *params)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);
	size_t		embedding = 0;
	OsmlMt19937 mt;

	memset(params, 0, mlp.n_values * osml_precision_size(spec->precision));
	osml_mt19937_seed(&mt, spec->seed);
	for (int k = 0; k < spec->layout.n_codes; k++)
	{
		osml_mt19937_normal(&mt, spec->precision, embedding_size(spec, k),
							osml_mlp_place(&mlp, params, embedding));
		embedding += embedding_size(spec, k);
	}
	for (int l = 0; l < mlp.n_layers; l++)
	{
		const OsmlMlpLayer *layer = &mlp.layer[l];

		if (spec->network.batch_norm)
			fill(&mlp, params, layer->gain, layer->n_in, 1);
		init_linear(&mlp, layer, &mt, params);
	}
	osml_mlp_reset_buffers(spec, params);
}

/* describe a tensor of a module: rows 0 is none, so one dimension less */
static OsmlTensor
describe(const char *module, const char *name, int64_t rows, int64_t columns, size_t offset,
		 bool buffer)
{
	OsmlTensor	tensor = {
		.ndim = rows > 0 ? 2 : 1,
		.shape = {rows > 0 ? rows : columns, rows > 0 ? columns : 0},
		.offset = offset,
		.size = (size_t) ((rows > 0 ? rows : 1) * columns),
		.buffer = buffer
	};

	snprintf(tensor.name, sizeof(tensor.name), "%.16s.%.20s", module, name);
	return tensor;
}

/* embedding.0.weight [categories, width], ...; of very many one flat tensor */
static int
describe_embeddings(const OsmlModelSpec *spec, OsmlTensor *tensors)
{
	int			n_codes = spec->layout.n_codes;
	size_t		offset = 0;

	for (int k = 0; k < n_codes; k++)
	{
		char		module[24];

		snprintf(module, sizeof(module), "embedding.%d", k);
		if (n_codes <= OSML_MLP_MAX_EMBEDDINGS)
			tensors[k] = describe(module, "weight", spec->layout.code_sizes[k],
								  osml_mlp_embedding_width(spec, k), offset, false);
		offset += embedding_size(spec, k);
	}
	if (n_codes <= OSML_MLP_MAX_EMBEDDINGS)
		return n_codes;
	tensors[0] = describe("embedding", "weight", 0, (int64_t) offset, 0, false);
	return 1;
}

/* running statistics of a layer's batch norm */
static int
describe_buffers(const OsmlMlpLayer *layer, const char *module, OsmlTensor *tensors)
{
	tensors[0] = describe(module, "running_mean", 0, layer->n_in, layer->mean, true);
	tensors[1] = describe(module, "running_var", 0, layer->n_in, layer->var, true);
	tensors[2] = describe(module, "num_batches_tracked", 0, 1, layer->batches, true);
	tensors[2].ndim = 0;
	return 3;
}

/* all tensors by nn.Sequential's names, in the order of the parameter vector */
int
osml_mlp_tensors(const OsmlModelSpec *spec, OsmlTensor *tensors)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);
	int			n = describe_embeddings(spec, tensors);
	char		module[16];

	for (int l = 0; l < mlp.n_layers; l++)
	{
		const OsmlMlpLayer *layer = &mlp.layer[l];

		if (spec->network.batch_norm)
		{
			snprintf(module, sizeof(module), "%d", layer->norm_number);
			tensors[n++] = describe(module, "weight", 0, layer->n_in, layer->gain, false);
			tensors[n++] = describe(module, "bias", 0, layer->n_in, layer->shift, false);
		}
		snprintf(module, sizeof(module), "%d", layer->linear_number);
		tensors[n++] = describe(module, "weight", layer->n_out, layer->n_in, layer->weight,
								false);
		if (spec->bias)
			tensors[n++] = describe(module, "bias", 0, layer->n_out, layer->bias, false);
	}
	for (int l = 0; spec->network.batch_norm && l < mlp.n_layers; l++)
	{
		snprintf(module, sizeof(module), "%d", mlp.layer[l].norm_number);
		n += describe_buffers(&mlp.layer[l], module, tensors + n);
	}
	return n;
}
