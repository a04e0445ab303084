/*
 * outputs.c
 *	  Predictions as SQL values: see outputs.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "api/outputs.h"

void
osml_need_number(const OsmlLoaded *loaded)
{
	if (loaded->predictor.spec.n_outputs > 1)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" predicts %d classes, not a number", loaded->model,
						loaded->classes->n),
				 errhint("Use osml_predict_class() or osml_predict_proba().")));
}

void
osml_need_classes(const OsmlLoaded *loaded)
{
	if (loaded->classes == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" predicts a number, not classes", loaded->model),
				 errhint("Use osml_predict().")));
}

/* Probability of class k; a logistic model gives the second one's only. */
static double
probability(const OsmlLoaded *loaded, const double *out, size_t stride, int k)
{
	if (loaded->predictor.spec.n_outputs > 1)
		return out[k * stride];
	return k == 1 ? out[0] : 1 - out[0];
}

Datum
osml_proba(const OsmlLoaded *loaded, const double *out, size_t stride)
{
	int			n = loaded->classes->n;
	Datum	   *values = palloc(sizeof(Datum) * n);

	for (int k = 0; k < n; k++)
		values[k] = Float8GetDatum(probability(loaded, out, stride, k));
	return PointerGetDatum(construct_array(values, n, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

const char *
osml_class_text(const OsmlLoaded *loaded, const double *out, size_t stride)
{
	int			best = 0;

	for (int k = 1; k < loaded->classes->n; k++)
	{
		if (probability(loaded, out, stride, k) > probability(loaded, out, stride, best))
			best = k;
	}
	return loaded->classes->texts[best];
}
