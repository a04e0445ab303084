/*
 * linear.c
 *	  The linear model: z = x w + b, nn.Linear(n, 1).
 *
 * A code column counts as as many one-hot columns as it has codes; instead of
 * multiplying by zeros its one weight is looked up in a table.  The parameter
 * vector holds the weights of the dense columns, the tables of the code columns
 * and, with a bias, one value more.
 */
#include "model/linear.h"

#include <math.h>

#include "compute/mt19937.h"

/* values before the bias: one for each dense column and each category */
static size_t
n_weights(const OsmlModelSpec *spec)
{
	return (size_t) spec->layout.n_dense + osml_layout_entries(&spec->layout);
}

/* weights, then the bias */
static size_t
linear_n_params(const OsmlModelSpec *spec)
{
	return n_weights(spec) + (spec->bias ? 1 : 0);
}

/* the code columns' part of a vector in the compute type */
static char *
tables_of(const OsmlModelSpec *spec, const void *vector)
{
	return (char *) vector +
		(size_t) spec->layout.n_dense * osml_precision_size(spec->precision);
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

/* the bias, or what stands for it */
static double
linear_bias(const OsmlModelSpec *spec, const void *params)
{
	return spec->bias ? param_at(spec, params, n_weights(spec)) : 0;
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

/* initial parameters: the weight is drawn first, then the bias */
static void
linear_init(const OsmlModelSpec *spec, void *params)
{
	size_t		width = osml_precision_size(spec->precision);
	size_t		n = n_weights(spec);
	char	   *bias = (char *) params + n * width;
	double		weight_bound;
	double		bias_bound;
	OsmlMt19937 mt;

	memset(params, 0, linear_n_params(spec) * width);
	if (spec->init == OSML_INIT_ZEROS)
		return;

	osml_mt19937_seed(&mt, spec->seed);
	if (spec->init == OSML_INIT_NORMAL)
	{
		osml_mt19937_normal(&mt, spec->precision, n, params);
		if (spec->bias)
			osml_mt19937_normal(&mt, spec->precision, 1, bias);
		return;
	}
	uniform_bounds(spec, &weight_bound, &bias_bound);
	osml_mt19937_uniform(&mt, spec->precision, n, -weight_bound, weight_bound,
						 params);
	if (spec->bias)
		osml_mt19937_uniform(&mt, spec->precision, 1, -bias_bound, bias_bound,
							 bias);
}

/* outputs and slopes of a block's rows */
static size_t
linear_scratch(const OsmlModelSpec *spec)
{
	return 2 * OSML_BLOCK_ROWS * osml_precision_size(spec->precision);
}

/* gradient sum and loss sum of rows [lo, hi) */
static void
linear_accumulate(const OsmlModelSpec *spec, const OsmlBackend *backend,
				  const OsmlBlock *block, int lo, int hi, const void *params,
				  void *grad, double *loss_sum, void *scratch)
{
	void	   *z = scratch;
	void	   *slope = (char *) scratch +
		OSML_BLOCK_ROWS * osml_precision_size(spec->precision);
	double		slope_sum;

	backend->affine(spec->precision, &spec->layout, block, lo, hi, params,
					linear_bias(spec, params), z);
	backend->gather(spec->precision, &spec->layout, block, lo, hi,
					tables_of(spec, params), z);
	*loss_sum += backend->loss(spec->precision, spec->loss, spec->loss_param,
							   &spec->layout, block, lo, hi, z, slope);
	slope_sum = backend->affine_grad(spec->precision, &spec->layout, block,
									 lo, hi, slope, grad);
	backend->scatter(spec->precision, &spec->layout, block, lo, hi, slope,
					 tables_of(spec, grad));
	if (spec->bias)
		param_add(spec, grad, n_weights(spec), slope_sum);
}

/* outputs of rows [lo, hi), always float64 */
static void
linear_predict(const OsmlModelSpec *spec, const OsmlBackend *backend,
			   const OsmlBlock *block, int lo, int hi, const void *params,
			   double *z, void *scratch)
{
	bool		narrow = spec->precision == OSML_FLOAT32;
	void	   *out = narrow ? scratch : z;

	backend->affine(spec->precision, &spec->layout, block, lo, hi, params,
					linear_bias(spec, params), out);
	backend->gather(spec->precision, &spec->layout, block, lo, hi,
					tables_of(spec, params), out);
	for (int i = 0; narrow && i < hi - lo; i++)
		z[i] = ((const float *) scratch)[i];
}

/*
 * The output of one prepared row.  The additions go in the order of the
 * backend's affine and gather, so that a row alone and in a block has the same
 * bits.
 */
static double
linear_predict_row(const OsmlModelSpec *spec, const void *params,
				   const double *row, const int32_t *codes)
{
	const OsmlLayout *layout = &spec->layout;
	int			n = layout->n_dense;
	size_t		table = (size_t) n;

	if (spec->precision == OSML_FLOAT32)
	{
		const float *w = params;
		float		z = (float) linear_bias(spec, params);

		for (int j = 0; j < n; j++)
			z = z + w[j] * (float) row[j];
		for (int k = 0; k < layout->n_codes; k++)
		{
			z = z + w[table + (size_t) codes[k]];
			table += (size_t) layout->code_sizes[k];
		}
		return z;
	}
	else
	{
		const double *w = params;
		double		z = linear_bias(spec, params);

		for (int j = 0; j < n; j++)
			z = z + w[j] * row[j];
		for (int k = 0; k < layout->n_codes; k++)
		{
			z = z + w[table + (size_t) codes[k]];
			table += (size_t) layout->code_sizes[k];
		}
		return z;
	}
}

/* a tensor of one row */
static OsmlTensor
row_tensor(const char *name, size_t offset, size_t size)
{
	OsmlTensor	tensor = {
		.ndim = 2,
		.shape = {1, (int64_t) size},
		.offset = offset,
		.size = size
	};

	memcpy(tensor.name, name, strlen(name) + 1);
	return tensor;
}

/*
 * weight [1, n] and bias [1], as nn.Linear(n, 1) names them; between them the
 * tables of all code columns as one tensor, as they lie, since there may be
 * more code columns than OSML_MAX_TENSORS.
 */
static int
linear_tensors(const OsmlModelSpec *spec, OsmlTensor *tensors)
{
	size_t		n_dense = (size_t) spec->layout.n_dense;
	size_t		entries = osml_layout_entries(&spec->layout);
	int			n = 0;

	if (n_dense > 0)
		tensors[n++] = row_tensor("weight", 0, n_dense);
	if (entries > 0)
		tensors[n++] = row_tensor("category_weight", n_dense, entries);
	if (spec->bias)
		tensors[n++] = (OsmlTensor)
	{
		.name = "bias",
		.ndim = 1,
		.shape = {1},
		.offset = n_dense + entries,
		.size = 1
	};
	return n;
}

/* weights in the columns' own units; see linear.h */
void
osml_linear_unscale(const OsmlModelSpec *spec, const OsmlScaling *scaling,
					const void *params, double *weight, double *intercept)
{
	size_t		n_dense = (size_t) spec->layout.n_dense;
	size_t		n = n_weights(spec);
	double		sum = linear_bias(spec, params) * scaling->label_scale +
		scaling->label_center;

	for (size_t j = 0; j < n_dense; j++)
	{
		weight[j] = param_at(spec, params, j) *
			(scaling->label_scale / scaling->scale[j]);
		sum -= weight[j] * scaling->center[j];
	}
	for (size_t i = n_dense; i < n; i++)
		weight[i] = param_at(spec, params, i) * scaling->label_scale;
	*intercept = sum;
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
	.predict = linear_predict,
	.predict_row = linear_predict_row,
	.tensors = linear_tensors
};
