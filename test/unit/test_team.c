/*
 * test_team.c
 *	  Threads of one run: each part of each round is done once, and gradients, updates
 *	  and running statistics have the same bits on any number of threads.
 */
#include "tap.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compute/cpu_team.h"
#include "compute/random.h"
#include "features/scale.h"
#include "fixtures/codes.h"
#include "model/model.h"
#include "rules/optim/optim.h"

#define ROUNDS 3000
#define MAX_TEAM 5
#define N_PARAMS 50001

static const int32_t sizes[] = {7};

/* --- rounds --- */

static atomic_int done_by[MAX_TEAM];

static void
count_part(const void *work, int part, int parts)
{
	atomic_fetch_add_explicit(&done_by[part], *(const int *) work, memory_order_relaxed);
}

static void
test_rounds(int threads)
{
	int			started;
	OsmlTeam   *team = osml_team_start(threads, &started);
	int64_t		wanted = 0;
	int			wrong = 0;

	memset(done_by, 0, sizeof(done_by));
	for (int i = 0; i < ROUNDS; i++)
	{
		int			weight = i % 3;

		osml_team_run(team, count_part, &weight);
		wanted += weight;
		for (int part = 0; part < threads; part++)
			wrong += atomic_load(&done_by[part]) != wanted;
	}
	ok(started == threads && osml_team_size(team) == threads && wrong == 0,
	   "%d threads do their parts of %d rounds", threads, ROUNDS);
	osml_team_stop(team);
}

/* --- models --- */

/* a product whose result shows the shape that was asked for, as a library's last bits do */
#define DEFINE_GEMM(function, type) \
static void \
function(const OsmlGemmShape *s, const type *a, const type *b, type *c) \
{ \
	for (int i = 0; i < s->m; i++) \
	{ \
		type	   *row = c + i * s->ldc; \
\
		for (int j = 0; j < s->n; j++) \
			row[j] = (s->add ? row[j] : 0) + (type) (s->m + 1e-3 * s->n); \
		for (int k = 0; k < s->k; k++) \
		{ \
			type		factor = a[s->a_transposed ? k * s->lda + i : i * s->lda + k]; \
\
			for (int j = 0; j < s->n; j++) \
				row[j] += factor * b[s->b_transposed ? j * s->ldb + k : k * s->ldb + j]; \
		} \
	} \
}

DEFINE_GEMM(gemm_f64, double)
DEFINE_GEMM(gemm_f32, float)

static const OsmlGemm shape_gemm = {.f64 = gemm_f64,.f32 = gemm_f32};

/* a batch of two segments: gradient and values that are not trained, into out */
static void
accumulate(const OsmlModelSpec *spec, const OsmlBackend *backend, const OsmlBlock *block,
		   int rows, void *out)
{
	size_t		width = osml_precision_size(spec->precision);
	size_t		n = osml_model_values(spec);
	void	   *scratch = calloc(1, spec->ops->scratch(spec, rows + rows / 2));
	char	   *params = calloc(n, width);
	char	   *grad = out;
	OsmlRowsAt	from = {5, 0};
	double		loss = 0;

	spec->ops->init(spec, params);
	memset(grad, 0, n * width);
	spec->ops->accumulate(spec, backend, block, 3, rows, from, params, grad, &loss, scratch);
	from.row = rows - 3;
	spec->ops->accumulate(spec, backend, block, rows, rows + rows / 2,
						  from, params, grad, &loss, scratch);
	if (spec->ops->end_batch)
		spec->ops->end_batch(spec, backend, params, grad, &loss, scratch);
	memcpy(grad + spec->ops->n_params(spec) * width, params + spec->ops->n_params(spec) * width,
		   (n - spec->ops->n_params(spec)) * width);
	memcpy(grad + n * width, &loss, sizeof(loss));
	free(params);
	free(scratch);
}

/* the model's batch by teams against one thread */
static void
test_model(OsmlModelSpec spec, const OsmlGemm *gemm, int rows, const char *name)
{
	OsmlBlock  *block = block_codes(&spec.layout, OSML_BLOCK_ROWS, 0);
	double	   *label = osml_block_label(block, &spec.layout);
	size_t		bytes = (osml_model_values(&spec) + 1) * sizeof(double);
	char	   *alone = calloc(1, bytes);
	char	   *shared = calloc(1, bytes);
	OsmlBackend one = osml_backend_cpu;
	double		zeroes[257] = {0};
	double		ones[257];
	OsmlScaling scaling = {
		.n = spec.layout.n_dense,.label_scale = 1,.center = zeroes,.impute = zeroes,
		.scale = ones
	};

	for (int j = 0; j < 257; j++)
		ones[j] = 1;
	for (int i = 0; i < OSML_BLOCK_ROWS && spec.n_outputs > 1; i++)
		label[i] = i % spec.n_outputs;
	osml_prepare_block(&scaling, &spec.layout, spec.precision, block);
	one.gemm = gemm;
	accumulate(&spec, &one, block, rows, alone);
	for (int threads = 1; threads <= MAX_TEAM; threads++)
	{
		int			started;
		OsmlBackend several = one;

		osml_cpu_use_team(&several, osml_team_start(threads, &started));
		accumulate(&spec, &several, block, rows, shared);
		ok(memcmp(alone, shared, bytes) == 0, "float%d %s: the same bits on %d threads",
		   spec.precision == OSML_FLOAT32 ? 32 : 64, name, threads);
		osml_team_stop(several.team);
	}
	free(alone);
	free(shared);
	free(block);
}

static void
test_models(OsmlPrecision precision)
{
	OsmlModelSpec linear = {
		.ops = &osml_model_linear,.layout = {.n_dense = 257},.precision = precision,
		.bias = true,.n_outputs = 1,.loss = OSML_LOSS_MSE,.seed = 4
	};
	OsmlModelSpec classes = linear;
	OsmlModelSpec network = linear;
	OsmlModelSpec wide = linear;

	test_model(linear, NULL, 600, "linear");
	classes.n_outputs = 9;
	classes.loss = OSML_LOSS_CROSS_ENTROPY;
	test_model(classes, NULL, 600, "softmax");
	network.ops = &osml_model_mlp;
	network.layout.n_codes = 1;
	network.layout.code_sizes = sizes;
	network.network = (OsmlNetwork)
	{
		.n_hidden = 2,.hidden = {61, 35},.activation = OSML_ACTIVATION_GELU,.seed = 77,
		.embedding = 3,.dropout = 0.3
	};
	test_model(network, NULL, 600, "network with dropout and an embedding");
	network.network.batch_norm = true;
	test_model(network, NULL, 600, "network with batch norm");
	wide.ops = &osml_model_mlp;
	wide.network = (OsmlNetwork)
	{
		.n_hidden = 3,.hidden = {64, 300, 64},.activation = OSML_ACTIVATION_RELU,.seed = 77
	};
	test_model(wide, &shape_gemm, 160, "wide network by a library's products");
}

/* --- updates --- */

static void
test_update(OsmlPrecision precision, OsmlOptim optim)
{
	size_t		width = osml_precision_size(precision);
	size_t		state_bytes = N_PARAMS * width * (size_t) osml_optim_slots(optim);
	OsmlOptimHyper hyper = {
		.weight_decay = 0.01,.momentum = 0.9,.beta1 = 0.9,.beta2 = 0.999,.eps = 1e-8
	};
	char	   *result[2];

	for (int k = 0; k < 2; k++)
	{
		int			started;
		OsmlBackend backend = osml_backend_cpu;
		char	   *params = calloc(N_PARAMS, width);
		void	   *grad = calloc(N_PARAMS, width);
		void	   *state = calloc(1, state_bytes + 1);

		if (k > 0)
			osml_cpu_use_team(&backend, osml_team_start(3, &started));
		for (int step = 1; step <= 3; step++)
		{
			OsmlOptimStep now;

			for (size_t i = 0; i < N_PARAMS; i++)
			{
				if (precision == OSML_FLOAT32)
					((float *) grad)[i] = (float) noise(70 + (uint32_t) step, i);
				else
					((double *) grad)[i] = noise(70 + (uint32_t) step, i);
			}
			backend.scale(&backend, precision, N_PARAMS, grad, 0.7);
			osml_optim_begin_step(&now, &hyper, 0.01, step);
			backend.optim_step(&backend, precision, optim, &now, 0, N_PARAMS, params, grad,
							   state, N_PARAMS);
		}
		result[k] = params;
		free(grad);
		free(state);
		osml_team_stop(backend.team);
	}
	ok(memcmp(result[0], result[1], N_PARAMS * width) == 0,
	   "float%d %s: the same parameters on three threads",
	   precision == OSML_FLOAT32 ? 32 : 64, osml_optim_name(optim));
	free(result[0]);
	free(result[1]);
}

int
main(void)
{
	for (int threads = 1; threads <= MAX_TEAM; threads++)
		test_rounds(threads);
	test_models(OSML_FLOAT64);
	test_models(OSML_FLOAT32);
	for (int optim = 0; optim < OSML_OPTIM_COUNT; optim++)
	{
		test_update(OSML_FLOAT64, (OsmlOptim) optim);
		test_update(OSML_FLOAT32, (OsmlOptim) optim);
	}
	return done();
}
