/*
 * test_torch_runs.c
 *	  Every linear run of the PyTorch fixtures, followed step by step.
 *
 * Loss, gradient norm, final parameters and test loss agree to 1e-9 (float64)
 * or 1e-5 (float32) of the greater of the reference and a thousandth of its
 * tensor's norm, starting from osml's own initial parameters.  Predictions and
 * initial parameters too; the scaling constants come from osml's statistics.
 */
#include "reference.h"
#include "tap.h"

#include "compute/stats.h"
#include "fixtures/taxi.h"
#include "fixtures/torch_linear.h"
#include "model/linear.h"
#include "fixtures/predict.h"

#define PARAMS (TAXI_COLUMNS + 1)

/* a run in progress */
typedef struct Run
{
	const TorchRun *torch;
	OsmlModelSpec spec;
	OsmlScaling scaling;
	OsmlOptim	optim;
	OsmlOptimHyper hyper;
	OsmlBlock **raw;			/* as read */
	OsmlBlock **blocks;			/* prepared */
	int			rows;
	double		center[TAXI_COLUMNS];
	double		scale[TAXI_COLUMNS];
	double		params[PARAMS];
	double		grad[PARAMS];
	double		state[2 * PARAMS];
	double		scratch[2 * OSML_BLOCK_ROWS];
	double		worst;			/* largest error, in units of the reference */
} Run;

static const OsmlBackend *const cpu = &osml_backend_cpu;

/* value i of a vector in the run's precision */
static double
value_at(const Run *run, const double *v, int i)
{
	return run->spec.precision == OSML_FLOAT32 ? ((const float *) v)[i] : v[i];
}

/* note the errors of a whole vector */
static void
compare_all(Run *run, const double *got, const double *want, int n)
{
	double		norm = 0;

	for (int i = 0; i < n; i++)
		norm = hypot(norm, want[i]);
	for (int i = 0; i < n; i++)
		reference_compare(&run->worst, value_at(run, got, i), want[i], norm);
}

/* read, scale by osml's own statistics, keep both */
static void
load(Run *run)
{
	OsmlColumnStats stats[PARAMS];
	OsmlBlock **copy;

	taxi_read(run->torch->source, &copy);
	run->rows = taxi_read(run->torch->source, &run->raw);
	run->blocks = copy;
	osml_stats_init(stats, PARAMS);
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
		run->center[j] = run->torch->standardize ? stats[j].mean : 0;
		run->scale[j] = run->torch->standardize ? osml_stats_std(&stats[j]) : 1;
	}
	for (int b = 0; run->blocks[b] != NULL; b++)
		osml_prepare_block(&run->scaling, &taxi_layout, run->spec.precision,
						   run->blocks[b]);
}

/* the spec and hyperparameters, by the names users write */
static void
set_up(Run *run, const TorchRun *torch)
{
	int			loss = osml_loss_by_name(torch->loss);

	memset(run, 0, sizeof(*run));
	run->torch = torch;
	run->spec = (OsmlModelSpec)
	{
		.ops = osml_model_by_name("linear")->ops,
		.layout = taxi_layout,
		.precision = torch->float32 ? OSML_FLOAT32 : OSML_FLOAT64,
		.bias = true,
		.n_outputs = 1,
		.loss = (OsmlLoss) loss,
		.loss_param = torch->huber_delta,
		.init = strcmp(torch->init, "torch_linear") == 0 ?
			OSML_INIT_TORCH_LINEAR : OSML_INIT_KAIMING_UNIFORM,
		.seed = torch->seed
	};
	run->optim = (OsmlOptim) osml_optim_by_name(torch->optimizer);
	osml_optim_defaults(run->optim, torch->lr, &run->hyper);
	run->hyper.nesterov = torch->nesterov;
	if (!isnan(torch->momentum))
		run->hyper.momentum = torch->momentum;
	if (!isnan(torch->weight_decay))
		run->hyper.weight_decay = torch->weight_decay;
	load(run);
}

/* walk rows [first, first + n) of the wrapped stream, a block's part at a time */
static double
accumulate(Run *run, long first, int n)
{
	double		loss_sum = 0;
	OsmlRowsAt	from = {0, 0};

	memset(run->grad, 0, sizeof(run->grad));
	while (n > 0)
	{
		int			row = (int) (first % run->rows);
		OsmlBlock  *block = run->blocks[row / OSML_BLOCK_ROWS];
		int			lo = row % OSML_BLOCK_ROWS;
		int			hi = block->nrows - lo < n ? block->nrows : lo + n;

		run->spec.ops->accumulate(&run->spec, cpu, block, lo, hi, from, run->params,
								  run->grad, &loss_sum, run->scratch);
		first += hi - lo;
		n -= hi - lo;
	}
	return loss_sum;
}

/* clip the mean gradient as the run says */
static void
clip(Run *run, double norm)
{
	OsmlPrecision precision = run->spec.precision;

	if (isnan(run->torch->clip))
		return;
	if (run->torch->clip_by_value)
		cpu->clamp(cpu, precision, PARAMS, run->grad, run->torch->clip);
	else
		cpu->scale(cpu, precision, PARAMS, run->grad,
				   fmin(1, run->torch->clip / (norm + 1e-6)));
}

/* one batch: loss and norm against the fixture, then the update */
static void
train_step(Run *run, int step)
{
	const TorchRun *torch = run->torch;
	OsmlPrecision precision = run->spec.precision;
	int			n = torch->batch_size;
	OsmlOptimStep now;
	double		loss = accumulate(run, (long) (step - 1) * n, n) / n;
	double		norm;

	cpu->scale(cpu, precision, PARAMS, run->grad, 1.0 / n);
	norm = cpu->norm(cpu, precision, PARAMS, run->grad, NULL);
	reference_compare(&run->worst, loss, torch->train_loss[step - 1], 0);
	reference_compare(&run->worst, norm, torch->grad_norm[step - 1], 0);
	clip(run, norm);
	osml_optim_begin_step(&now, &run->hyper, run->hyper.lr, step);
	cpu->optim_step(cpu, precision, run->optim, &now, 0, PARAMS, run->params, run->grad,
					run->state, PARAMS);
}

/* the first five predictions, in a block and alone */
static void
check_predictions(Run *run)
{
	OsmlPredictor predictor = {run->spec, run->scaling, run->params};
	double		out[5];
	double		raw[TAXI_COLUMNS];
	double		buf[TAXI_COLUMNS];
	bool		same = true;
	double		norm = 0;

	osml_predictor_block(&predictor, cpu, run->blocks[0], 0, 5, out,
						 run->scratch);
	for (int i = 0; i < 5; i++)
	{
		for (int j = 0; j < TAXI_COLUMNS; j++)
			raw[j] = osml_block_column(run->raw[0], j)[i];
		same = same && predict_one(&predictor, raw, NULL, buf) == out[i];
		norm = hypot(norm, run->torch->predictions[i]);
	}
	run->worst = 0;
	for (int i = 0; i < 5; i++)
		reference_compare(&run->worst, out[i], run->torch->predictions[i], norm);
	ok(same, "%s: row and block predictions have the same bits",
	   run->torch->name);
}

/* print the worst error and judge it */
static void
judge(Run *run, double tolerance, const char *what)
{
	ok(run->worst <= tolerance, "%s: %s agree to %.0e (worst %.2g)",
	   run->torch->name, what, tolerance, run->worst);
	run->worst = 0;
}

/* one fixture from initialisation to predictions */
static void
follow(const TorchRun *torch)
{
	double		tolerance = torch->float32 ? 1e-5 : 1e-9;
	static Run	run;

	set_up(&run, torch);
	run.spec.ops->init(&run.spec, run.params);
	compare_all(&run, run.params, torch->initial, PARAMS);
	ok(run.worst == 0, "%s: initial parameters have PyTorch's bits (worst %.2g)",
	   torch->name, run.worst);
	for (int step = 1; step <= torch->steps; step++)
		train_step(&run, step);
	judge(&run, tolerance, "losses and gradient norms");

	/* weight and bias are two tensors */
	compare_all(&run, run.params, torch->final, TAXI_COLUMNS);
	reference_compare(&run.worst, value_at(&run, run.params, TAXI_COLUMNS),
			torch->final[TAXI_COLUMNS], 0);
	judge(&run, tolerance, "final parameters");
	check_predictions(&run);
	judge(&run, tolerance, "predictions");
	reference_compare(&run.worst, accumulate(&run, 0, torch->batch_size) / torch->batch_size,
			torch->test_loss, 0);
	judge(&run, tolerance, "test loss");
	taxi_free(run.raw);
	taxi_free(run.blocks);
}

/* the fixture's constants and osml's statistics of the same file */
static void
check_statistics(void)
{
	OsmlColumnStats stats[PARAMS];
	OsmlBlock **blocks;
	double		worst = 0;

	taxi_read("data/dc_taxi/synthetic.csv", &blocks);
	osml_stats_init(stats, PARAMS);
	for (int b = 0; blocks[b] != NULL; b++)
		osml_stats_block(stats, &taxi_layout, blocks[b]);
	for (int j = 0; j < PARAMS; j++)
	{
		/* the fixture has the label first, a layout has it last */
		const OsmlColumnStats *column = &stats[j == 0 ? TAXI_COLUMNS : j - 1];

		worst = fmax(worst, fabs(column->mean / torch_mean[j] - 1));
		worst = fmax(worst, fabs(osml_stats_std(column) /
								 torch_std_population[j] - 1));
	}
	ok(worst < 1e-12, "means and deviations agree to 1e-12 (worst %.2g)", worst);
	taxi_free(blocks);
}

int
main(void)
{
	FILE	   *file = shared_open("data/dc_taxi/synthetic.csv");

	if (file == NULL)
	{
		skip(1 + 6 * (int) TORCH_RUNS,
			 "shared/data is not there (OSML_SHARED names it)");
		return done();
	}
	fclose(file);
	check_statistics();
	for (size_t i = 0; i < TORCH_RUNS; i++)
		follow(&torch_runs[i]);
	return done();
}
