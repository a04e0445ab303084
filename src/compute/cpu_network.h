/*
 * cpu_network.h
 *	  The part of the CPU's backend that networks with hidden layers ask for;
 *	  cpu.c puts it into the table.  Contracts: backend.h.
 */
#ifndef OSML_CPU_NETWORK_H
#define OSML_CPU_NETWORK_H

#include "compute/backend.h"

extern void osml_cpu_dense(const OsmlBackend *self, OsmlPrecision precision, const void *w,
						   const void *bias, OsmlTile x, OsmlTile z);
extern void osml_cpu_dense_grad(const OsmlBackend *self, OsmlPrecision precision,
								OsmlTile slope, OsmlTile x, void *g, void *g_bias);
extern void osml_cpu_dense_back(const OsmlBackend *self, OsmlPrecision precision,
								const void *w, OsmlTile slope, OsmlTile x_slope);
extern void osml_cpu_activate(OsmlPrecision precision, OsmlActivation activation,
							  OsmlTile value, OsmlTile slope);
extern void osml_cpu_multiply(OsmlPrecision precision, OsmlTile v, OsmlTile factor);
extern void osml_cpu_dropout(OsmlPrecision precision, const OsmlDropout *dropout,
							 OsmlTile value, OsmlTile slope);
extern void osml_cpu_embed(OsmlPrecision precision, const int32_t *codes,
						   const void *table, OsmlTile z);
extern void osml_cpu_embed_grad(OsmlPrecision precision, const int32_t *codes, int size,
								OsmlTile slope, void *g);
extern void osml_cpu_comoments(OsmlPrecision precision, OsmlTile a, OsmlTile b,
							   const double *center, double *sums);
extern void osml_cpu_sums(OsmlPrecision precision, OsmlTile x, double *sums);
extern void osml_cpu_map(OsmlPrecision precision, OsmlTile x, const double *center,
						 const double *factor, const double *shift, OsmlTile out);
extern void osml_cpu_unmap(OsmlPrecision precision, OsmlTile x, const double *factor,
						   const double *shift, const double *share, OsmlTile v);

#endif							/* OSML_CPU_NETWORK_H */
