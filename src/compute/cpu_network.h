/*
 * cpu_network.h
 *	  The part of the CPU's backend that networks with hidden layers ask for;
 *	  cpu.c puts it into the table.  Contracts: backend.h.
 */
#ifndef OSML_CPU_NETWORK_H
#define OSML_CPU_NETWORK_H

#include "compute/backend.h"

extern void osml_cpu_dense(const OsmlBackend *self, OsmlPrecision precision, const void *w,
						   const void *bias, OsmlColumns x, OsmlColumns z);
extern void osml_cpu_dense_grad(const OsmlBackend *self, OsmlPrecision precision,
								OsmlColumns slope, OsmlColumns x, void *g, void *g_bias);
extern void osml_cpu_dense_back(const OsmlBackend *self, OsmlPrecision precision,
								const void *w, OsmlColumns slope, OsmlColumns x_slope);
extern void osml_cpu_activate(OsmlPrecision precision, OsmlActivation activation,
							  OsmlColumns value, OsmlColumns slope);
extern void osml_cpu_multiply(OsmlPrecision precision, OsmlColumns v, OsmlColumns factor);
extern void osml_cpu_dropout(OsmlPrecision precision, const OsmlDropout *dropout,
							 OsmlColumns value, OsmlColumns slope);
extern void osml_cpu_embed(OsmlPrecision precision, const int32_t *codes,
						   const void *table, OsmlColumns z);
extern void osml_cpu_embed_grad(OsmlPrecision precision, const int32_t *codes, int size,
								OsmlColumns slope, void *g);
extern void osml_cpu_comoments(OsmlPrecision precision, OsmlColumns a, OsmlColumns b,
							   const double *center, double *sums);
extern void osml_cpu_sums(OsmlPrecision precision, OsmlColumns x, double *sums);
extern void osml_cpu_map(OsmlPrecision precision, OsmlColumns x, const double *center,
						 const double *factor, const double *shift, OsmlColumns out);
extern void osml_cpu_unmap(OsmlPrecision precision, OsmlColumns x, const double *factor,
						   const double *shift, const double *share, OsmlColumns v);

#endif							/* OSML_CPU_NETWORK_H */
