/*
 * column.h
 *	  Columns of a source by name, with errors that say what is near.
 *
 * What feature.c resolves features with, and other sources are matched by.
 */
#ifndef OSML_COLUMN_H
#define OSML_COLUMN_H

#include "compat.h"
#include "source/source.h"

/* NULL when there is none */
extern Form_pg_attribute osml_find_column(TupleDesc columns, const char *name);

/* the column of arrays of numbers that has an element of a name, as "a[1]", or NULL */
extern Form_pg_attribute osml_find_array(TupleDesc columns, const char *name);

/* an error, with the nearest name, when there is none */
extern Form_pg_attribute osml_need_column(const OsmlSource *source, const char *name);

/* an error when a query gives the name to several columns */
extern void osml_check_unique(const OsmlSource *source, const char *name);

/* the length of an array column, from the first row that has one */
extern int	osml_peek_array_length(const OsmlSource *source, const char *name);

/* name and type of the label go into the set */
extern void osml_set_weights(OsmlFeatureSet *set, const OsmlSource *source,
							 const char *weight, const char *exposure);
extern void osml_set_label(OsmlFeatureSet *set, const OsmlSource *source,
						   const char *name);

/* an error where labels count otherwise than those that were trained on, as a date's
 * do; whose: what was trained on, for the message.  InvalidOid: nobody knows */
extern void osml_check_label_type(const OsmlSource *source, const OsmlFeatureSet *set,
								  Oid trained, const char *whose);

/* plan and start, but do not run, so that a missing grant shows at once */
extern void osml_check_readable(const OsmlSource *source, const OsmlFeatureSet *set);

/* for a detail: "It is read for feature "b" of model "m". ", or nothing */
extern const char *osml_reader_words(const OsmlFeatureSet *set, const char *name);

/* raise: the types of columns (Form_pg_attribute, not NIL) can neither be counted nor
 * read; the others (names), if they are known, may be named as features */
pg_noreturn extern void osml_feature_type_error(const OsmlSource *source, List *columns, List *others);

#endif							/* OSML_COLUMN_H */
