/*
 * predictor.h
 *	  A finished model, ready to predict in the label's own units.
 *
 * Built from the stored safetensors bytes plus the scaling constants; used by
 * osml_predict, osml_predict_batch, osml_evaluate and by validation inside the
 * trainer, so that all of them run the same code.
 *
 * An output is what the model computes (an amount in the label's units, a logit,
 * a logarithm of a mean); osml_predictor_link() makes a prediction of it.
 */
#ifndef OSML_PREDICTOR_H
#define OSML_PREDICTOR_H

#include "features/scale.h"
#include "model/model.h"

typedef struct OsmlPredictor
{
	OsmlModelSpec spec;
	OsmlScaling scaling;
	const void *params;			/* in spec.precision; not owned */
} OsmlPredictor;

/* bytes that osml_predictor_row() works in */
extern size_t osml_predictor_row_bytes(const OsmlPredictor *predictor);

/*
 * One raw row: layout.n_dense values and layout.n_codes codes (NULL where there
 * are none) to spec.n_outputs predictions.  buf: as above.
 */
extern void osml_predictor_row(const OsmlPredictor *predictor, const double *raw,
							   const int32_t *codes, double *out, void *buf);

/* the same without the link: outputs */
extern void osml_predictor_row_outputs(const OsmlPredictor *predictor, const double *raw,
									   const int32_t *codes, double *out, void *buf);

/*
 * Outputs of rows [lo, hi) of a prepared block: output k of row i is
 * out[k * (hi - lo) + i - lo].  scratch as spec.ops->scratch says.
 */
extern void osml_predictor_block(const OsmlPredictor *predictor,
								 const OsmlBackend *backend, const OsmlBlock *block,
								 int lo, int hi, double *out, void *scratch);

/* outputs of n rows to predictions, in place */
extern void osml_predictor_link(const OsmlPredictor *predictor, int n, double *out);

#endif							/* OSML_PREDICTOR_H */
