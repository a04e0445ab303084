/*
 * resident.h
 *	  The resident set: blocks of one part, kept for more than one pass.
 *
 * Blocks stay in memory while the run's budget lasts and then go to temp
 * files, up to the spill limit.  When both are full osml_resident_commit()
 * says so and the caller drops the set and reads the source again each epoch.
 *
 * Memory lives in the context that was current at creation; temp files are
 * PostgreSQL's own (temp_file_limit counts them, the server removes them when
 * the process ends, however it ends).
 *
 * Next: placing.h (which blocks go where), shuffle.h (drawing orders), feed.h in
 * train (walking the set).
 */
#ifndef OSML_RESIDENT_H
#define OSML_RESIDENT_H

#include "source/placing.h"
#include "storage/fd.h"
#include "utils/palloc.h"

typedef struct OsmlResident
{
	MemoryContext context;
	OsmlLayout	layout;
	OsmlPlacing place;			/* how many blocks there are, and where */
	int64		n_rows;
	int			capacity;		/* of blocks[] */
	OsmlBlock **blocks;
	OsmlBlock  *spare;			/* being filled, when it will be spilled */
	File		file;			/* the others, in order; 0: there are none */
} OsmlResident;

/* an empty block in a context, with room for osml_resident_get() to read into */
extern OsmlBlock *osml_new_block(MemoryContext context, const OsmlLayout *layout);

extern OsmlResident *osml_resident_create(const OsmlLayout *layout, OsmlBudget *budget);

/* an empty block to fill; NULL when not even one fits the budget */
extern OsmlBlock *osml_resident_reserve(OsmlResident *set);

/* keep the filled block; false when neither memory nor spill has room.  Errors: the disk
 * is full, temp_file_limit */
extern bool osml_resident_commit(OsmlResident *set, OsmlBlock *block);

/* block i; one on disk is read into buffer */
extern OsmlBlock *osml_resident_get(OsmlResident *set, int i, OsmlBlock *buffer);

/* give everything back to the budget, and to the system; also after an error */
extern void osml_resident_free(OsmlResident *set);

#endif							/* OSML_RESIDENT_H */
