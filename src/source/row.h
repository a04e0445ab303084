/*
 * row.h
 *	  One row's values into the inputs of a set: numbers and keys.
 *
 * Scans and osml_predict() come through here, so a value is read the same way
 * in training and in prediction.  Converters are chosen once, expressions
 * compiled once.
 *
 * Next: decode.h (a datum's way to float64 or to its text), encode.h.
 */
#ifndef OSML_ROW_H
#define OSML_ROW_H

#include "source/feature.h"

typedef struct OsmlRowReader OsmlRowReader;

/* what is odd about a row; bits */
#define OSML_ROW_MISSING 1		/* a number is NULL, and osml_missing() */
#define OSML_ROW_NONFINITE 2	/* a number is NaN or infinite */

/* told the text of a key, at least once a block for each that is in it */
typedef void (*OsmlTextSink) (void *arg, int key_column, uint64 key,
							  const char *text, int length);

/* an array is not as long as the set says; raises an error */
typedef void (*OsmlLengthError) (void *arg, const OsmlInput *input, int n);

/*
 * In the current context.  owner: as whom expressions run.  The set's columns
 * have the types of the rows to come.
 */
extern OsmlRowReader *osml_row_reader_create(const OsmlFeatureSet *set, Oid owner,
											 OsmlLengthError length_error, void *arg);

/* key columns as bits; bit 62 stands for all from there on */
#define OSML_ALL_KEYS ((UINT64CONST(1) << 63) - 1)
#define OSML_KEY_BIT(column) (UINT64CONST(1) << Min(column, 62))

/* the label, where it is a key: its bit, and its number for a sink of texts */
#define OSML_LABEL_BIT (UINT64CONST(1) << 63)
#define OSML_LABEL_KEY (-1)

/* have the texts of these key columns told */
extern void osml_row_reader_texts(OsmlRowReader *reader, uint64 key_columns,
								  OsmlTextSink sink, void *arg);

/* a new block begins: texts told before are told again */
extern void osml_row_reader_block(OsmlRowReader *reader);

/* may reading a row allocate?  Then in a context that is reset now and then. */
extern bool osml_row_reader_allocates(const OsmlRowReader *reader);

/*
 * A row: values[i] and nulls[i] are those of the set's column i.  Number column
 * j goes to numbers[j * stride], key column k to keys[k * stride].  Returns
 * OSML_ROW_ bits.
 */
extern unsigned osml_row_take(OsmlRowReader *reader, const Datum *values,
							  const bool *nulls, double *numbers, uint64 *keys,
							  size_t stride);

/* The type that a column is written as; InvalidOid where that is not known, or gone. */
extern Oid	osml_row_column_type(const OsmlSourceColumn *column);

/* The type that an input of numbers was made of, of an array its elements';
 * InvalidOid where that is not known, or gone. */
extern Oid	osml_row_number_type(const OsmlFeatureSet *set, const OsmlInput *input);

/* the key of a label that is one */
extern uint64 osml_row_label_key(OsmlRowReader *reader, Datum value);

#endif							/* OSML_ROW_H */
