/*
 * test_torch_average.c
 *	  Averages of a network with batch norm as torch.optim.swa_utils makes them, whose
 *	  running statistics are measured anew (swa) or averaged too (ema).
 *
 * Values agree to 1e-9 of the greater of the reference and a tenth.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "fixtures/codes.h"
#include "fixtures/torch_average.h"
#include "model/model.h"
#include "rules/average/anneal.h"
#include "rules/average/average.h"
#include "rules/optim/optim.h"

#define MAX_VALUES 200
#define N_VALUES (sizeof(torch_average_last) / sizeof(double))

static const OsmlBackend *const cpu = &osml_backend_cpu;

/* a network of two columns, on batches of the table */
static OsmlModelSpec
make_spec(void)
{
	return (OsmlModelSpec)
	{
		.ops = osml_model_by_name("mlp")->ops,
		.layout = {.n_dense = 2},
		.bias = true,
		.n_outputs = 1,
		.loss = OSML_LOSS_MSE,
		.seed = TORCH_AVERAGE_SEED,
		.network = {
			.n_hidden = 1,.hidden = {6},
			.activation = (OsmlActivation) osml_activation_by_name("tanh"),
			.batch_norm = true
		}
	};
}

/* a batch of the table, which begins at row `first` of it, without its codes */
static OsmlBlock *
batch_at(const OsmlModelSpec *spec, int first)
{
	int			n = TABLE_ROWS - first < TORCH_AVERAGE_BATCH ? TABLE_ROWS - first :
		TORCH_AVERAGE_BATCH;
	OsmlBlock  *table = table_block(first, n);
	OsmlBlock  *block = block_new(&spec->layout, n);

	for (int j = 0; j < 2; j++)
		memcpy(osml_block_column(block, j), osml_block_column(table, j), (size_t) n * 8);
	memcpy(osml_block_label(block, &spec->layout), osml_block_label(table, &table_layout),
		   (size_t) n * 8);
	free(table);
	return block;
}

static double
error_of(const double *got, const double *want, size_t n)
{
	double		worst = 0;

	for (size_t i = 0; i < n; i++)
		worst = fmax(worst, fabs(got[i] - want[i]) / fmax(0.1, fabs(want[i])));
	return worst;
}

/* the count of batches of a layer's norm is no average */
static void
copy_counts(const OsmlModelSpec *spec, double *averages, const double *params)
{
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	int			n = spec->ops->tensors(spec, tensors);

	for (int i = 0; i < n; i++)
	{
		if (tensors[i].ndim == 0)
			averages[tensors[i].offset] = params[tensors[i].offset];
	}
}

static void
test_averages(void)
{
	OsmlModelSpec spec = make_spec();
	size_t		n = spec.ops->n_params(&spec);
	void	   *scratch = calloc(1, spec.ops->scratch(&spec, TORCH_AVERAGE_BATCH));
	OsmlAverage swa = {.kind = OSML_AVERAGE_SWA};
	OsmlAverage ema = {.kind = OSML_AVERAGE_EMA,.decay = TORCH_AVERAGE_DECAY};
	static double params[MAX_VALUES];
	static double grad[MAX_VALUES];
	static double state[2 * MAX_VALUES];
	static double swa_values[MAX_VALUES];
	static double ema_values[MAX_VALUES];
	static double before[MAX_VALUES];
	OsmlOptimHyper hyper;
	OsmlOptimStep update;
	double		loss = 0;
	int			step = 0;
	double		worst;

	ok(osml_model_values(&spec) == N_VALUES, "%zu values", N_VALUES);
	spec.ops->init(&spec, params);
	osml_optim_defaults(OSML_OPTIM_SGD, 0.05, &hyper);
	hyper.momentum = 0.9;
	for (int epoch = 0; epoch < TORCH_AVERAGE_EPOCHS; epoch++)
	{
		for (int first = 0; first < TABLE_ROWS; first += TORCH_AVERAGE_BATCH)
		{
			OsmlBlock  *block = batch_at(&spec, first);
			OsmlRowsAt	at = {(uint64_t) step, 0};

			memset(grad, 0, sizeof(grad));
			spec.ops->accumulate(&spec, cpu, block, 0, block->nrows, at, params, grad,
								 &loss, scratch);
			spec.ops->end_batch(&spec, cpu, params, grad, &loss, scratch);
			cpu->scale(cpu, OSML_FLOAT64, n, grad, 1.0 / block->nrows);
			osml_optim_begin_step(&update, &hyper, hyper.lr, ++step);
			cpu->optim_step(cpu, OSML_FLOAT64, OSML_OPTIM_SGD, &update, 0, n, params, grad, state, n);
			osml_average_update(&ema, OSML_FLOAT64, N_VALUES, ema_values, params);
			copy_counts(&spec, ema_values, params);
			free(block);
		}
		if (epoch >= TORCH_AVERAGE_FIRST)
			osml_average_update(&swa, OSML_FLOAT64, N_VALUES, swa_values, params);
	}
	memcpy(before, swa_values, sizeof(before));
	spec.ops->reset_buffers(&spec, swa_values);
	for (int first = 0; first < TABLE_ROWS; first += TORCH_AVERAGE_BATCH)
	{
		OsmlBlock  *block = batch_at(&spec, first);
		OsmlRowsAt	at = {(uint64_t) (first / TORCH_AVERAGE_BATCH), 0};

		spec.ops->accumulate(&spec, cpu, block, 0, block->nrows, at, swa_values, NULL, &loss,
							 scratch);
		spec.ops->count_batch(&spec, cpu, swa_values, scratch);
		free(block);
	}
	ok(memcmp(before, swa_values, n * sizeof(double)) == 0, "measuring leaves the weights alone");
	worst = error_of(params, torch_average_last, N_VALUES);
	ok(worst <= 1e-9, "the last values agree (worst %.1g)", worst);
	worst = error_of(swa_values, torch_average_swa, N_VALUES);
	ok(worst <= 1e-9, "AveragedModel and update_bn (worst %.1g)", worst);
	worst = error_of(ema_values, torch_average_ema, N_VALUES);
	ok(worst <= 1e-9, "an exponential average with use_buffers (worst %.1g)", worst);
	free(scratch);
}

static void
test_rates(OsmlAnneal strategy, int epochs, const double *want)
{
	double		worst = 0;

	for (int epoch = 0; epoch < 6; epoch++)
		worst = fmax(worst, fabs(osml_anneal(strategy, 0.3, 0.05, epoch, epochs) /
								 want[epoch] - 1));
	ok(worst <= 1e-14, "SWALR over %d epochs (worst %.1g)", epochs, worst);
}

int
main(void)
{
	test_averages();
	test_rates(OSML_ANNEAL_COS, 4, torch_swalr_cos_4);
	test_rates(OSML_ANNEAL_LINEAR, 4, torch_swalr_linear_4);
	test_rates(OSML_ANNEAL_COS, 0, torch_swalr_cos_0);
	test_rates(OSML_ANNEAL_LINEAR, 1, torch_swalr_linear_1);
	return done();
}
