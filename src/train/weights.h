/*
 * weights.h
 *	  The parameters of a run as safetensors bytes: in versions and in checkpoints.
 */
#ifndef OSML_WEIGHTS_H
#define OSML_WEIGHTS_H

#include "model/safetensors.h"
#include "train/run.h"

/* views of run->params, at most OSML_MAX_TENSORS; returns their number */
extern int	osml_weights_tensors(const OsmlRun *run, OsmlSafetensor *out);

/* tensors and metadata as bytes, palloc'd */
extern bytea *osml_weights_pack(const OsmlSafetensor *tensors, int n_tensors,
								const OsmlSafetensorsMeta *meta, int n_meta);

/* open bytes that the catalog had; an error where they are none */
extern void osml_weights_open(const bytea *bytes, OsmlSafetensors *file);

/*
 * Copy a tensor of n values of the given precision into out.  False: the file has
 * none of that name and size.
 */
extern bool osml_weights_copy(const OsmlSafetensors *file, const char *name,
							  OsmlPrecision precision, size_t n, void *out);

/* all parameters of the run from a file; an error where they are those of another model */
extern void osml_weights_load(OsmlRun *run, const OsmlSafetensors *file);

#endif							/* OSML_WEIGHTS_H */
