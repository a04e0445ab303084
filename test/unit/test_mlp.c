/*
 * test_mlp.c
 *	  The perceptron: gradient against finite differences for every activation and
 *	  loss, with batch norm, dropout and embeddings; batches in parts; embeddings
 *	  against one-hot columns; rows and blocks.
 */
#include "tap.h"

#include <string.h>

#include "compute/random.h"
#include "fixtures/codes.h"
#include "model/predictor.h"

#define MAX_VALUES 2000

static const OsmlBackend *const cpu = &osml_backend_cpu;
static const int32_t sizes[] = {3, 9};

/* a network of two hidden layers */
static OsmlModelSpec
new_spec(OsmlPrecision precision, OsmlLoss loss, OsmlActivation activation)
{
	return (OsmlModelSpec)
	{
		.ops = &osml_model_mlp,
		.layout = {.n_dense = 6},
		.precision = precision,
		.bias = true,
		.n_outputs = osml_loss_by_class(loss) ? 3 : 1,
		.loss = loss,
		.loss_param = 0.6,
		.seed = 4,
		.network = {
			.n_hidden = 2,.hidden = {5, 7},.activation = activation,.seed = 77
		}
	};
}

/* the same with code columns, batch norm and dropout as asked */
static OsmlModelSpec
with(OsmlModelSpec spec, bool codes, bool batch_norm, double dropout)
{
	spec.layout.n_codes = codes ? 2 : 0;
	spec.layout.code_sizes = sizes;
	spec.network.embedding = 2;
	spec.network.batch_norm = batch_norm;
	spec.network.dropout = dropout;
	return spec;
}

/* rows with labels that the loss takes, prepared */
static OsmlBlock *
new_block(const OsmlModelSpec *spec, int nrows, uint64_t first)
{
	OsmlBlock  *block = block_codes(&spec->layout, nrows, first);
	double	   *label = osml_block_label(block, &spec->layout);
	OsmlScaling scaling = {.n = spec->layout.n_dense,.label_scale = 1};
	double		zeroes[16] = {0};
	double		ones[16];

	for (int j = 0; j < 16; j++)
		ones[j] = 1;
	scaling.center = scaling.impute = zeroes;
	scaling.scale = ones;
	for (int i = 0; i < nrows; i++)
	{
		if (osml_loss_by_class(spec->loss))
			label[i] = (int) (1.5 * (label[i] + 1));
		else if (osml_losses[spec->loss].link == OSML_LINK_LOGISTIC)
			label[i] = label[i] > 0;
		else if (osml_losses[spec->loss].link == OSML_LINK_EXP)
			label[i] = (int) (3 * (label[i] + 1));
	}
	osml_prepare_block(&scaling, &spec->layout, spec->precision, block);
	return block;
}

/* value i of a vector of either type */
static double
at(const OsmlModelSpec *spec, const void *v, size_t i)
{
	return spec->precision == OSML_FLOAT32 ? ((const float *) v)[i] :
		((const double *) v)[i];
}

/* loss sum of batch 5, rows [lo, hi) of one block; gradient sum into grad */
static double
loss_of(const OsmlModelSpec *spec, const OsmlBlock *block, int lo, int hi, const void *params,
		void *grad)
{
	void	   *scratch = calloc(1, spec->ops->scratch(spec, hi - lo));
	double	   *copy = malloc(osml_model_values(spec) * sizeof(double));
	OsmlRowsAt	from = {5, 0};
	double		sum = 0;

	/* end_batch writes running statistics */
	memcpy(copy, params, osml_model_values(spec) * osml_precision_size(spec->precision));
	spec->ops->accumulate(spec, cpu, block, lo, hi, from, copy, grad, &sum, scratch);
	spec->ops->end_batch(spec, cpu, copy, grad, &sum, scratch);
	free(scratch);
	free(copy);
	return sum;
}

/* the gradient is the derivative of the loss */
static void
test_gradient(OsmlModelSpec spec, const char *what)
{
	const double h = 1e-6;
	OsmlBlock  *block = new_block(&spec, 90, 0);
	size_t		n = spec.ops->n_params(&spec);
	static double params[MAX_VALUES];
	static double grad[MAX_VALUES];
	static double unused[MAX_VALUES];
	double		worst = 0;

	memset(grad, 0, sizeof(grad));
	spec.ops->init(&spec, params);
	for (size_t i = 0; i < n; i++)
		params[i] += 0.3 * noise(60, i);
	loss_of(&spec, block, 3, 87, params, grad);
	for (size_t i = 0; i < n; i++)
	{
		double		kept = params[i];
		double		up;
		double		down;

		params[i] = kept + h;
		up = loss_of(&spec, block, 3, 87, params, unused);
		params[i] = kept - h;
		down = loss_of(&spec, block, 3, 87, params, unused);
		params[i] = kept;
		worst = fmax(worst, fabs((up - down) / (2 * h) - grad[i]) / fmax(1, fabs(grad[i])));
	}
	ok(worst < 1e-6, "%s %s%s%s%s%s: gradient against finite differences (worst %.1g)",
	   osml_loss_name(spec.loss), osml_activation_name(spec.network.activation),
	   spec.network.batch_norm ? ", batch norm" : "",
	   spec.network.dropout > 0 ? ", dropout" : "",
	   spec.layout.n_codes > 0 ? ", embeddings" : "", what, worst);
	free(block);
}

/* every activation and every loss, plain and with everything */
static void
test_gradients(void)
{
	OsmlModelSpec spec;

	for (int a = 0; a < OSML_ACTIVATION_COUNT; a++)
	{
		spec = new_spec(OSML_FLOAT64, OSML_LOSS_MSE, (OsmlActivation) a);
		test_gradient(spec, "");
		test_gradient(with(spec, false, true, 0), "");
		test_gradient(with(spec, true, false, 0.3), "");
		test_gradient(with(spec, true, true, 0.3), "");
	}
	for (int loss = 0; loss < OSML_LOSS_COUNT; loss++)
	{
		spec = new_spec(OSML_FLOAT64, (OsmlLoss) loss, OSML_ACTIVATION_TANH);
		test_gradient(spec, "");
		test_gradient(with(spec, true, true, 0.2), "");
		spec.bias = false;
		test_gradient(with(spec, false, true, 0), ", no biases");
		spec.bias = true;
		spec.network.n_hidden = 0;
		test_gradient(with(spec, true, false, 0), ", no hidden layer");
	}
	spec = with(new_spec(OSML_FLOAT64, OSML_LOSS_MSE, OSML_ACTIVATION_SILU), true, false, 0);
	spec.layout.n_dense = 0;
	test_gradient(spec, ", no dense column");
	spec.layout.has_weight = true;
	test_gradient(with(spec, true, true, 0), ", weights");
}

/* a batch of two blocks, gone through in parts that end at cuts */
static double
accumulate_cut(const OsmlModelSpec *spec, OsmlBlock *const *blocks, const int *cuts,
			   void *params, void *grad, void *scratch)
{
	OsmlRowsAt	from = {9, 0};
	double		sum = 0;

	for (int row = 0, next = 0; row < 1500; row = next)
	{
		int			lo = row % OSML_BLOCK_ROWS;
		int			end = row < OSML_BLOCK_ROWS ? OSML_BLOCK_ROWS : 1500;

		while (*cuts <= row)
			cuts++;
		next = *cuts < end ? *cuts : end;
		from.row = row;
		spec->ops->accumulate(spec, cpu, blocks[row / OSML_BLOCK_ROWS], lo,
							  lo + next - row, from, params, grad, &sum, scratch);
	}
	spec->ops->end_batch(spec, cpu, params, grad, &sum, scratch);
	return sum;
}

/* a batch cut anywhere has the gradient of the whole, and its masks */
static void
test_parts(OsmlModelSpec spec)
{
	static const int whole[] = {1500};
	static const int parts[] = {1, 7, 8, 100, 511, 512, 1000, 1024, 1031, 1499, 1500};
	double		tolerance = spec.precision == OSML_FLOAT32 ? 3e-5 : 1e-13;
	OsmlBlock  *blocks[2] = {new_block(&spec, 1024, 0), new_block(&spec, 476, 1024)};
	void	   *scratch = calloc(1, spec.ops->scratch(&spec, 1500));
	size_t		n = osml_model_values(&spec);
	static double params[2][MAX_VALUES];
	static double grad[2][MAX_VALUES];
	double		loss[2];
	double		worst = 0;
	double		scale = 0;

	memset(grad, 0, sizeof(grad));
	for (int k = 0; k < 2; k++)
	{
		spec.ops->init(&spec, params[k]);
		loss[k] = accumulate_cut(&spec, blocks, k == 0 ? whole : parts, params[k], grad[k],
								 scratch);
	}
	for (size_t i = 0; i < spec.ops->n_params(&spec); i++)
		scale = fmax(scale, fabs(at(&spec, grad[0], i)));
	for (size_t i = 0; i < spec.ops->n_params(&spec); i++)
		worst = fmax(worst, fabs(at(&spec, grad[0], i) - at(&spec, grad[1], i)) / scale);
	ok(worst < tolerance && fabs(loss[1] / loss[0] - 1) < tolerance,
	   "float%d%s%s%s: a batch in parts (gradient %.1g, loss %.1g)",
	   spec.precision == OSML_FLOAT32 ? 32 : 64, spec.network.batch_norm ? ", batch norm" : "",
	   spec.network.dropout > 0 ? ", dropout" : "",
	   spec.layout.n_codes > 0 ? ", embeddings" : "", worst, fabs(loss[1] / loss[0] - 1));
	if (spec.network.batch_norm)
		ok(memcmp(grad[0], grad[1], sizeof(grad[0])) == 0 &&
		   memcmp(params[0], params[1], n * osml_precision_size(spec.precision)) == 0,
		   "with batch norm to the bit, running statistics too");
	free(blocks[0]);
	free(blocks[1]);
	free(scratch);
}

/* rows predicted alone have the bits of rows predicted in a block */
static void
test_predictions(OsmlModelSpec spec)
{
	OsmlBlock  *block = new_block(&spec, 1024, 0);
	int			n_out = spec.n_outputs;
	double	   *z = malloc((size_t) n_out * 1024 * sizeof(double));
	void	   *scratch = calloc(1, spec.ops->scratch(&spec, 0));
	void	   *row_scratch = malloc(spec.ops->row_scratch(&spec));
	static double params[MAX_VALUES];
	int			different = 0;
	double		size = 0;

	spec.ops->init(&spec, params);
	for (size_t i = spec.ops->n_params(&spec); i < osml_model_values(&spec); i++)
	{
		if (spec.precision == OSML_FLOAT32)
			((float *) params)[i] += 0.4f + 0.3f * (float) noise(61, i);
		else
			params[i] += 0.4 + 0.3 * noise(61, i);
	}
	spec.ops->predict(&spec, cpu, block, 3, 1020, params, z, scratch);
	for (int i = 3; i < 1020; i++)
	{
		double		row[8];
		int32_t		codes[2] = {0, 0};
		double		alone[4];

		for (int j = 0; j < spec.layout.n_dense; j++)
			row[j] = at(&spec, osml_block_column(block, j), (size_t) i);
		for (int k = 0; k < spec.layout.n_codes; k++)
			codes[k] = osml_block_codes(block, &spec.layout, k)[i];
		spec.ops->predict_row(&spec, params, row, codes, alone, row_scratch);
		for (int k = 0; k < n_out; k++)
		{
			different += alone[k] != z[k * 1017 + i - 3];
			size = fmax(size, fabs(alone[k]));
		}
	}
	ok(different == 0 && size > 0.01, "float%d %s%s%s, %d outputs: rows and blocks have the same bits",
	   spec.precision == OSML_FLOAT32 ? 32 : 64,
	   osml_activation_name(spec.network.activation),
	   spec.network.batch_norm ? ", batch norm" : "",
	   spec.layout.n_codes > 0 ? ", embeddings" : "", n_out);
	free(block);
	free(z);
	free(scratch);
	free(row_scratch);
}

/*
 * A table E before a layer with weight W is a table W Eᵀ of a layer over one-hot
 * columns, whose gradient G gives those of both: Gᵀ W and G E.
 */
static void
test_one_hot(void)
{
	OsmlModelSpec spec = with(new_spec(OSML_FLOAT64, OSML_LOSS_HUBER, OSML_ACTIVATION_GELU),
							  true, false, 0);
	OsmlModelSpec wide = spec;
	OsmlBlock  *block = new_block(&spec, 700, 0);
	OsmlBlock  *one_hot = one_hot_block(&spec.layout, block);
	static double params[MAX_VALUES];
	static double flat[MAX_VALUES];
	static double grad[MAX_VALUES];
	static double flat_grad[MAX_VALUES];
	const double *table = params;
	const double *w = params + 24;	/* behind tables of 3 x 2 and 9 x 2: [5, 10] */
	double		worst = 0;

	wide.layout = one_hot_layout(&spec.layout);
	memset(grad, 0, sizeof(grad));
	memset(flat_grad, 0, sizeof(flat_grad));
	spec.ops->init(&spec, params);
	for (int o = 0; o < 5; o++)
	{
		for (int j = 0; j < 6; j++)
			flat[o * 18 + j] = w[o * 10 + j];
		for (int c = 0; c < 12; c++)
			for (int k = 0; k < 2; k++)
				flat[o * 18 + 6 + c] += table[c * 2 + k] * w[o * 10 + (c < 3 ? 6 : 8) + k];
	}
	memcpy(flat + 90, params + 74, (spec.ops->n_params(&spec) - 74) * sizeof(double));
	is_close(loss_of(&wide, one_hot, 0, 700, flat, flat_grad),
			 loss_of(&spec, block, 0, 700, params, grad), 1e-14, 0,
			 "embeddings and one-hot columns: the same loss");
	for (int c = 0; c < 12; c++)
	{
		for (int k = 0; k < 2; k++)
		{
			double		sum = 0;

			for (int o = 0; o < 5; o++)
				sum += flat_grad[o * 18 + 6 + c] * w[o * 10 + (c < 3 ? 6 : 8) + k];
			worst = fmax(worst, fabs(sum - grad[c * 2 + k]));
		}
	}
	ok(worst < 1e-12, "gradient of the tables (worst %.1g)", worst);
	worst = 0;
	for (int o = 0; o < 5; o++)
	{
		for (int j = 0; j < 10; j++)
		{
			double		sum = j < 6 ? flat_grad[o * 18 + j] : 0;

			for (int c = j < 8 ? 0 : 3; j >= 6 && c < (j < 8 ? 3 : 12); c++)
				sum += flat_grad[o * 18 + 6 + c] * table[c * 2 + j % 2];
			worst = fmax(worst, fabs(sum - grad[24 + o * 10 + j]));
		}
	}
	ok(worst < 1e-12, "gradient of the weights (worst %.1g)", worst);
	free(block);
	free(one_hot);
}

/* what layers were shown */
typedef struct Seen
{
	char		types[300];
	int			width;			/* of the values that go on */
	int			embedded;
	size_t		params;
	size_t		trained;
	bool		fits;
} Seen;

static void
see_layer(void *arg, const OsmlLayer *layer)
{
	Seen	   *seen = arg;
	size_t		length = strlen(seen->types);

	snprintf(seen->types + length, sizeof(seen->types) - length, "%s%s:%s", length ? " " : "",
			 layer->name, layer->type);
	if (layer->code >= 0)
		seen->embedded += layer->n_out;
	else
	{
		seen->fits = seen->fits &&
			(seen->width == 0 || layer->n_in == seen->width);
		seen->width = layer->n_out;
	}
	seen->params += layer->params;
	seen->trained += layer->trained;
}

/* layers in the order in which PyTorch's Sequential has them */
static void
test_layers(void)
{
	static const char *const all = "embedding.0:Embedding embedding.1:Embedding 0:BatchNorm1d "
		"1:Linear 2:gelu 3:Dropout 4:BatchNorm1d 5:Linear 6:gelu 7:Dropout 8:BatchNorm1d 9:Linear";
	static const char *const plain = "0:Linear 1:relu 2:Linear 3:relu 4:Linear";
	OsmlModelSpec spec = with(new_spec(OSML_FLOAT64, OSML_LOSS_CROSS_ENTROPY, OSML_ACTIVATION_GELU),
							  true, true, 0.25);
	Seen		seen = {.fits = true};

	spec.ops->layers(&spec, see_layer, &seen);
	ok(strcmp(seen.types, all) == 0, "%s", seen.types);
	ok(seen.fits && seen.embedded == 4 && seen.width == spec.n_outputs, "their shapes fit");
	ok(seen.trained == spec.ops->n_params(&spec) && seen.params == osml_model_values(&spec),
	   "%zu values, of which %zu are trained", seen.params, seen.trained);
	spec = new_spec(OSML_FLOAT32, OSML_LOSS_MSE, OSML_ACTIVATION_RELU);
	seen = (Seen) {.fits = true};
	spec.ops->layers(&spec, see_layer, &seen);
	ok(strcmp(seen.types, plain) == 0 && seen.fits && seen.params == spec.ops->n_params(&spec),
	   "%s", seen.types);
}

int
main(void)
{
	test_layers();
	test_gradients();
	for (int p = 0; p < 2; p++)
	{
		OsmlModelSpec spec = new_spec((OsmlPrecision) p, OSML_LOSS_MSE, OSML_ACTIVATION_RELU);
		OsmlModelSpec classes = new_spec((OsmlPrecision) p, OSML_LOSS_CROSS_ENTROPY,
										 OSML_ACTIVATION_GELU);

		test_parts(spec);
		test_parts(with(spec, false, false, 0.4));
		test_parts(with(spec, true, false, 0.4));
		test_parts(with(spec, true, true, 0.4));
		test_parts(with(classes, true, false, 0.1));
		for (int a = 0; a < OSML_ACTIVATION_COUNT; a++)
		{
			spec.network.activation = (OsmlActivation) a;
			test_predictions(spec);
		}
		test_predictions(with(spec, false, true, 0.5));
		test_predictions(with(classes, true, false, 0));
		test_predictions(with(classes, true, true, 0.2));
	}
	test_one_hot();
	return done();
}
