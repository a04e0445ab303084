/*
 * bandwidth.c
 *	  What one thread reads from memory: GB a second over an array that no cache holds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N (64 << 20)

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

int
main(void)
{
	double	   *values = malloc(N * sizeof(double));
	double		best = 1e9;
	volatile double sink;

	if (values == NULL)
		return 1;
	for (size_t i = 0; i < N; i++)
		values[i] = (double) i;
	for (int round = 0; round < 7; round++)
	{
		double		sums[32] = {0};
		double		began = now();
		double		spent;

		for (size_t i = 0; i < N; i += 32)
		{
			for (int k = 0; k < 32; k++)
				sums[k] += values[i + (size_t) k];
		}
		spent = now() - began;
		for (int k = 1; k < 32; k++)
			sums[0] += sums[k];
		sink = sums[0];
		if (spent < best)
			best = spent;
	}
	(void) sink;
	printf("%.3f\n", N * sizeof(double) / best / 1e9);
	free(values);
	return 0;
}
