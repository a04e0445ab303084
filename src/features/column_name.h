/*
 * column_name.h
 *	  What the words of a column's name say of it.
 *
 * A name's words end at what is no letter and before a capital: "zip_code",
 * "zipCode" and "zip5" all have the word "zip".  Lists of words are one string,
 * each word between spaces.
 */
#ifndef OSML_COLUMN_NAME_H
#define OSML_COLUMN_NAME_H

#include <stdbool.h>

/* does one of the words stand in the name? */
extern bool osml_name_has(const char *name, const char *words);

/*
 * Is the last word, which says what the column is, one of them?  The others say
 * of what: store_id is an id, store_size is a size.
 */
extern bool osml_name_ends(const char *name, const char *words);

/* likewise of the word before a last one that is in skip; else false */
extern bool osml_name_ends_before(const char *name, const char *words, const char *skip);

#endif							/* OSML_COLUMN_NAME_H */
