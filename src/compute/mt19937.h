/*
 * mt19937.h
 *	  The Mersenne Twister exactly as PyTorch's CPU generator uses it.
 *
 * Only initial parameters are drawn from it, so that a seed gives the weights
 * that torch.manual_seed(seed) gives.  Everything else (shuffles, splits,
 * dropout) uses random.h, which needs no state.
 *
 * Source: Matsumoto and Nishimura, ACM TOMACS 8 (1998), with the 2002 seeding;
 * the order of draws as in ATen's CPUGeneratorImpl and DistributionsHelper.
 */
#ifndef OSML_MT19937_H
#define OSML_MT19937_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/block.h"

#define OSML_MT19937_WORDS 624

typedef struct OsmlMt19937
{
	uint32_t	state[OSML_MT19937_WORDS];
	int			next;			/* word to hand out; WORDS: twist first */
	bool		has_normal;		/* second value of a Box-Muller pair kept */
	double		normal;
} OsmlMt19937;

/* torch.manual_seed(seed): only the low 32 bits count, as in PyTorch */
extern void osml_mt19937_seed(OsmlMt19937 *mt, uint64_t seed);

extern uint32_t osml_mt19937_u32(OsmlMt19937 *mt);

/* [0, 1): 53 bits of two draws (high word first), 24 bits of one */
extern double osml_mt19937_unit_f64(OsmlMt19937 *mt);
extern float osml_mt19937_unit_f32(OsmlMt19937 *mt);

/* tensor.uniform_(from, to) on n values of the given precision */
extern void osml_mt19937_uniform(OsmlMt19937 *mt, OsmlPrecision precision,
								 size_t n, double from, double to, void *out);

/* tensor.normal_(0, 1) on n values of the given precision */
extern void osml_mt19937_normal(OsmlMt19937 *mt, OsmlPrecision precision,
								size_t n, void *out);

#endif							/* OSML_MT19937_H */
