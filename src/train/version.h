/*
 * version.h
 *	  A finished run becomes a model version.
 */
#ifndef OSML_VERSION_H
#define OSML_VERSION_H

#include "train/run.h"

/* inside a transaction; sets run->row.version */
extern void osml_store_version(OsmlRun *run);

#endif							/* OSML_VERSION_H */
