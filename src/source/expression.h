/*
 * expression.h
 *	  SQL expressions over a row's columns.
 *
 * The text comes from a catalog row, so it runs as its owner whoever asks:
 * inside a security-restricted operation, read and evaluated under pinned
 * settings (source/pinned.h): search_path is pg_catalog, TimeZone is UTC.
 * Functions of other schemas must therefore be qualified.  Subqueries, aggregates,
 * window and set-returning functions are refused, and so is whatever depends on
 * more than the row: the rule is in source/expression_rule.h.
 */
#ifndef OSML_EXPRESSION_H
#define OSML_EXPRESSION_H

#include "access/tupdesc.h"
#include "nodes/pg_list.h"

typedef struct OsmlExpression OsmlExpression;

/*
 * Compile, as owner, in the current context against columns of these names and
 * types.
 * feature, for messages, is whose expression it is.  Column numbers (from 0)
 * that it uses are appended to *used, a list of int, where used is not NULL.
 */
extern OsmlExpression *osml_expression_compile(const char *text, const char *feature,
											   Oid owner, int n_columns,
											   char *const *names, const Oid *types,
											   List **used);

/*
 * The type of an expression over such columns that a query of the session will
 * evaluate.  What compiling refuses is refused, and so is an expression that is
 * another one under the session's settings.
 */
extern Oid	osml_expression_check(const char *text, const char *feature, int n_columns,
								  char *const *names, const Oid *types);

/* Say in errors whose feature it is: of dataset "d", of model "m"; NULL: nothing. */
extern void osml_expression_subject(OsmlExpression *expression, const char *subject);

extern Oid	osml_expression_type(const OsmlExpression *expression);

/*
 * The value for a row, as owner; it lives until the next call.  values and nulls
 * are those of all columns.  An error names the feature and the expression.
 */
extern Datum osml_expression_eval(OsmlExpression *expression, Oid owner,
								  const Datum *values, const bool *nulls,
								  bool *isnull);

#endif							/* OSML_EXPRESSION_H */
