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
 * Each entry is handed the backend that it is an entry of.
 *
 * Sums are deterministic: a backend adds rows in an order that depends on lo,
 * hi and the block alone, never on threads, readers or the instruction set.
 *
 * Next: cpu.c (the CPU's backend), kernels.h.
 */
#ifndef OSML_BACKEND_H
#define OSML_BACKEND_H

#include "compute/block.h"
#include "compute/gemm.h"
#include "rules/activation/activation.h"
#include "rules/loss/loss.h"
#include "rules/optim/optim.h"

/* Columns of a tile of rows, in the compute type: value r of column j is
 * values[j * stride + r].  The dense columns of a block are such. */
typedef struct OsmlTile
{
	void	   *values;
	size_t		stride;
	int			rows;
	int			n;				/* columns */
} OsmlTile;

/*
 * Which neurons are dropped: a number of the stream OSML_STREAM_DROPOUT for each
 * neuron of each row of each batch, so that masks do not depend on how a batch is
 * cut.  A batch has fewer than 2^32 rows, a layer fewer than 2^28 neurons.
 */
typedef struct OsmlDropout
{
	uint64_t	seed;
	uint64_t	batch;			/* its low 32 bits count */
	int64_t		row;			/* of the first, within the batch */
	int			layer;			/* below 64 */
	double		probability;	/* of being dropped, below 1 */
} OsmlDropout;

typedef struct OsmlBackend OsmlBackend;

struct OsmlBackend
{
	const char *name;			/* "cpu", as osml.runs.device shows it */

	/* z[r - lo] = bias + sum over j of w[j] * x[j][r]; w and z in precision */
	void		(*affine) (const OsmlBackend *self, OsmlPrecision precision,
						   const OsmlLayout *layout, const OsmlBlock *block, int lo, int hi,
						   const void *w, double bias, void *z);

	/*
	 * slope[i] = dloss/dz of row lo + i; returns the sum of the loss values.
	 * param is the loss's own parameter (huber_delta), unused by others.
	 */
	double		(*loss) (const OsmlBackend *self, OsmlPrecision precision, OsmlLoss loss,
						 double param, const OsmlLayout *layout, const OsmlBlock *block,
						 int lo, int hi, const void *z, void *slope);

	/* the same of a loss by class: output c of row lo + i is z[c * (hi - lo) + i],
	 * its slope likewise; labels are class numbers below n_outputs */
	double		(*class_loss) (const OsmlBackend *self, OsmlPrecision precision,
							   OsmlLoss loss, int n_outputs, const OsmlLayout *layout,
							   const OsmlBlock *block, int lo, int hi, const void *z,
							   void *slope);

	/* g[j] += sum over r of slope[r - lo] * x[j][r], for the dense columns j from first up
	 * to, not including, last */
	void		(*affine_grad) (const OsmlBackend *self, OsmlPrecision precision,
								const OsmlLayout *layout, const OsmlBlock *block,
								int lo, int hi, int first, int last,
								const void *slope, void *g);

	/*
	 * The same two for code columns, which count as one-hot columns.  gather:
	 * z[r - lo] += the entry of row r's code in the table of code column 0,
	 * then 1, ...; scatter: the entry of row r's code in g, laid out like the
	 * tables, += slope[r - lo].  Codes are in range: nobody checks them here.
	 */
	void		(*gather) (const OsmlBackend *self, OsmlPrecision precision,
						   const OsmlLayout *layout, const OsmlBlock *block, int lo, int hi,
						   const void *tables, void *z);
	void		(*scatter) (const OsmlBackend *self, OsmlPrecision precision,
							const OsmlLayout *layout, const OsmlBlock *block, int lo,
							int hi, const void *slope, void *g);

	/* one update of n of all n_params parameters, from `first` on; state holds n_params
	 * values per state slot */
	void		(*optim_step) (const OsmlBackend *self, OsmlPrecision precision,
							   OsmlOptim optim, const OsmlOptimStep *step,
							   size_t first, size_t n, void *params, const void *grad,
							   void *state, size_t n_params);

	/*
	 * The proximal step of an l1 penalty: n of all n_params parameters, from `first` on,
	 * are brought nearer to 0 and not past it, by l1 times what a gradient of 1 moves
	 * them in the step just taken, so that the optimum does not depend on the optimiser
	 * (Yun, Lozano and Yang, "Adaptive Proximal Gradient Methods for Structured Neural
	 * Networks", NeurIPS 2021).
	 */
	void		(*shrink) (const OsmlBackend *self, OsmlPrecision precision, OsmlOptim optim,
						   const OsmlOptimStep *step, double l1, size_t first, size_t n,
						   void *params, const void *state, size_t n_params);

	/* Euclidean norm of n values, of which those beyond the marked pages (pages.h;
	 * NULL: all are marked) are 0; not finite when a value is not */
	double		(*norm) (const OsmlBackend *self, OsmlPrecision precision, size_t n,
						 const void *v, const uint64_t *pages);

	/* v *= factor; v clamped to [-limit, limit] */
	void		(*scale) (const OsmlBackend *self, OsmlPrecision precision, size_t n,
						  void *v, double factor);
	void		(*clamp) (const OsmlBackend *self, OsmlPrecision precision, size_t n,
						  void *v, double limit);

	/*
	 * A dense layer; w is [outputs, inputs], row-major.  dense: z = bias + w x,
	 * added within a row in the order of the inputs (bias NULL: zeroes), unless
	 * gemm is used.  dense_grad: g += slope xᵀ, g_bias += sum of slope (NULL: no
	 * bias).  dense_back: x_slope = wᵀ slope.
	 */
	void		(*dense) (const OsmlBackend *self, OsmlPrecision precision,
						  const void *w, const void *bias, OsmlTile x, OsmlTile z);
	void		(*dense_grad) (const OsmlBackend *self, OsmlPrecision precision,
							   OsmlTile slope, OsmlTile x, void *g, void *g_bias);
	void		(*dense_back) (const OsmlBackend *self, OsmlPrecision precision,
							   const void *w, OsmlTile slope, OsmlTile x_slope);

	/* value = f(value), and the slope there */
	void		(*activate) (const OsmlBackend *self, OsmlPrecision precision,
							 OsmlActivation activation, OsmlTile value, OsmlTile slope);

	/* v *= factor, value by value */
	void		(*multiply) (const OsmlBackend *self, OsmlPrecision precision, OsmlTile v,
							 OsmlTile factor);

	/* value and slope *= 1 / (1 - probability), or 0 where dropped */
	void		(*dropout) (const OsmlBackend *self, OsmlPrecision precision,
							const OsmlDropout *dropout, OsmlTile value, OsmlTile slope);

	/*
	 * An embedding: table is [categories, z.n], row-major.  embed: z[j][r] = entry
	 * j of the row of codes[r]; embed_grad: that entry of g += slope[j][r].
	 */
	void		(*embed) (const OsmlBackend *self, OsmlPrecision precision, const int32_t *codes,
						  const void *table, OsmlTile z);
	void		(*embed_grad) (const OsmlBackend *self, OsmlPrecision precision,
							   const int32_t *codes, int size, OsmlTile slope, void *g);

	/*
	 * For batch norm, column by column.  sums[j] += the sum of x[j], or of (a[j] -
	 * center[j]) (b[j] - center[j]); map: out = (x - center) factor + shift, out
	 * may be x; unmap: v = factor (v - shift - x share).
	 */
	void		(*sums) (const OsmlBackend *self, OsmlPrecision precision, OsmlTile x,
						 double *sums);
	void		(*comoments) (const OsmlBackend *self, OsmlPrecision precision, OsmlTile a,
							  OsmlTile b, const double *center, double *sums);
	void		(*map) (const OsmlBackend *self, OsmlPrecision precision, OsmlTile x,
						const double *center, const double *factor, const double *shift,
						OsmlTile out);
	void		(*unmap) (const OsmlBackend *self, OsmlPrecision precision, OsmlTile x,
						  const double *factor, const double *shift, const double *share,
						  OsmlTile v);

	/*
	 * A library's matrix products, for layers large enough; NULL: plain loops.  A
	 * trainer sets it in a copy of its own of a backend.  Results then differ in
	 * their last bits, and outputs of a row may depend on the rows beside it.
	 */
	const OsmlGemm *gemm;

	/* threads that share an operation's work, see cpu_team.h; NULL: the caller's alone */
	struct OsmlTeam *team;
};

extern const OsmlBackend osml_backend_cpu;

#endif							/* OSML_BACKEND_H */
