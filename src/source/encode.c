/*
 * encode.c
 *	  A block of inputs to a block of features: see encode.h.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"

#include "source/definition.h"
#include "source/encode.h"
#include "source/resident.h"

OsmlLayout
osml_model_layout(const OsmlFeatureSet *set)
{
	OsmlLayout	layout = set->program->output;

	layout.has_row_number = set->layout.has_row_number;
	layout.has_weight = set->layout.has_weight;
	return layout;
}

void
osml_encoder_init(OsmlEncoder *encoder)
{
	const OsmlProgram *program = encoder->set->program;
	OsmlLayout	layout = osml_model_layout(encoder->set);

	if (program->identity)
		return;
	encoder->out = osml_new_block(CurrentMemoryContext, &layout);
	encoder->scratch = palloc(Max(1, osml_program_scratch(program, OSML_BLOCK_ROWS)));
}

/* The feature that makes a number column, or NULL. */
static const OsmlFeature *
maker(const OsmlFeatureSet *set, int dense)
{
	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *feature = &set->features[i];

		if (dense >= feature->first_dense && dense < feature->first_dense + feature->n_dense)
			return feature;
	}
	return NULL;
}

/* What makes a feature: "sql, then log1p"; NULL if it is a column as it is. */
static const char *
definition_words(const OsmlFeatureSet *set, const OsmlFeature *feature)
{
	StringInfoData words;
	ListCell   *cell;

	initStringInfo(&words);
	foreach(cell, set->definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);

		if (feature == NULL || definition->implied ||
			strcmp(definition->feature, feature->name) != 0)
			continue;
		appendStringInfo(&words, "%s%s", words.len > 0 ? ", then " : "", definition->transform);
		if (definition->inputs != NIL)
			appendStringInfo(&words, " of \"%s\"", (char *) linitial(definition->inputs));
	}
	return words.len > 0 ? words.data : NULL;
}

/* Raise: a feature of a row is what the run must not have. */
static void
feature_error(const OsmlEncoder *encoder, const OsmlBlock *raw, int row, int dense,
			  int sqlstate, const char *is, const char *hint)
{
	const OsmlLayout *layout = &encoder->set->layout;
	int64		number = layout->has_row_number ?
		osml_block_row_numbers(unconstify(OsmlBlock *, raw), layout)[row] :
		raw->first_row + row;
	const char *subject = encoder->set->subject;
	const char *made_by = definition_words(encoder->set, maker(encoder->set, dense));

	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("feature \"%s\"%s%s is %s in row " INT64_FORMAT " of %s",
					osml_dense_name(encoder->set, dense), subject ? " " : "",
					subject ? subject : "", is, number, encoder->label),
			 made_by ? errdetail("It is made by %s.", made_by) : 0,
			 errhint("%s", hint)));
}

/* One number column: mark the rows it drops. */
static void
judge_column(const OsmlEncoder *encoder, const OsmlBlock *raw, int dense, bool *drop)
{
	OsmlBlock  *out = encoder->out;
	const double *column = osml_block_column(out, dense);
	bool		keeps_nonfinite = encoder->on_nonfinite == OSML_ON_NONFINITE_KEEP;
	bool		keeps_null = encoder->keep_null_rows || encoder->on_null == OSML_ON_NULL_MEAN;
	double		sum = 0;

	for (int r = 0; r < out->nrows; r++)
		sum += column[r] * 0.0;
	if (sum == 0)
		return;
	for (int r = 0; r < out->nrows; r++)
	{
		bool		missing = osml_is_missing(column[r]);

		if (drop[r] || isfinite(column[r]) || (missing ? keeps_null : keeps_nonfinite))
			continue;
		if (missing && encoder->on_null == OSML_ON_NULL_ERROR)
			feature_error(encoder, raw, r, dense, ERRCODE_NULL_VALUE_NOT_ALLOWED, "NULL",
						  "Set \"on_null\" to skip or mean, filter such rows out, or "
						  "define an impute for the feature.");
		if (!missing && encoder->on_nonfinite == OSML_ON_NONFINITE_STOP)
			feature_error(encoder, raw, r, dense, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
						  isnan(column[r]) ? "NaN" : "infinite",
						  "Set \"on_nonfinite\" to skip, or filter such rows out.");
		drop[r] = true;
		out->n_null += missing;
		out->n_nonfinite += !missing;
	}
}

/* Close the gaps that dropped rows leave. */
static void
compact(const OsmlLayout *layout, OsmlBlock *block, const bool *drop, uint64 *hash)
{
	int			kept = 0;

	for (int r = 0; r < block->nrows; r++)
	{
		if (drop[r])
			continue;
		for (int j = 0; j < osml_layout_wide(layout); j++)
			osml_block_column(block, j)[kept] = osml_block_column(block, j)[r];
		for (int k = 0; k < osml_layout_narrow(layout); k++)
			osml_block_codes(block, layout, k)[kept] = osml_block_codes(block, layout, k)[r];
		if (hash)
			hash[kept] = hash[r];
		kept++;
	}
	block->nrows = kept;
}

/* Keys of labels to numbers of classes; returns how many rows have no class. */
static int
number_classes(const OsmlEncoder *encoder, double *label, int n, bool *drop)
{
	const OsmlClasses *classes = encoder->classes;
	int			unknown = 0;

	for (int r = 0; r < n; r++)
	{
		uint64		key;
		int			number;

		memcpy(&key, &label[r], sizeof(key));
		number = osml_classes_find(classes, key);
		label[r] = number;
		if (number < 0 && !drop[r])
		{
			drop[r] = true;
			unknown++;
		}
	}
	return unknown;
}

OsmlBlock *
osml_encode_block(OsmlEncoder *encoder, OsmlBlock *raw, uint64 *hash)
{
	OsmlBlock  *out = encoder->out;
	OsmlLayout	layout;
	bool		drop[OSML_BLOCK_ROWS];
	int			unknown = 0;

	if (encoder->set->program->identity && encoder->classes == NULL)
		return raw;
	layout = osml_model_layout(encoder->set);
	memset(drop, 0, raw->nrows);
	if (encoder->set->program->identity)
		out = raw;
	else
	{
		osml_program_run_block(encoder->set->program, raw, out, encoder->scratch);
		out->n_null = raw->n_null;
		out->n_nonfinite = raw->n_nonfinite;
		out->prepared = false;
		for (int j = 0; j < layout.n_dense; j++)
			judge_column(encoder, raw, j, drop);
	}
	if (encoder->classes)
		unknown = number_classes(encoder, osml_block_label(out, &layout),
								 out->nrows, drop);
	encoder->n_unknown += unknown;
	if (unknown > 0 || out->n_null + out->n_nonfinite > raw->n_null + raw->n_nonfinite)
		compact(&layout, out, drop, hash);
	return out;
}
