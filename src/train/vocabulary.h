/*
 * vocabulary.h
 *	  Categories that a vocabulary leaves out, and the rows that count as (other)
 *	  for it.
 *
 * A run tells of them when it has its model, osml_check() before; both ask here when
 * they are worth a word.
 *
 * Next: version.c (the run's words), survey.c (whose pass counts for osml_check()).
 */
#ifndef OSML_VOCABULARY_H
#define OSML_VOCABULARY_H

#include "features/bottom.h"
#include "source/source.h"

typedef struct OsmlVocabulary
{
	int			code;			/* the code column that it makes */
	int			key;			/* key column of the reader that it reads */
	int			kept;			/* categories that have a code of their own */
	int64		others;			/* rows of those trained on that have another one */
	double		distinct;		/* categories that the rows have, an estimate where
								 * there are many */
	OsmlBottom	keys;			/* met so far */
} OsmlVocabulary;

typedef struct OsmlVocabularies
{
	int			n;
	OsmlVocabulary *of;
} OsmlVocabularies;

/* has a code column a vocabulary?  Of a bin, a cross or a hash each code is kept. */
extern bool osml_has_vocabulary(const OsmlFeatureSet *set, int code);

/* are so many rows with other categories worth a word? */
extern bool osml_vocabulary_lacks(int64 others, int64 rows);

/* those of a complete set, in the current context; what is met is kept in context */
extern void osml_vocabularies_init(OsmlVocabularies *vocabularies,
								   const OsmlFeatureSet *set, MemoryContext context);

/* the keys of row r of a reader's block */
extern void osml_vocabularies_meet(OsmlVocabularies *vocabularies,
								   const OsmlFeatureSet *set, const OsmlBlock *raw, int r);

/* a model's block, of rows that are trained on */
extern void osml_vocabularies_count(OsmlVocabularies *vocabularies,
									const OsmlLayout *layout, const OsmlBlock *block);

/* all rows have been met */
extern void osml_vocabularies_end(OsmlVocabularies *vocabularies);

#endif							/* OSML_VOCABULARY_H */
