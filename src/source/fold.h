/*
 * fold.h
 *	  Types whose values are equal in upper and lower case.
 */
#ifndef OSML_FOLD_H
#define OSML_FOLD_H

/* Is it citext, or a domain over it? */
extern bool osml_type_folds(Oid type);

/* A text as such a type compares it, in the current context. */
extern char *osml_fold_text(const char *text, int length);

#endif							/* OSML_FOLD_H */
