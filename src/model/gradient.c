/*
 * gradient.c
 *	  The summed gradient of a step; see gradient.h.
 */
#include "model/gradient.h"

#include <string.h>

#include "compute/pages.h"

/* with fewer values all of them are in cache anyway */
#define MIN_VALUES 16384

#define MAX_SLOTS 4

size_t
osml_gradient_pages(const OsmlModelSpec *spec)
{
	size_t		n = spec->ops->n_params(spec);

	return spec->ops->touch == NULL || n < MIN_VALUES ? 0 : 2 * osml_pages_words(n);
}

/* what rows touch whatever their codes */
static void
touch_always(OsmlGradient *gradient)
{
	if (gradient->touched)
		gradient->spec->ops->touch(gradient->spec, NULL, 0, 0, gradient->touched);
}

void
osml_gradient_init(OsmlGradient *gradient, const OsmlModelSpec *spec,
				   const OsmlBackend *backend, void *values, uint64_t *pages)
{
	gradient->spec = spec;
	gradient->backend = backend;
	gradient->n = spec->ops->n_params(spec);
	gradient->values = values;
	gradient->touched = pages;
	gradient->moving = pages ? pages + osml_pages_words(gradient->n) : NULL;
	gradient->moving_known = false;
	touch_always(gradient);
}

void
osml_gradient_rows(OsmlGradient *gradient, const OsmlBlock *block, int lo, int hi)
{
	if (gradient->touched)
		gradient->spec->ops->touch(gradient->spec, block, lo, hi, gradient->touched);
}

/* The next run of pages; without pages there is one of everything. */
static bool
next_run(const OsmlGradient *gradient, const uint64_t *pages, OsmlPageRun *run)
{
	if (pages)
		return osml_pages_next(pages, gradient->n, run);
	if (run->n > 0)
		return false;
	run->n = gradient->n;
	return run->n > 0;
}

/* value i of a vector in the compute type, as a place */
static void *
place(const OsmlGradient *gradient, const void *vector, size_t i)
{
	return (char *) vector + i * osml_precision_size(gradient->spec->precision);
}

/* what a backend does to values by a number, to the touched pages */
static void
touched_values(OsmlGradient *gradient,
			   void (*change) (const OsmlBackend *self, OsmlPrecision precision, size_t n,
							   void *v, double number),
			   double number)
{
	OsmlPageRun run = {0, 0};

	while (next_run(gradient, gradient->touched, &run))
		change(gradient->backend, gradient->spec->precision, run.n,
			   place(gradient, gradient->values, run.first), number);
}

void
osml_gradient_scale(OsmlGradient *gradient, double factor)
{
	touched_values(gradient, gradient->backend->scale, factor);
}

double
osml_gradient_norm(const OsmlGradient *gradient)
{
	return gradient->backend->norm(gradient->backend, gradient->spec->precision, gradient->n,
								   gradient->values, gradient->touched);
}

void
osml_gradient_clamp(OsmlGradient *gradient, double limit)
{
	touched_values(gradient, gradient->backend->clamp, limit);
}

void
osml_gradient_clear(OsmlGradient *gradient)
{
	OsmlPageRun run = {0, 0};

	while (next_run(gradient, gradient->touched, &run))
		memset(place(gradient, gradient->values, run.first), 0,
			   run.n * osml_precision_size(gradient->spec->precision));
	if (gradient->touched)
		memset(gradient->touched, 0, sizeof(uint64_t) * osml_pages_words(gradient->n));
	touch_always(gradient);
}

/* Are all bytes 0? */
static bool
is_zero(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
	{
		if (at[i] != 0)
			return false;
	}
	return true;
}

/* Mark what is not at rest: a page whose parameters or state are not all zero. */
static void
find_moving(OsmlGradient *gradient, int slots, const void *params, const void *state)
{
	size_t		width = osml_precision_size(gradient->spec->precision);

	for (size_t i = 0; i < gradient->n; i += OSML_PAGE_VALUES)
	{
		size_t		n = gradient->n - i < OSML_PAGE_VALUES ? gradient->n - i : OSML_PAGE_VALUES;
		bool		rests = is_zero(place(gradient, params, i), n * width);

		for (int k = 0; rests && k < slots; k++)
			rests = is_zero(place(gradient, state, k * gradient->n + i), n * width);
		if (!rests)
			osml_pages_mark(gradient->moving, i);
	}
	gradient->moving_known = true;
}

/* Does the step leave a parameter of 0 as it is that never had a gradient? */
static bool
leaves_zero(const OsmlGradient *gradient, OsmlOptim optim, const OsmlOptimStep *step)
{
	double		grad = 0;
	double		param = 0;
	double		state[MAX_SLOTS] = {0};

	if (osml_optim_slots(optim) > MAX_SLOTS)
		return false;
	gradient->backend->optim_step(gradient->backend, gradient->spec->precision, optim, step,
								  0, 1, &param, &grad, state, 1);
	return is_zero(&param, sizeof(param)) && is_zero(state, sizeof(state));
}

/* The pages that the step changes; NULL: all. */
static const uint64_t *
pages_to_step(OsmlGradient *gradient, OsmlOptim optim, const OsmlOptimStep *step,
			  const void *params, const void *state)
{
	size_t		words = osml_pages_words(gradient->n);

	if (gradient->touched == NULL)
		return NULL;
	if (osml_optims[optim].follows(&step->hyper))
		return gradient->touched;
	if (!gradient->moving_known)
		find_moving(gradient, osml_optim_slots(optim), params, state);
	if (!leaves_zero(gradient, optim, step))
		osml_pages_mark_range(gradient->moving, 0, gradient->n);
	for (size_t i = 0; i < words; i++)
		gradient->moving[i] |= gradient->touched[i];
	return gradient->moving;
}

void
osml_gradient_step(OsmlGradient *gradient, OsmlOptim optim, const OsmlOptimStep *step,
				   void *params, void *state)
{
	const uint64_t *pages = pages_to_step(gradient, optim, step, params, state);
	OsmlPageRun run = {0, 0};

	while (next_run(gradient, pages, &run))
		gradient->backend->optim_step(gradient->backend, gradient->spec->precision, optim,
									  step, run.first, run.n, params, gradient->values, state,
									  gradient->n);
}
