/*
 * evaluation.c
 *	  A model measured on rows whose label is known: see evaluation.h.
 */
#include "postgres.h"

#include "api/evaluation.h"
#include "source/context_arena.h"
#include "train/dataset.h"

static char *
source_text(char *text)
{
	OsmlDatasetRow *dataset = osml_own_dataset(text);

	if (dataset == NULL)
		return text;
	return dataset->test ? dataset->test :
		dataset->val ? dataset->val : dataset->train;
}

OsmlEvaluation *
osml_evaluation_begin(const char *model, char *source)
{
	OsmlEvaluation *evaluation = palloc0(sizeof(OsmlEvaluation));

	evaluation->arena = osml_context_arena(CurrentMemoryContext);
	evaluation->score = osml_score_begin(model, source_text(source), true);
	evaluation->scan.on_null = evaluation->score->loaded->impute ?
		OSML_ON_NULL_MEAN : OSML_ON_NULL_SKIP;
	evaluation->scan.on_nonfinite = OSML_ON_NONFINITE_SKIP;
	return evaluation;
}

void
osml_evaluation_clear(OsmlEvaluation *evaluation, bool keep_scores)
{
	const OsmlModelSpec *spec = &evaluation->score->loaded->predictor.spec;

	osml_measure_free(evaluation->measure);
	evaluation->measure = osml_measure_create(&evaluation->arena,
											  osml_task_of_link(osml_losses[spec->loss].link),
											  spec->n_outputs, keep_scores);
	if (evaluation->measure == NULL)
		osml_check_status(OSML_OUT_OF_MEMORY);
	evaluation->skipped = 0;
}

int
osml_evaluation_skipped(OsmlEvaluation *evaluation, const OsmlBlock *block)
{
	OsmlEncoder *encoder = &evaluation->score->encoder;
	int			skipped = (int) (block->n_null + block->n_nonfinite + encoder->n_unknown);

	encoder->n_unknown = 0;
	return skipped;
}

/* Sum up one block.  Preparing scales the label along with the features. */
bool
osml_evaluation_block(void *arg, OsmlBlock *raw)
{
	OsmlEvaluation *evaluation = arg;
	OsmlScore  *score = evaluation->score;
	const OsmlPredictor *predictor = &score->predictor;
	OsmlBlock  *block = osml_score_encode(score, raw, NULL);
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
	evaluation->skipped += osml_evaluation_skipped(evaluation, block);
	return true;
}
