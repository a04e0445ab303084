/*
 * test_linear_codes.c
 *	  The linear model over code columns: the same model over one-hot columns,
 *	  finite differences, and a run of PyTorch's.
 */
#include "tap.h"

#include <string.h>

#include "fixtures/codes.h"
#include "model/linear.h"
#include "fixtures/predict.h"

/* one table beyond what is summed on the stack, one of a single entry */
static const int32_t sizes[] = {3, 300, 1, 7};

#define CODES 4
#define ENTRIES 311
#define MAX_DENSE 7
#define MAX_PARAMS (MAX_DENSE + ENTRIES + 1)

static const OsmlBackend *const cpu = &osml_backend_cpu;

static OsmlModelSpec
new_spec(OsmlPrecision precision, OsmlLoss loss, int n_dense)
{
	return (OsmlModelSpec)
	{
		.ops = &osml_model_linear,
		.layout = {.n_dense = n_dense,.n_codes = CODES,.code_sizes = sizes},
		.precision = precision,
		.bias = true,
		.n_outputs = 1,
		.loss = loss,
		.loss_param = 0.6,
		.init = OSML_INIT_TORCH_LINEAR,
		.seed = 4
	};
}

/* the model over the same rows one-hot: its parameters are in the same order */
static OsmlModelSpec
one_hot_spec(const OsmlModelSpec *spec)
{
	OsmlModelSpec wide = *spec;

	wide.layout = one_hot_layout(&spec->layout);
	return wide;
}

/* nothing is scaled; only float32 narrows */
static OsmlScaling
no_scaling(int n)
{
	static double zeros[MAX_PARAMS];
	static double ones[MAX_PARAMS];

	for (int j = 0; j < n; j++)
		ones[j] = 1;
	return (OsmlScaling)
	{
		.n = n,.center = zeros,.scale = ones,.impute = zeros,.label_scale = 1
	};
}

/* the same prepared rows with codes and one-hot */
static void
make_blocks(const OsmlModelSpec *spec, uint64_t first, OsmlBlock **codes,
			OsmlBlock **one_hot)
{
	OsmlLayout	wide = one_hot_layout(&spec->layout);
	OsmlScaling scaling = no_scaling(wide.n_dense);

	*codes = block_codes(&spec->layout, OSML_BLOCK_ROWS, first);
	*one_hot = one_hot_block(&spec->layout, *codes);
	osml_prepare_block(&scaling, &spec->layout, spec->precision, *codes);
	osml_prepare_block(&scaling, &wide, spec->precision, *one_hot);
}

/* value i of a vector in the compute type */
static double
at(OsmlPrecision precision, const void *v, int i)
{
	return precision == OSML_FLOAT32 ? ((const float *) v)[i] :
		((const double *) v)[i];
}

/* largest difference of two vectors, in units of the second one's largest value */
static double
worst_of(OsmlPrecision precision, int n, const void *got, const void *want)
{
	double		largest = 0;
	double		worst = 0;

	for (int i = 0; i < n; i++)
	{
		largest = fmax(largest, fabs(at(precision, want, i)));
		worst = fmax(worst, fabs(at(precision, got, i) - at(precision, want, i)));
	}
	return worst / largest;
}

static double
tolerance_of(OsmlPrecision precision)
{
	return precision == OSML_FLOAT32 ? 1e-5 : 1e-12;
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

/* losses have the bits of the one-hot model's, gradients its values */
static void
test_one_hot(OsmlPrecision precision, OsmlLoss loss, int n_dense)
{
	static const int ranges[][2] = {{0, 1024}, {3, 197}, {5, 6}, {1000, 1024}, {7, 7}};
	OsmlModelSpec spec = new_spec(precision, loss, n_dense);
	OsmlModelSpec wide = one_hot_spec(&spec);
	int			n = (int) spec.ops->n_params(&spec);
	OsmlBlock  *codes;
	OsmlBlock  *one_hot;
	double		params[MAX_PARAMS];
	double		grad[MAX_PARAMS] = {0};
	double		want[MAX_PARAMS] = {0};
	double		worst = 0;
	bool		same = n == n_dense + ENTRIES + 1;

	make_blocks(&spec, 0, &codes, &one_hot);
	spec.ops->init(&spec, params);
	for (int i = 0; i < 5; i++)
	{
		int			lo = ranges[i][0];
		int			hi = ranges[i][1];

		same = same && loss_of(&spec, codes, lo, hi, params, grad) ==
			loss_of(&wide, one_hot, lo, hi, params, want);
		worst = fmax(worst, worst_of(precision, n, grad, want));
	}
	ok(same && worst < tolerance_of(precision),
	   "float%d, %d number columns, %s: as one-hot (worst %.1g)",
	   precision == OSML_FLOAT32 ? 32 : 64, n_dense, osml_loss_name(loss), worst);
	free(codes);
	free(one_hot);
}

/* the gradient is the derivative of the loss, for each loss of the list */
static void
test_gradient(OsmlLoss loss)
{
	const double h = 1e-6;
	OsmlModelSpec spec = new_spec(OSML_FLOAT64, loss, 2);
	OsmlBlock  *block = block_codes(&spec.layout, 200, 0);
	int			n = (int) spec.ops->n_params(&spec);
	double		params[MAX_PARAMS];
	double		grad[MAX_PARAMS] = {0};
	double		unused[MAX_PARAMS];
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
	ok(worst < 1e-6, "%s: gradient against finite differences (worst %.1g)",
	   osml_loss_name(loss), worst);
	free(block);
}

/* ten clipped steps of an optimiser, two segments a batch */
static void
run_steps(const OsmlModelSpec *spec, OsmlOptim optim, const OsmlBlock *block,
		  void *params)
{
	static double grad[MAX_PARAMS];
	static double state[3 * MAX_PARAMS];
	OsmlPrecision precision = spec->precision;
	size_t		n = spec->ops->n_params(spec);
	OsmlOptimHyper hyper;

	memset(state, 0, sizeof(state));
	osml_optim_defaults(optim, 0.03, &hyper);
	hyper.momentum = 0.9;
	hyper.weight_decay = 0.01;
	for (int step = 1; step <= 10; step++)
	{
		OsmlOptimStep now;
		double		norm;

		memset(grad, 0, sizeof(grad));
		loss_of(spec, block, 0, 700, params, grad);
		loss_of(spec, block, 700, 1024, params, grad);
		cpu->scale(cpu, precision, n, grad, 1.0 / 1024);
		norm = cpu->norm(cpu, precision, n, grad, NULL);
		if (0.3 / (norm + 1e-6) < 1)
			cpu->scale(cpu, precision, n, grad, 0.3 / (norm + 1e-6));
		osml_optim_begin_step(&now, &hyper, hyper.lr, step);
		cpu->optim_step(cpu, precision, optim, &now, 0, n, params, grad, state, n);
	}
}

/* a run ends where the one-hot model's ends */
static void
test_run(OsmlPrecision precision, const char *optim, int n_dense)
{
	OsmlModelSpec spec = new_spec(precision, OSML_LOSS_MSE, n_dense);
	OsmlModelSpec wide = one_hot_spec(&spec);
	OsmlBlock  *codes;
	OsmlBlock  *one_hot;
	double		params[MAX_PARAMS];
	double		want[MAX_PARAMS];
	double		worst;

	make_blocks(&spec, 5000, &codes, &one_hot);
	spec.ops->init(&spec, params);
	wide.ops->init(&wide, want);
	run_steps(&spec, (OsmlOptim) osml_optim_by_name(optim), codes, params);
	run_steps(&wide, (OsmlOptim) osml_optim_by_name(optim), one_hot, want);
	worst = worst_of(precision, (int) spec.ops->n_params(&spec), params, want);
	ok(worst < tolerance_of(precision),
	   "float%d, %d number columns: ten steps of %s as one-hot (worst %.1g)",
	   precision == OSML_FLOAT32 ? 32 : 64, n_dense, optim, worst);
	free(codes);
	free(one_hot);
}

/* parameters start as the one-hot model's do, whatever the initialisation */
static void
test_init(int n_dense)
{
	int			different = 0;

	for (int i = 0; i < 8; i++)
	{
		OsmlModelSpec spec = new_spec((OsmlPrecision) (i % 2), OSML_LOSS_MSE, n_dense);
		OsmlModelSpec wide;
		double		params[MAX_PARAMS] = {0};
		double		want[MAX_PARAMS] = {0};

		spec.init = (OsmlInit) (i / 2);
		wide = one_hot_spec(&spec);
		spec.ops->init(&spec, params);
		wide.ops->init(&wide, want);
		different += memcmp(params, want, sizeof(params)) != 0;
	}
	ok(different == 0, "%d number columns: every initialisation as one-hot", n_dense);
}

/* a scaling with something to undo in each column and the label */
static OsmlScaling
some_scaling(int n)
{
	static double center[MAX_DENSE];
	static double scale[MAX_DENSE];

	for (int j = 0; j < n; j++)
	{
		center[j] = noise(90, (uint64_t) j);
		scale[j] = 1.5 + noise(91, (uint64_t) j);
	}
	return (OsmlScaling)
	{
		.n = n,.center = center,.scale = scale,.impute = center,
		.label_center = 10,.label_scale = 3
	};
}

/* a row alone and in a block has the same bits; raw weights say the same */
static void
test_predictions(OsmlPrecision precision, int n_dense, bool bias)
{
	OsmlModelSpec spec = new_spec(precision, OSML_LOSS_MSE, n_dense);
	OsmlBlock  *raw = block_codes(&spec.layout, OSML_BLOCK_ROWS, 0);
	OsmlBlock  *block = block_codes(&spec.layout, OSML_BLOCK_ROWS, 0);
	double		params[MAX_PARAMS];
	double		weight[MAX_PARAMS];
	double		intercept;
	double		out[OSML_BLOCK_ROWS];
	double		scratch[2 * OSML_BLOCK_ROWS];
	OsmlPredictor predictor;
	int			different = 0;
	double		worst = 0;

	spec.bias = bias;
	predictor = (OsmlPredictor) {spec, some_scaling(n_dense), params};
	spec.ops->init(&spec, params);
	osml_prepare_block(&predictor.scaling, &spec.layout, precision, block);
	osml_predictor_block(&predictor, cpu, block, 3, 1021, out, scratch);
	osml_linear_unscale(&spec, &predictor.scaling, params, weight, &intercept);
	for (int i = 3; i < 1021; i++)
	{
		double		row[MAX_DENSE];
		double		buf[MAX_DENSE];
		int32_t		code[CODES];
		double		z = intercept;

		for (int j = 0; j < n_dense; j++)
		{
			row[j] = osml_block_column(raw, j)[i];
			z += weight[j] * row[j];
		}
		for (int k = 0; k < CODES; k++)
		{
			code[k] = osml_block_codes(raw, &spec.layout, k)[i];
			z += weight[n_dense + (int) osml_layout_table(&spec.layout, k) + code[k]];
		}
		different += predict_one(&predictor, row, code, buf) != out[i - 3];
		worst = fmax(worst, fabs(z - out[i - 3]));
	}
	ok(different == 0, "float%d, %d number columns: rows and blocks have the same bits",
	   precision == OSML_FLOAT32 ? 32 : 64, n_dense);
	ok(worst < (precision == OSML_FLOAT32 ? 1e-5 : 1e-13),
	   "and raw weights predict the same (worst %.1g)", worst);
	free(raw);
	free(block);
}

/* raw weights to parameters and back */
static void
test_rescale(void)
{
	OsmlModelSpec spec = new_spec(OSML_FLOAT64, OSML_LOSS_MSE, 3);
	OsmlScaling scaling = some_scaling(3);
	int			n = 3 + ENTRIES;
	double		weight[MAX_PARAMS];
	double		back[MAX_PARAMS];
	double		params[MAX_PARAMS];
	double		intercept;
	double		worst = 0;

	for (int i = 0; i < n; i++)
		weight[i] = noise(94, (uint64_t) i);
	osml_linear_rescale(&spec, &scaling, weight, 1.25, params);
	osml_linear_unscale(&spec, &scaling, params, back, &intercept);
	for (int i = 0; i < n; i++)
		worst = fmax(worst, fabs(back[i] - weight[i]));
	ok(worst < 1e-15, "raw weights come back (worst %.1g)", worst);
	is_close(intercept, 1.25, 1e-13, 0, "and the intercept");
	is_close(params[3 + 17], weight[3 + 17] / 3, 1e-15, 0,
			 "of a category's weight only the label's scale is undone");
}

/* is tensor i so? */
static bool
is_row(const OsmlTensor *tensor, const char *name, size_t offset, int64_t size)
{
	return strcmp(tensor->name, name) == 0 && tensor->ndim == 2 &&
		tensor->shape[0] == 1 && tensor->shape[1] == size &&
		tensor->offset == offset && tensor->size == (size_t) size;
}

static void
test_tensors(void)
{
	OsmlModelSpec spec = new_spec(OSML_FLOAT64, OSML_LOSS_MSE, 2);
	OsmlTensor	tensors[OSML_MAX_TENSORS];

	ok(osml_layout_table(&spec.layout, 0) == 0 && osml_layout_table(&spec.layout, 2) == 303 &&
	   osml_layout_entries(&spec.layout) == ENTRIES, "where tables start");
	ok(spec.ops->tensors(&spec, tensors) == 3 && is_row(&tensors[0], "weight", 0, 2) &&
	   is_row(&tensors[1], "category_weight", 2, ENTRIES) &&
	   strcmp(tensors[2].name, "bias") == 0 && tensors[2].offset == 2 + ENTRIES &&
	   tensors[2].size == 1, "weight, category_weight and bias");
	spec.layout.n_dense = 0;
	spec.bias = false;
	ok(spec.ops->tensors(&spec, tensors) == 1 &&
	   is_row(&tensors[0], "category_weight", 0, ENTRIES) &&
	   spec.ops->n_params(&spec) == ENTRIES, "without number columns and bias one tensor");
}

/*
 * PyTorch 1.13, float64: seed 11, nn.Linear(10, 1) over number columns and
 * one-hot columns of fixtures/codes.h, AdamW(lr=0.05), mse, rows 16 step to
 * 16 step + 15 of the repeated table, clip_grad_norm_(1.5).
 */
static const double torch_initial[] = {
	-0.19458523394790667, 0.24368029097450494, 0.1084961688182192,
	0.10415245581118414, 0.048687133820370036, -0.21838544422372352,
	-0.2054840239417057, -0.22955150121881615, 0.20240008098922974,
	-0.04532453733422196, 0.2954999016536181
};
static const double torch_loss[] = {
	3.634628432863163, 2.828629663055789, 3.5232659175462895, 2.2128092766786747,
	2.1566669189481766, 2.152098349414014, 1.517871835174545, 1.3142959891897767,
	1.2733365103052725, 1.1107904473895303, 0.8889812532464043, 0.7402203736439691,
	0.7401633205643636, 0.6382200956183748, 0.426702640841955, 0.5558448692440818,
	0.4575736952038581, 0.2801967298364465, 0.34812285730288256, 0.22357903146160235
};
static const double torch_norm[] = {
	3.5221252037661976, 3.149969821184584, 3.379280138282427, 2.579368272763362,
	2.7330308574913, 2.4757641121862, 1.7943762239958636, 1.8815716326238627,
	1.88343462493681, 1.5970133142870189, 1.4416980554351646, 1.2695120185925968,
	1.4643722876923857, 1.0350617818379624, 0.7812607266297176, 1.266183862708532,
	1.1000522088393132, 0.6441293870600087, 1.0432922149247508, 0.7583912424388536
};
static const double torch_final[] = {
	0.7766584389280707, -0.6681311846300865, 0.44114757714510666, 0.5499395995998971,
	0.8075758380758797, 0.6774620672339239, 0.658116142248216, 0.27664085731322546,
	-0.8003808678358182, -0.0448734384313595, 0.9576958017974428
};

#define TORCH_STEPS 20
#define TORCH_PARAMS 11

static void
test_torch(void)
{
	OsmlModelSpec spec = new_spec(OSML_FLOAT64, OSML_LOSS_MSE, 0);
	OsmlOptim	optim = (OsmlOptim) osml_optim_by_name("AdamW");
	double		params[TORCH_PARAMS];
	double		state[2 * TORCH_PARAMS] = {0};
	OsmlOptimHyper hyper;
	double		worst = 0;

	spec.layout = table_layout;
	spec.seed = 11;
	spec.ops->init(&spec, params);
	ok(memcmp(params, torch_initial, sizeof(params)) == 0, "PyTorch's initial bits");
	osml_optim_defaults(optim, 0.05, &hyper);
	for (int step = 1; step <= TORCH_STEPS; step++)
	{
		OsmlBlock  *block = table_block((step - 1) * 16, 16);
		double		grad[TORCH_PARAMS] = {0};
		double		loss = loss_of(&spec, block, 0, 16, params, grad) / 16;
		OsmlOptimStep now;
		double		norm;

		cpu->scale(cpu, OSML_FLOAT64, TORCH_PARAMS, grad, 1.0 / 16);
		norm = cpu->norm(cpu, OSML_FLOAT64, TORCH_PARAMS, grad, NULL);
		worst = fmax(worst, fabs(loss / torch_loss[step - 1] - 1));
		worst = fmax(worst, fabs(norm / torch_norm[step - 1] - 1));
		cpu->scale(cpu, OSML_FLOAT64, TORCH_PARAMS, grad, fmin(1, 1.5 / (norm + 1e-6)));
		osml_optim_begin_step(&now, &hyper, hyper.lr, step);
		cpu->optim_step(cpu, OSML_FLOAT64, optim, &now, 0, TORCH_PARAMS, params, grad, state, TORCH_PARAMS);
		free(block);
	}
	ok(worst < 1e-9, "PyTorch's losses and gradient norms (worst %.1g)", worst);
	worst = worst_of(OSML_FLOAT64, TORCH_PARAMS, params, torch_final);
	ok(worst < 1e-9, "and its final parameters (worst %.1g)", worst);
}

int
main(void)
{
	for (int loss = 0; loss < OSML_ROW_LOSS_COUNT; loss++)
	{
		test_gradient((OsmlLoss) loss);
		for (int precision = 0; precision < 2; precision++)
		{
			test_one_hot((OsmlPrecision) precision, (OsmlLoss) loss, MAX_DENSE);
			test_one_hot((OsmlPrecision) precision, (OsmlLoss) loss, 0);
		}
	}
	for (int precision = 0; precision < 2; precision++)
	{
		test_run((OsmlPrecision) precision, "AdamW", 5);
		test_run((OsmlPrecision) precision, "AdamW", 0);
		test_run((OsmlPrecision) precision, "SGD", 5);
		test_predictions((OsmlPrecision) precision, MAX_DENSE, true);
		test_predictions((OsmlPrecision) precision, 0, false);
	}
	test_init(MAX_DENSE);
	test_init(0);
	test_rescale();
	test_tensors();
	test_torch();
	return done();
}
