/*
 * osml.h
 *	  Settings (osml.*) that the server-side rooms share.
 *
 * Defined and registered in osml.c.  Pure rooms do not include this header.
 */
#ifndef OSML_H
#define OSML_H

extern int	osml_max_memory;	/* kB, superuser: resident set of one run */
extern int	osml_max_spill;		/* kB, superuser: temp files of one run */
extern int	osml_threads;		/* superuser: that one run may compute with */
extern int	osml_max_runs;		/* superuser: of a role at a time; 0: any number */
extern int	osml_progress_interval; /* ms between progress notices, 0 = none */
extern int	osml_max_metric_rows;	/* rows a second a run may add to osml.metrics, see train/log.h */

#endif							/* OSML_H */
