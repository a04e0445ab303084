/*
 * test_sort.c
 *	  Sorting against the C library's, and the network by the zero-one principle.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "compute/sort.h"
#include "fixtures/blocks.h"

#define MOST 2100

static int
by_value(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* a network that sorts all 256 rows of zeros and ones sorts anything */
static void
test_network(void)
{
	int			wrong = 0;

	for (int bits = 0; bits < 256; bits++)
	{
		double		x[8];
		double		scratch[8];

		for (int i = 0; i < 8; i++)
			x[i] = bits >> i & 1;
		osml_sort(x, 8, scratch);
		for (int i = 1; i < 8; i++)
			wrong += x[i] < x[i - 1];
	}
	ok(wrong == 0, "the network sorts every row of zeros and ones");
}

/* rows of zeros and ones of the lengths that have more lines, which a network that does
 * not sort would leave unsorted soon */
static void
test_many_lines(void)
{
	static double x[MOST];
	static double scratch[MOST];
	int			wrong = 0;

	for (int round = 0; round < 2000; round++)
	{
		int			n = MOST - round % 53;	/* to just beyond a sketch's buffer */
		double		share = noise(3, (uint64_t) round);

		for (int i = 0; i < n; i++)
			x[i] = noise(4, (uint64_t) (round * MOST + i)) < share;
		osml_sort(x, n, scratch);
		for (int i = 1; i < n; i++)
			wrong += x[i] < x[i - 1];
	}
	ok(wrong == 0, "so do more lines");
}

/* each length up to MOST, values with and without many equal ones */
static void
test_lengths(void)
{
	static double x[MOST];
	static double want[MOST];
	static double scratch[MOST];
	int			wrong = 0;

	for (int n = 0; n <= MOST; n += n < 70 ? 1 : 29)
		for (int kind = 0; kind < 4; kind++)
		{
			for (int i = 0; i < n; i++)
			{
				double		value = noise(1, (uint64_t) (n * MOST + i));

				x[i] = kind == 0 ? value : kind == 1 ? floor(4 * value) :
					kind == 2 ? i : -i;
			}
			if (n > 3)
				x[1] = kind ? INFINITY : -INFINITY;
			memcpy(want, x, sizeof(x));
			qsort(want, (size_t) n, sizeof(double), by_value);
			osml_sort(x, n, scratch);
			for (int i = 0; i < n; i++)
				wrong += x[i] != want[i];
		}
	ok(wrong == 0, "any length sorts as with qsort");
}

static void
test_merge(void)
{
	double		a[40];
	double		b[40];
	double		out[80];
	double		scratch[40];
	int			wrong = 0;

	for (int na = 0; na <= 40; na++)
		for (int nb = 0; nb <= 40; nb += 3)
		{
			double		sum = 0;

			for (int i = 0; i < 40; i++)
			{
				a[i] = floor(9 * noise(1, (uint64_t) (na * 77 + i)));
				b[i] = floor(9 * noise(2, (uint64_t) (nb * 77 + i))) + (nb % 2) * 20;
			}
			osml_sort(a, na, scratch);
			osml_sort(b, nb, scratch);
			osml_sort_merge(a, na, b, nb, out);
			for (int i = 0; i < na + nb; i++)
			{
				wrong += i > 0 && out[i] < out[i - 1];
				sum += out[i] - (i < na ? a[i] : b[i - na]);
			}
			wrong += sum != 0;
		}
	ok(wrong == 0, "two sorted runs merge into one");
}

int
main(void)
{
	test_network();
	test_many_lines();
	test_lengths();
	test_merge();
	return done();
}
