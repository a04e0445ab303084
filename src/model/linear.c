/*
 * linear.c
 *	  The linear model: z = x W + b, nn.Linear(n, n_outputs).
 *
 * A code column counts as as many one-hot columns as it has codes; instead of
 * multiplying by zeros its one weight is looked up in a table.  The parameter
 * vector holds the weights of the dense columns, the tables of the code columns
 * and, with a bias, one value more; of each output in turn.  So the weights of
 * all outputs come first, row-major as PyTorch has them, then all tables, then
 * all biases.
 */
#include "model/linear.h"

#include <math.h>
#include <stdio.h>

#include "compute/mt19937.h"
#include "compute/pages.h"

/* rows taken at a time when there are several outputs, so that what several of
 * them read stays in cache */
#define TILE_VALUES 16384
#define MIN_TILE 64

/* values before the bias, of one output: one a dense column and a category */
static size_t
n_weights(const OsmlModelSpec *spec)
{
	return (size_t) spec->layout.n_dense + osml_layout_entries(&spec->layout);
}

/* weights, then the bias */
static size_t
linear_n_params(const OsmlModelSpec *spec)
{
	return (size_t) spec->n_outputs * (n_weights(spec) + (spec->bias ? 1 : 0));
}

size_t
osml_linear_weight(const OsmlModelSpec *spec, int k, int j)
{
	return (size_t) k * spec->layout.n_dense + (size_t) j;
}

size_t
osml_linear_entry(const OsmlModelSpec *spec, int k, size_t i)
{
	return (size_t) spec->n_outputs * spec->layout.n_dense +
		(size_t) k * osml_layout_entries(&spec->layout) + i;
}

size_t
osml_linear_bias(const OsmlModelSpec *spec, int k)
{
	return (size_t) spec->n_outputs * n_weights(spec) + (size_t) k;
}

/* value i of a vector in the compute type, as a place */
static void *
place(const OsmlModelSpec *spec, const void *vector, size_t i)
{
	return (char *) vector + i * osml_precision_size(spec->precision);
}

/* value i of a vector in the compute type */
static double
param_at(const OsmlModelSpec *spec, const void *params, size_t i)
{
	return spec->precision == OSML_FLOAT32 ? ((const float *) params)[i] :
		((const double *) params)[i];
}

/* add to value i of a vector in the compute type */
static void
param_add(const OsmlModelSpec *spec, void *params, size_t i, double value)
{
	if (spec->precision == OSML_FLOAT32)
		((float *) params)[i] += (float) value;
	else
		((double *) params)[i] += value;
}

/* the bias of output k, or what stands for it */
static double
linear_bias(const OsmlModelSpec *spec, const void *params, int k)
{
	return spec->bias ? param_at(spec, params, osml_linear_bias(spec, k)) : 0;
}

/*
 * Half the width of the uniform distribution that weight and bias are drawn
 * from, by PyTorch's own arithmetic: kaiming_uniform_ is gain / sqrt(fan_in) *
 * sqrt(3), nn.Linear calls it with a = sqrt(5), and draws the bias from 1 /
 * sqrt(fan_in).
 */
static void
uniform_bounds(const OsmlModelSpec *spec, double *weight, double *bias)
{
	double		a = spec->init == OSML_INIT_TORCH_LINEAR ? sqrt(5.0) : 0;
	double		fan_in = spec->init == OSML_INIT_TORCH_LINEAR ?
		(double) n_weights(spec) : 1;
	double		gain = sqrt(2.0 / (1 + a * a));

	*weight = sqrt(3.0) * (gain / sqrt(fan_in));
	*bias = spec->init == OSML_INIT_TORCH_LINEAR ? 1 / sqrt(fan_in) : *weight;
	if (fan_in == 0)
		*weight = *bias = 0;	/* no columns: PyTorch leaves the bias at 0 */
}

/* n values of the initial distribution from place i on */
static void
draw(const OsmlModelSpec *spec, OsmlMt19937 *mt, double bound, size_t n, void *params,
	 size_t i)
{
	if (spec->init == OSML_INIT_NORMAL)
		osml_mt19937_normal(mt, spec->precision, n, place(spec, params, i));
	else
		osml_mt19937_uniform(mt, spec->precision, n, -bound, bound,
							 place(spec, params, i));
}

/*
 * Initial parameters: the weight is drawn first, then the bias.  A row of the
 * weight goes on in the tables; without tables, and for one output, it is drawn
 * at once as PyTorch does, whose normal draws depend on how many there are.
 */
static void
linear_init(const OsmlModelSpec *spec, void *params)
{
	size_t		n_dense = (size_t) spec->layout.n_dense;
	size_t		entries = osml_layout_entries(&spec->layout);
	double		weight_bound;
	double		bias_bound;
	OsmlMt19937 mt;

	memset(params, 0, linear_n_params(spec) * osml_precision_size(spec->precision));
	if (spec->init == OSML_INIT_ZEROS)
		return;
	osml_mt19937_seed(&mt, spec->seed);
	uniform_bounds(spec, &weight_bound, &bias_bound);
	if (spec->n_outputs == 1 || entries == 0)
		draw(spec, &mt, weight_bound, (size_t) spec->n_outputs * n_weights(spec), params, 0);
	else
	{
		for (int k = 0; k < spec->n_outputs; k++)
		{
			draw(spec, &mt, weight_bound, n_dense, params, osml_linear_weight(spec, k, 0));
			draw(spec, &mt, weight_bound, entries, params, osml_linear_entry(spec, k, 0));
		}
	}
	if (spec->bias)
		draw(spec, &mt, bias_bound, (size_t) spec->n_outputs, params, osml_linear_bias(spec, 0));
}

/* outputs and slopes of a block's rows */
static size_t
linear_scratch(const OsmlModelSpec *spec, int64_t batch_rows)
{
	return 2 * (size_t) spec->n_outputs * OSML_BLOCK_ROWS *
		osml_precision_size(spec->precision);
}

/* rows to take at a time */
static int
tile_rows(const OsmlModelSpec *spec)
{
	int			rows = TILE_VALUES / (spec->layout.n_dense + 1) / MIN_TILE * MIN_TILE;

	if (spec->n_outputs == 1 || rows > OSML_BLOCK_ROWS)
		return OSML_BLOCK_ROWS;
	return rows < MIN_TILE ? MIN_TILE : rows;
}

/* dense columns of rows [lo, hi) */
static OsmlTile
dense_columns(const OsmlModelSpec *spec, const OsmlBlock *block, int lo, int hi)
{
	return (OsmlTile)
	{
		.values = place(spec, osml_block_column(block, 0), (size_t) lo),
		/* a float32 block's columns begin where its float64 ones did */
		.stride = OSML_BLOCK_STRIDE * sizeof(double) / osml_precision_size(spec->precision),
		.rows = hi - lo,
		.n = spec->layout.n_dense
	};
}

/* outputs of n rows, or their slopes */
static OsmlTile
output_columns(const OsmlModelSpec *spec, void *z, int n)
{
	return (OsmlTile)
	{
		.values = z,.stride = (size_t) n,.rows = n,.n = spec->n_outputs
	};
}

/* outputs of rows [lo, hi): output k of row i at k * (hi - lo) + i - lo */
static void
compute_outputs(const OsmlModelSpec *spec, const OsmlBackend *backend,
				const OsmlBlock *block, int lo, int hi, const void *params, void *z)
{
	if (spec->n_outputs == 1)
		backend->affine(backend, spec->precision, &spec->layout, block, lo, hi, params,
						linear_bias(spec, params, 0), z);
	else
		backend->dense(backend, spec->precision, params,
					   spec->bias ? place(spec, params, osml_linear_bias(spec, 0)) : NULL,
					   dense_columns(spec, block, lo, hi),
					   output_columns(spec, z, hi - lo));
	for (int k = 0; k < spec->n_outputs && spec->layout.n_codes > 0; k++)
		backend->gather(backend, spec->precision, &spec->layout, block, lo, hi,
						place(spec, params, osml_linear_entry(spec, k, 0)),
						place(spec, z, (size_t) k * (size_t) (hi - lo)));
}

/* gradient sums of weights and biases */
static void
add_gradients(const OsmlModelSpec *spec, const OsmlBackend *backend,
			  const OsmlBlock *block, int lo, int hi, void *slope, void *grad)
{
	double		sum = 0;

	if (spec->n_outputs > 1)
	{
		backend->dense_grad(backend, spec->precision, output_columns(spec, slope, hi - lo),
							dense_columns(spec, block, lo, hi), grad,
							spec->bias ? place(spec, grad, osml_linear_bias(spec, 0)) : NULL);
		return;
	}
	backend->affine_grad(backend, spec->precision, &spec->layout, block, lo, hi, 0,
						 spec->layout.n_dense, slope, grad);
	if (!spec->bias)
		return;
	backend->sums(backend, spec->precision, output_columns(spec, slope, hi - lo), &sum);
	param_add(spec, grad, osml_linear_bias(spec, 0), sum);
}

/* gradient sum and loss sum of a tile of rows */
static void
accumulate_tile(const OsmlModelSpec *spec, const OsmlBackend *backend,
				const OsmlBlock *block, int lo, int hi, const void *params, void *grad,
				double *loss_sum, void *z, void *slope)
{
	compute_outputs(spec, backend, block, lo, hi, params, z);
	if (osml_loss_by_class(spec->loss))
		*loss_sum += backend->class_loss(backend, spec->precision, spec->loss, spec->n_outputs,
										 &spec->layout, block, lo, hi, z, slope);
	else
		*loss_sum += backend->loss(backend, spec->precision, spec->loss, spec->loss_param,
								   &spec->layout, block, lo, hi, z, slope);
	add_gradients(spec, backend, block, lo, hi, slope, grad);
	for (int k = 0; k < spec->n_outputs && spec->layout.n_codes > 0; k++)
		backend->scatter(backend, spec->precision, &spec->layout, block, lo, hi,
						 place(spec, slope, (size_t) k * (size_t) (hi - lo)),
						 place(spec, grad, osml_linear_entry(spec, k, 0)));
}

/* gradient sum and loss sum of rows [lo, hi) */
static void
linear_accumulate(const OsmlModelSpec *spec, const OsmlBackend *backend,
				  const OsmlBlock *block, int lo, int hi, OsmlRowsAt at,
				  const void *params, void *grad, double *loss_sum, void *scratch)
{
	int			tile = tile_rows(spec);
	void	   *slope = place(spec, scratch, (size_t) spec->n_outputs * OSML_BLOCK_ROWS);

	for (int start = lo; start < hi; start += tile)
		accumulate_tile(spec, backend, block, start, start + tile < hi ? start + tile : hi,
						params, grad, loss_sum, scratch, slope);
}

/* which pages of the gradient rows add to: weights and biases, and entries of codes */
static void
linear_touch(const OsmlModelSpec *spec, const OsmlBlock *block, int lo, int hi,
			 uint64_t *pages)
{
	const OsmlLayout *layout = &spec->layout;
	size_t		table = 0;

	if (block == NULL)
	{
		osml_pages_mark_range(pages, 0, osml_linear_entry(spec, 0, 0));
		osml_pages_mark_range(pages, osml_linear_bias(spec, 0), spec->bias ? spec->n_outputs : 0);
		return;
	}
	for (int c = 0; c < layout->n_codes; c++)
	{
		const int32_t *code = osml_block_codes(block, layout, c);

		for (int k = 0; k < spec->n_outputs; k++)
		{
			size_t		first = osml_linear_entry(spec, k, table);

			for (int r = lo; r < hi; r++)
				osml_pages_mark(pages, first + (size_t) code[r]);
		}
		table += (size_t) layout->code_sizes[c];
	}
}

/* outputs of rows [lo, hi), always float64 */
static void
linear_predict(const OsmlModelSpec *spec, const OsmlBackend *backend,
			   const OsmlBlock *block, int lo, int hi, const void *params,
			   double *z, void *scratch)
{
	bool		narrow = spec->precision == OSML_FLOAT32;
	size_t		n = (size_t) spec->n_outputs * (hi - lo);

	compute_outputs(spec, backend, block, lo, hi, params, narrow ? scratch : z);
	for (size_t i = 0; narrow && i < n; i++)
		z[i] = ((const float *) scratch)[i];
}

/* outputs that are not finite; see model.h */
static bool
linear_find_anomaly(const OsmlModelSpec *spec, const OsmlBackend *backend,
					const OsmlBlock *block, int lo, int hi, OsmlRowsAt at, void *params,
					void *scratch, OsmlAnomaly *found)
{
	int			tile = tile_rows(spec);

	for (int start = lo; block != NULL && start < hi; start += tile)
	{
		int			n = hi - start < tile ? hi - start : tile;

		compute_outputs(spec, backend, block, start, start + n, params, scratch);
		for (int i = 0; i < n * spec->n_outputs; i++)
		{
			int			r = i / spec->n_outputs;
			double		value = param_at(spec, scratch, (size_t) (i % spec->n_outputs * n + r));

			if (isfinite(value))
				continue;
			*found = (OsmlAnomaly)
			{
				.row = start - lo + r,.value = value
			};
			return true;
		}
	}
	return false;
}

/*
 * One output of one prepared row.  The additions go in the order of the
 * backend's affine and gather, so that a row alone and in a block has the same
 * bits.
 */
static double
predict_one(const OsmlModelSpec *spec, const void *params, int k, const double *row,
			const int32_t *codes)
{
	const OsmlLayout *layout = &spec->layout;
	int			n = layout->n_dense;
	size_t		table = 0;

	if (spec->precision == OSML_FLOAT32)
	{
		const float *w = (const float *) params + osml_linear_weight(spec, k, 0);
		const float *entry = (const float *) params + osml_linear_entry(spec, k, 0);
		float		z = (float) linear_bias(spec, params, k);

		for (int j = 0; j < n; j++)
			z = z + w[j] * (float) row[j];
		for (int c = 0; c < layout->n_codes; c++)
		{
			z = z + entry[table + (size_t) codes[c]];
			table += (size_t) layout->code_sizes[c];
		}
		return z;
	}
	else
	{
		const double *w = (const double *) params + osml_linear_weight(spec, k, 0);
		const double *entry = (const double *) params + osml_linear_entry(spec, k, 0);
		double		z = linear_bias(spec, params, k);

		for (int j = 0; j < n; j++)
			z = z + w[j] * row[j];
		for (int c = 0; c < layout->n_codes; c++)
		{
			z = z + entry[table + (size_t) codes[c]];
			table += (size_t) layout->code_sizes[c];
		}
		return z;
	}
}

static void
linear_predict_row(const OsmlModelSpec *spec, const void *params, const double *row,
				   const int32_t *codes, double *z, void *scratch)
{
	for (int k = 0; k < spec->n_outputs; k++)
		z[k] = predict_one(spec, params, k, row, codes);
}

/* a code's entry in the table of each output */
static int
linear_code_width(const OsmlModelSpec *spec, int k)
{
	return spec->n_outputs;
}

static size_t
linear_code_place(const OsmlModelSpec *spec, int k, int32_t code, int j)
{
	return osml_linear_entry(spec, j, osml_layout_table(&spec->layout, k) + (size_t) code);
}

/* mix[k] times output k's value at i, which at() places, over all outputs */
static double
mix_params(const OsmlModelSpec *spec, const void *params, const double *mix, size_t i,
		   size_t (*at) (const OsmlModelSpec *spec, int k, size_t i))
{
	double		sum = 0;

	for (int k = 0; k < spec->n_outputs; k++)
		sum += mix[k] * param_at(spec, params, at(spec, k, i));
	return sum;
}

static size_t
weight_at(const OsmlModelSpec *spec, int k, size_t j)
{
	return osml_linear_weight(spec, k, (int) j);
}

static size_t
bias_at(const OsmlModelSpec *spec, int k, size_t i)
{
	return osml_linear_bias(spec, k);
}

/* weight times distance from the average; of a code, its entry less the average one */
static double
linear_explain(const OsmlModelSpec *spec, const void *params, const double *row,
			   const int32_t *codes, const OsmlAverageRow *average, const double *mix,
			   double *out, void *scratch, osml_pause_fn pause)
{
	const OsmlLayout *layout = &spec->layout;
	const double *entries = average->codes;
	double		base = spec->bias ? mix_params(spec, params, mix, 0, bias_at) : 0;
	size_t		table = 0;

	for (int j = 0; j < layout->n_dense; j++)
	{
		double		w = mix_params(spec, params, mix, (size_t) j, weight_at);

		base += w * average->dense[j];
		out[j] = w * (row[j] - average->dense[j]);
	}
	for (int c = 0; c < layout->n_codes; c++, entries += spec->n_outputs)
	{
		double		mean = 0;

		for (int k = 0; k < spec->n_outputs; k++)
			mean += mix[k] * entries[k];
		base += mean;
		out[layout->n_dense + c] = mix_params(spec, params, mix, table + (size_t) codes[c],
											  osml_linear_entry) - mean;
		table += (size_t) layout->code_sizes[c];
	}
	return base;
}

/* a tensor of a row an output */
static OsmlTensor
matrix(const OsmlModelSpec *spec, const char *name, size_t offset, size_t columns)
{
	OsmlTensor	tensor = {
		.ndim = 2,
		.shape = {spec->n_outputs, (int64_t) columns},
		.offset = offset,
		.size = (size_t) spec->n_outputs * columns
	};

	memcpy(tensor.name, name, strlen(name) + 1);
	return tensor;
}

/*
 * weight [n_outputs, n] and bias [n_outputs], as nn.Linear names them; between
 * them the tables of all code columns as one tensor, as they lie, since there may
 * be more code columns than OSML_MAX_TENSORS.
 */
static int
linear_tensors(const OsmlModelSpec *spec, OsmlTensor *tensors)
{
	size_t		n_dense = (size_t) spec->layout.n_dense;
	size_t		entries = osml_layout_entries(&spec->layout);
	int			n = 0;

	if (n_dense > 0)
		tensors[n++] = matrix(spec, "weight", osml_linear_weight(spec, 0, 0), n_dense);
	if (entries > 0)
		tensors[n++] = matrix(spec, "category_weight", osml_linear_entry(spec, 0, 0), entries);
	if (spec->bias)
		tensors[n++] = (OsmlTensor)
	{
		.name = "bias",
		.ndim = 1,
		.shape = {spec->n_outputs},
		.offset = osml_linear_bias(spec, 0),
		.size = (size_t) spec->n_outputs
	};
	return n;
}

/*
 * nn.Linear over the dense columns, and a table of n_outputs values a category for
 * each code column, all of whose values for a row are added up.
 */
static void
linear_layers(const OsmlModelSpec *spec, OsmlLayerVisit visit, void *arg)
{
	size_t		n_out = (size_t) spec->n_outputs;
	OsmlLayer	linear = {
		.name = "linear",
		.type = "Linear",
		.code = -1,
		.n_in = spec->layout.n_dense,
		.n_out = spec->n_outputs,
		.trained = n_out * ((size_t) spec->layout.n_dense + (spec->bias ? 1 : 0))
	};

	for (int k = 0; k < spec->layout.n_codes; k++)
	{
		OsmlLayer	table = {
			.type = "Embedding",
			.code = k,
			.n_out = spec->n_outputs,
			.trained = n_out * (size_t) spec->layout.code_sizes[k]
		};

		table.params = table.trained;
		snprintf(table.name, sizeof(table.name), "category_weight.%d", k);
		visit(arg, &table);
	}
	linear.params = linear.trained;
	if (linear.trained > 0)
		visit(arg, &linear);
}

/* weights in the columns' own units; see linear.h */
void
osml_linear_unscale(const OsmlModelSpec *spec, const OsmlScaling *scaling,
					const void *params, double *weight, double *intercept)
{
	size_t		n_dense = (size_t) spec->layout.n_dense;
	size_t		entries = osml_layout_entries(&spec->layout);

	for (int k = 0; k < spec->n_outputs; k++, weight += n_dense + entries)
	{
		double		sum = linear_bias(spec, params, k) * scaling->label_scale +
			scaling->label_center;

		for (size_t j = 0; j < n_dense; j++)
		{
			weight[j] = param_at(spec, params, osml_linear_weight(spec, k, 0) + j) *
				(scaling->label_scale / scaling->scale[j]);
			sum -= weight[j] * scaling->center[j];
		}
		for (size_t i = 0; i < entries; i++)
			weight[n_dense + i] = param_at(spec, params, osml_linear_entry(spec, k, 0) + i) *
				scaling->label_scale;
		intercept[k] = sum;
	}
}

/* parameters from weights in the columns' own units; see linear.h */
void
osml_linear_rescale(const OsmlModelSpec *spec, const OsmlScaling *scaling,
					const double *weight, double intercept, void *params)
{
	size_t		n_dense = (size_t) spec->layout.n_dense;
	size_t		n = n_weights(spec);
	double		sum = intercept - scaling->label_center;

	memset(params, 0,
		   linear_n_params(spec) * osml_precision_size(spec->precision));
	for (size_t j = 0; j < n_dense; j++)
	{
		param_add(spec, params, j,
				  weight[j] * (scaling->scale[j] / scaling->label_scale));
		sum += weight[j] * scaling->center[j];
	}
	for (size_t i = n_dense; i < n; i++)
		param_add(spec, params, i, weight[i] / scaling->label_scale);
	if (spec->bias)
		param_add(spec, params, n, sum / scaling->label_scale);
}

const OsmlModelOps osml_model_linear = {
	.name = "linear",
	.n_params = linear_n_params,
	.init = linear_init,
	.scratch = linear_scratch,
	.accumulate = linear_accumulate,
	.touch = linear_touch,
	.find_anomaly = linear_find_anomaly,
	.predict = linear_predict,
	.predict_row = linear_predict_row,
	.code_width = linear_code_width,
	.code_place = linear_code_place,
	.explain = linear_explain,
	.tensors = linear_tensors,
	.layers = linear_layers
};
