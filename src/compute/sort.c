/*
 * sort.c
 *	  Sorting numbers without branches; see sort.h.
 *
 * Runs come from a sorting network whose lines are vectors, as long as the values
 * allow; then runs are merged, two by two.  The network is Batcher's odd-even merge
 * sort ("Sorting networks and their applications", 1968); test_sort.c proves it by
 * the zero-one principle.
 */
#include "compute/sort.h"

#include <stddef.h>
#include <string.h>

#include "compute/kernels.h"

/*
 * So many lines.  What they cost grows with the square of their number's logarithm,
 * and what they save of merging with the logarithm itself; but four values are
 * compared at once, and a merge takes them one by one.
 */
#define FEW_LINES 8
#define MANY_LINES 256

/* and at least so many values a line */
#define MIN_WIDTH 8

/* values from which on a merge is worth halving */
#define MIN_HALVED 128

typedef int64_t Mask __attribute__((vector_size(32)));

/*
 * The smaller of each pair to a, the larger to b.  Written with vectors: of the same
 * with "?:" GCC makes masked stores, which cost several times as much.
 */
OSML_RULE void
compare(double *a, double *b, int n)
{
	int			i = 0;

	for (; i + 4 <= n; i += 4)
	{
		OsmlVec_f64 x = *(OsmlVec_f64 *) (a + i);
		OsmlVec_f64 y = *(OsmlVec_f64 *) (b + i);
		Mask		swap = y < x;

		*(OsmlVec_f64 *) (a + i) = (OsmlVec_f64) ((swap & (Mask) y) | (~swap & (Mask) x));
		*(OsmlVec_f64 *) (b + i) = (OsmlVec_f64) ((swap & (Mask) x) | (~swap & (Mask) y));
	}
	for (; i < n; i++)
	{
		double		x = a[i];
		double		y = b[i];

		a[i] = y < x ? y : x;
		b[i] = y < x ? x : y;
	}
}

/*
 * Sort column by column `lines` lines, a power of 2, of width values.  Comparators
 * of k neighbouring lines with the k lines behind them are one loop.
 */
OSML_CLONES static void
osml_sort_lines(double *x, int lines, int width)
{
	for (int p = 1; p < lines; p *= 2)
	{
		for (int k = p; k > 0; k /= 2)
		{
			for (int j = k % p; j + 2 * k <= lines; j += 2 * k)
			{
				if ((j ^ (j + k)) < 2 * p)	/* in one piece of 2 p lines */
					compare(x + j * width, x + (j + k) * width, k * width);
			}
		}
	}
}

/* lines * width values of x to sorted runs of as many as there are lines in out; x is
 * used up */
static void
sort_runs(double *x, int lines, int width, double *out)
{
	osml_sort_lines(x, lines, width);
	for (int i = 0; i < width; i++)
		for (int line = 0; line < lines; line++)
			out[i * lines + line] = x[line * width + i];
}

/* fewer values than lines: in place */
static void
sort_few(double *x, int n)
{
	for (int i = 1; i < n; i++)
	{
		double		value = x[i];
		int			j = i;

		for (; j > 0 && value < x[j - 1]; j--)
			x[j] = x[j - 1];
		x[j] = value;
	}
}

/* the smaller value of two to *out; says whether it was y */
static inline int
take_smaller(double x, double y, double *out)
{
	*out = y < x ? y : x;
	return y < x;
}

/* the larger value of two to *out; says whether it was x */
static inline int
take_larger(double x, double y, double *out)
{
	*out = y < x ? x : y;
	return y < x;
}

/* two sorted runs on their way into one, from both ends */
typedef struct Merge
{
	const double *a;
	const double *b;
	int			na;
	int			nb;
	double	   *out;
	double	   *last;			/* behind the end of what is to be written */
} Merge;

/* as many steps as cannot run out of values at either end */
static inline int
sure_steps(const Merge *merge)
{
	return (merge->na < merge->nb ? merge->na : merge->nb) / 2;
}

/*
 * One value at each end: two chains of comparisons that do not wait for each
 * other.  Equal values are taken from a at the front and from b at the back,
 * so that the two ends meet.
 */
OSML_RULE void
step_both(const double **a, const double **b, const double **a_last, const double **b_last,
		  double *out, double *last)
{
	ptrdiff_t	from_b = take_smaller(**a, **b, out);
	ptrdiff_t	from_a = take_larger((*a_last)[-1], (*b_last)[-1], last);

	*b += from_b;
	*a += 1 - from_b;
	*a_last -= from_a;
	*b_last -= 1 - from_a;
}

/* what is left of a merge after steps from these places */
static inline void
leave(Merge *merge, const double *a, const double *b, const double *a_last,
	  const double *b_last, int steps)
{
	*merge = (Merge) {
		a, b, (int) (a_last - a), (int) (b_last - b), merge->out + steps, merge->last - steps
	};
}

static void
finish_merge(Merge *merge)
{
	int			steps;

	while ((steps = sure_steps(merge)) > 0)
	{
		const double *a = merge->a;
		const double *b = merge->b;
		const double *a_last = a + merge->na;
		const double *b_last = b + merge->nb;

		for (int i = 0; i < steps; i++)
			step_both(&a, &b, &a_last, &b_last, merge->out + i, merge->last - 1 - i);
		leave(merge, a, b, a_last, b_last, steps);
	}
	for (; merge->na > 0 && merge->nb > 0; merge->out++)
	{
		int			from_b = take_smaller(*merge->a, *merge->b, merge->out);

		merge->b += from_b;
		merge->nb -= from_b;
		merge->a += 1 - from_b;
		merge->na -= 1 - from_b;
	}
	memcpy(merge->out, merge->a, (size_t) merge->na * sizeof(double));
	memcpy(merge->out + merge->na, merge->b, (size_t) merge->nb * sizeof(double));
}

/* two merges at once: four chains of comparisons */
static void
merge_two(Merge *one, Merge *two)
{
	for (;;)
	{
		int			steps = sure_steps(one) < sure_steps(two) ? sure_steps(one) : sure_steps(two);
		const double *a = one->a;
		const double *b = one->b;
		const double *a_last = a + one->na;
		const double *b_last = b + one->nb;
		const double *c = two->a;
		const double *d = two->b;
		const double *c_last = c + two->na;
		const double *d_last = d + two->nb;

		if (steps == 0)
			break;
		for (int i = 0; i < steps; i++)
		{
			step_both(&a, &b, &a_last, &b_last, one->out + i, one->last - 1 - i);
			step_both(&c, &d, &c_last, &d_last, two->out + i, two->last - 1 - i);
		}
		leave(one, a, b, a_last, b_last, steps);
		leave(two, c, d, c_last, d_last, steps);
	}
	finish_merge(one);
	finish_merge(two);
}

/* how many of the smallest n values of both runs are a's */
static int
share_of(const double *a, int na, const double *b, int nb, int n)
{
	int			low = n > nb ? n - nb : 0;
	int			high = n < na ? n : na;

	while (low < high)
	{
		int			i = (low + high) / 2;

		if (a[i] < b[n - i - 1])
			low = i + 1;
		else
			high = i;
	}
	return low;
}

/* A long merge is two, of the smaller half and of the larger. */
void
osml_sort_merge(const double *a, int na, const double *b, int nb, double *out)
{
	int			half = (na + nb) / 2;
	Merge		one = {a, b, na, nb, out, out + na + nb};
	Merge		two;
	int			i;

	if (na + nb < MIN_HALVED)
	{
		finish_merge(&one);
		return;
	}
	i = share_of(a, na, b, nb, half);
	one = (Merge) {a, b, i, half - i, out, out + half};
	two = (Merge) {a + i, b + half - i, na - i, nb - (half - i), out + half, out + na + nb};
	merge_two(&one, &two);
}

/* n values in ascending order */
void
osml_sort(double *x, int n, double *scratch)
{
	int			lines = n >= MANY_LINES * MIN_WIDTH ? MANY_LINES : FEW_LINES;
	int			width = n / lines;
	double	   *from = scratch;
	double	   *to = x;

	if (n < lines)
	{
		sort_few(x, n);
		return;
	}
	sort_runs(x, lines, width, scratch);
	sort_few(x + width * lines, n - width * lines);
	memcpy(scratch + width * lines, x + width * lines,
		   (size_t) (n - width * lines) * sizeof(double));
	for (int run = lines; run < n; run *= 2)
	{
		double	   *swap = from;

		for (int lo = 0; lo < n; lo += 2 * run)
		{
			int			na = n - lo < run ? n - lo : run;
			int			nb = n - lo - na < run ? n - lo - na : run;

			osml_sort_merge(from + lo, na, from + lo + na, nb, to + lo);
		}
		from = to;
		to = swap;
	}
	if (from != x)
		memcpy(x, from, (size_t) n * sizeof(double));
}
