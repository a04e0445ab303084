/*
 * backend.h
 *	  OsmlBackend: the arithmetic a model asks for, on one kind of device.
 *
 * A model (src/model) knows its parameters and the order of its operations; a
 * backend knows how to run one operation over rows [lo, hi) of a prepared
 * block.  Losses and optimisers reach the backend by their number in
 * rules/<folder>/list.h, so a rule added there is at once available on every
 * backend.
 *
 * Sums are deterministic: a backend adds rows in an order that depends on lo,
 * hi and the block alone, never on threads, readers or the instruction set.
 *
 * Next: cpu.c (the CPU's backend), kernels.h.
 */
#ifndef OSML_BACKEND_H
#define OSML_BACKEND_H

#include "compute/block.h"
#include "rules/loss/loss.h"
#include "rules/optim/optim.h"

typedef struct OsmlBackend
{
	const char *name;			/* "cpu", as osml.runs.device shows it */

	/* z[r - lo] = bias + sum over j of w[j] * x[j][r]; w and z in precision */
	void		(*affine) (OsmlPrecision precision, const OsmlLayout *layout,
						   const OsmlBlock *block, int lo, int hi,
						   const void *w, double bias, void *z);

	/*
	 * slope[i] = dloss/dz of row lo + i; returns the sum of the loss values.
	 * param is the loss's own parameter (huber_delta), unused by others.
	 */
	double		(*loss) (OsmlPrecision precision, OsmlLoss loss, double param,
						 const OsmlLayout *layout, const OsmlBlock *block,
						 int lo, int hi, const void *z, void *slope);

	/* the same of a loss by class: output c of row lo + i is z[c * (hi - lo) + i],
	 * its slope likewise; labels are class numbers below n_outputs */
	double		(*class_loss) (OsmlPrecision precision, OsmlLoss loss, int n_outputs,
							   const OsmlLayout *layout, const OsmlBlock *block,
							   int lo, int hi, const void *z, void *slope);

	/* g[j] += sum over r of slope[r - lo] * x[j][r]; returns sum of slope */
	double		(*affine_grad) (OsmlPrecision precision, const OsmlLayout *layout,
								const OsmlBlock *block, int lo, int hi,
								const void *slope, void *g);

	/*
	 * The same two for code columns, which count as one-hot columns.  gather:
	 * z[r - lo] += the entry of row r's code in the table of code column 0,
	 * then 1, ...; scatter: the entry of row r's code in g, laid out like the
	 * tables, += slope[r - lo].  Codes are in range: nobody checks them here.
	 */
	void		(*gather) (OsmlPrecision precision, const OsmlLayout *layout,
						   const OsmlBlock *block, int lo, int hi,
						   const void *tables, void *z);
	void		(*scatter) (OsmlPrecision precision, const OsmlLayout *layout,
							const OsmlBlock *block, int lo, int hi,
							const void *slope, void *g);

	/* one update of n parameters; state holds n values per state slot */
	void		(*optim_step) (OsmlPrecision precision, OsmlOptim optim,
							   const OsmlOptimStep *step, size_t n,
							   void *params, const void *grad, void *state);

	/* Euclidean norm of n values; not finite when a value is not */
	double		(*norm) (OsmlPrecision precision, size_t n, const void *v);

	/* v *= factor; v clamped to [-limit, limit] */
	void		(*scale) (OsmlPrecision precision, size_t n, void *v, double factor);
	void		(*clamp) (OsmlPrecision precision, size_t n, void *v, double limit);
} OsmlBackend;

extern const OsmlBackend osml_backend_cpu;

#endif							/* OSML_BACKEND_H */
