/*
 * outputs.c
 *	  Predictions as SQL values: see outputs.h.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "compat.h"
#include "api/outputs.h"
#include "rules/name/nearest.h"

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
osml_need_intervals(const OsmlLoaded *loaded)
{
	if (loaded->classes)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" predicts classes, which have no interval", loaded->model),
				 errhint("Use osml_predict_proba().")));
	if (loaded->tails.n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("version %d of model \"%s\" has no residuals of held-out rows",
						loaded->key.version, loaded->model),
				 errhint("Train it with validation rows: set \"val_fraction\", or give the dataset a val source.")));
}

double
osml_need_level(double level)
{
	if (!(level > 0 && level < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"level\" must be between 0 and 1, not %g", level)));
	return level;
}

void
osml_loaded_interval(const OsmlLoaded *loaded, double prediction, double level,
					 double *lower, double *upper)
{
	OsmlLink	link = osml_losses[loaded->predictor.spec.loss].link;

	osml_interval(&loaded->tails, osml_task_of_link(link), prediction, level, lower, upper);
}

/* Raise: the model's label is a number. */
pg_noreturn static void
no_classes(const OsmlLoaded *loaded, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("model \"%s\" predicts a number, not classes", loaded->model),
			 errhint("%s", hint)));
}

void
osml_need_classes(const OsmlLoaded *loaded)
{
	if (loaded->classes == NULL)
		no_classes(loaded, "Use osml_predict().");
}

int
osml_need_class(const OsmlLoaded *loaded, const char *name)
{
	OsmlNearest nearest;
	const char *best;

	if (loaded->classes == NULL)
		no_classes(loaded, name ? "Leave out \"class\"." : "Use osml_predict().");
	if (name == NULL)
		return loaded->classes->n == 2 ? 1 : -1;
	osml_nearest_begin(&nearest, name);
	for (int k = 0; k < loaded->classes->n; k++)
	{
		if (strcmp(loaded->classes->texts[k], name) == 0)
			return k;
		osml_nearest_offer(&nearest, loaded->classes->texts[k]);
	}
	best = osml_nearest_end(&nearest);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("model \"%s\" has no class \"%s\"", loaded->model, name),
			 best ? errhint("Perhaps you meant \"%s\".", best) : 0));
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

int
osml_best_class(const OsmlLoaded *loaded, const double *out, size_t stride)
{
	int			best = 0;

	for (int k = 1; k < loaded->classes->n; k++)
	{
		if (probability(loaded, out, stride, k) > probability(loaded, out, stride, best))
			best = k;
	}
	return best;
}

const char *
osml_class_text(const OsmlLoaded *loaded, const double *out, size_t stride)
{
	for (int k = 0; k < loaded->classes->n; k++)
	{
		if (isnan(probability(loaded, out, stride, k)))
			return NULL;
	}
	return loaded->classes->texts[osml_best_class(loaded, out, stride)];
}
