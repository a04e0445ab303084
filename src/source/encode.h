/*
 * encode.h
 *	  A block of inputs to a block of features, and what happens to odd rows.
 *
 * Where the set's program has steps, rows with NULL, NaN or infinity reach this
 * point (a bin may well take them in), and only features that are still odd
 * decide: as on_null and on_nonfinite say.  Without steps the reader has judged
 * already, and the block goes through as it is.
 */
#ifndef OSML_ENCODE_H
#define OSML_ENCODE_H

#include "features/classes.h"
#include "source/source.h"

typedef struct OsmlEncoder
{
	const OsmlFeatureSet *set;	/* its program is complete */
	OsmlOnNull	on_null;
	OsmlOnNonfinite on_nonfinite;
	bool		keep_null_rows; /* prediction: a missing feature stays */
	const OsmlClasses *classes; /* of a label that is a key; else NULL */
	const char *label;			/* of the source, for messages */
	int64		n_unknown;		/* rows dropped since the caller cleared it, whose
								 * label is none of the classes */
	OsmlBlock  *out;
	void	   *scratch;
} OsmlEncoder;

/* the model's layout of a complete set; row numbers as in the reader's */
extern OsmlLayout osml_model_layout(const OsmlFeatureSet *set);

/* fill the encoder's private parts; in the current context */
extern void osml_encoder_init(OsmlEncoder *encoder);

/*
 * The features of a block of inputs, and the label's class number where there are
 * classes.  A row of a class that is none of them is dropped too.  Dropped rows are gone from the result and
 * from hash[], one a row (NULL: there is none), and counted in its header.  The
 * result is the encoder's, or, without steps, raw itself.
 */
extern OsmlBlock *osml_encode_block(OsmlEncoder *encoder, OsmlBlock *raw, uint64 *hash);

#endif							/* OSML_ENCODE_H */
