/*
 * explain.c
 *	  Scaling around a model's own explanation: see explain.h.
 */
#include "model/explain.h"

#include <math.h>

/* a cache line, as scratch wants it */
#define ALIGNMENT 64

static size_t
aligned(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t
osml_average_values(const OsmlModelSpec *spec)
{
	size_t		n = 0;

	for (int k = 0; k < spec->layout.n_codes; k++)
		n += (size_t) spec->ops->code_width(spec, k);
	return n;
}

void
osml_average_code(const OsmlModelSpec *spec, const void *params, int k,
				  const int64_t *count, double *average, double *room)
{
	int			width = spec->ops->code_width(spec, k);
	double		rows = 0;

	for (int j = 0; j < width; j++)
		average[j] = 0;
	for (int32_t code = 0; code < spec->layout.code_sizes[k]; code++)
	{
		if (count[code] == 0)
			continue;
		rows += (double) count[code];
		osml_code_values(spec, params, k, code, room);
		for (int j = 0; j < width; j++)
			average[j] += (room[j] - average[j]) * ((double) count[code] / rows);
	}
}

void
osml_explain_class(const OsmlModelSpec *spec, int k, double *mix)
{
	int			n = spec->n_outputs;

	if (n == 1)
		mix[0] = k == 1 ? 1 : -1;
	for (int i = 0; n > 1 && i < n; i++)
		mix[i] = (i == k ? 1 : 0) - 1.0 / n;
}

/* the outputs, the two rows prepared, then what prediction and explaining need, one
 * after the other */
size_t
osml_explain_bytes(const OsmlPredictor *predictor)
{
	const OsmlModelSpec *spec = &predictor->spec;
	size_t		row = osml_predictor_row_bytes(predictor);
	size_t		explain = spec->ops->explain_scratch ? spec->ops->explain_scratch(spec) : 0;

	return aligned((size_t) spec->n_outputs * sizeof(double)) +
		2 * aligned((size_t) spec->layout.n_dense * sizeof(double)) +
		(row > explain ? row : explain);
}

OsmlExplained
osml_explain_row(const OsmlPredictor *predictor, const double *average, const double *raw,
				 const int32_t *codes, const double *mix, double *attribution, void *buf,
				 osml_pause_fn pause)
{
	const OsmlModelSpec *spec = &predictor->spec;
	const OsmlScaling *scaling = &predictor->scaling;
	size_t		columns = aligned((size_t) spec->layout.n_dense * sizeof(double));
	double	   *outputs = buf;
	double	   *mean = (double *) ((char *) buf +
								   aligned((size_t) spec->n_outputs * sizeof(double)));
	double	   *row = (double *) ((char *) mean + columns);
	void	   *scratch = (char *) row + columns;
	OsmlAverageRow from = {mean, average};
	OsmlExplained explained;
	double		moved = 0;
	double		sum = 0;

	osml_predictor_row_outputs(predictor, raw, codes, outputs, scratch);
	osml_prepare_row(scaling, spec->precision, scaling->impute, mean);
	osml_prepare_row(scaling, spec->precision, raw, row);
	explained.output = 0;
	for (int k = 0; k < spec->n_outputs; k++)
	{
		explained.output += mix[k] * outputs[k];
		moved += mix[k] * scaling->label_center;
	}
	explained.baseline = spec->ops->explain(spec, predictor->params, row, codes, &from, mix,
											attribution, scratch, pause) *
		scaling->label_scale + moved;
	for (int j = 0; j < spec->layout.n_dense + spec->layout.n_codes; j++)
	{
		attribution[j] *= scaling->label_scale;
		sum += attribution[j];
	}
	explained.error = fabs(explained.output - (explained.baseline + sum));
	return explained;
}
