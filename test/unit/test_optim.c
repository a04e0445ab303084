/*
 * test_optim.c
 *	  Each optimiser step by step against torch.optim 1.13, and the look-ups.
 */
#include "tap.h"

#include <string.h>

#include "compute/backend.h"

#define STEPS 5

static const OsmlBackend *const cpu = &osml_backend_cpu;

/* value i of a vector of either type */
static double
at(OsmlPrecision precision, const void *v, int i)
{
	return precision == OSML_FLOAT32 ? ((const float *) v)[i] :
		((const double *) v)[i];
}

/* set value i */
static void
put(OsmlPrecision precision, void *v, int i, double value)
{
	if (precision == OSML_FLOAT32)
		((float *) v)[i] = (float) value;
	else
		((double *) v)[i] = value;
}

/*
 * One parameter from 1.5 by gradients g (1 + p / 10), as the reference was made;
 * n copies of it, so that whole vectors and rests of vectors are stepped.
 */
static void
check(const char *what, OsmlPrecision precision, OsmlOptim optim,
	  const OsmlOptimHyper *hyper, const double *want)
{
	static const double gradient[STEPS] = {0.5, -1.25, 2.0, 0.125, -3.0};
	enum
	{
		n = 13
	};
	double		params[n];
	double		grad[n];
	double		state[2 * n] = {0};
	double		worst = 0;
	bool		same = true;

	for (int i = 0; i < n; i++)
		put(precision, params, i, 1.5);
	for (int step = 1; step <= STEPS; step++)
	{
		OsmlOptimStep now;

		for (int i = 0; i < n; i++)
			put(precision, grad, i, gradient[step - 1] *
				(1 + 0.1 * at(precision, params, i)));
		osml_optim_begin_step(&now, hyper, hyper->lr, step);
		cpu->optim_step(precision, optim, &now, 0, n, params, grad, state, n);
		for (int i = 0; i < n; i++)
		{
			double		value = at(precision, params, i);

			worst = fmax(worst, fabs(value / want[step - 1] - 1));
			same = same && value == at(precision, params, 0);
		}
	}
	ok(worst <= (precision == OSML_FLOAT32 ? 1e-6 : 1e-14),
	   "float%d %s: torch's five steps (worst %.1g)",
	   precision == OSML_FLOAT32 ? 32 : 64, what, worst);
	ok(same, "and every place of the vector steps alike");
}

/* both precisions */
static void
check_both(const char *what, OsmlOptim optim, const OsmlOptimHyper *hyper,
		   const double *want)
{
	check(what, OSML_FLOAT64, optim, hyper, want);
	check(what, OSML_FLOAT32, optim, hyper, want);
}

static void
test_torch(void)
{
	static const double plain[] = {
		1.4425, 1.5855312499999998, 1.3538206249999998, 1.3396283492187497,
		1.6798171996953122
	};
	static const double dampened[] = {
		1.435, 1.47803375, 1.346595159375, 1.2268029330527344, 1.3624382033233446
	};
	static const double nesterov[] = {
		1.383, 1.5850705, 1.2071007275, 1.060346436315625, 1.5466940966398282
	};
	static const double adam[] = {
		1.4000001538459173, 1.443307249252699, 1.4010776301269667,
		1.363392739734338, 1.394393109734969
	};
	static const double adamw[] = {
		1.392500173912741, 1.4344087292773608, 1.388812984801695,
		1.348697838917878, 1.376244785522865
	};
	static const double adamw_defaults[] = {
		1.3985000017391305, 1.441047391307165, 1.4054918413275324,
		1.3731751907530492, 1.3978132825612655
	};
	OsmlOptimHyper hyper;

	osml_optim_defaults(OSML_OPTIM_SGD, 0.1, &hyper);
	check_both("SGD", OSML_OPTIM_SGD, &hyper, plain);
	hyper.momentum = 0.8;
	hyper.weight_decay = 0.05;
	hyper.dampening = 0.3;
	check_both("SGD, momentum and dampening", OSML_OPTIM_SGD, &hyper, dampened);
	hyper.dampening = 0;
	hyper.nesterov = true;
	check_both("SGD, Nesterov", OSML_OPTIM_SGD, &hyper, nesterov);

	osml_optim_defaults(OSML_OPTIM_ADAM, 0.1, &hyper);
	hyper.beta1 = 0.8;
	hyper.beta2 = 0.95;
	hyper.eps = 1e-6;
	hyper.weight_decay = 0.05;
	check_both("Adam", OSML_OPTIM_ADAM, &hyper, adam);
	check_both("AdamW", OSML_OPTIM_ADAMW, &hyper, adamw);
	osml_optim_defaults(OSML_OPTIM_ADAMW, 0.1, &hyper);
	check_both("AdamW with defaults", OSML_OPTIM_ADAMW, &hyper, adamw_defaults);
}

static void
test_lists(void)
{
	OsmlOptimHyper hyper;

	for (int optim = 0; optim < OSML_OPTIM_COUNT; optim++)
	{
		ok(osml_optim_by_name(osml_optim_name((OsmlOptim) optim)) == optim &&
		   osml_optims[optim].meaning[0] != '\0', "%s: found by name",
		   osml_optim_name((OsmlOptim) optim));
		osml_optim_defaults((OsmlOptim) optim, 0.5, &hyper);
		ok(hyper.weight_decay == osml_optim_weight_decay((OsmlOptim) optim) &&
		   hyper.lr == 0.5, "and its default decay is the list's");
	}
	ok(osml_optim_by_name("sgd") == OSML_OPTIM_SGD &&
	   osml_optim_by_name("ADAMW") == OSML_OPTIM_ADAMW, "names ignore case");
	ok(osml_optim_by_name("Ada") == -1, "a part of a name is no name");
	ok(osml_optim_slots(OSML_OPTIM_SGD) == 1 &&
	   osml_optim_slots(OSML_OPTIM_ADAM) == 2 &&
	   osml_optim_slots(OSML_OPTIM_ADAMW) == 2, "state slots");
	ok(osml_optim_slots(OSML_OPTIM_COUNT) == 0, "the closed form keeps no state");
	ok(osml_optim_weight_decay(OSML_OPTIM_ADAMW) == 0.01 &&
	   osml_optim_weight_decay(OSML_OPTIM_ADAM) == 0,
	   "PyTorch's default decays");
}

int
main(void)
{
	test_torch();
	test_lists();
	return done();
}
