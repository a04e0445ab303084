/*
 * device.h
 *	  What computes for a run: its backend, threads and library.
 */
#ifndef OSML_TRAIN_DEVICE_H
#define OSML_TRAIN_DEVICE_H

#include "compute/backend.h"
#include "hparams/hparams.h"

struct OsmlRun;

/* error CONFIGURATION_LIMIT_EXCEEDED: more "threads" than osml.threads allows */
extern void osml_check_threads(const OsmlHparams *hparams);

/*
 * The trainer's backend for run->spec, with threads and, for wide layers, a library's
 * products of matrices.  It lives as long as run->context; then its threads are ended.
 */
extern const OsmlBackend *osml_choose_backend(struct OsmlRun *run);

#endif							/* OSML_TRAIN_DEVICE_H */
