/*
 * test_explain.c
 *	  Attributions: of linear models against weight times distance, of networks
 *	  against integrals of finite differences; sums against predictions; embeddings
 *	  against one-hot columns; averages of codes.
 */
#include "tap.h"

#include <string.h>

#include "fixtures/codes.h"
#include "model/explain.h"
#include "model/linear.h"

#define MAX_VALUES 4000
#define MAX_COLUMNS 12

static const int32_t sizes[] = {3, 9};
static double center[MAX_COLUMNS];
static double scale[MAX_COLUMNS];
static double impute[MAX_COLUMNS];

static OsmlModelSpec
new_spec(const OsmlModelOps *ops, OsmlPrecision precision, OsmlActivation activation,
		 int n_outputs)
{
	return (OsmlModelSpec)
	{
		.ops = ops,
		.layout = {.n_dense = 4,.n_codes = 2,.code_sizes = sizes},
		.precision = precision,
		.bias = true,
		.n_outputs = n_outputs,
		.loss = n_outputs > 1 ? OSML_LOSS_CROSS_ENTROPY : OSML_LOSS_MSE,
		.seed = 11,
		.network = {.n_hidden = 2,.hidden = {16, 12},.activation = activation,.embedding = 3}
	};
}

static int	pauses = 0;

static void
count_pause(void)
{
	pauses++;
}

/* parameters with some noise, batch norm's statistics too */
static void
set_params(const OsmlModelSpec *spec, void *params)
{
	size_t		n = osml_model_values(spec);

	spec->ops->init(spec, params);
	for (size_t i = 0; i < n; i++)
	{
		double		shift = 0.2 * noise(70, i);

		if (spec->precision == OSML_FLOAT32)
			((float *) params)[i] += (float) shift;
		else
			((double *) params)[i] += shift;
	}
}

static OsmlPredictor
new_predictor(const OsmlModelSpec *spec, const void *params)
{
	OsmlPredictor predictor = {.spec = *spec,.params = params};

	for (int j = 0; j < MAX_COLUMNS; j++)
	{
		center[j] = 10 + j;
		scale[j] = 1 + 0.5 * j;
		impute[j] = 10 + j + noise(80, (uint64_t) j);
	}
	predictor.scaling = (OsmlScaling)
	{
		.n = spec->layout.n_dense,.center = center,.scale = scale,.impute = impute,
			.label_center = 5,.label_scale = 40
	};
	return predictor;
}

/* row i, far enough from the average that relus have kinks on the way */
static void
new_row(const OsmlModelSpec *spec, int i, double *raw, int32_t *codes)
{
	for (int j = 0; j < spec->layout.n_dense; j++)
		raw[j] = center[j] + 4 * scale[j] * noise(90 + (uint32_t) j, (uint64_t) i);
	for (int k = 0; k < spec->layout.n_codes; k++)
		codes[k] = (i * 5 + k) % sizes[k];
}

/* the average row's codes, of counts 1, 2, ... */
static void
average_codes(const OsmlModelSpec *spec, const void *params, double *average)
{
	int64_t		count[16];
	double		room[16];

	for (int i = 0; i < 16; i++)
		count[i] = i + 1;
	for (int k = 0; k < spec->layout.n_codes; k++)
	{
		osml_average_code(spec, params, k, count, average, room);
		average += spec->ops->code_width(spec, k);
	}
}

/* output k alone */
static const double *
only(int k)
{
	static double mix[3];

	for (int i = 0; i < 3; i++)
		mix[i] = i == k;
	return mix;
}

/* the mean of a table's entries, in proportion to counts */
static void
test_average(void)
{
	OsmlModelSpec spec = new_spec(&osml_model_linear, OSML_FLOAT64, OSML_ACTIVATION_RELU, 2);
	static double params[MAX_VALUES];
	const int64_t count[] = {5, 0, 3};
	const int64_t none[] = {0, 0, 0};
	double		average[2];
	double		room[2];

	set_params(&spec, params);
	ok(osml_average_values(&spec) == 4, "two outputs' entries of two code columns");
	osml_average_code(&spec, params, 0, count, average, room);
	for (int k = 0; k < 2; k++)
		is_close(average[k], (5 * params[osml_linear_entry(&spec, k, 0)] +
							  3 * params[osml_linear_entry(&spec, k, 2)]) / 8, 1e-14, 0,
				 "average entry");
	osml_average_code(&spec, params, 0, none, average, room);
	ok(average[0] == 0 && average[1] == 0, "no rows: 0");
}

/* a linear model: weight times distance, in the label's units */
static void
test_linear(OsmlPrecision precision, int n_outputs)
{
	OsmlModelSpec spec = new_spec(&osml_model_linear, precision, OSML_ACTIVATION_RELU,
								  n_outputs);
	double		tolerance = precision == OSML_FLOAT32 ? 3e-6 : 1e-13;
	static double params[MAX_VALUES];
	static double weight[MAX_VALUES];
	double		intercept[3];
	double		average[16];
	double		raw[MAX_COLUMNS];
	int32_t		codes[2];
	double		got[MAX_COLUMNS];
	OsmlPredictor predictor;
	void	   *buf;
	double		worst = 0;
	double		worst_error = 0;

	set_params(&spec, params);
	predictor = new_predictor(&spec, params);
	average_codes(&spec, params, average);
	osml_linear_unscale(&spec, &predictor.scaling, params, weight, intercept);
	buf = calloc(1, osml_explain_bytes(&predictor));
	for (int i = 0; i < 60; i++)
	{
		int			k = i % n_outputs;
		const double *w = weight + k * (4 + 12);
		double		base = intercept[k];
		OsmlExplained explained;

		new_row(&spec, i, raw, codes);
		explained = osml_explain_row(&predictor, average, raw, codes, only(k), got, buf, NULL);
		for (int j = 0; j < 4; j++)
		{
			worst = fmax(worst, fabs(got[j] - w[j] * (raw[j] - impute[j])));
			base += w[j] * impute[j];
		}
		for (int c = 0; c < 2; c++)
		{
			double		mean = 40 * average[c * n_outputs + k];

			worst = fmax(worst, fabs(got[4 + c] - (w[4 + 3 * c + codes[c]] - mean)));
			base += mean;
		}
		worst = fmax(worst, fabs(explained.baseline - base));
		worst_error = fmax(worst_error, explained.error);
	}
	ok(worst < 200 * tolerance, "linear, %d outputs, %s: weight times distance (worst %.1g)",
	   n_outputs, precision == OSML_FLOAT32 ? "float32" : "float64", worst);
	ok(worst_error < 200 * tolerance, "and the sum is the prediction (worst %.1g)", worst_error);
	free(buf);
}

/* output k at point t of the line between two prepared rows, codes as values by hand */
typedef struct Straight
{
	OsmlModelSpec dense;		/* embeddings' units as dense columns */
	const double *params;
	double		start[16];
	double		way[16];
	void	   *scratch;
} Straight;

static double
output_on(Straight *line, double t, int nudged, double by, int k)
{
	double		x[16];
	double		z[3];

	for (int j = 0; j < line->dense.layout.n_dense; j++)
		x[j] = line->start[j] + t * line->way[j] + (j == nudged ? by : 0);
	line->dense.ops->predict_row(&line->dense, line->params, x, NULL, z, line->scratch);
	return z[k];
}

/* a smooth network against midpoints and central differences */
static void
test_integral(bool batch_norm)
{
	const int	steps = 2000;
	const double h = 1e-6;
	OsmlModelSpec spec = new_spec(&osml_model_mlp, OSML_FLOAT64, OSML_ACTIVATION_TANH, 3);
	static double params[MAX_VALUES];
	double		average[16];
	double		raw[MAX_COLUMNS];
	double		prepared[MAX_COLUMNS];
	double		means[MAX_COLUMNS];
	int32_t		codes[2];
	double		got[MAX_COLUMNS];
	double		want[16] = {0};
	OsmlPredictor predictor;
	Straight	line;
	void	   *buf;

	spec.network.batch_norm = batch_norm;
	set_params(&spec, params);
	predictor = new_predictor(&spec, params);
	average_codes(&spec, params, average);
	buf = calloc(1, osml_explain_bytes(&predictor));
	new_row(&spec, 3, raw, codes);
	osml_explain_row(&predictor, average, raw, codes, only(2), got, buf, count_pause);
	ok(pauses > 0, "a long computation can be interrupted");

	line.dense = spec;
	line.dense.layout = (OsmlLayout)
	{
		.n_dense = 4 + 6
	};
	line.params = params + 12 * 3;	/* behind the embeddings */
	line.scratch = calloc(1, spec.ops->row_scratch(&line.dense));
	osml_prepare_row(&predictor.scaling, OSML_FLOAT64, raw, prepared);
	osml_prepare_row(&predictor.scaling, OSML_FLOAT64, impute, means);
	for (int j = 0; j < 10; j++)
	{
		int			code = j < 4 ? 0 : j < 7 ? codes[0] : 3 + codes[1];
		double		end = j < 4 ? prepared[j] : params[code * 3 + (j - 4) % 3];

		line.start[j] = j < 4 ? means[j] : average[j - 4];
		line.way[j] = end - line.start[j];
	}
	for (int j = 0; j < 10; j++)
	{
		for (int i = 0; i < steps; i++)
			want[j] += (output_on(&line, (i + 0.5) / steps, j, h, 2) -
						output_on(&line, (i + 0.5) / steps, j, -h, 2)) /
				(2 * h) / steps * line.way[j] * 40;
	}
	for (int j = 0; j < 4; j++)
		is_close(got[j], want[j], 0, 2e-5, batch_norm ? "a number, batch norm" : "a number");
	is_close(got[4], want[4] + want[5] + want[6], 0, 2e-5, "an embedding is the sum of its units");
	is_close(got[5], want[7] + want[8] + want[9], 0, 2e-5, "and the other one");
	free(line.scratch);
	free(buf);
}

/* what columns add and the baseline make up the prediction, for every activation */
static void
test_complete(OsmlModelSpec spec, const char *what)
{
	static double params[MAX_VALUES];
	double		average[16];
	double		raw[MAX_COLUMNS];
	int32_t		codes[2];
	double		got[MAX_COLUMNS];
	OsmlPredictor predictor;
	void	   *buf;
	double		worst = 0;
	double		tolerance = spec.precision == OSML_FLOAT32 ? 1e-5 : OSML_EXPLAIN_ERROR;

	set_params(&spec, params);
	predictor = new_predictor(&spec, params);
	average_codes(&spec, params, average);
	buf = calloc(1, osml_explain_bytes(&predictor));
	for (int i = 0; i < 40; i++)
	{
		OsmlExplained explained;
		double		size = 0;
		double		sum = 0;

		new_row(&spec, i, raw, codes);
		explained = osml_explain_row(&predictor, average, raw, codes, only(i % spec.n_outputs), got,
									 buf, NULL);
		for (int j = 0; j < spec.layout.n_dense + spec.layout.n_codes; j++)
		{
			size += fabs(got[j]);
			sum += got[j];
		}
		if (fabs(explained.error - fabs(explained.output - explained.baseline - sum)) > 1e-10)
			worst = INFINITY;
		worst = fmax(worst, explained.error / size);
	}
	ok(worst <= tolerance, "%s%s%s: sums up to %.0e of the whole (worst %.1g)",
	   osml_activation_name(spec.network.activation), spec.network.batch_norm ? ", batch norm" : "",
	   what, tolerance, worst);
	free(buf);
}

/* a class's score less the mean of all: what all classes share is no reason */
static void
test_class(const OsmlModelOps *ops)
{
	OsmlModelSpec spec = new_spec(ops, OSML_FLOAT64, OSML_ACTIVATION_SILU, 3);
	static double params[MAX_VALUES];
	double		average[16];
	double		raw[MAX_COLUMNS];
	int32_t		codes[2];
	double		got[MAX_COLUMNS];
	double		each[3][MAX_COLUMNS];
	double		outputs[3];
	double		mix[3];
	double		worst = 0;
	OsmlExplained explained;
	OsmlPredictor predictor;
	void	   *buf;

	set_params(&spec, params);
	predictor = new_predictor(&spec, params);
	average_codes(&spec, params, average);
	buf = calloc(1, osml_explain_bytes(&predictor));
	new_row(&spec, 5, raw, codes);
	for (int k = 0; k < 3; k++)
		osml_explain_row(&predictor, average, raw, codes, only(k), each[k], buf, NULL);
	osml_predictor_row_outputs(&predictor, raw, codes, outputs, buf);
	osml_explain_class(&spec, 1, mix);
	explained = osml_explain_row(&predictor, average, raw, codes, mix, got, buf, NULL);
	for (int j = 0; j < 6; j++)
		worst = fmax(worst, fabs(got[j] - (each[1][j] -
										   (each[0][j] + each[1][j] + each[2][j]) / 3)));
	ok(worst < 1e-3, "%s: attributions of a class are those of its score less the mean of all "
	   "(worst %.1g)", ops->name, worst);
	is_close(explained.output, outputs[1] - (outputs[0] + outputs[1] + outputs[2]) / 3, 1e-12,
			 1e-12, "and so is the prediction");
	spec.n_outputs = 1;
	osml_explain_class(&spec, 0, mix);
	ok(mix[0] == -1, "one output speaks for the second class");
	free(buf);
}

/* a column without a say adds nothing; the average row adds nothing at all */
static void
test_nothing(void)
{
	OsmlModelSpec spec = new_spec(&osml_model_mlp, OSML_FLOAT64, OSML_ACTIVATION_RELU, 1);
	static double params[MAX_VALUES];
	double		average[16];
	double		raw[MAX_COLUMNS];
	int32_t		codes[2] = {0, 0};
	double		got[MAX_COLUMNS];
	OsmlPredictor predictor;
	OsmlExplained explained;
	void	   *buf;

	spec.layout.n_codes = 0;
	set_params(&spec, params);
	for (int neuron = 0; neuron < 16; neuron++)
		params[neuron * 4 + 2] = 0;
	predictor = new_predictor(&spec, params);
	average_codes(&spec, params, average);
	buf = calloc(1, osml_explain_bytes(&predictor));
	new_row(&spec, 7, raw, codes);
	osml_explain_row(&predictor, average, raw, codes, only(0), got, buf, NULL);
	ok(got[2] == 0 && got[0] != 0, "a column without weights adds nothing");
	explained = osml_explain_row(&predictor, average, impute, codes, only(0), got, buf, NULL);
	ok(got[0] == 0 && got[1] == 0 && got[2] == 0 && got[3] == 0 && explained.error == 0 &&
	   explained.baseline == explained.output, "the average row is the baseline");
	raw[1] = osml_missing();
	osml_explain_row(&predictor, average, raw, codes, only(0), got, buf, NULL);
	ok(got[1] == 0 && isfinite(got[0]), "a missing value is filled in, and adds nothing");
	raw[1] = NAN;
	explained = osml_explain_row(&predictor, average, raw, codes, only(0), got, buf, NULL);
	ok(isnan(explained.output), "NaN ends, as NaN");
	free(buf);
}

int
main(void)
{
	OsmlModelSpec spec;

	test_average();
	test_linear(OSML_FLOAT64, 1);
	test_linear(OSML_FLOAT64, 3);
	test_linear(OSML_FLOAT32, 1);
	test_integral(false);
	test_integral(true);
	for (int a = 0; a < OSML_ACTIVATION_COUNT; a++)
	{
		spec = new_spec(&osml_model_mlp, OSML_FLOAT64, (OsmlActivation) a, 1);
		test_complete(spec, "");
		spec.network.batch_norm = true;
		test_complete(spec, "");
		spec = new_spec(&osml_model_mlp, OSML_FLOAT32, (OsmlActivation) a, 3);
		test_complete(spec, ", float32, three classes");
	}
	spec = new_spec(&osml_model_mlp, OSML_FLOAT64, OSML_ACTIVATION_RELU, 1);
	spec.layout.n_dense = 0;
	test_complete(spec, ", categories only");
	spec.layout.n_dense = 4;
	spec.bias = false;
	test_complete(spec, ", no biases");
	spec.network.n_hidden = 0;
	test_complete(spec, ", no hidden layer");
	test_class(&osml_model_linear);
	test_class(&osml_model_mlp);
	test_nothing();
	return done();
}
