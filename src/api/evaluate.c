/*
 * evaluate.c
 *	  osml_evaluate(): how good a model is on rows whose label is known.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "api/need.h"
#include "api/score.h"
#include "train/dataset.h"
#include "compat.h"
#include "rules/metric/metric.h"

PG_FUNCTION_INFO_V1(osml_evaluate);

typedef struct Evaluation
{
	OsmlScore  *score;
	OsmlMetricSums sums;
	int64		skipped;
	double		label[OSML_BLOCK_ROWS];	/* in its own units */
} Evaluation;

/* Sum up one block.  Preparing scales the label along with the features. */
static bool
evaluate_block(void *arg, OsmlBlock *raw)
{
	Evaluation *evaluation = arg;
	OsmlScore  *score = evaluation->score;
	const OsmlPredictor *predictor = &score->loaded->predictor;
	OsmlBlock  *block = osml_score_encode(score, raw);
	int			n = block->nrows;

	memcpy(evaluation->label, osml_block_label(block, &score->loaded->layout),
		   n * sizeof(double));
	osml_score_block(score, block);
	for (int i = 0; i < n; i++)
		evaluation->sums.loss_sum +=
			osml_loss_value(predictor->spec.loss, predictor->spec.n_outputs, n,
							score->out + i, evaluation->label[i],
							score->loaded->loss_param);
	osml_predictor_link(predictor, n, score->out);
	osml_metric_add(&evaluation->sums, score->out, evaluation->label, n);
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

/* All metrics of the list, the model's loss if it is not among them, counts. */
static void
put_metrics(ReturnSetInfo *rsinfo, const Evaluation *evaluation)
{
	const OsmlMetricSums *sums = &evaluation->sums;
	const char *loss = evaluation->score->loaded->row->loss;

	for (int i = 0; i < osml_metric_count(); i++)
		put_metric(rsinfo, osml_metric_name(i), osml_metric_value(i, sums));
	if (osml_metric_by_name(loss) < 0)
		put_metric(rsinfo, loss,
				   sums->n > 0 ? sums->loss_sum / sums->n : NAN);
	put_metric(rsinfo, "rows_used", sums->n);
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

/* osml_evaluate(model, source) */
Datum
osml_evaluate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *model = osml_need_text(fcinfo, 0, "model");
	char	   *source = source_text(osml_need_text(fcinfo, 1, "source"));
	Evaluation *evaluation = palloc0(sizeof(Evaluation));
	OsmlScan	scan = {0};

	InitMaterializedSRF(fcinfo, 0);
	evaluation->score = osml_score_begin(model, source, true);
	scan.on_null = evaluation->score->loaded->impute ?
		OSML_ON_NULL_MEAN : OSML_ON_NULL_SKIP;
	scan.on_nonfinite = OSML_ON_NONFINITE_SKIP;
	scan.sink = evaluate_block;
	scan.arg = evaluation;
	osml_score_scan(evaluation->score, &scan);
	put_metrics(rsinfo, evaluation);
	return (Datum) 0;
}
