/*
 * score.c
 *	  A model over a source, block by block.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "api/need.h"
#include "api/score.h"
#include "hparams/hparams.h"
#include "source/adapt.h"
#include "source/column.h"

/*
 * The columns that weighted rows in training, where the source has them.  A count
 * per unit cannot do without the units.
 */
static void
take_weights(OsmlScore *score)
{
	const OsmlHparams *hparams = osml_hparams_parse(NULL, score->loaded->row->hparams);
	const char *weight = hparams->sample_weight;

	if (weight && osml_find_column(score->source->columns, weight) == NULL)
		weight = NULL;
	osml_set_weights(score->set, score->source, weight, hparams->exposure);
	score->set->layout.has_weight = weight || hparams->exposure;
	if (score->set->layout.has_weight)
	{
		osml_check_readable(score->source, score->set);
		osml_feature_set_build(score->set, NULL);
		if (!osml_feature_set_prepare(score->set, NULL))
			elog(ERROR, "features of model \"%s\" are not complete", score->loaded->model);
	}
}

/* The right to the model is checked before the source is even looked at. */
OsmlScore *
osml_score_begin(const char *model, const char *source, bool with_label)
{
	OsmlScore  *score = palloc0(sizeof(OsmlScore));
	OsmlModelRow *row = osml_need_model(model, OSML_PREDICT);
	const OsmlModelSpec *spec;

	score->loaded = osml_loaded_get(row, CurrentMemoryContext);
	spec = &score->loaded->predictor.spec;
	score->source = osml_source_resolve(source, NULL);
	score->set = osml_source_match(score->source, &score->loaded->set, with_label);
	if (score->set->label && score->set->label_key && score->loaded->classes == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("label \"%s\" of %s has type %s, but model \"%s\" predicts a number",
						score->set->label, score->source->label,
						format_type_be(score->set->label_type), model)));
	if (score->set->label)
		osml_check_label_type(score->source, score->set,
							  osml_type_by_name(score->loaded->row->label_type),
							  psprintf("model \"%s\"", model));
	score->set->label_key = score->loaded->classes != NULL;
	if (with_label)
		take_weights(score);
	score->layout = score->loaded->layout;
	score->layout.has_weight = score->set->layout.has_weight;
	score->predictor = score->loaded->predictor;
	score->predictor.spec.layout = score->layout;
	score->scratch = palloc(Max(spec->ops->scratch(spec, 0), 1));
	score->out = palloc(sizeof(double) * OSML_BLOCK_ROWS * spec->n_outputs);
	return score;
}

/* Unit by unit, so a partitioned table's rows come in the order of its leaves. */
void
osml_score_scan(OsmlScore *score, OsmlScan *scan)
{
	scan->set = score->set;
	scan->owner = osml_loaded_author(score->loaded);
	score->encoder.set = score->set;
	score->encoder.on_null = scan->on_null;
	score->encoder.on_nonfinite = scan->on_nonfinite;
	score->encoder.keep_null_rows = scan->keep_null_rows;
	score->encoder.label = score->source->label;
	score->encoder.classes = score->set->label ? score->loaded->classes : NULL;
	osml_encoder_init(&score->encoder);
	for (int i = 0; i < score->source->n_units; i++)
	{
		scan->shard = i;
		(void) osml_scan_unit(scan, &score->source->units[i], 0, 0);
	}
}

OsmlBlock *
osml_score_encode(OsmlScore *score, OsmlBlock *raw, uint64 *hash)
{
	return osml_encode_block(&score->encoder, raw, hash);
}

/* The block is changed in place: scaled, and narrowed for float32. */
void
osml_score_block(OsmlScore *score, OsmlBlock *block)
{
	const OsmlPredictor *predictor = &score->predictor;

	osml_prepare_block(&predictor->scaling, &score->layout,
					   predictor->spec.precision, block);
	osml_predictor_block(predictor, &osml_backend_cpu, block, 0, block->nrows,
						 score->out, score->scratch);
}
