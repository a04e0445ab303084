/*
 * evaluate.c
 *	  osml_evaluate() and its kind: how good a model is on rows whose label is
 *	  known.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "api/evaluation.h"
#include "api/need.h"
#include "api/outputs.h"
#include "compat.h"
#include "rules/metric/metric.h"
#include "source/context_arena.h"

PG_FUNCTION_INFO_V1(osml_evaluate);
PG_FUNCTION_INFO_V1(osml_confusion_matrix);
PG_FUNCTION_INFO_V1(osml_curve);
PG_FUNCTION_INFO_V1(osml_calibration);

/* One row of the result; what no row defines is NULL. */
static void
put_metric(ReturnSetInfo *rsinfo, const char *name, double value)
{
	Datum		values[2];
	bool		nulls[2] = {false, isnan(value)};

	values[0] = CStringGetTextDatum(name);
	values[1] = Float8GetDatum(value);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* All metrics that apply, the model's loss if it is not among them, counts. */
static void
put_metrics(ReturnSetInfo *rsinfo, const OsmlEvaluation *evaluation)
{
	const OsmlMeasure *measure = evaluation->measure;
	const char *loss = evaluation->score->loaded->row->loss;

	for (int i = 0; i < osml_metric_count(); i++)
	{
		if (osml_metric_applies(i, measure))
			put_metric(rsinfo, osml_metric_name(i), osml_metric_value(i, measure));
	}
	if (osml_metric_by_name(loss) < 0)
		put_metric(rsinfo, loss, osml_measure_loss(measure));
	put_metric(rsinfo, "rows_used", measure->n);
	put_metric(rsinfo, "rows_skipped", evaluation->skipped);
}

/* Measure the rows of the source; ranked: measure.h */
static void
evaluate(OsmlEvaluation *evaluation, int ranked)
{
	osml_evaluation_clear(evaluation, ranked);
	osml_evaluation_scan(evaluation, osml_evaluation_block, evaluation, osml_evaluation_text);
	osml_check_status(osml_measure_settle(evaluation->measure));
}

/* The same for what only a model of classes has, and without their scores. */
static const OsmlEvaluation *
evaluate_classes(const char *model, char *source)
{
	OsmlEvaluation *evaluation = osml_evaluation_begin(model, source);

	osml_need_classes(evaluation->score->loaded);
	evaluate(evaluation, OSML_RANKED_NONE);
	return evaluation;
}

/* osml_evaluate(model, source) */
Datum
osml_evaluate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *model = osml_need_text(fcinfo, 0, "model");
	char	   *source = osml_need_text(fcinfo, 1, "source");
	OsmlEvaluation *evaluation;

	InitMaterializedSRF(fcinfo, 0);
	evaluation = osml_evaluation_begin(model, source);
	evaluate(evaluation, OSML_RANKED_ALL);
	put_metrics(rsinfo, evaluation);
	return (Datum) 0;
}

/* osml_confusion_matrix(model, source): a row for each pair of classes */
Datum
osml_confusion_matrix(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *model = osml_need_text(fcinfo, 0, "model");
	char	   *source = osml_need_text(fcinfo, 1, "source");
	const OsmlEvaluation *evaluation;
	const OsmlClasses *classes;

	InitMaterializedSRF(fcinfo, 0);
	evaluation = evaluate_classes(model, source);
	classes = evaluation->score->loaded->classes;
	for (int i = 0; i < classes->n; i++)
	{
		for (int j = 0; j < classes->n; j++)
		{
			OsmlConfusion cell = osml_measure_confusion(evaluation->measure, i, j);
			Datum		values[4];
			bool		nulls[4] = {false};

			CHECK_FOR_INTERRUPTS();
			values[0] = CStringGetTextDatum(classes->texts[i]);
			values[1] = CStringGetTextDatum(classes->texts[j]);
			values[2] = Int64GetDatum(cell.rows);
			values[3] = Float8GetDatum(cell.weight);
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}

/* The points of one class's curves. */
static void
put_curve(ReturnSetInfo *rsinfo, const OsmlEvaluation *evaluation, int class, int points)
{
	const OsmlRank *rank = osml_measure_rank(evaluation->measure, class);
	OsmlCurve	curve;
	OsmlCurvePoint point;

	osml_curve_begin(&curve, rank, points);
	while (osml_curve_next(&curve, &point))
	{
		double		numbers[6] = {point.threshold, point.tp, point.fp, point.tpr,
			point.fpr, point.precision};
		Datum		values[7];
		bool		nulls[7] = {false};

		CHECK_FOR_INTERRUPTS();
		values[0] = CStringGetTextDatum(evaluation->score->loaded->classes->texts[class]);
		for (int i = 0; i < 6; i++)
		{
			values[i + 1] = Float8GetDatum(numbers[i]);
			nulls[i + 1] = isnan(numbers[i]);
		}
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/* osml_curve(model, source, class, points): ROC and precision-recall */
Datum
osml_curve(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *model = osml_need_text(fcinfo, 0, "model");
	char	   *source = osml_need_text(fcinfo, 1, "source");
	char	   *name = osml_maybe_text(fcinfo, 2);
	int			points = PG_ARGISNULL(3) ? 0 : PG_GETARG_INT32(3);
	OsmlEvaluation *evaluation;
	int			class;

	if (points < 0 || points == 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("points must be at least 2, or 0 for all, not %d", points)));
	InitMaterializedSRF(fcinfo, 0);
	evaluation = osml_evaluation_begin(model, source);
	class = osml_need_class(evaluation->score->loaded, name);
	evaluate(evaluation, class >= 0 ? class : OSML_RANKED_ALL);
	if (class >= 0)
		put_curve(rsinfo, evaluation, class, points);
	else
	{
		for (int k = 0; k < evaluation->score->loaded->classes->n; k++)
			put_curve(rsinfo, evaluation, k, points);
	}
	return (Datum) 0;
}

/* osml_calibration(model, source): a row for each bin of probability */
Datum
osml_calibration(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *model = osml_need_text(fcinfo, 0, "model");
	char	   *source = osml_need_text(fcinfo, 1, "source");
	const OsmlEvaluation *evaluation;

	InitMaterializedSRF(fcinfo, 0);
	evaluation = evaluate_classes(model, source);
	for (int i = 0; i < OSML_CALIBRATION_BINS; i++)
	{
		OsmlCalibrationRow row = osml_measure_calibration(evaluation->measure, i);
		Datum		values[6];
		bool		nulls[6] = {false, false, false, false, row.weight == 0, row.weight == 0};

		values[0] = Float8GetDatum(row.low);
		values[1] = Float8GetDatum(row.high);
		values[2] = Int64GetDatum(row.rows);
		values[3] = Float8GetDatum(row.weight);
		values[4] = Float8GetDatum(row.mean_probability);
		values[5] = Float8GetDatum(row.share_true);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
