/*
 * predictor.c
 *	  Scaling, model and unscaling in a row: see predictor.h.
 */
#include "model/predictor.h"

size_t
osml_predictor_row_bytes(const OsmlPredictor *predictor)
{
	const OsmlModelSpec *spec = &predictor->spec;

	return (size_t) spec->layout.n_dense * sizeof(double) +
		(spec->ops->row_scratch ? spec->ops->row_scratch(spec) : 0);
}

/* n outputs in the units the model trains in, to the label's */
static void
unscale(const OsmlScaling *scaling, size_t n, double *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = out[i] * scaling->label_scale + scaling->label_center;
}

void
osml_predictor_row_outputs(const OsmlPredictor *predictor, const double *raw,
						   const int32_t *codes, double *out, void *buf)
{
	const OsmlModelSpec *spec = &predictor->spec;
	double	   *prepared = buf;

	osml_prepare_row(&predictor->scaling, spec->precision, raw, prepared);
	spec->ops->predict_row(spec, predictor->params, prepared, codes, out,
						   prepared + spec->layout.n_dense);
	unscale(&predictor->scaling, (size_t) spec->n_outputs, out);
}

void
osml_predictor_row(const OsmlPredictor *predictor, const double *raw,
				   const int32_t *codes, double *out, void *buf)
{
	osml_predictor_row_outputs(predictor, raw, codes, out, buf);
	osml_predictor_link(predictor, 1, out);
}

void
osml_predictor_block(const OsmlPredictor *predictor,
					 const OsmlBackend *backend, const OsmlBlock *block,
					 int lo, int hi, double *out, void *scratch)
{
	const OsmlModelSpec *spec = &predictor->spec;

	spec->ops->predict(spec, backend, block, lo, hi, predictor->params, out,
					   scratch);
	unscale(&predictor->scaling, (size_t) spec->n_outputs * (size_t) (hi - lo), out);
}

void
osml_predictor_link(const OsmlPredictor *predictor, int n, double *out)
{
	osml_link_apply(osml_losses[predictor->spec.loss].link, predictor->spec.n_outputs, n,
					out);
}
