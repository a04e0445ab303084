/*
 * test_gradient.c
 *	  A gradient that is gone through where rows touched it, beside one that is gone
 *	  through as a whole: the same bits, whatever the optimiser.
 */
#include "tap.h"

#include <string.h>

#include "compute/pages.h"
#include "features/scale.h"
#include "fixtures/codes.h"
#include "model/gradient.h"
#include "rules/loss/loss.h"

/* tables of which batches see a part; together more than pages are kept for */
static const int32_t sizes[] = {30011, 5, 4096};

#define CODES 3
#define STEPS 12
#define ROWS 200

static const OsmlBackend *const cpu = &osml_backend_cpu;

typedef struct Case
{
	const char *what;
	double		lr;
	double		momentum;
	double		weight_decay;
	double		eps;
	OsmlInit	init;
} Case;

static const Case cases[] = {
	{"plain", 0.03, 0, 0, 1e-8, OSML_INIT_ZEROS},
	{"with momentum and decay", 0.03, 0.9, 0.01, 1e-8, OSML_INIT_ZEROS},
	{"from random weights", 0.03, 0.5, 0.01, 1e-8, OSML_INIT_TORCH_LINEAR},
	{"from random weights, plain", 0.03, 0, 0, 1e-8, OSML_INIT_TORCH_LINEAR},
	{"with more decay than weight", 1.5, 0, 1, 1e-8, OSML_INIT_ZEROS},
	{"without eps", 0.03, 0, 0, 0, OSML_INIT_ZEROS},
};

/* parameters on their way down */
typedef struct Descent
{
	OsmlGradient gradient;
	char	   *params;
	char	   *state;
	uint64_t   *pages;
	double		norms[2 * STEPS];
} Descent;

static void
begin(Descent *descent, const OsmlModelSpec *spec, bool with_pages)
{
	size_t		width = osml_precision_size(spec->precision);
	size_t		n = spec->ops->n_params(spec);

	memset(descent, 0, sizeof(*descent));
	descent->params = calloc(n, width);
	descent->state = calloc(2 * n, width);
	descent->pages = with_pages ? calloc(osml_gradient_pages(spec), sizeof(uint64_t)) : NULL;
	spec->ops->init(spec, descent->params);
	osml_gradient_init(&descent->gradient, spec, cpu, calloc(n, width), descent->pages);
}

static void
end(Descent *descent)
{
	free(descent->params);
	free(descent->state);
	free(descent->pages);
	free(descent->gradient.values);
}

/* one step over rows of the block, clipped */
static void
take_step(Descent *descent, OsmlOptim optim, const OsmlOptimHyper *hyper,
		  const OsmlBlock *block, int lo, int step, void *scratch)
{
	const OsmlModelSpec *spec = descent->gradient.spec;
	OsmlRowsAt	at = {0, 0};
	OsmlOptimStep now;
	double		sum = 0;

	osml_gradient_rows(&descent->gradient, block, lo, lo + ROWS);
	spec->ops->accumulate(spec, cpu, block, lo, lo + ROWS, at, descent->params,
						  descent->gradient.values, &sum, scratch);
	osml_gradient_scale(&descent->gradient, 1.0 / ROWS);
	descent->norms[2 * step] = osml_gradient_norm(&descent->gradient);
	osml_gradient_clamp(&descent->gradient, 0.01);
	descent->norms[2 * step + 1] = osml_gradient_norm(&descent->gradient);
	osml_optim_begin_step(&now, hyper, hyper->lr, step + 1);
	osml_gradient_step(&descent->gradient, optim, &now, descent->params, descent->state);
	osml_gradient_clear(&descent->gradient);
}

/* Bits alike, but that a NaN is one whatever its bits. */
static bool
alike(OsmlPrecision precision, size_t n, const void *a, const void *b)
{
	if (memcmp(a, b, n * osml_precision_size(precision)) == 0)
		return true;
	for (size_t i = 0; i < n; i++)
	{
		double		x = precision == OSML_FLOAT32 ? ((const float *) a)[i] : ((const double *) a)[i];
		double		y = precision == OSML_FLOAT32 ? ((const float *) b)[i] : ((const double *) b)[i];

		if (!(isnan(x) && isnan(y)) && (x != y || signbit(x) != signbit(y)))
			return false;
	}
	return true;
}

static void
test_descent(OsmlPrecision precision, OsmlOptim optim, const Case *c, int n_outputs)
{
	OsmlModelSpec spec = {
		.ops = &osml_model_linear,
		.layout = {.n_dense = 3,.n_codes = CODES,.code_sizes = sizes},
		.precision = precision,
		.bias = true,
		.n_outputs = n_outputs,
		.loss = n_outputs > 1 ? OSML_LOSS_CROSS_ENTROPY : OSML_LOSS_MSE,
		.init = c->init,
		.seed = 4
	};
	size_t		n = spec.ops->n_params(&spec);
	void	   *scratch = calloc(1, spec.ops->scratch(&spec, ROWS));
	double		zeros[3] = {0, 0, 0};
	double		ones[3] = {1, 1, 1};
	OsmlScaling scaling = {
		.n = 3,.center = zeros,.scale = ones,.impute = zeros,.label_scale = 1
	};
	OsmlOptimHyper hyper;
	Descent		some;
	Descent		all;

	osml_optim_defaults(optim, c->lr, &hyper);
	hyper.momentum = c->momentum;
	hyper.weight_decay = c->weight_decay;
	hyper.eps = c->eps;
	begin(&some, &spec, true);
	begin(&all, &spec, false);
	for (int step = 0; step < STEPS; step++)
	{
		OsmlBlock  *block = block_codes(&spec.layout, OSML_BLOCK_ROWS, 1000 * (uint64_t) (step / 4));

		for (int r = 0; n_outputs > 1 && r < block->nrows; r++)
			osml_block_label(block, &spec.layout)[r] = r % n_outputs;
		osml_prepare_block(&scaling, &spec.layout, precision, block);
		take_step(&some, optim, &hyper, block, 100 * (step % 4), step, scratch);
		take_step(&all, optim, &hyper, block, 100 * (step % 4), step, scratch);
		free(block);
	}
	ok(some.gradient.touched != NULL && alike(precision, n, some.params, all.params) &&
	   alike(precision, 2 * n, some.state, all.state) &&
	   alike(OSML_FLOAT64, 2 * STEPS, some.norms, all.norms) &&
	   alike(precision, n, some.gradient.values, all.gradient.values),
	   "float%d %s %s, %d outputs: the bits of going through everything",
	   precision == OSML_FLOAT32 ? 32 : 64, osml_optim_name(optim), c->what, n_outputs);
	end(&some);
	end(&all);
	free(scratch);
}

/* runs of pages against the bits, at the ends too */
static void
test_pages(size_t n_values)
{
	uint64_t	pages[8] = {0};
	size_t		n_pages = (n_values + OSML_PAGE_VALUES - 1) / OSML_PAGE_VALUES;
	OsmlPageRun run = {0, 0};
	size_t		wrong = 0;
	size_t		seen = 0;
	size_t		marked = 0;

	for (size_t p = 0; p < n_pages; p++)
	{
		if (p * p % 7 < 3 || p + 1 == n_pages)
			osml_pages_mark(pages, p * OSML_PAGE_VALUES);
	}
	while (osml_pages_next(pages, n_values, &run))
	{
		wrong += run.n == 0 || run.first % OSML_PAGE_VALUES != 0 || run.first + run.n > n_values;
		for (size_t i = run.first; i < run.first + run.n; i++)
			wrong += (pages[i / OSML_PAGE_VALUES / 64] >> i / OSML_PAGE_VALUES % 64 & 1) == 0;
		seen += run.n;
	}
	for (size_t i = 0; i < n_values; i++)
		marked += pages[i / OSML_PAGE_VALUES / 64] >> i / OSML_PAGE_VALUES % 64 & 1;
	ok(wrong == 0 && seen == marked, "%zu values: runs of pages", n_values);
}

int
main(void)
{
	static const size_t lengths[] = {0, 1, 15, 16, 17, 1023, 1024, 1025, 4095, 8192};
	OsmlModelSpec small = {.ops = &osml_model_linear,.layout = {.n_dense = 9},.n_outputs = 1};

	for (int i = 0; i < (int) (sizeof(lengths) / sizeof(lengths[0])); i++)
		test_pages(lengths[i]);
	ok(osml_gradient_pages(&small) == 0, "a small model needs none");
	for (int optim = 0; optim < OSML_OPTIM_COUNT; optim++)
	{
		for (int i = 0; i < (int) (sizeof(cases) / sizeof(cases[0])); i++)
		{
			test_descent(OSML_FLOAT64, (OsmlOptim) optim, &cases[i], 1);
			test_descent(OSML_FLOAT32, (OsmlOptim) optim, &cases[i], 3);
		}
		test_descent(OSML_FLOAT32, (OsmlOptim) optim, &cases[1], 1);
	}
	return done();
}
