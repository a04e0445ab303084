/*
 * listing.h
 *	  Which codes of a version people see: a row each in osml.weights and osml.bins.
 *
 * A feature has up to OSML_MAX_BIN_ROWS rows, a version up to OSML_MAX_VERSION_ROWS,
 * in osml.weights for each of its outputs; with many outputs the version has fewer,
 * but at least as many as a feature may have.  The model itself has all codes.
 */
#ifndef OSML_LISTING_H
#define OSML_LISTING_H

#include "catalog/bin.h"
#include "train/run.h"

/* most rows of each code column; palloc'd */
extern int *osml_run_listed(const OsmlRun *run);

/* the codes of each that are listed, palloc'd; *n: of all together */
extern OsmlListing *osml_run_listings(const OsmlRun *run, int *n);

/* an event where codes that training rows have are left out */
extern void osml_report_listing(OsmlRun *run);

#endif							/* OSML_LISTING_H */
