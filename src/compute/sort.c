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
#define MANY_LINES 128

/* and at least so many values a line */
#define MIN_WIDTH 8

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

/*
 * Both ends at once: two chains of comparisons that do not wait for each
 * other.  Equal values are taken from a at the front and from b at the back,
 * so that the two ends meet.
 */
void
osml_sort_merge(const double *a, int na, const double *b, int nb, double *out)
{
	double	   *last = out + na + nb;
	int			steps;

	/* as many steps as cannot run out of values at either end */
	while ((steps = (na < nb ? na : nb) / 2) > 0)
	{
		const double *a_last = a + na;
		const double *b_last = b + nb;

		for (int i = 0; i < steps; i++)
		{
			ptrdiff_t	from_b = take_smaller(*a, *b, out++);
			ptrdiff_t	from_a = take_larger(a_last[-1], b_last[-1], --last);

			b += from_b;
			a += 1 - from_b;
			a_last -= from_a;
			b_last -= 1 - from_a;
		}
		na = (int) (a_last - a);
		nb = (int) (b_last - b);
	}
	for (; na > 0 && nb > 0; out++)
	{
		int			from_b = take_smaller(*a, *b, out);

		b += from_b;
		nb -= from_b;
		a += 1 - from_b;
		na -= 1 - from_b;
	}
	memcpy(out, a, (size_t) na * sizeof(double));
	memcpy(out + na, b, (size_t) nb * sizeof(double));
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
