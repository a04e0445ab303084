/*
 * blas_module.h
 *	  osml_blas, a module that trainers open where it is installed.
 */
#ifndef OSML_BLAS_MODULE_H
#define OSML_BLAS_MODULE_H

#include "fmgr.h"

/* a function of the module, or NULL where it is not installed.  Error: there is no memory
 * for the library to work in, on so many threads */
extern void *osml_blas_function(const char *name, int threads);

#endif							/* OSML_BLAS_MODULE_H */
