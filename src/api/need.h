/*
 * need.h
 *	  What SQL-callable functions need before they start: arguments, models.
 *
 * Each function here returns what was asked for or raises the error that tells
 * the user what to do.
 */
#ifndef OSML_API_NEED_H
#define OSML_API_NEED_H

#include "fmgr.h"
#include "nodes/pg_list.h"

#include "compat.h"
#include "catalog/dataset.h"
#include "catalog/model.h"
#include "catalog/rights.h"

/* a text argument as a C string; NULL is an error that names the argument */
extern char *osml_need_text(FunctionCallInfo fcinfo, int arg, const char *name);

/* the same, but NULL gives NULL */
extern char *osml_maybe_text(FunctionCallInfo fcinfo, int arg);

/* the elements (char *) of a text[] argument; NULL gives NIL, and a NULL among
 * them is an error that names the argument */
extern List *osml_maybe_texts(FunctionCallInfo fcinfo, int arg, const char *name);

/* an existing dataset of the current user's own */
extern OsmlDatasetRow *osml_need_dataset(const char *name);

/* an existing model on which the current user has the privilege */
extern OsmlModelRow *osml_need_model(const char *name, OsmlPrivilege privilege);

/* the name nearest to wanted in a list of char *, or NULL */
extern const char *osml_nearest_of(const char *wanted, List *names);

/* raise: model has no version to predict with */
pg_noreturn extern void osml_not_deployed(const OsmlModelRow *model);

#endif							/* OSML_API_NEED_H */
