/*
 * cpu_network.h
 *	  The part of the CPU's backend that networks with hidden layers ask for;
 *	  cpu.c puts it into the table.  Contracts: backend.h.
 */
#ifndef OSML_CPU_NETWORK_H
#define OSML_CPU_NETWORK_H

#include "compute/backend.h"

/*
 * A library's product is asked for so many columns at a time, the last may have up to
 * twice as many: its bits may depend on the shape, and so not on who computes which columns.
 */
#define OSML_GEMM_COLUMNS 128

/* is a layer of these sizes left to the library? */
extern bool osml_cpu_uses_gemm(const OsmlBackend *self, int n_in, int n_out, int rows);

extern void osml_cpu_dense(const OsmlBackend *self, OsmlPrecision precision, const void *w,
						   const void *bias, OsmlTile x, OsmlTile z);
extern void osml_cpu_dense_grad(const OsmlBackend *self, OsmlPrecision precision,
								OsmlTile slope, OsmlTile x, void *g, void *g_bias);
extern void osml_cpu_dense_back(const OsmlBackend *self, OsmlPrecision precision,
								const void *w, OsmlTile slope, OsmlTile x_slope);

/* the same for some of the n_in inputs, whose first has its first weight at w */
extern void osml_cpu_dense_back_inputs(const OsmlBackend *self, OsmlPrecision precision,
									   const void *w, int n_in, OsmlTile slope,
									   OsmlTile x_slope);
extern void osml_cpu_activate(const OsmlBackend *self, OsmlPrecision precision,
							  OsmlActivation activation, OsmlTile value, OsmlTile slope);
extern void osml_cpu_multiply(const OsmlBackend *self, OsmlPrecision precision, OsmlTile v,
							  OsmlTile factor);
extern void osml_cpu_dropout(const OsmlBackend *self, OsmlPrecision precision,
							 const OsmlDropout *dropout, OsmlTile value, OsmlTile slope);
extern void osml_cpu_embed(const OsmlBackend *self, OsmlPrecision precision, const int32_t *codes,
						   const void *table, OsmlTile z);
extern void osml_cpu_embed_grad(const OsmlBackend *self, OsmlPrecision precision,
								const int32_t *codes, int size, OsmlTile slope, void *g);
extern void osml_cpu_comoments(const OsmlBackend *self, OsmlPrecision precision, OsmlTile a,
							   OsmlTile b, const double *center, double *sums);
extern void osml_cpu_sums(const OsmlBackend *self, OsmlPrecision precision, OsmlTile x,
						  double *sums);
extern void osml_cpu_map(const OsmlBackend *self, OsmlPrecision precision, OsmlTile x,
						 const double *center, const double *factor, const double *shift,
						 OsmlTile out);
extern void osml_cpu_unmap(const OsmlBackend *self, OsmlPrecision precision, OsmlTile x,
						   const double *factor, const double *shift, const double *share,
						   OsmlTile v);

#endif							/* OSML_CPU_NETWORK_H */
