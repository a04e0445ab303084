/*
 * vocabulary.c
 *	  Categories that a vocabulary leaves out: see vocabulary.h.
 */
#include "postgres.h"

#include "features/key.h"
#include "source/context_arena.h"
#include "source/definition.h"
#include "train/vocabulary.h"

/* different keys are counted up to so many, then estimated to 0.8 % */
#define DISTINCT_KEPT 16384

/* one row in so many */
#define WORTH_A_WORD 100

/* The step that is a code column's vocabulary, or NULL. */
static const OsmlProgramStep *
find_step(const OsmlFeatureSet *set, int code)
{
	const OsmlProgram *program = set->program;
	int			step = osml_program_code_step(program, program->codes[code]);

	if (step < 0 ||
		strcmp(program->steps[step].step.transform->name, OSML_CATEGORY_TRANSFORM) != 0)
		return NULL;
	return &program->steps[step];
}

bool
osml_has_vocabulary(const OsmlFeatureSet *set, int code)
{
	return find_step(set, code) != NULL;
}

bool
osml_vocabulary_lacks(int64 others, int64 rows)
{
	return others > rows / WORTH_A_WORD;
}

/* its codes are the categories, then all others, then NULL */
static int
kept_codes(const OsmlFeatureSet *set, int code)
{
	return set->program->output.code_sizes[code] - 2;
}

void
osml_vocabularies_init(OsmlVocabularies *vocabularies, const OsmlFeatureSet *set,
					   MemoryContext context)
{
	OsmlArena	arena = osml_context_arena(context);
	int			n_codes = set->program->output.n_codes;

	vocabularies->n = 0;
	vocabularies->of = palloc0(sizeof(OsmlVocabulary) * Max(1, n_codes));
	for (int k = 0; k < n_codes; k++)
	{
		const OsmlProgramStep *step = find_step(set, k);
		OsmlVocabulary *vocabulary;

		if (step == NULL)
			continue;
		vocabulary = &vocabularies->of[vocabularies->n++];
		vocabulary->code = k;
		vocabulary->key = step->in[0].index;
		vocabulary->kept = kept_codes(set, k);
		osml_check_status(osml_bottom_init(&vocabulary->keys, &arena, DISTINCT_KEPT));
	}
}

void
osml_vocabularies_meet(OsmlVocabularies *vocabularies, const OsmlFeatureSet *set,
					   const OsmlBlock *raw, int r)
{
	for (int i = 0; i < vocabularies->n; i++)
	{
		OsmlVocabulary *vocabulary = &vocabularies->of[i];
		uint64		key = osml_block_keys(raw, &set->layout, vocabulary->key)[r];

		if (key != OSML_KEY_NULL)
			(void) osml_bottom_add(&vocabulary->keys, osml_mix64(key));
	}
}

void
osml_vocabularies_count(OsmlVocabularies *vocabularies, const OsmlLayout *layout,
						const OsmlBlock *block)
{
	for (int i = 0; i < vocabularies->n; i++)
	{
		OsmlVocabulary *vocabulary = &vocabularies->of[i];
		const int32 *codes = osml_block_codes(block, layout, vocabulary->code);

		for (int r = 0; r < block->nrows; r++)
			vocabulary->others += codes[r] == vocabulary->kept ? 1 : 0;
	}
}

void
osml_vocabularies_end(OsmlVocabularies *vocabularies)
{
	for (int i = 0; i < vocabularies->n; i++)
	{
		osml_bottom_finish(&vocabularies->of[i].keys);
		vocabularies->of[i].distinct = osml_bottom_distinct(&vocabularies->of[i].keys);
	}
}
