/*
 * evaluation.c
 *	  A model measured on rows whose label is known: see evaluation.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#include "api/evaluation.h"
#include "source/context_arena.h"
#include "train/dataset.h"

/* of a text, in a message */
#define SHOWN_BYTES 40

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

	evaluation->context = CurrentMemoryContext;
	evaluation->arena = osml_context_arena(CurrentMemoryContext);
	evaluation->score = osml_score_begin(model, source_text(source), true);
	evaluation->scan.on_null = evaluation->score->loaded->impute ?
		OSML_ON_NULL_MEAN : OSML_ON_NULL_SKIP;
	evaluation->scan.on_nonfinite = OSML_ON_NONFINITE_SKIP;
	return evaluation;
}

void
osml_evaluation_clear(OsmlEvaluation *evaluation, int ranked)
{
	const OsmlModelSpec *spec = &evaluation->score->loaded->predictor.spec;

	osml_measure_free(evaluation->measure);
	evaluation->measure = osml_measure_create(&evaluation->arena,
											  osml_task_of_link(osml_losses[spec->loss].link),
											  spec->n_outputs, ranked);
	if (evaluation->measure == NULL)
		osml_check_status(OSML_OUT_OF_MEMORY);
	evaluation->skipped = 0;
}

int
osml_evaluation_skipped(OsmlEvaluation *evaluation, const OsmlBlock *block)
{
	OsmlEncoder *encoder = &evaluation->score->encoder;
	int			skipped = (int) (block->n_null + block->n_nonfinite + encoder->n_unknown);

	evaluation->unknown.rows += encoder->n_unknown;
	encoder->n_unknown = 0;
	return skipped;
}

/* --- unknown classes -------------------------------------------------------- */

void
osml_evaluation_text(void *arg, int key_column, uint64 key, const char *text, int length)
{
	OsmlEvaluation *evaluation = arg;
	OsmlUnknown *unknown = &evaluation->unknown;
	int			shown = pg_mbcliplen(text, length, SHOWN_BYTES);

	if (unknown->n > OSML_UNKNOWN_SHOWN ||
		osml_classes_find(evaluation->score->loaded->classes, key) >= 0)
		return;
	for (int i = 0; i < unknown->n; i++)
	{
		if (unknown->keys[i] == key)
			return;
	}
	if (unknown->n < OSML_UNKNOWN_SHOWN)
	{
		unknown->keys[unknown->n] = key;
		unknown->texts[unknown->n] = MemoryContextAllocZero(evaluation->context, shown + 4);
		memcpy(unknown->texts[unknown->n], text, shown);
		if (shown < length)
			strcpy(unknown->texts[unknown->n] + shown, "...");
	}
	unknown->n++;
}

/* "a", "b" and others */
static char *
list_texts(const char *const *texts, int n)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < Min(n, OSML_UNKNOWN_SHOWN); i++)
	{
		int			length = (int) strlen(texts[i]);
		int			shown = pg_mbcliplen(texts[i], length, SHOWN_BYTES + 3);

		appendStringInfo(&out, "%s\"%.*s\"", i > 0 ? ", " : "", shown, texts[i]);
	}
	if (n > OSML_UNKNOWN_SHOWN)
		appendStringInfoString(&out, " and others");
	return out.data;
}

static void
warn_unknown(const OsmlEvaluation *evaluation)
{
	const OsmlUnknown *unknown = &evaluation->unknown;
	const OsmlScore *score = evaluation->score;

	if (unknown->rows == 0)
		return;
	ereport(WARNING,
			(errmsg_plural("model \"%s\" does not know the class of %lld row of %s, which is left out",
						   "model \"%s\" does not know the class of %lld rows of %s, which are left out",
						   (unsigned long) unknown->rows, score->loaded->model,
						   (long long) unknown->rows, score->source->label),
			 errdetail("Label \"%s\" is %s there; the classes of the model are %s.",
					   score->set->label,
					   list_texts((const char *const *) unknown->texts, unknown->n),
					   list_texts(score->loaded->classes->texts, score->loaded->classes->n)),
			 errhint("If these are the same classes in another type, cast the label to the one that was trained on.")));
}

void
osml_evaluation_scan(OsmlEvaluation *evaluation, OsmlBlockSink sink, void *arg,
					 OsmlTextSink text_sink)
{
	evaluation->scan.sink = sink;
	evaluation->scan.arg = arg;
	evaluation->scan.text_sink = text_sink;
	evaluation->scan.text_keys = evaluation->score->loaded->classes ? OSML_LABEL_BIT : 0;
	osml_score_scan(evaluation->score, &evaluation->scan);
	evaluation->scan.text_keys = 0;
	warn_unknown(evaluation);
}

/* --- measuring ------------------------------------------------------------- */

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
