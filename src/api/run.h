/*
 * run.h
 *	  What the functions about a run need first.
 */
#ifndef OSML_API_RUN_H
#define OSML_API_RUN_H

#include "fmgr.h"

#include "catalog/run.h"

/* the run that argument 0 names and the current user may see; others do not exist
 * for him */
extern OsmlRunRow *osml_need_run(FunctionCallInfo fcinfo);

#endif							/* OSML_API_RUN_H */
