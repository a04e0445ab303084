/*
 * kernels.h
 *	  What the CPU's loops share: vector types, clones and the fixed sum.
 *
 * A sum over rows is kept in as many lanes as a 64-byte vector has: row lo + i
 * goes to lane i mod lanes, and the lanes are added at the end by halving.
 * That order is part of the result.  GCC's vector types state it in the source,
 * so SSE2, AVX2 and AVX-512 give the same bits.  Nothing may be contracted into
 * fused multiply-adds: the files of this folder are compiled with
 * -ffp-contract=off.
 *
 * Vectors are never passed to or returned from a function: their calling
 * convention differs between instruction sets.
 *
 * Next: kernel_affine.h, kernel_loss.h, kernel_optim.h, kernel_vector.h (typed
 * files, read by cpu.c), cpu.c (the table of them).
 */
#ifndef OSML_KERNELS_H
#define OSML_KERNELS_H

#include <string.h>

#include "compute/block.h"
#include "rules/rule.h"

/*
 * Compile a function for several instruction sets and let the loader choose.
 * It needs ifunc, so glibc; clang (LLVM bitcode) and other machines get the
 * plain function.
 */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && \
	!defined(__clang__) && !defined(OSML_NO_CLONES)
#define OSML_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define OSML_CLONES
#endif

/* 64 bytes that may start at any value: rows [lo, hi) need not be aligned */
typedef double OsmlVec_f64 __attribute__((vector_size(64), aligned(8), may_alias));
typedef float OsmlVec_f32 __attribute__((vector_size(64), aligned(4), may_alias));

#define OSML_LANES_f64 8
#define OSML_LANES_f32 16

/* add the lanes up by halving: ((0+4)+(2+6)) + ((1+5)+(3+7)) for eight */
#define OSML_ADD_LANES(type, vec, lanes, result) \
	do { \
		type		lane_[lanes]; \
\
		memcpy(lane_, &(vec), sizeof(lane_)); \
		for (int half_ = (lanes) / 2; half_ > 0; half_ /= 2) \
			for (int lane_no_ = 0; lane_no_ < half_; lane_no_++) \
				lane_[lane_no_] += lane_[lane_no_ + half_]; \
		(result) = lane_[0]; \
	} while (0)

#endif							/* OSML_KERNELS_H */
