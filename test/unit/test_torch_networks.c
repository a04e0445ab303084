/*
 * test_torch_networks.c
 *	  The PyTorch fixtures of networks, classes and counts, followed step by step.
 *
 * Losses, gradient norms, final parameters with running statistics, predictions and
 * test loss agree to 1e-9 of the greater of the reference and a thousandth of its
 * tensor's norm, starting from osml's own initial parameters.  A batch goes in cut
 * as blocks cut it.
 */
#include "reference.h"
#include "tap.h"

#include "compute/stats.h"
#include "fixtures/taxi.h"
#include "fixtures/torch_networks.h"
#include "model/predictor.h"

#define TOLERANCE 1e-9
#define MAX_VALUES 1000

/* a run in progress */
typedef struct Run
{
	const TorchNetwork *torch;
	OsmlModelSpec spec;
	OsmlScaling scaling;
	OsmlOptim	optim;
	OsmlOptimHyper hyper;
	OsmlBlock **raw;			/* as read */
	OsmlBlock **blocks;			/* prepared */
	int			rows;
	size_t		n_params;
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	double		center[TAXI_COLUMNS];
	double		scale[TAXI_COLUMNS];
	double		params[MAX_VALUES];
	double		grad[MAX_VALUES];
	double		state[2 * MAX_VALUES];
	void	   *scratch;
	double		worst;			/* largest error, in units of the reference */
} Run;

static const OsmlBackend *const cpu = &osml_backend_cpu;

/* note the errors of all tensors, whose values lie one behind the other */
static void
compare_all(Run *run, const double *want)
{
	for (int t = 0; t < run->torch->n_tensors; t++)
	{
		const OsmlTensor *tensor = &run->tensors[t];
		double		norm = 0;

		for (size_t i = 0; i < tensor->size; i++)
			norm = hypot(norm, want[tensor->offset + i]);
		for (size_t i = 0; i < tensor->size; i++)
			reference_compare(&run->worst, run->params[tensor->offset + i],
							  want[tensor->offset + i], norm);
	}
}

/* the label that the fixture's note derives from the fare */
static double
label_of(const char *model_type, double fare)
{
	if (strcmp(model_type, "logistic") == 0)
		return fare > 12;
	if (strcmp(model_type, "softmax") == 0)
		return (fare > 9) + (fare > 14);
	return strcmp(model_type, "poisson") == 0 ? rint(fare) : fare;
}

/* read, scale by osml's own statistics, keep both */
static void
load(Run *run)
{
	OsmlColumnStats stats[TAXI_COLUMNS + 1];

	taxi_read(run->torch->source, &run->blocks);
	run->rows = taxi_read(run->torch->source, &run->raw);
	osml_stats_init(stats, TAXI_COLUMNS + 1);
	for (int b = 0; run->raw[b] != NULL; b++)
		osml_stats_block(stats, &taxi_layout, run->raw[b]);
	run->scaling = (OsmlScaling)
	{
		.n = TAXI_COLUMNS,
		.center = run->center,
		.scale = run->scale,
		.impute = run->center,
		.label_scale = 1
	};
	for (int j = 0; j < TAXI_COLUMNS; j++)
	{
		run->center[j] = stats[j].mean;
		run->scale[j] = osml_stats_std(&stats[j]);
	}
	for (int b = 0; run->blocks[b] != NULL; b++)
	{
		double	   *label = osml_block_label(run->blocks[b], &taxi_layout);

		for (int i = 0; i < run->blocks[b]->nrows; i++)
			label[i] = label_of(run->torch->model_type, label[i]);
		osml_prepare_block(&run->scaling, &taxi_layout, OSML_FLOAT64, run->blocks[b]);
	}
}

/* the spec and hyperparameters, by the names users write */
static void
set_up(Run *run, const TorchNetwork *torch)
{
	const OsmlModelKind *kind = osml_model_by_name(torch->model_type);

	memset(run, 0, sizeof(*run));
	run->torch = torch;
	run->spec = (OsmlModelSpec)
	{
		.ops = kind->ops,
		.layout = taxi_layout,
		.bias = true,
		.n_outputs = torch->n_outputs,
		.loss = kind->loss,
		.seed = torch->seed,
		.network = {
			.n_hidden = torch->n_hidden,
			.activation = (OsmlActivation) osml_activation_by_name(torch->activation),
			.batch_norm = torch->batch_norm
		}
	};
	memcpy(run->spec.network.hidden, torch->hidden, sizeof(torch->hidden));
	run->n_params = run->spec.ops->n_params(&run->spec);
	run->scratch = calloc(1, run->spec.ops->scratch(&run->spec, torch->batch_size));
	run->optim = (OsmlOptim) osml_optim_by_name(torch->optimizer);
	osml_optim_defaults(run->optim, torch->lr, &run->hyper);
	if (!isnan(torch->momentum))
		run->hyper.momentum = torch->momentum;
	load(run);
}

/* names, shapes and order are those of the Sequential's state */
static void
check_tensors(Run *run)
{
	int			n = run->spec.ops->tensors(&run->spec, run->tensors);
	bool		same = n == run->torch->n_tensors;
	size_t		offset = 0;

	for (int t = 0; same && t < n; t++)
	{
		const OsmlTensor *tensor = &run->tensors[t];
		const TorchTensor *torch = &run->torch->tensors[t];

		same = strcmp(tensor->name, torch->name) == 0 && tensor->ndim == torch->ndim &&
			tensor->offset == offset && tensor->buffer == (offset >= run->n_params);
		for (int d = 0; d < torch->ndim; d++)
			same = same && tensor->shape[d] == torch->shape[d];
		offset += tensor->size;
	}
	ok(same && offset == osml_model_values(&run->spec) && offset <= MAX_VALUES,
	   "%s: tensors are PyTorch's", run->torch->name);
}

/* rows [first, first + n) of the wrapped stream, a block's part at a time */
static double
accumulate(Run *run, uint64_t batch, long first, int n)
{
	double		loss_sum = 0;
	OsmlRowsAt	at = {batch, 0};

	memset(run->grad, 0, sizeof(run->grad));
	while (n > 0)
	{
		int			row = (int) (first % run->rows);
		OsmlBlock  *block = run->blocks[row / OSML_BLOCK_ROWS];
		int			lo = row % OSML_BLOCK_ROWS;
		int			hi = block->nrows - lo < n ? block->nrows : lo + n;

		run->spec.ops->accumulate(&run->spec, cpu, block, lo, hi, at, run->params,
								  run->grad, &loss_sum, run->scratch);
		first += hi - lo;
		at.row += hi - lo;
		n -= hi - lo;
	}
	if (run->spec.ops->end_batch != NULL)
		run->spec.ops->end_batch(&run->spec, cpu, run->params, run->grad, &loss_sum,
								 run->scratch);
	return loss_sum;
}

/* one batch: loss and norm against the fixture, then the update */
static void
train_step(Run *run, int step)
{
	const TorchNetwork *torch = run->torch;
	int			n = torch->batch_size;
	OsmlOptimStep now;
	double		loss = accumulate(run, (uint64_t) step - 1, (long) (step - 1) * n, n) / n;
	double		norm;

	cpu->scale(cpu, OSML_FLOAT64, run->n_params, run->grad, 1.0 / n);
	norm = cpu->norm(cpu, OSML_FLOAT64, run->n_params, run->grad, NULL);
	reference_compare(&run->worst, loss, torch->train_loss[step - 1], 0);
	reference_compare(&run->worst, norm, torch->grad_norm[step - 1], 0);
	if (!isnan(torch->clip))
		cpu->scale(cpu, OSML_FLOAT64, run->n_params, run->grad,
				   fmin(1, torch->clip / (norm + 1e-6)));
	osml_optim_begin_step(&now, &run->hyper, run->hyper.lr, step);
	cpu->optim_step(cpu, OSML_FLOAT64, run->optim, &now, 0, run->n_params, run->params,
					run->grad, run->state, run->n_params);
}

/* outputs of the first five rows, in a block and alone */
static void
check_predictions(Run *run)
{
	OsmlPredictor predictor = {run->spec, run->scaling, run->params};
	int			k = run->spec.n_outputs;
	double		out[5 * 8];
	double		alone[8];
	double		raw[TAXI_COLUMNS];
	double	   *buf = malloc(osml_predictor_row_bytes(&predictor) + 1);
	bool		same = true;
	double		norm = 0;

	osml_predictor_block(&predictor, cpu, run->blocks[0], 0, 5, out, run->scratch);
	for (int i = 0; i < 5 * k; i++)
		norm = hypot(norm, run->torch->predictions[i]);
	for (int i = 0; i < 5 * k; i++)
		reference_compare(&run->worst, out[i % k * 5 + i / k], run->torch->predictions[i], norm);
	osml_predictor_link(&predictor, 5, out);
	for (int i = 0; i < 5; i++)
	{
		for (int j = 0; j < TAXI_COLUMNS; j++)
			raw[j] = osml_block_column(run->raw[0], j)[i];
		osml_predictor_row(&predictor, raw, NULL, alone, buf);
		for (int c = 0; c < k; c++)
			same = same && alone[c] == out[c * 5 + i];
	}
	ok(same, "%s: row and block predictions have the same bits", run->torch->name);
	free(buf);
}

/* the loss of the first batch's rows, as prediction has them */
static double
test_loss(Run *run)
{
	int			n = run->torch->batch_size;
	double	   *z = malloc((size_t) n * (size_t) run->spec.n_outputs * sizeof(double));
	const double *label = osml_block_label(run->blocks[0], &taxi_layout);
	double		sum = 0;

	run->spec.ops->predict(&run->spec, cpu, run->blocks[0], 0, n, run->params, z,
						   run->scratch);
	for (int i = 0; i < n; i++)
		sum += osml_loss_value(run->spec.loss, run->spec.n_outputs, (size_t) n, z + i,
							   label[i], 0);
	free(z);
	return sum / n;
}

/* print the worst error and judge it */
static void
judge(Run *run, const char *what)
{
	ok(run->worst <= TOLERANCE, "%s: %s agree to %.0e (worst %.2g)",
	   run->torch->name, what, TOLERANCE, run->worst);
	run->worst = 0;
}

/* one fixture from initialisation to predictions */
static void
follow(const TorchNetwork *torch)
{
	static Run	run;

	set_up(&run, torch);
	check_tensors(&run);
	run.spec.ops->init(&run.spec, run.params);
	compare_all(&run, torch->initial);
	ok(run.worst == 0, "%s: initial values have PyTorch's bits (worst %.2g)", torch->name,
	   run.worst);
	run.worst = 0;
	for (int step = 1; step <= torch->steps; step++)
		train_step(&run, step);
	judge(&run, "losses and gradient norms");
	compare_all(&run, torch->final);
	judge(&run, "final parameters and running statistics");
	check_predictions(&run);
	judge(&run, "predictions");
	reference_compare(&run.worst, test_loss(&run), torch->test_loss, 0);
	judge(&run, "test loss");
	free(run.scratch);
	taxi_free(run.raw);
	taxi_free(run.blocks);
}

int
main(void)
{
	FILE	   *file = shared_open("data/dc_taxi/synthetic.csv");

	if (file == NULL)
	{
		skip(7 * (int) TORCH_NETWORKS,
			 "shared/data is not there (OSML_SHARED names it)");
		return done();
	}
	fclose(file);
	for (size_t i = 0; i < TORCH_NETWORKS; i++)
		follow(&torch_networks[i]);
	return done();
}
