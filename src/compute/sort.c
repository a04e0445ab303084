/*
 * sort.c
 *	  Sorting numbers without branches; see sort.h.
 *
 * Runs of eight come from a sorting network whose eight lines are vectors, as
 * long as the values allow; then runs are merged, two by two.  The network is
 * Batcher's odd-even merge sort ("Sorting networks and their applications",
 * 1968); test_sort.c proves it by the zero-one principle.
 */
#include "compute/sort.h"

#include <stddef.h>
#include <string.h>

#include "compute/kernels.h"

#define LINES 8

/* the network's comparators, line by line */
static const unsigned char network[][2] = {
	{0, 1}, {2, 3}, {4, 5}, {6, 7},
	{0, 2}, {1, 3}, {4, 6}, {5, 7},
	{1, 2}, {5, 6},
	{0, 4}, {1, 5}, {2, 6}, {3, 7},
	{2, 4}, {3, 5},
	{1, 2}, {3, 4}, {5, 6}
};

/* the smaller of each pair to a, the larger to b */
OSML_CLONES static void
osml_sort_compare(double *restrict a, double *restrict b, int n)
{
	for (int i = 0; i < n; i++)
	{
		double		x = a[i];
		double		y = b[i];

		a[i] = y < x ? y : x;
		b[i] = y < x ? x : y;
	}
}

/* LINES * width values of x to sorted runs of LINES in out; x is used up */
static void
sort_runs(double *x, int width, double *out)
{
	for (size_t c = 0; c < sizeof(network) / sizeof(network[0]); c++)
		osml_sort_compare(x + network[c][0] * width, x + network[c][1] * width,
						  width);
	for (int i = 0; i < width; i++)
		for (int line = 0; line < LINES; line++)
			out[i * LINES + line] = x[line * width + i];
}

/* fewer than LINES values: in place */
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
	int			width = n / LINES;
	double	   *from = scratch;
	double	   *to = x;

	if (n < LINES)
	{
		sort_few(x, n);
		return;
	}
	sort_runs(x, width, scratch);
	sort_few(x + width * LINES, n - width * LINES);
	memcpy(scratch + width * LINES, x + width * LINES,
		   (size_t) (n - width * LINES) * sizeof(double));
	for (int run = LINES; run < n; run *= 2)
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
