/*
 * analysis.c
 *	  What is known about columns, block by block and part by part; see
 *	  analysis.h.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "features/key.h"
#include "source/analysis.h"
#include "source/context_arena.h"
#include "source/decode.h"

/* 2^14 registers, a byte each: an error of 0.8 % */
#define DISTINCT_BITS 14

uint64
osml_number_key(double value)
{
	uint64		bits;

	value += 0.0;				/* -0 is 0 */
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

double
osml_key_number(uint64 key)
{
	uint64		bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
	double		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* What the profile of a column gathers. */
static unsigned
needs_of(const OsmlAnalysisColumn *column)
{
	return column->is_key ? OSML_NEED_TALLY :
		OSML_NEED_MOMENTS | OSML_NEED_QUANTILES | OSML_NEED_TALLY;
}

/* Start the sketches of a column. */
static void
start_column(OsmlAnalysisColumn *column, MemoryContext context)
{
	OsmlArena	arena = osml_context_arena(context);
	MemoryContext old = MemoryContextSwitchTo(context);

	osml_check_status(osml_profile_init(&column->profile, &arena, needs_of(column),
										column->capacity));
	initHyperLogLog(&column->distinct, DISTINCT_BITS);
	memset(&column->with_label, 0, sizeof(OsmlComoment));
	MemoryContextSwitchTo(old);
}

/* Texts are told of keys alone. */
Size
osml_analysis_bytes(const OsmlAnalysis *analysis, int n_workers)
{
	Size		part = 0;

	for (int i = 0; i < analysis->n_columns; i++)
	{
		const OsmlAnalysisColumn *column = &analysis->columns[i];

		part += sizeof(OsmlAnalysisColumn) + ((Size) 1 << DISTINCT_BITS) +
			osml_profile_most_bytes(needs_of(column), column->capacity, column->is_key);
	}
	return part * (2 + n_workers) + (Size) n_workers * OSML_ANALYSIS_QUEUE;
}

/* The column, or element of one, that a number or key of a block is. */
static void
describe_column(OsmlAnalysisColumn *column, const OsmlFeatureSet *set,
				const OsmlInput *input, int element)
{
	column->name = input->n_elements > 0 ?
		psprintf("%s[%d]", input->name, element + 1) : pstrdup(input->name);
	column->type = input->column >= 0 ? set->columns[input->column].type : InvalidOid;
	column->is_key = input->kind == OSML_INPUT_KEY;
	column->index = input->first + element;
	column->capacity = OSML_ANALYSIS_VALUES;
}

OsmlAnalysis *
osml_analysis_of_inputs(const OsmlFeatureSet *set, int label)
{
	OsmlAnalysis *analysis = palloc0(sizeof(OsmlAnalysis));
	int			n = set->layout.n_dense + set->layout.n_keys;

	analysis->context = CurrentMemoryContext;
	analysis->set = set;
	analysis->columns = palloc0(sizeof(OsmlAnalysisColumn) * Max(1, n));
	analysis->label = -1;
	analysis->label_input = label;
	for (int i = 0; i < set->n_inputs; i++)
	{
		const OsmlInput *input = &set->inputs[i];

		for (int k = 0; k < Max(1, input->n_elements); k++)
		{
			OsmlAnalysisColumn *column = &analysis->columns[analysis->n_columns++];

			describe_column(column, set, input, k);
			column->is_label = i == label;
			if (column->is_label && !column->is_key)
				analysis->label = column->index;
		}
	}
	return analysis;
}

/* Read a column as a number, too. */
static void
append_number(OsmlFeatureSet *set, char *name, int column)
{
	OsmlInput  *input = &set->inputs[set->n_inputs++];

	input->kind = OSML_INPUT_NUMBER;
	input->name = name;
	input->column = column;
}

/* Is a column's number read by nobody? */
static bool
lacks_number(const OsmlFeatureSet *set, const OsmlInput *input)
{
	if (input->column < 0 || osml_decode_for(set->columns[input->column].type) == NULL)
		return false;
	for (int i = 0; i < set->n_inputs; i++)
	{
		if (set->inputs[i].kind == OSML_INPUT_NUMBER &&
			set->inputs[i].column == input->column)
			return false;
	}
	return true;
}

/*
 * A scan drops rows without a label, which are rows of the columns all the
 * same.  So the label is read as one more number or key, the last.
 */
OsmlAnalysis *
osml_analysis_create(const OsmlFeatureSet *set)
{
	OsmlFeatureSet *all = palloc0(sizeof(OsmlFeatureSet));
	int			n = set->n_inputs;

	all->columns = palloc(sizeof(OsmlSourceColumn) * (set->n_columns + 1));
	all->inputs = palloc0(sizeof(OsmlInput) * (2 * n + 1));
	memcpy(all->columns, set->columns, sizeof(OsmlSourceColumn) * set->n_columns);
	memcpy(all->inputs, set->inputs, sizeof(OsmlInput) * n);
	all->n_columns = set->n_columns;
	all->n_inputs = n;
	all->subject = set->subject;
	for (int i = 0; i < n; i++)
	{
		if (lacks_number(all, &all->inputs[i]))
			append_number(all, all->inputs[i].name, all->inputs[i].column);
	}
	if (set->label != NULL)
	{
		all->columns[all->n_columns].name = set->label;
		all->columns[all->n_columns].written = NULL;
		all->columns[all->n_columns].type = set->label_type;
		append_number(all, set->label, all->n_columns++);
		if (set->label_key)
			all->inputs[all->n_inputs - 1].kind = OSML_INPUT_KEY;
	}
	osml_place_inputs(all);
	osml_feature_set_build(all, NULL);
	return osml_analysis_of_inputs(all, set->label != NULL ? all->n_inputs - 1 : -1);
}

void
osml_analysis_start(OsmlAnalysis *analysis)
{
	for (int i = 0; i < analysis->n_columns; i++)
		start_column(&analysis->columns[i], analysis->context);
}

OsmlAnalysis *
osml_analysis_part(const OsmlAnalysis *whole)
{
	MemoryContext context = AllocSetContextCreate(whole->context, "osml analysis",
												  ALLOCSET_DEFAULT_SIZES);
	Size		bytes = sizeof(OsmlAnalysisColumn) * Max(1, whole->n_columns);
	OsmlAnalysis *part = MemoryContextAlloc(context, sizeof(OsmlAnalysis));

	*part = *whole;
	part->context = context;
	part->columns = MemoryContextAlloc(context, bytes);
	memcpy(part->columns, whole->columns, bytes);
	osml_analysis_start(part);
	return part;
}

/* Numbers of a block: counts, moments, sketches, top values. */
static void
add_numbers(OsmlAnalysisColumn *column, const double *x, const double *label, int n)
{
	uint64		keys[OSML_BLOCK_ROWS];

	osml_check_status(osml_profile_numbers(&column->profile, x, NULL, n));
	for (int i = 0; i < n; i++)
	{
		keys[i] = isfinite(x[i]) ? osml_number_key(x[i]) : OSML_KEY_NULL;
		if (keys[i] != OSML_KEY_NULL)
			addHyperLogLog(&column->distinct,
						   (uint32) (osml_key((char *) &keys[i], sizeof(keys[i])) >> 32));
	}
	osml_check_status(osml_tally_add(column->profile.tally, keys, NULL, n));
	if (label != NULL)
		osml_comoment_add(&column->with_label, x, label, n);
}

/* Keys of a block. */
static void
add_keys(OsmlAnalysisColumn *column, const uint64 *keys, int n)
{
	osml_check_status(osml_profile_keys(&column->profile, keys, NULL, n));
	for (int i = 0; i < n; i++)
	{
		if (keys[i] != OSML_KEY_NULL)
			addHyperLogLog(&column->distinct, (uint32) (keys[i] >> 32));
	}
}

bool
osml_analysis_block(void *arg, OsmlBlock *block)
{
	OsmlAnalysis *analysis = arg;
	const OsmlLayout *layout = &analysis->set->layout;
	const double *label = analysis->label < 0 ? NULL :
	osml_block_column(block, analysis->label);

	for (int i = 0; i < analysis->n_columns; i++)
	{
		OsmlAnalysisColumn *column = &analysis->columns[i];

		if (column->is_key)
			add_keys(column, osml_block_keys(block, layout, column->index), block->nrows);
		else
			add_numbers(column, osml_block_column(block, column->index),
						column->is_label ? NULL : label, block->nrows);
	}
	return true;
}

void
osml_analysis_text(void *arg, int key_column, uint64 key, const char *text, int length)
{
	OsmlAnalysis *analysis = arg;

	for (int i = 0; i < analysis->n_columns; i++)
	{
		OsmlAnalysisColumn *column = &analysis->columns[i];

		if (column->is_key && column->index == key_column)
			osml_check_status(osml_tally_text(column->profile.tally, key, text, length));
	}
}

void
osml_analysis_merge(OsmlAnalysisColumn *into, const OsmlAnalysisColumn *from)
{
	osml_check_status(osml_profile_merge(&into->profile, &from->profile));
	for (Size i = 0; i < into->distinct.nRegisters; i++)
		into->distinct.hashesArr[i] = Max(into->distinct.hashesArr[i],
										  from->distinct.hashesArr[i]);
	osml_comoment_merge(&into->with_label, &from->with_label);
}

/*
 * The tally knows while it has lost nothing.  Beyond, an estimate must not be
 * less than what has been seen, nor more than there are rows.
 */
int64
osml_analysis_distinct(OsmlAnalysisColumn *column, bool *exact)
{
	const OsmlTally *tally = column->profile.tally;
	double		estimate;

	*exact = osml_tally_error(tally) == 0;
	if (*exact)
		return osml_tally_size(tally);
	estimate = rint(estimateHyperLogLog(&column->distinct));
	return (int64) Max((double) osml_tally_size(tally),
					   Min(estimate, (double) osml_tally_total(tally)));
}

/* --- bytes: distinct, with_label, profile ----------------------------------- */

size_t
osml_analysis_column_size(const OsmlAnalysisColumn *column)
{
	return column->distinct.nRegisters + sizeof(OsmlComoment) +
		osml_profile_size(&column->profile);
}

void
osml_analysis_column_write(const OsmlAnalysisColumn *column, char *bytes)
{
	memcpy(bytes, column->distinct.hashesArr, column->distinct.nRegisters);
	bytes += column->distinct.nRegisters;
	memcpy(bytes, &column->with_label, sizeof(OsmlComoment));
	bytes += sizeof(OsmlComoment);
	osml_profile_write(&column->profile, bytes);
}

void
osml_analysis_column_read(OsmlAnalysisColumn *column, MemoryContext context,
						  const char *bytes, size_t size)
{
	OsmlArena	arena = osml_context_arena(context);
	size_t		fixed = column->distinct.nRegisters + sizeof(OsmlComoment);

	if (size < fixed)
		osml_check_status(OSML_BAD_FORMAT);
	memcpy(column->distinct.hashesArr, bytes, column->distinct.nRegisters);
	bytes += column->distinct.nRegisters;
	memcpy(&column->with_label, bytes, sizeof(OsmlComoment));
	bytes += sizeof(OsmlComoment);
	osml_profile_free(&column->profile);
	osml_check_status(osml_profile_read(&column->profile, &arena, bytes, size - fixed));
}
