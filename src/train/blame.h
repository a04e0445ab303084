/*
 * blame.h
 *	  Which rows and columns a step is made of, in words.
 */
#ifndef OSML_BLAME_H
#define OSML_BLAME_H

#include "train/fit.h"

/* remember which rows are in the current step */
extern void osml_note_segment(OsmlFit *fit, OsmlBlock *block, int lo, int hi);

/* those rows in words, "1 to 99", or some row numbers of a shuffled batch; palloc'd */
extern char *osml_describe_rows(OsmlFit *fit);

/* "The step's batch holds rows 5, 7 of ...  Columns of largest magnitude ..."; palloc'd */
extern char *osml_blame(OsmlFit *fit);

#endif							/* OSML_BLAME_H */
