/*
 * fit.h
 *	  Learning what a program's steps lack, in passes over the training rows.
 *
 * One pass fits every step whose inputs are known; a step behind another that
 * must be fitted waits for the next pass (standardize after impute: two).
 *
 *		while ((fit = osml_fit_begin(program, arena, ...)) != NULL)
 *		{
 *			for each block: osml_fit_texts(...) as they come; osml_fit_block(...);
 *			osml_fit_end(fit, ...);
 *		}
 */
#ifndef OSML_FIT_H
#define OSML_FIT_H

#include "features/program.h"

typedef struct OsmlFitPass OsmlFitPass;

/* of the memory that learning may take, what it may count categories in */
#define OSML_FIT_ROOM(limit) ((int64_t) (limit) / 2)

/*
 * A pass that the program still needs, or NULL: it is complete.  status tells
 * the two kinds of NULL apart.  room: bytes in which categories are counted,
 * however many there are; counts are exact while it is enough, and each feature
 * may take what its capacity asks for even when it is not.
 */
extern OsmlFitPass *osml_fit_begin(OsmlProgram *program, const OsmlArena *arena,
								   int64_t room, OsmlStatus *status);

/* does the pass want the texts of a key column? */
extern bool osml_fit_wants_texts(const OsmlFitPass *pass, int key_column);

extern OsmlStatus osml_fit_text(OsmlFitPass *pass, int key_column, uint64_t key,
								const char *text, size_t length);

/* a reader's block; use[r] false: row r does not count; use may be NULL */
extern OsmlStatus osml_fit_block(OsmlFitPass *pass, const OsmlBlock *raw,
								 const bool *use);

/*
 * Instead of reading a column again: what another pass over the same rows found
 * out about an input of the program; anything else is ignored.  Steps that the
 * profile does not tell enough for are left to osml_fit_block().
 */
extern OsmlStatus osml_fit_profile(OsmlFitPass *pass, OsmlRegister input,
								   const OsmlProfile *profile);

/* is there a step that profiles did not tell enough for? */
extern bool osml_fit_wants_rows(const OsmlFitPass *pass);

/* tally capacity with which the profile of an input mostly tells enough; 0: none */
extern int	osml_fit_capacity(const OsmlFitPass *pass, OsmlRegister input);

/* fit the pass's steps, and mark those that found no value; see osml_program_prepare for *bad and message */
extern OsmlStatus osml_fit_end(OsmlFitPass *pass, int *bad, char *message);

#endif							/* OSML_FIT_H */
