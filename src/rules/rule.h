/*
 * rule.h
 *	  What every rule (loss, optimiser, ...) is built from.
 *
 * A rule is a handful of arithmetic lines, written once in terms of OSML_REAL
 * and compiled twice, for double and for float, by including rules/both.h.
 * The same header serves the CPU's loops and, under nvcc, the CUDA kernels, so
 * the two cannot drift apart.  A rule must not allocate, branch on a name or
 * look at anything but its arguments.
 *
 * Next: both.h, then loss/list.h and optim/list.h.
 */
#ifndef OSML_RULE_H
#define OSML_RULE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* attributes of a rule's function: small enough to live inside the loop */
#ifdef __CUDACC__
#define OSML_RULE static __host__ __device__ __forceinline__
#else
#define OSML_RULE static inline __attribute__((always_inline, unused))
#endif

/* ASCII, ignoring case: users write "adamw" and "AdamW"; 0 when equal */
static inline int
osml_name_compare(const char *a, const char *b)
{
	for (;; a++, b++)
	{
		int			x = (*a >= 'A' && *a <= 'Z') ? *a + ('a' - 'A') : *a;
		int			y = (*b >= 'A' && *b <= 'Z') ? *b + ('a' - 'A') : *b;

		if (x != y || x == '\0')
			return x - y;
	}
}

#endif							/* OSML_RULE_H */
