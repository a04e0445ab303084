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

#include "api/need.h"
#include "api/outputs.h"
#include "api/score.h"
#include "train/dataset.h"
#include "compat.h"
#include "rules/metric/metric.h"
#include "source/context_arena.h"

PG_FUNCTION_INFO_V1(osml_evaluate);
PG_FUNCTION_INFO_V1(osml_confusion_matrix);
PG_FUNCTION_INFO_V1(osml_curve);
PG_FUNCTION_INFO_V1(osml_calibration);

typedef struct Evaluation
{
	OsmlScore  *score;
	OsmlMeasure *measure;
	int64		skipped;
	double		label[OSML_BLOCK_ROWS];	/* in its own units */
	double		weight[OSML_BLOCK_ROWS];
} Evaluation;

/* Sum up one block.  Preparing scales the label along with the features. */
static bool
evaluate_block(void *arg, OsmlBlock *raw)
{
	Evaluation *evaluation = arg;
	OsmlScore  *score = evaluation->score;
	const OsmlPredictor *predictor = &score->predictor;
	OsmlBlock  *block = osml_score_encode(score, raw);
	const double *label = osml_block_label(block, &score->layout);
	const double *weight = score->layout.has_weight ? evaluation->weight : NULL;
	int			n = block->nrows;

	memcpy(evaluation->label, label, n * sizeof(double));
	if (weight)
		memcpy(evaluation->weight, label + OSML_BLOCK_STRIDE, n * sizeof(double));
	osml_score_block(score, block);
	for (int i = 0; i < n; i++)
		evaluation->measure->loss_sum += (weight ? weight[i] : 1) *
			osml_loss_value(predictor->spec.loss, predictor->spec.n_outputs, n,
							score->out + i, evaluation->label[i],
							score->loaded->loss_param);
	osml_predictor_link(predictor, n, score->out);
	osml_check_status(osml_measure_add(evaluation->measure, score->out, evaluation->label,
									   weight, n));
	evaluation->skipped += block->n_null + block->n_nonfinite + score->encoder.n_unknown;
	score->encoder.n_unknown = 0;
	return true;
}

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
put_metrics(ReturnSetInfo *rsinfo, const Evaluation *evaluation)
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

/*
 * The text to evaluate on: for the name of a dataset of the user's its test
 * source, for want of one the next best.
 */
static char *
source_text(char *text)
{
	OsmlDatasetRow *dataset = osml_own_dataset(text);

	if (dataset == NULL)
		return text;
	return dataset->test ? dataset->test :
		dataset->val ? dataset->val : dataset->train;
}

/* The rows of a source, measured. */
static Evaluation *
evaluate(const char *model, char *source)
{
	Evaluation *evaluation = palloc0(sizeof(Evaluation));
	OsmlArena  *arena = palloc(sizeof(OsmlArena));
	const OsmlModelSpec *spec;
	OsmlScan	scan = {0};

	*arena = osml_context_arena(CurrentMemoryContext);
	evaluation->score = osml_score_begin(model, source_text(source), true);
	spec = &evaluation->score->loaded->predictor.spec;
	evaluation->measure = osml_measure_create(arena, osml_task_of_link(osml_losses[spec->loss].link),
											  spec->n_outputs, true);
	if (evaluation->measure == NULL)
		osml_check_status(OSML_OUT_OF_MEMORY);
	scan.on_null = evaluation->score->loaded->impute ?
		OSML_ON_NULL_MEAN : OSML_ON_NULL_SKIP;
	scan.on_nonfinite = OSML_ON_NONFINITE_SKIP;
	scan.sink = evaluate_block;
	scan.arg = evaluation;
	osml_score_scan(evaluation->score, &scan);
	osml_check_status(osml_measure_settle(evaluation->measure));
	return evaluation;
}

/* osml_evaluate(model, source) */
Datum
osml_evaluate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *model = osml_need_text(fcinfo, 0, "model");
	char	   *source = osml_need_text(fcinfo, 1, "source");

	InitMaterializedSRF(fcinfo, 0);
	put_metrics(rsinfo, evaluate(model, source));
	return (Datum) 0;
}

/* osml_confusion_matrix(model, source): a row for each pair of classes */
Datum
osml_confusion_matrix(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *model = osml_need_text(fcinfo, 0, "model");
	char	   *source = osml_need_text(fcinfo, 1, "source");
	const Evaluation *evaluation;
	const OsmlClasses *classes;

	InitMaterializedSRF(fcinfo, 0);
	evaluation = evaluate(model, source);
	(void) osml_need_class(evaluation->score->loaded, NULL);
	classes = evaluation->score->loaded->classes;
	for (int i = 0; i < classes->n; i++)
	{
		for (int j = 0; j < classes->n; j++)
		{
			Datum		values[3];
			bool		nulls[3] = {false};

			CHECK_FOR_INTERRUPTS();
			values[0] = CStringGetTextDatum(classes->texts[i]);
			values[1] = CStringGetTextDatum(classes->texts[j]);
			values[2] = Int64GetDatum((int64) osml_measure_confusion(evaluation->measure, i, j));
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}

/* The points of one class's curves. */
static void
put_curve(ReturnSetInfo *rsinfo, const Evaluation *evaluation, int class, int points)
{
	const OsmlRank *rank = osml_measure_rank(evaluation->measure, class);
	OsmlCurve	curve;
	OsmlCurvePoint point;

	if (rank == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("scores of more than %d classes are not kept in order",
						OSML_MEASURE_RANKED_CLASSES)));
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
	const Evaluation *evaluation;
	int			class;

	if (points < 0 || points == 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("points must be at least 2, or 0 for all, not %d", points)));
	InitMaterializedSRF(fcinfo, 0);
	evaluation = evaluate(model, source);
	class = osml_need_class(evaluation->score->loaded, name);
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
	const Evaluation *evaluation;

	InitMaterializedSRF(fcinfo, 0);
	evaluation = evaluate(model, source);
	(void) osml_need_class(evaluation->score->loaded, NULL);
	for (int i = 0; i < OSML_CALIBRATION_BINS; i++)
	{
		OsmlCalibrationRow row = osml_measure_calibration(evaluation->measure, i);
		Datum		values[5];
		bool		nulls[5] = {false, false, false, row.weight == 0, row.weight == 0};

		values[0] = Float8GetDatum(row.low);
		values[1] = Float8GetDatum(row.high);
		values[2] = Int64GetDatum((int64) row.weight);
		values[3] = Float8GetDatum(row.mean_probability);
		values[4] = Float8GetDatum(row.share_true);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
