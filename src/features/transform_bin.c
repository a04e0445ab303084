/*
 * transform_bin.c
 *	  A number to the bin that it falls in.
 *
 * Bin i has the values from edge i to below edge i + 1, and the last bin its
 * upper edge too; a value's bin is the number of inner edges not above it.  The
 * edges are numbers in a table, and people are shown those very numbers:
 *
 *	width		bins of one width from lo to hi (by the rows where not given):
 *				edge i is lo + i * ((hi - lo) / bins), the last one hi
 *	quantile	edges are quantiles of the rows; a value that several of them fall on
 *				is a bin of its own
 *	edges		as given
 *
 * A bin of one width is guessed by a product and corrected by comparing with
 * the two edges of the guess; any other is searched for.  Neither branches.
 */
#include <stdio.h>
#include <string.h>

#include "compute/kernels.h"
#include "features/transforms.h"

enum
{
	METHOD, BINS, LO, HI, EDGES, OUTSIDE
};

enum
{
	BY_WIDTH, BY_QUANTILE, BY_EDGES
};

static const char *const methods[] = {"width", "quantile", "edges", NULL};
static const char *const outsides[] = {"clamp", "other", NULL};

#define MOST_BINS 1000000

static const OsmlParamDef params[] = {
	[METHOD] = {"method", OSML_PARAM_CHOICE, .choices = methods,.high = BY_EDGES,
		.standard = BY_WIDTH,
		.meaning = "bins of one width, of about as many training rows each, or by given edges"},
	[BINS] = {"bins", OSML_PARAM_INTEGER,.low = 1,.high = MOST_BINS,.standard = NAN,
		.meaning = "how many, for width and quantile"},
	[LO] = {"lo", OSML_PARAM_NUMBER, .fitted = true, OSML_ANY_NUMBER,
		.meaning = "the lowest edge, for width; the least value of the training rows where not given"},
	[HI] = {"hi", OSML_PARAM_NUMBER, .fitted = true, OSML_ANY_NUMBER,
		.meaning = "the highest edge, for width; their greatest value where not given"},
	[EDGES] = {"edges", OSML_PARAM_NUMBERS, .fitted = true, OSML_ANY_NUMBER,
		.meaning = "the edges, ascending, one more than bins; learned for quantile"},
	[OUTSIDE] = {"outside", OSML_PARAM_CHOICE, .choices = outsides,.high = 1,.standard = 0,
		.meaning = "what values beyond the edges become: the first or last bin, or a code of their own"},
};

typedef struct Table
{
	int			bins;
	bool		guess;			/* edges are at one distance */
	double		scale;			/* bins per unit */
	double	   *edges;			/* [bins + 1] */
	double	   *bounds;			/* the same, NaN in place of the outer two */
	int			half;			/* the search's first step, a power of 2 */
	double	   *inner;			/* [2 * half]: inner edges, then NaNs */
} Table;

static int
method_of(const OsmlStep *step)
{
	return (int) osml_step_number(step, METHOD);
}

static bool
check_edges(const OsmlParam *edges, char *message)
{
	if (edges->n < 2)
		return osml_step_wrong(message, "edges must be at least 2");
	if (edges->n - 1 > MOST_BINS)
		return osml_step_wrong(message, "edges must be at most %d", MOST_BINS + 1);
	for (int i = 0; i + 1 < edges->n; i++)
	{
		if (!(edges->numbers[i] < edges->numbers[i + 1]))
			return osml_step_wrong(message, "edges must be ascending, but %.15g is followed by %.15g",
								   edges->numbers[i], edges->numbers[i + 1]);
	}
	return true;
}

/* the width of a bin; the range itself may be beyond float64 */
static double
bin_width(double lo, double hi, int bins)
{
	double		width = (hi - lo) / bins;

	return isinf(width) ? hi / bins - lo / bins : width;
}

/* edge i of bins of one width; hi is the last one.  What is added to lo may be beyond
 * float64, but not what comes of it */
static double
width_edge(double lo, double hi, double width, int i)
{
	double		above = i * width;

	return fmin(isinf(above) ? (lo / 2 + i * (width / 2)) * 2 : lo + above, hi);
}

/*
 * The width of a bin from which rounding cannot make two edges one: an edge is off by
 * less than twice the step of float64 at the farther bound.
 */
static double
narrowest_bin(double lo, double hi)
{
	return 4 * fmax(fmax(fabs(lo), fabs(hi)) * DBL_EPSILON, DBL_MIN);
}

/* is each edge above the one before it? */
static bool
has_room(double lo, double hi, int bins)
{
	double		width = bin_width(lo, hi, bins);
	double		before = lo;

	if (width > narrowest_bin(lo, hi))
		return true;
	for (int i = 1; i <= bins; i++)
	{
		double		edge = i < bins ? width_edge(lo, hi, width, i) : hi;

		if (edge <= before)
			return false;
		before = edge;
	}
	return true;
}

static bool
check(const OsmlStep *step, char *message)
{
	int			method = method_of(step);
	bool		lo = osml_step_given(step, LO);
	bool		hi = osml_step_given(step, HI);

	if (method != BY_EDGES && !osml_step_given(step, BINS))
		return osml_step_wrong(message, "method %s needs bins", methods[method]);
	if (method == BY_EDGES && osml_step_given(step, BINS))
		return osml_step_wrong(message, "method edges takes no bins");
	if (method != BY_WIDTH && (lo || hi))
		return osml_step_wrong(message, "method %s takes no lo and hi", methods[method]);
	if (lo && hi && osml_step_number(step, LO) >= osml_step_number(step, HI))
		return osml_step_wrong(message, "lo must be less than hi");
	if (lo && hi && !has_room(osml_step_number(step, LO), osml_step_number(step, HI),
							  (int) osml_step_number(step, BINS)))
		return osml_step_wrong(message, "float64 has no room for %d bins between lo and hi",
							   (int) osml_step_number(step, BINS));
	if (method == BY_WIDTH && osml_step_given(step, EDGES))
		return osml_step_wrong(message, "method width takes no edges");
	if (method == BY_EDGES && !osml_step_given(step, EDGES))
		return osml_step_wrong(message, "method edges needs edges");
	return !osml_step_given(step, EDGES) || check_edges(&step->params[EDGES], message);
}

static unsigned
needs(const OsmlStep *step)
{
	if (method_of(step) == BY_QUANTILE)
		return osml_step_given(step, EDGES) ? 0 : OSML_NEED_QUANTILES;
	if (method_of(step) == BY_WIDTH)
		return osml_step_given(step, LO) && osml_step_given(step, HI) ? 0 :
			OSML_NEED_MOMENTS;
	return 0;
}

static bool
beyond(const OsmlStep *step, const OsmlProfile *profile)
{
	return method_of(step) == BY_WIDTH && osml_step_beyond(step, LO, HI, profile);
}

/*
 * Bounds of one width.  A constant column has no range: its value then is
 * the lower end of an arbitrary one, and so are bounds on the wrong side of one that
 * was given.  Where the range has no room for the bins it becomes one that has.
 */
static void
fit_width(OsmlStep *step, const OsmlColumnStats *stats)
{
	int			bins = (int) osml_step_number(step, BINS);
	double		lo = stats->n > 0 ? stats->min : 0;
	double		hi = stats->n > 0 ? stats->max : 1;
	double		range;

	if (osml_step_given(step, LO))
		lo = osml_step_number(step, LO);
	if (osml_step_given(step, HI))
		hi = osml_step_number(step, HI);
	if (lo >= hi && osml_step_given(step, HI))
		lo = hi - fmax(1, fabs(hi));
	else if (lo >= hi)
		hi = lo + fmax(1, fabs(lo));
	lo = fmax(lo, -DBL_MAX);
	hi = fmin(hi, DBL_MAX);
	range = bins * narrowest_bin(lo, hi);
	if (!has_room(lo, hi, bins))
	{
		if (osml_step_given(step, HI) || lo + range > DBL_MAX)
			lo = fmax(hi - range, -DBL_MAX);
		else
			hi = lo + range;
	}
	osml_step_learn(step, LO, lo);
	osml_step_learn(step, HI, hi);
}

/*
 * A quantile may be a value at which a bin begins already: another quantile was that
 * value as well, since it is frequent, or the one before was, which ended its bin there.
 * The bin then ends at the next greater value, or just above where it is the greatest,
 * so that what is as frequent as a bin has one, and no edge is lost that another could
 * replace.
 */
static OsmlStatus
part_frequent(const OsmlArena *arena, const OsmlKll *kll, double *edges, int *n)
{
	double	   *above = osml_arena_alloc(arena, (size_t) *n * sizeof(double));
	int			kept = 0;
	OsmlStatus	status;

	if (above == NULL)
		return OSML_OUT_OF_MEMORY;
	status = osml_kll_above(kll, *n, edges, above);
	for (int i = 0; i < *n; i++)
	{
		if (kept == 0 || edges[i] > edges[kept - 1])
			edges[kept++] = edges[i];
		else if (edges[i] == edges[kept - 1])
			edges[kept++] = isnan(above[i]) ? nextafter(edges[i], INFINITY) : above[i];
	}
	*n = kept;
	osml_arena_release(arena, above);
	return status;
}

/* a column of one value, or the greatest number there is */
static int
ascending_edges(double *edges, int n)
{
	if (n > 1 && isinf(edges[n - 1]))
		n--;
	if (n > 1)
		return n;
	edges[1] = edges[0];
	edges[0] = nextafter(edges[1], -INFINITY);
	return 2;
}

/* edges at equal shares of the rows; without a value, 0 and 1 */
static OsmlStatus
fit_quantile(OsmlStep *step, const OsmlArena *arena, const OsmlKll *kll)
{
	int			n = (int) osml_step_number(step, BINS) + 1;
	OsmlParam  *param = &step->params[EDGES];
	double	   *p = osml_arena_alloc(arena, (size_t) n * sizeof(double));
	double	   *edges = osml_arena_alloc(arena, (size_t) n * sizeof(double));
	OsmlStatus	status;

	if (p == NULL || edges == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < n; i++)
		p[i] = edges[i] = (double) i / (n - 1);
	status = osml_kll_count(kll) > 0 ? osml_kll_quantiles(kll, n, p, edges) : OSML_OK;
	osml_arena_release(arena, p);
	if (status == OSML_OK && osml_kll_count(kll) > 0)
		status = part_frequent(arena, kll, edges, &n);
	if (status != OSML_OK)
		return status;
	param->n = ascending_edges(edges, n);
	param->numbers = edges;
	param->given = true;
	return OSML_OK;
}

static OsmlStatus
fit(OsmlStep *step, const OsmlArena *arena, const OsmlProfile *profile)
{
	if (method_of(step) == BY_QUANTILE)
		return fit_quantile(step, arena, profile->kll);
	fit_width(step, &profile->stats);
	return OSML_OK;
}

/*
 * Edges of one width.  The guess is at most one bin off while a bin is much
 * wider than the steps of float64 at either end; narrower ones are searched
 * for.
 */
static void
width_edges(Table *table, double lo, double hi)
{
	int			bins = table->bins;
	double		width = bin_width(lo, hi, bins);
	double		coarse = fmax(fabs(lo), fabs(hi)) * DBL_EPSILON;

	for (int i = 0; i < bins; i++)
		table->edges[i] = width_edge(lo, hi, width, i);
	table->edges[bins] = hi;
	table->scale = 1 / width;
	table->guess = width > 16 * coarse && isfinite(hi - lo) && isfinite(table->scale);
}

/* the look-up arrays of an edge table; NaN compares as false with anything */
static void
fill_searches(Table *table)
{
	int			bins = table->bins;

	memcpy(table->bounds, table->edges, ((size_t) bins + 1) * sizeof(double));
	table->bounds[0] = table->bounds[bins] = NAN;
	for (int i = 0; i < 2 * table->half; i++)
		table->inner[i] = i + 1 < bins ? table->edges[i + 1] : NAN;
}

static OsmlStatus
prepare(OsmlStep *step, const OsmlArena *arena)
{
	bool		width = method_of(step) == BY_WIDTH;
	const OsmlParam *given = &step->params[EDGES];
	Table	   *table = osml_arena_alloc(arena, sizeof(Table));
	size_t		size;

	if (table == NULL)
		return OSML_OUT_OF_MEMORY;
	table->bins = width ? (int) osml_step_number(step, BINS) : given->n - 1;
	size = ((size_t) table->bins + 1) * sizeof(double);
	table->half = 1;
	while (2 * table->half < table->bins)
		table->half *= 2;
	table->edges = osml_arena_alloc(arena, size);
	table->bounds = osml_arena_alloc(arena, size);
	table->inner = osml_arena_alloc(arena, 2 * (size_t) table->half * sizeof(double));
	if (table->edges == NULL || table->bounds == NULL || table->inner == NULL)
		return OSML_OUT_OF_MEMORY;
	if (width)
		width_edges(table, osml_step_number(step, LO), osml_step_number(step, HI));
	else
		memcpy(table->edges, given->numbers, size);
	fill_searches(table);
	step->table = table;
	return OSML_OK;
}

/* `other` and NULL come after the bins */
static int64_t
n_codes(const OsmlStep *step)
{
	return (int64_t) ((const Table *) step->table)->bins + 2;
}

/* a guess, corrected; NaN gets any bin */
OSML_CLONES static void
osml_bin_guess(const Table *table, int n, const double *x, int32_t *code)
{
	const double *bounds = table->bounds;
	double		lo = table->edges[0];
	double		scale = table->scale;
	double		last = table->bins - 1;

	for (int i = 0; i < n; i++)
	{
		double		at = (x[i] - lo) * scale;
		int32_t		bin;

		at = at > 0 ? at : 0;
		at = at < last ? at : last;
		bin = (int32_t) at;
		code[i] = bin + (x[i] >= bounds[bin + 1]) - (x[i] < bounds[bin]);
	}
}

/* values that are searched for side by side, so that their loads overlap */
#define ABREAST 16

/* how many inner edges are not above x; NaN gets any bin */
OSML_CLONES static void
osml_bin_search(const Table *table, int n, const double *x, int32_t *code)
{
	const double *inner = table->inner;
	int			i = 0;

	for (; i + ABREAST <= n; i += ABREAST)
	{
		int32_t		below[ABREAST] = {0};

		for (int32_t step = table->half; step > 0; step /= 2)
		{
			for (int k = 0; k < ABREAST; k++)
				below[k] += inner[below[k] + step - 1] <= x[i + k] ? step : 0;
		}
		memcpy(code + i, below, sizeof(below));
	}
	for (; i < n; i++)
	{
		int32_t		below = 0;

		for (int32_t step = table->half; step > 0; step /= 2)
			below += inner[below + step - 1] <= x[i] ? step : 0;
		code[i] = below;
	}
}

/* NaN, NULL among them, to its code, and values beyond the edges to theirs */
OSML_CLONES static void
osml_bin_rest(const Table *table, bool clamp, int n, const double *x, int32_t *code)
{
	double		lo = clamp ? -INFINITY : table->edges[0];
	double		hi = clamp ? INFINITY : table->edges[table->bins];
	int32_t		other = table->bins;

	for (int i = 0; i < n; i++)
	{
		int32_t		bin = ((x[i] < lo) | (x[i] > hi)) ? other : code[i];

		code[i] = x[i] == x[i] ? bin : other + 1;
	}
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	const Table *table = step->table;

	if (table->guess)
		osml_bin_guess(table, n, in->number, out->code);
	else
		osml_bin_search(table, n, in->number, out->code);
	osml_bin_rest(table, osml_step_number(step, OUTSIDE) == 0, n, in->number, out->code);
}

/* digits that tell two edges apart */
static int
digits_of(double low, double high)
{
	char		texts[2][32];

	snprintf(texts[0], sizeof(texts[0]), "%.15g", low);
	snprintf(texts[1], sizeof(texts[1]), "%.15g", high);
	return strcmp(texts[0], texts[1]) == 0 ? 17 : 15;
}

/* the shortest of 15 digits, 38.5 and not 38.500000000000004, where they are enough */
static void
code_name(const OsmlStep *step, int64_t code, char *out, size_t size)
{
	const Table *table = step->table;
	int			digits;

	if (code >= table->bins)
	{
		snprintf(out, size, "%s", code == table->bins ? "(other)" : "(null)");
		return;
	}
	digits = digits_of(table->edges[code], table->edges[code + 1]);
	snprintf(out, size, "[%.*g, %.*g%c", digits, table->edges[code], digits,
			 table->edges[code + 1], code == table->bins - 1 ? ']' : ')');
}

const double *
osml_bin_edges(const OsmlStep *step, int *n_edges)
{
	const Table *table = step->table;

	if (step->transform != &osml_transform_bin || table == NULL)
		return NULL;
	*n_edges = table->bins + 1;
	return table->edges;
}

const OsmlTransform osml_transform_bin = {
	.name = "bin",
	.meaning = "a number to the bin that it falls in",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 1,
	.max_inputs = 1,
	.makes_codes = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.by_hand = "\"lo\" and \"hi\", or \"edges\" with method edges",
	.check = check,
	.needs = needs,
	.beyond = beyond,
	.fit = fit,
	.prepare = prepare,
	.n_codes = n_codes,
	.run = run,
	.code_name = code_name,
};
