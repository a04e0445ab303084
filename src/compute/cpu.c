/*
 * cpu.c
 *	  OsmlBackend on the CPU: plain loops.
 *
 * Each entry picks the typed kernel by precision and nothing else; the loops
 * are in the kernel_*.h files.  No BLAS: at these sizes (a block in cache) the
 * loops run at the speed of memory, and prediction must stay light.
 *
 * Next: cpu_network.c (what networks ask for), kernels.h (the order of sums), kernel_affine.h.
 */
#include "compute/backend.h"
#include "compute/cpu_network.h"
#include "compute/kernel_affine.h"
#include "compute/kernel_codes.h"
#include "compute/kernel_loss.h"
#include "compute/kernel_optim.h"
#include "compute/kernel_vector.h"

/* z = bias + X w over rows [lo, hi) */
static void
cpu_affine(const OsmlBackend *self, OsmlPrecision precision, const OsmlLayout *layout,
		   const OsmlBlock *block, int lo, int hi, const void *w, double bias,
		   void *z)
{
	if (precision == OSML_FLOAT32)
		osml_kernel_affine_f32(layout->n_dense, block, lo, hi, w, (float) bias, z);
	else
		osml_kernel_affine_f64(layout->n_dense, block, lo, hi, w, bias, z);
}

/* values and slopes of rows [lo, hi); the label and weight follow the columns */
static double
cpu_loss(const OsmlBackend *self, OsmlPrecision precision, OsmlLoss loss, double param,
		 const OsmlLayout *layout, const OsmlBlock *block, int lo, int hi,
		 const void *z, void *slope)
{
	int			label = layout->n_dense;

	if (precision == OSML_FLOAT32)
		return osml_kernel_loss_f32(loss, (float) param, hi - lo, z,
									osml_column_f32(block, label, lo),
									layout->has_weight ?
									osml_column_f32(block, label + 1, lo) : NULL,
									slope);
	return osml_kernel_loss_f64(loss, param, hi - lo, z,
								osml_column_f64(block, label, lo),
								layout->has_weight ?
								osml_column_f64(block, label + 1, lo) : NULL,
								slope);
}

/* the same by class */
static double
cpu_class_loss(const OsmlBackend *self, OsmlPrecision precision, OsmlLoss loss, int n_outputs,
			   const OsmlLayout *layout, const OsmlBlock *block, int lo, int hi,
			   const void *z, void *slope)
{
	int			label = layout->n_dense;

	if (precision == OSML_FLOAT32)
		return osml_kernel_class_loss_f32(loss, n_outputs, hi - lo, z,
										  osml_column_f32(block, label, lo),
										  layout->has_weight ?
										  osml_column_f32(block, label + 1, lo) : NULL,
										  slope);
	return osml_kernel_class_loss_f64(loss, n_outputs, hi - lo, z,
									  osml_column_f64(block, label, lo),
									  layout->has_weight ?
									  osml_column_f64(block, label + 1, lo) : NULL,
									  slope);
}

/* g += Xᵀ slope */
static void
cpu_affine_grad(const OsmlBackend *self, OsmlPrecision precision, const OsmlLayout *layout,
				const OsmlBlock *block, int lo, int hi, int first, int last,
				const void *slope, void *g)
{
	if (precision == OSML_FLOAT32)
		osml_kernel_affine_grad_f32(first, last, block, lo, hi, slope, g);
	else
		osml_kernel_affine_grad_f64(first, last, block, lo, hi, slope, g);
}

/* z += the entries of the rows' codes, one code column after the other */
static void
cpu_gather(const OsmlBackend *self, OsmlPrecision precision, const OsmlLayout *layout,
		   const OsmlBlock *block, int lo, int hi, const void *tables, void *z)
{
	size_t		table = 0;

	for (int k = 0; k < layout->n_codes; k++)
	{
		const int32_t *code = osml_block_codes(block, layout, k) + lo;

		if (precision == OSML_FLOAT32)
			osml_kernel_gather_f32(hi - lo, code, (const float *) tables + table, z);
		else
			osml_kernel_gather_f64(hi - lo, code, (const double *) tables + table, z);
		table += (size_t) layout->code_sizes[k];
	}
}

/* the entries of the rows' codes += the rows' slopes */
static void
cpu_scatter(const OsmlBackend *self, OsmlPrecision precision, const OsmlLayout *layout,
			const OsmlBlock *block, int lo, int hi, const void *slope, void *g)
{
	size_t		table = 0;

	for (int k = 0; k < layout->n_codes; k++)
	{
		const int32_t *code = osml_block_codes(block, layout, k) + lo;

		if (precision == OSML_FLOAT32)
			osml_kernel_scatter_f32(hi - lo, layout->code_sizes[k], code, slope,
									(float *) g + table);
		else
			osml_kernel_scatter_f64(hi - lo, layout->code_sizes[k], code, slope,
									(double *) g + table);
		table += (size_t) layout->code_sizes[k];
	}
}

/* one update of n parameters */
static void
cpu_optim_step(const OsmlBackend *self, OsmlPrecision precision, OsmlOptim optim,
			   const OsmlOptimStep *step, size_t first, size_t n, void *params,
			   const void *grad, void *state, size_t n_params)
{
	if (precision == OSML_FLOAT32)
		osml_optim_all_f32[optim] (step, n, (float *) params + first,
								   (const float *) grad + first, (float *) state + first,
								   n_params);
	else
		osml_optim_all_f64[optim] (step, n, (double *) params + first,
								   (const double *) grad + first, (double *) state + first,
								   n_params);
}

/* the proximal step of n parameters */
static void
cpu_shrink(const OsmlBackend *self, OsmlPrecision precision, OsmlOptim optim,
		   const OsmlOptimStep *step, double l1, size_t first, size_t n, void *params,
		   const void *state, size_t n_params)
{
	if (precision == OSML_FLOAT32)
		osml_optim_shrink_f32[optim] (step, n, (float) l1, (float *) params + first,
									  (const float *) state + first, n_params);
	else
		osml_optim_shrink_f64[optim] (step, n, l1, (double *) params + first,
									  (const double *) state + first, n_params);
}

/* Euclidean norm of n values, summed in float64 */
static double
cpu_norm(const OsmlBackend *self, OsmlPrecision precision, size_t n, const void *v,
		 const uint64_t *pages)
{
	if (pages)
		return precision == OSML_FLOAT32 ? osml_kernel_norm_pages_f32(n, v, pages) :
			osml_kernel_norm_pages_f64(n, v, pages);
	return precision == OSML_FLOAT32 ? osml_kernel_norm_f32(n, v) :
		osml_kernel_norm_f64(n, v);
}

/* v *= factor */
static void
cpu_scale(const OsmlBackend *self, OsmlPrecision precision, size_t n, void *v, double factor)
{
	if (precision == OSML_FLOAT32)
		osml_kernel_scale_f32(n, v, (float) factor);
	else
		osml_kernel_scale_f64(n, v, factor);
}

/* v held within [-limit, limit] */
static void
cpu_clamp(const OsmlBackend *self, OsmlPrecision precision, size_t n, void *v, double limit)
{
	if (precision == OSML_FLOAT32)
		osml_kernel_clamp_f32(n, v, (float) limit);
	else
		osml_kernel_clamp_f64(n, v, limit);
}

const OsmlBackend osml_backend_cpu = {
	.name = "cpu",
	.affine = cpu_affine,
	.loss = cpu_loss,
	.class_loss = cpu_class_loss,
	.affine_grad = cpu_affine_grad,
	.gather = cpu_gather,
	.scatter = cpu_scatter,
	.optim_step = cpu_optim_step,
	.shrink = cpu_shrink,
	.norm = cpu_norm,
	.scale = cpu_scale,
	.clamp = cpu_clamp,
	.dense = osml_cpu_dense,
	.dense_grad = osml_cpu_dense_grad,
	.dense_back = osml_cpu_dense_back,
	.activate = osml_cpu_activate,
	.multiply = osml_cpu_multiply,
	.dropout = osml_cpu_dropout,
	.embed = osml_cpu_embed,
	.embed_grad = osml_cpu_embed_grad,
	.sums = osml_cpu_sums,
	.comoments = osml_cpu_comoments,
	.map = osml_cpu_map,
	.unmap = osml_cpu_unmap
};
