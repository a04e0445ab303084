/*
 * length.h
 *	  How long the step loop will be, from hyperparameters and numbers of rows.
 */
#ifndef OSML_LENGTH_H
#define OSML_LENGTH_H

#include "compat.h"
#include "hparams/hparams.h"

/* batches that "overfit_batches" leaves of so many rows an epoch; without it more than
 * there can be */
extern int64 osml_length_overfit(const OsmlHparams *hparams, int64 n_rows);

/* rows that an epoch trains on, of so many usable ones */
extern int64 osml_length_rows(const OsmlHparams *hparams, int64 n_rows);

/* most rows of a part that are read, for "fast_dev_run"; 0: all */
extern int64 osml_length_read(const OsmlHparams *hparams);

/* epochs of so many rows; OSML_AUTO: an endless stream.  "auto" aims at 2,000 steps */
extern int64 osml_length_epochs(const OsmlHparams *hparams, int64 n_rows);
extern int64 osml_length_batches(const OsmlHparams *hparams, int64 n_rows);	/* an epoch */

/* steps if nothing cuts the run short; 0: not known */
extern int64 osml_length_steps(const OsmlHparams *hparams, int64 epochs, int64 batches);

/* what became of the rows of a run */
typedef struct OsmlRowsKept
{
	int64		n_blocks;		/* of training rows that are kept */
	bool		reread;			/* training rows are read again each epoch */
	bool		streamed;		/* they went straight into steps */
	bool		val_lost;		/* there are validation rows, and they are not kept */
} OsmlRowsKept;

/* raise what cannot be done with so few rows, or with rows that are not kept */
extern void osml_length_check(const OsmlHparams *hparams, const OsmlRowsKept *kept);

/* do so many rows fill a batch?  Only "drop_last" asks for that. */
extern bool osml_length_has_step(const OsmlHparams *hparams, int64 n_rows);

/* raise: they did not */
pg_noreturn extern void osml_length_no_step(const OsmlHparams *hparams);

#endif							/* OSML_LENGTH_H */
