/*
 * version.h
 *	  A finished run becomes a model version.
 */
#ifndef OSML_VERSION_H
#define OSML_VERSION_H

#include "train/run.h"

/* say so when categories are too many to learn, or to list their weights */
extern void osml_report_categories(OsmlRun *run);

/* categories that no training row has get the mean weight of the others */
extern void osml_settle_unseen(OsmlRun *run);

/* the feature set as JSON, with what was learned; palloc'd */
extern Jsonb *osml_pack_features(const OsmlRun *run);

/* the weights as they are, after so many steps; inside a transaction; sets
 * run->row.version */
extern void osml_store_version(OsmlRun *run, int64 step, bool deploy);

#endif							/* OSML_VERSION_H */
