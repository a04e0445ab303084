/*
 * test_linear.c
 *	  The linear model: gradient against finite differences, batches in parts,
 *	  prediction of blocks and rows, raw weights and back.
 */
#include "tap.h"

#include <string.h>

#include "fixtures/blocks.h"
#include "model/linear.h"
#include "fixtures/predict.h"

#define DENSE 7

static const OsmlBackend *const cpu = &osml_backend_cpu;

static OsmlModelSpec
new_spec(OsmlPrecision precision, OsmlLoss loss, bool bias)
{
	return (OsmlModelSpec)
	{
		.ops = &osml_model_linear,
		.layout = {.n_dense = DENSE},
		.precision = precision,
		.bias = bias,
		.n_outputs = 1,
		.loss = loss,
		.loss_param = 0.6,
		.init = OSML_INIT_TORCH_LINEAR,
		.seed = 4
	};
}

/* identity scaling */
static OsmlScaling
no_scaling(double *zeros, double *ones)
{
	for (int j = 0; j < DENSE; j++)
	{
		zeros[j] = 0;
		ones[j] = 1;
	}
	return (OsmlScaling)
	{
		.n = DENSE,
		.center = zeros,
		.scale = ones,
		.impute = zeros,
		.label_scale = 1
	};
}

/* loss sum of a block's rows, gradient sum into grad */
static double
loss_of(const OsmlModelSpec *spec, const OsmlBlock *block, int lo, int hi,
		const void *params, void *grad)
{
	double		scratch[2 * OSML_BLOCK_ROWS];
	OsmlRowsAt	from = {0, 0};
	double		sum = 0;

	spec->ops->accumulate(spec, cpu, block, lo, hi, from, params, grad, &sum, scratch);
	return sum;
}

/* the gradient is the derivative of the loss, for each loss of the list */
static void
test_gradient(OsmlLoss loss, bool bias)
{
	const double h = 1e-6;
	OsmlModelSpec spec = new_spec(OSML_FLOAT64, loss, bias);
	OsmlBlock  *block = block_noise(&spec.layout, 200, 0);
	int			n = (int) spec.ops->n_params(&spec);
	double		params[DENSE + 1];
	double		grad[DENSE + 1] = {0};
	double		unused[DENSE + 1];
	double		worst = 0;

	spec.ops->init(&spec, params);
	loss_of(&spec, block, 3, 197, params, grad);
	for (int i = 0; i < n; i++)
	{
		double		kept = params[i];
		double		up;
		double		down;

		params[i] = kept + h;
		up = loss_of(&spec, block, 3, 197, params, unused);
		params[i] = kept - h;
		down = loss_of(&spec, block, 3, 197, params, unused);
		params[i] = kept;
		worst = fmax(worst, fabs((up - down) / (2 * h) - grad[i]));
	}
	ok(n == DENSE + bias && worst < 1e-6,
	   "%s %s bias: gradient against finite differences (worst %.1g)",
	   osml_loss_name(loss), bias ? "with" : "without", worst);
	free(block);
}

/* a batch cut anywhere has the gradient of the whole */
static void
test_parts(OsmlPrecision precision)
{
	static const int cuts[] = {0, 1, 7, 8, 100, 511, 512, 1000, 1024};
	double		tolerance = precision == OSML_FLOAT32 ? 2e-5 : 1e-13;
	OsmlModelSpec spec = new_spec(precision, OSML_LOSS_MSE, true);
	OsmlBlock  *block = block_noise(&spec.layout, 1024, 0);
	double		zeros[DENSE];
	double		ones[DENSE];
	OsmlScaling scaling = no_scaling(zeros, ones);
	double		params[DENSE + 1];
	double		whole[DENSE + 1] = {0};
	double		parts[DENSE + 1] = {0};
	double		loss = 0;
	double		worst = 0;

	osml_prepare_block(&scaling, &spec.layout, precision, block);
	spec.ops->init(&spec, params);
	for (int i = 0; i < 8; i++)
		loss += loss_of(&spec, block, cuts[i], cuts[i + 1], params, parts);
	is_close(loss, loss_of(&spec, block, 0, 1024, params, whole), tolerance, 0,
			 "a batch in parts: loss");
	for (int i = 0; i <= DENSE; i++)
	{
		double		a = precision == OSML_FLOAT32 ? ((float *) parts)[i] : parts[i];
		double		b = precision == OSML_FLOAT32 ? ((float *) whole)[i] : whole[i];

		worst = fmax(worst, fabs(a - b) / fmax(1, fabs(b)));
	}
	ok(worst < tolerance, "a batch in parts: gradient (worst %.1g)", worst);
	free(block);
}

/* rows predicted alone have the bits of rows predicted in a block */
static void
test_predictions(OsmlPrecision precision, bool bias)
{
	OsmlModelSpec spec = new_spec(precision, OSML_LOSS_MSE, bias);
	OsmlBlock  *raw = block_noise(&spec.layout, 1024, 0);
	OsmlBlock  *block = block_noise(&spec.layout, 1024, 0);
	double		center[DENSE];
	double		scale[DENSE];
	double		params[DENSE + 1];
	double		out[1024];
	double		scratch[2 * OSML_BLOCK_ROWS];
	OsmlPredictor predictor = {.spec = spec,.params = params};
	int			different = 0;
	double		worst = 0;

	for (int j = 0; j < DENSE; j++)
	{
		center[j] = noise(90, (uint64_t) j);
		scale[j] = j == 2 ? 1 : 1.5 + noise(91, (uint64_t) j);
	}
	center[2] = 0;
	predictor.scaling = (OsmlScaling)
	{
		.n = DENSE,
		.center = center,
		.scale = scale,
		.impute = center,
		.label_center = 10,
		.label_scale = 3
	};
	spec.ops->init(&spec, params);
	osml_block_column(raw, 1)[5] = osml_missing();
	osml_block_column(block, 1)[5] = osml_missing();
	osml_prepare_block(&predictor.scaling, &spec.layout, precision, block);
	osml_predictor_block(&predictor, cpu, block, 3, 1021, out, scratch);
	for (int i = 3; i < 1021; i++)
	{
		double		row[DENSE];
		double		buf[DENSE];
		double		weight[DENSE];
		double		z;

		for (int j = 0; j < DENSE; j++)
			row[j] = osml_block_column(raw, j)[i];
		different += predict_one(&predictor, row, NULL, buf) != out[i - 3];

		/* the same by raw weights; a missing value stands for the centre */
		osml_linear_unscale(&spec, &predictor.scaling, params, weight, &z);
		for (int j = 0; j < DENSE; j++)
			z += weight[j] * (osml_is_missing(row[j]) ? center[j] : row[j]);
		worst = fmax(worst, fabs(z - out[i - 3]));
	}
	ok(different == 0, "float%d %s bias: rows and blocks have the same bits",
	   precision == OSML_FLOAT32 ? 32 : 64, bias ? "with" : "without");
	ok(worst < (precision == OSML_FLOAT32 ? 1e-4 : 1e-13),
	   "and raw weights predict the same (worst %.1g)", worst);
	free(raw);
	free(block);
}

/* raw weights to parameters and back */
static void
test_rescale(void)
{
	OsmlModelSpec spec = new_spec(OSML_FLOAT64, OSML_LOSS_MSE, true);
	double		center[DENSE];
	double		scale[DENSE];
	double		weight[DENSE];
	double		back[DENSE];
	double		intercept;
	double		params[DENSE + 1];
	double		worst = 0;
	OsmlScaling scaling = {
		.n = DENSE,.center = center,.scale = scale,.label_center = -2,.label_scale = 7
	};

	for (int j = 0; j < DENSE; j++)
	{
		center[j] = 10 * noise(92, (uint64_t) j);
		scale[j] = 2 + noise(93, (uint64_t) j);
		weight[j] = noise(94, (uint64_t) j);
	}
	osml_linear_rescale(&spec, &scaling, weight, 1.25, params);
	osml_linear_unscale(&spec, &scaling, params, back, &intercept);
	for (int j = 0; j < DENSE; j++)
		worst = fmax(worst, fabs(back[j] - weight[j]));
	ok(worst < 1e-15, "raw weights come back (worst %.1g)", worst);
	is_close(intercept, 1.25, 1e-13, 0, "and the intercept");
}

/* what the initialisations promise besides the fixtures */
static void
test_init(void)
{
	OsmlModelSpec spec = new_spec(OSML_FLOAT64, OSML_LOSS_MSE, false);
	double		params[DENSE + 1];
	double		with[DENSE + 1];
	double		largest = 0;

	params[DENSE] = 42;
	spec.ops->init(&spec, params);
	ok(params[DENSE] == 42, "without a bias nothing is written behind the weights");
	spec.bias = true;
	spec.ops->init(&spec, with);
	ok(memcmp(params, with, DENSE * sizeof(double)) == 0,
	   "the bias is drawn after the weights");
	for (int i = 0; i <= DENSE; i++)
		largest = fmax(largest, fabs(with[i]));
	ok(largest > 0 && largest <= 1 / sqrt(DENSE), "nn.Linear's bound");
	spec.init = OSML_INIT_ZEROS;
	spec.ops->init(&spec, with);
	for (int i = 0; i <= DENSE; i++)
		largest = fmax(largest, with[i] == 0 ? 0 : 99);
	ok(largest < 99, "zeros");
	spec.init = OSML_INIT_NORMAL;
	spec.seed = 7;
	spec.ops->init(&spec, with);
	is_close(with[0], -0.1467950974849952, 1e-14, 0, "normal: torch's first");
	is_close(with[DENSE], 1.2323857451651945, 1e-14, 0,
			 "normal: the bias goes on where the weights stopped");
}

static void
test_names(void)
{
	OsmlModelSpec spec = new_spec(OSML_FLOAT64, OSML_LOSS_MSE, true);
	OsmlTensor	tensors[OSML_MAX_TENSORS];

	ok(osml_model_by_name("linear")->ops == &osml_model_linear &&
	   osml_model_by_name("Linear") == &osml_models[0] &&
	   osml_model_by_name("lin") == NULL, "models by name");
	for (int loss = 0; loss < OSML_LOSS_COUNT; loss++)
	{
		int			takers = 0;

		for (int i = 0; osml_models[i].ops == &osml_model_linear; i++)
			takers += osml_model_takes(&osml_models[i], (OsmlLoss) loss);
		ok(takers == 1 && osml_model_takes(osml_model_by_name("mlp"), (OsmlLoss) loss),
		   "%s: one model without hidden layers is trained with it, and networks are",
		   osml_loss_name((OsmlLoss) loss));
	}
	ok(spec.ops->tensors(&spec, tensors) == 2, "two tensors");
	ok(strcmp(tensors[0].name, "weight") == 0 && tensors[0].ndim == 2 &&
	   tensors[0].shape[0] == 1 && tensors[0].shape[1] == DENSE &&
	   tensors[0].size == DENSE && tensors[0].offset == 0, "weight [1, n]");
	ok(strcmp(tensors[1].name, "bias") == 0 && tensors[1].ndim == 1 &&
	   tensors[1].shape[0] == 1 && tensors[1].offset == DENSE &&
	   tensors[1].size == 1, "bias [1]");
	spec.bias = false;
	ok(spec.ops->tensors(&spec, tensors) == 1, "one without a bias");
}

static void
add_layer(void *arg, const OsmlLayer *layer)
{
	OsmlLayer  *sum = arg;

	snprintf(sum->name + strlen(sum->name), sizeof(sum->name) - strlen(sum->name), "%c%d",
			 layer->type[0], layer->code);
	sum->n_in += layer->n_in;
	sum->n_out += layer->n_out;
	sum->params += layer->params;
	sum->trained += layer->trained;
}

/* layers have all parameters, and one a code column */
static void
test_layers(void)
{
	static const int32_t sizes[] = {4, 7};
	OsmlModelSpec spec = new_spec(OSML_FLOAT64, OSML_LOSS_CROSS_ENTROPY, true);
	OsmlLayer	sum = {.type = ""};

	spec.n_outputs = 3;
	spec.layout.n_codes = 2;
	spec.layout.code_sizes = sizes;
	spec.ops->layers(&spec, add_layer, &sum);
	ok(strcmp(sum.name, "E0E1L-1") == 0 && sum.n_in == DENSE && sum.n_out == 9,
	   "two tables and a linear layer: %s", sum.name);
	ok(sum.params == spec.ops->n_params(&spec) && sum.trained == sum.params,
	   "all parameters are theirs");
	spec.layout.n_dense = 0;
	spec.bias = false;
	sum = (OsmlLayer) {.type = ""};
	spec.ops->layers(&spec, add_layer, &sum);
	ok(strcmp(sum.name, "E0E1") == 0 && sum.params == 33, "tables alone");
}

int
main(void)
{
	for (int loss = 0; loss < OSML_ROW_LOSS_COUNT; loss++)
	{
		test_gradient((OsmlLoss) loss, true);
		test_gradient((OsmlLoss) loss, false);
	}
	for (int precision = 0; precision < 2; precision++)
	{
		test_parts((OsmlPrecision) precision);
		test_predictions((OsmlPrecision) precision, true);
		test_predictions((OsmlPrecision) precision, false);
	}
	test_rescale();
	test_init();
	test_names();
	test_layers();
	return done();
}
