/*
 * version.h
 *	  A finished run becomes a model version.
 */
#ifndef OSML_VERSION_H
#define OSML_VERSION_H

#include "train/run.h"

/* say so when categories are too many to learn, or to list their weights */
extern void osml_report_categories(OsmlRun *run);

/* inside a transaction; sets run->row.version */
/* categories that no training row has get the mean weight of the others */
extern void osml_settle_unseen(OsmlRun *run);

extern void osml_store_version(OsmlRun *run);

#endif							/* OSML_VERSION_H */
