/*
 * predictor.h
 *	  A finished model, ready to predict in the label's own units.
 *
 * Built from the stored safetensors bytes plus the scaling constants; used by
 * osml_predict, osml_predict_batch, osml_evaluate and by validation inside the
 * trainer, so that all of them run the same code.
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

/*
 * One raw row: layout.n_dense values and layout.n_codes codes (NULL where there
 * are none).  buf holds as many values.
 */
extern double osml_predictor_row(const OsmlPredictor *predictor, const double *raw,
								 const int32_t *codes, double *buf);

/*
 * Rows [lo, hi) of a prepared block: out[i] for row lo + i.  scratch as
 * spec.ops->scratch says.
 */
extern void osml_predictor_block(const OsmlPredictor *predictor,
								 const OsmlBackend *backend, const OsmlBlock *block,
								 int lo, int hi, double *out, void *scratch);

#endif							/* OSML_PREDICTOR_H */
