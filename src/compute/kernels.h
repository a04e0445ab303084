/*
 * kernels.h
 *	  What the CPU's loops share: vector types, clones and the fixed sum.
 *
 * A sum over rows is kept in as many lanes as 64 bytes hold, eight float64 or
 * sixteen float32: row lo + i goes to lane i mod lanes, and the lanes are added
 * at the end by halving.  That order is part of the result.  GCC's vector types
 * state it in the source, so SSE2, AVX2 and others give the same bits.  Nothing
 * may be contracted into fused multiply-adds: the files of this folder are
 * compiled with -ffp-contract=off.
 *
 * The lanes are two vectors of 32 bytes and not one of 64: GCC keeps sums of
 * the longer type in memory where the machine's registers are shorter, ten
 * times slower.  Vectors are never passed to or returned from a function, since
 * their calling convention differs between instruction sets.
 *
 * Next: kernel_lanes.h (the sum), kernel_affine.h, kernel_dense.h and the other
 * kernel_*.h (typed files), cpu.c and cpu_network.c, which read them.
 */
#ifndef OSML_KERNELS_H
#define OSML_KERNELS_H

#include <string.h>

#include "compute/block.h"
#include "rules/rule.h"

/*
 * Compile a function for two instruction sets and let the loader choose.  It
 * needs ifunc, so glibc; clang and other machines get the plain function.
 */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && \
	!defined(__clang__) && !defined(OSML_NO_CLONES)
#define OSML_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define OSML_CLONES
#endif

/* 32 bytes that may start at any value: rows [lo, hi) need not be aligned */
typedef double OsmlVec_f64 __attribute__((vector_size(32), aligned(8), may_alias));
typedef float OsmlVec_f32 __attribute__((vector_size(32), aligned(4), may_alias));

typedef struct OsmlLanes_f64
{
	OsmlVec_f64 low;
	OsmlVec_f64 high;
} OsmlLanes_f64;

typedef struct OsmlLanes_f32
{
	OsmlVec_f32 low;
	OsmlVec_f32 high;
} OsmlLanes_f32;

#endif							/* OSML_KERNELS_H */
