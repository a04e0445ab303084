/*
 * predictor.c
 *	  Scaling, model and unscaling in a row: see predictor.h.
 */
#include "model/predictor.h"

/* one raw row to a prediction in the label's own units */
double
osml_predictor_row(const OsmlPredictor *predictor, const double *raw,
				   const int32_t *codes, double *buf)
{
	const OsmlModelSpec *spec = &predictor->spec;
	const OsmlScaling *scaling = &predictor->scaling;
	double		z;

	osml_prepare_row(scaling, spec->precision, raw, buf);
	z = spec->ops->predict_row(spec, predictor->params, buf, codes);
	return z * scaling->label_scale + scaling->label_center;
}

/* rows [lo, hi) of a prepared block, in the label's own units */
void
osml_predictor_block(const OsmlPredictor *predictor,
					 const OsmlBackend *backend, const OsmlBlock *block,
					 int lo, int hi, double *out, void *scratch)
{
	const OsmlModelSpec *spec = &predictor->spec;
	const OsmlScaling *scaling = &predictor->scaling;

	spec->ops->predict(spec, backend, block, lo, hi, predictor->params, out,
					   scratch);
	for (int i = 0; i < hi - lo; i++)
		out[i] = out[i] * scaling->label_scale + scaling->label_center;
}
