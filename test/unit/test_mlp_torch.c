/*
 * test_mlp_torch.c
 *	  Networks with embeddings trained by PyTorch over the rows of codes.h, in both
 *	  precisions: initial values, losses of each step, final values.
 *
 * And what PyTorch names and numbers: tensors, running statistics, dropout.
 */
#include "tap.h"

#include <string.h>

#include "compute/random.h"
#include "fixtures/codes.h"
#include "fixtures/torch_embedding.h"
#include "model/predictor.h"

#define MAX_VALUES 300

static const OsmlBackend *const cpu = &osml_backend_cpu;

/* the spec of a fixture */
static OsmlModelSpec
spec_of(const TorchEmbedding *torch, uint64_t seed)
{
	OsmlLoss	loss = (OsmlLoss) osml_loss_by_name(torch->loss);

	return (OsmlModelSpec)
	{
		.ops = osml_model_by_name("mlp")->ops,
		.layout = table_layout,
		.precision = torch->float32 ? OSML_FLOAT32 : OSML_FLOAT64,
		.bias = torch->bias,
		.n_outputs = osml_loss_by_class(loss) ? 3 : 1,
		.loss = loss,
		.loss_param = 0.6,
		.seed = seed,
		.network = {
			.n_hidden = 2,.hidden = {7, 4},
			.activation = (OsmlActivation) osml_activation_by_name(torch->activation),
			.batch_norm = torch->batch_norm,.embedding = torch->embedding
		}
	};
}

/* the label that torch_embedding.py makes of y */
static double
label_of(OsmlLoss loss, double y)
{
	if (osml_loss_by_class(loss))
		return (y > 1) + (y > 2);
	if (osml_losses[loss].link == OSML_LINK_LOGISTIC)
		return y > 2;
	return osml_losses[loss].link == OSML_LINK_EXP ? fmax(rint(y), 0) : y;
}

/* rows of a step, prepared */
static OsmlBlock *
step_block(const OsmlModelSpec *spec, int step)
{
	OsmlBlock  *block = table_block(step * TORCH_EMBEDDING_BATCH, TORCH_EMBEDDING_BATCH);
	double		zeroes[2] = {0};
	double		ones[2] = {1, 1};
	OsmlScaling scaling = {
		.n = 2,.center = zeroes,.scale = ones,.impute = zeroes,.label_scale = 1
	};

	for (int i = 0; i < block->nrows; i++)
		osml_block_label(block, &spec->layout)[i] =
			label_of(spec->loss, osml_block_label(block, &spec->layout)[i]);
	osml_prepare_block(&scaling, &spec->layout, spec->precision, block);
	return block;
}

/* largest error of a vector, relative to the greater of a value and a tenth */
static double
error_of(const OsmlModelSpec *spec, const void *got, const double *want, int n)
{
	double		worst = 0;

	for (int i = 0; i < n; i++)
	{
		double		value = spec->precision == OSML_FLOAT32 ? ((const float *) got)[i] :
			((const double *) got)[i];

		worst = fmax(worst, fabs(value - want[i]) / fmax(0.1, fabs(want[i])));
	}
	return worst;
}

/* follow one fixture */
static void
follow(const TorchEmbedding *torch, uint64_t seed)
{
	double		tolerance = torch->float32 ? 1e-5 : 1e-9;
	OsmlModelSpec spec = spec_of(torch, seed);
	size_t		n = spec.ops->n_params(&spec);
	void	   *scratch = calloc(1, spec.ops->scratch(&spec, TORCH_EMBEDDING_BATCH));
	static double params[MAX_VALUES];
	static double grad[MAX_VALUES];
	static double state[2 * MAX_VALUES];
	OsmlOptim	optim = (OsmlOptim) osml_optim_by_name(torch->float32 ? "SGD" : "AdamW");
	OsmlOptimHyper hyper;
	double		worst = 0;
	double		first;

	ok((int) osml_model_values(&spec) == torch->n_values, "%d values", torch->n_values);
	memset(state, 0, sizeof(state));
	spec.ops->init(&spec, params);

	/* normal values come from other logarithms and cosines in PyTorch */
	first = error_of(&spec, params, torch->initial, torch->n_values);
	ok(first <= (torch->float32 ? 2e-6 : 4e-16), "%s %s float%d: initial values (worst %.1g)",
	   torch->activation, torch->loss, torch->float32 ? 32 : 64, first);
	osml_optim_defaults(optim, 0.02, &hyper);
	if (torch->float32)
		hyper.momentum = 0.9;
	for (int step = 0; step < TORCH_EMBEDDING_STEPS; step++)
	{
		OsmlBlock  *block = step_block(&spec, step);
		OsmlRowsAt	from = {(uint64_t) step, 0};
		OsmlOptimStep now;
		double		loss = 0;

		memset(grad, 0, sizeof(grad));
		spec.ops->accumulate(&spec, cpu, block, 0, block->nrows, from, params, grad, &loss,
							 scratch);
		spec.ops->end_batch(&spec, cpu, params, grad, &loss, scratch);
		worst = fmax(worst, fabs(loss / block->nrows / torch->train_loss[step] - 1));
		cpu->scale(cpu, spec.precision, n, grad, 1.0 / block->nrows);
		osml_optim_begin_step(&now, &hyper, hyper.lr, step + 1);
		cpu->optim_step(cpu, spec.precision, optim, &now, 0, n, params, grad, state, n);
		free(block);
	}
	ok(worst <= tolerance, "its losses agree to %.0e (worst %.1g)", tolerance, worst);
	worst = error_of(&spec, params, torch->final, torch->n_values);
	ok(worst <= tolerance, "its final values agree to %.0e (worst %.1g)", tolerance, worst);
	free(scratch);
}

/* names count modules as nn.Sequential does, dropout among them */
static void
test_names(void)
{
	static const char *const names[] = {
		"embedding.0.weight", "embedding.1.weight", "0.weight", "0.bias", "1.weight",
		"4.weight", "4.bias", "5.weight", "8.weight", "8.bias", "9.weight",
		"0.running_mean", "0.running_var", "0.num_batches_tracked",
		"4.running_mean", "4.running_var", "4.num_batches_tracked",
		"8.running_mean", "8.running_var", "8.num_batches_tracked"
	};
	OsmlModelSpec spec = spec_of(&torch_embeddings[0], 1);
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	int			n;
	bool		same;
	int32_t		many[200];

	spec.network.batch_norm = true;
	spec.network.dropout = 0.5;
	spec.bias = false;
	n = spec.ops->tensors(&spec, tensors);
	same = n == sizeof(names) / sizeof(names[0]);
	for (int i = 0; same && i < n; i++)
		same = strcmp(tensors[i].name, names[i]) == 0;
	ok(same, "names of a network with batch norm, dropout and no biases");
	ok(tensors[1].shape[0] == 5 && tensors[1].shape[1] == 3 && tensors[4].shape[1] == 7,
	   "an embedding's width is half its categories, rounded up");
	for (int k = 0; k < 200; k++)
		many[k] = 1000;
	spec.layout.n_codes = 200;
	spec.layout.code_sizes = many;
	spec.network.n_hidden = OSML_MAX_HIDDEN;
	for (int l = 0; l < OSML_MAX_HIDDEN; l++)
		spec.network.hidden[l] = 2;
	spec.bias = true;
	n = spec.ops->tensors(&spec, tensors);
	ok(n == 1 + 7 * (OSML_MAX_HIDDEN + 1) && tensors[0].ndim == 1 &&
	   tensors[0].size == 200 * 50000, "very many embeddings are one tensor");
	spec.layout.n_codes = 128;
	ok(spec.ops->tensors(&spec, tensors) == 128 + 7 * (OSML_MAX_HIDDEN + 1),
	   "as many as have names fit");
}

/* an output that is not finite, of rows by themselves and of a batch that is kept */
static void
test_anomaly(OsmlModelSpec *spec, OsmlBlock *block, double *params, void *scratch)
{
	static double before[MAX_VALUES];
	static double grad[MAX_VALUES];
	OsmlAnomaly found = {.module = ""};
	OsmlRowsAt	at = {3, 0};
	double		loss = 0;
	double		value = osml_block_column(block, 0)[13];

	osml_block_column(block, 0)[13] = INFINITY;
	memcpy(before, params, sizeof(before));
	spec->ops->accumulate(spec, cpu, block, 0, 13, at, params, grad, &loss, scratch);
	ok(!spec->ops->find_anomaly(spec, cpu, NULL, 0, 0, at, params, scratch, &found),
	   "a batch without an odd value has none");
	at.row = 13;
	spec->ops->accumulate(spec, cpu, block, 13, 20, at, params, grad, &loss, scratch);
	ok(spec->ops->find_anomaly(spec, cpu, NULL, 0, 0, at, params, scratch, &found) &&
	   strcmp(found.module, "1") == 0 && !isfinite(found.value),
	   "with batch norm an odd value is in the outputs of the first layer");
	ok(memcmp(before, params, sizeof(before)) == 0, "looking leaves running statistics alone");
	spec->network.batch_norm = false;
	ok(spec->ops->find_anomaly(spec, cpu, block, 5, 20, at, params, scratch, &found) &&
	   found.row == 8 && strcmp(found.module, "0") == 0, "without it in those of its row");
	ok(!spec->ops->find_anomaly(spec, cpu, block, 0, 13, at, params, scratch, &found),
	   "other rows have none");
	spec->network.batch_norm = true;
	osml_block_column(block, 0)[13] = value;
}

/* running statistics after one batch, and after one of a single row */
static void
test_batch_norm(void)
{
	OsmlModelSpec spec = spec_of(&torch_embeddings[0], 1);
	OsmlBlock  *block;
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	void	   *scratch;
	static double params[MAX_VALUES];
	static double before[MAX_VALUES];
	static double grad[MAX_VALUES];
	const OsmlTensor *mean = tensors;
	double		loss = 0;
	double		sum = 0;
	double		squares = 0;

	spec.network.batch_norm = true;
	spec.layout.n_codes = 0;
	block = step_block(&spec, 0);
	scratch = calloc(1, spec.ops->scratch(&spec, 20));
	spec.ops->init(&spec, params);
	spec.ops->tensors(&spec, tensors);
	while (strcmp(mean->name, "0.running_mean") != 0)
		mean++;
	ok(params[mean[0].offset] == 0 && params[mean[1].offset] == 1 &&
	   params[mean[2].offset] == 0, "running statistics start at 0, 1 and 0");
	spec.ops->accumulate(&spec, cpu, block, 0, 20, (OsmlRowsAt) {0, 0}, params, grad, &loss,
						 scratch);
	ok(loss == 0, "nothing is computed before the batch is complete");
	spec.ops->end_batch(&spec, cpu, params, grad, &loss, scratch);
	for (int i = 0; i < 20; i++)
		sum += osml_block_column(block, 0)[i] / 20;
	for (int i = 0; i < 20; i++)
		squares += pow(osml_block_column(block, 0)[i] - sum, 2) / 19;
	is_close(params[mean[0].offset], 0.1 * sum, 1e-14, 0, "running mean");
	is_close(params[mean[1].offset], 0.9 + 0.1 * squares, 1e-14, 0, "running variance");
	ok(params[mean[2].offset] == 1 && loss > 0, "one batch tracked");
	loss = 0;
	spec.ops->end_batch(&spec, cpu, params, grad, &loss, scratch);
	ok(loss == 0, "an empty batch changes nothing");
	memcpy(before, params, sizeof(params));
	memset(grad, 0, sizeof(grad));
	spec.ops->accumulate(&spec, cpu, block, 4, 5, (OsmlRowsAt) {1, 0}, params, grad, &loss,
						 scratch);
	spec.ops->end_batch(&spec, cpu, params, grad, &loss, scratch);
	ok(isfinite(loss) && memcmp(before, params, sizeof(params)) == 0,
	   "a batch of one row leaves the running statistics alone");
	ok(isfinite(cpu->norm(cpu, OSML_FLOAT64, spec.ops->n_params(&spec), grad, NULL)) &&
	   grad[0] == 0 && grad[spec.ops->n_params(&spec) - 1] != 0,
	   "its gradient is finite, and zero where it goes through the normalised values");
	/* rows 0 to 15 are given up, and the batch begins anew with five others */
	for (int given_up = 0; given_up < 2; given_up++)
	{
		memcpy(params, before, sizeof(params));
		squares = loss;
		loss = 0;
		if (given_up)
			spec.ops->accumulate(&spec, cpu, block, 0, 15, (OsmlRowsAt) {2, 0}, params, grad,
								 &loss, scratch);
		spec.ops->accumulate(&spec, cpu, block, 15, 20, (OsmlRowsAt) {2, 0}, params, grad,
							 &loss, scratch);
		spec.ops->end_batch(&spec, cpu, params, grad, &loss, scratch);
	}
	ok(loss == squares, "a batch that was given up leaves no row in the next");
	test_anomaly(&spec, block, params, scratch);
	free(block);
	free(scratch);
}

/* masks: their share, their scale, and what they depend on */
static void
test_dropout(void)
{
	static double value[6][1000];
	static double slope[6][1000];
	static double other[6][1000];
	OsmlTile values = {value, 1000, 1000, 6};
	OsmlTile slopes = {slope, 1000, 1000, 6};
	OsmlTile others = {other, 1000, 1000, 6};
	OsmlDropout dropout = {.seed = 3,.batch = 8,.row = 100,.layer = 1,.probability = 0.3};
	OsmlRandomKey key = {.seed = 3,.stream = OSML_STREAM_DROPOUT,.epoch = 8};
	int			dropped = 0;
	int			wrong = 0;
	int			same = 0;

	for (int j = 0; j < 6; j++)
		for (int i = 0; i < 1000; i++)
			value[j][i] = slope[j][i] = other[j][i] = 1;
	cpu->dropout(cpu, OSML_FLOAT64, &dropout, values, slopes);
	for (int j = 0; j < 6; j++)
	{
		for (int i = 0; i < 1000; i++)
		{
			uint64_t	u = osml_random_u64(key, (uint64_t) (1 << 26 | j / 4) << 32 |
											(uint64_t) (100 + i));
			bool		kept = (uint32_t) (u >> (j % 4 == 1 ? 32 : 0)) >= 0.3 * 0x1p32;

			dropped += value[j][i] == 0;
			wrong += value[j][i] != 0 && fabs(value[j][i] - 1 / 0.7) > 1e-15;
			wrong += value[j][i] != slope[j][i];
			wrong += j % 4 < 2 && kept != (value[j][i] != 0);
		}
	}
	ok(wrong == 0, "kept values are divided by 1 - p, masks are the documented numbers");
	ok(abs(dropped - 1800) < 150, "three in ten are dropped (%d of 6000)", dropped);
	dropout.batch = 9;
	cpu->dropout(cpu, OSML_FLOAT64, &dropout, others, slopes);
	for (int j = 0; j < 6; j++)
		for (int i = 0; i < 1000; i++)
			same += (other[j][i] != 0) == (value[j][i] != 0);
	ok(abs(same - 3480) < 200, "another batch has another mask (%d of 6000 alike)", same);
	for (int j = 0; j < 6; j++)
		for (int i = 0; i < 1000; i++)
			other[j][i] = 1;
	dropout.batch = 8;
	dropout.row = 350;
	others.rows = slopes.rows = 500;
	cpu->dropout(cpu, OSML_FLOAT64, &dropout, others, slopes);
	same = 0;
	for (int j = 0; j < 6; j++)
		for (int i = 0; i < 500; i++)
			same += other[j][i] == value[j][i + 250];
	ok(same == 3000, "a row has its mask wherever a part begins");
}

int
main(void)
{
	for (size_t i = 0; i < TORCH_EMBEDDINGS; i++)
		follow(&torch_embeddings[i], 11 + i);
	test_names();
	test_batch_norm();
	test_dropout();
	return done();
}
