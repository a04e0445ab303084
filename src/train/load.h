/*
 * load.h
 *	  The load pass, and what a streamed pass counts in its place.
 */
#ifndef OSML_LOAD_H
#define OSML_LOAD_H

#include "train/run.h"
#include "train/usable.h"

/* read val, test and, unless they are streamed, the training rows */
extern void osml_load_parts(OsmlRun *run);

/* do the training rows go straight into steps, unkept? */
extern bool osml_streams(const OsmlHparams *hparams);

/* append the rows of `from` that are on this side of the split to `to`, from
 * row *next on, until `to` is full, and their hashes to to_hash (or NULL); hash
 * as osml_intake_fill gives it */
extern void osml_split_rows(const OsmlHparams *hparams, const OsmlLayout *layout,
							OsmlBlock *from, const uint64 *hash, int side, OsmlBlock *to,
							uint64 *to_hash, int *next);

/* Is a row with this hash of its inputs held out for validation?  By its values
 * alone, so equal rows stay together. */
extern bool osml_held_out(const OsmlHparams *hparams, uint64 hash);

/* raise: the values of a column, or of the label behind them, are too large to
 * be scaled, to be squared and summed, or to be float32, or vary too little to be scaled */
extern void osml_check_magnitudes(const OsmlFeatureSet *set, const OsmlHparams *hparams,
								  const OsmlColumnStats *stats);

/* scaling constants of scaling->n number columns and of the label behind them, as the
 * hyperparameters ask; a column without rows is left as it is */
extern void osml_scaling_fill(const OsmlFeatureSet *set, const OsmlHparams *hparams,
							  const OsmlColumnStats *stats, OsmlScaling *scaling);

/* those of a run; raises what osml_check_magnitudes() does */
extern void osml_scaling_from_stats(OsmlRun *run);

/* streaming: what the load pass would have counted, block by block */
extern void osml_account_streamed(OsmlRun *run, const OsmlBlock *block,
								  const uint64 *hash);
extern void osml_streamed_end(OsmlRun *run);

#endif							/* OSML_LOAD_H */
