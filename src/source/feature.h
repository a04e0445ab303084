/*
 * feature.h
 *	  Which columns of a source become which dense columns of a block.
 *
 * A feature is one column of the source; an array column of fixed length n
 * fills n dense columns.  The set is resolved in the caller's transaction,
 * travels to the workers in the plan, and is stored with the model version, so
 * prediction finds the same columns by name.
 *
 * Next: decode.h (a datum's way to float64), source.h (scanning).
 */
#ifndef OSML_FEATURE_H
#define OSML_FEATURE_H

#include "compute/block.h"

typedef struct OsmlFeature
{
	char	   *name;			/* column name, unquoted */
	Oid			type;			/* declared type, domains looked through */
	int			n_elements;		/* 0: a scalar; n: an array of n values */
	int			first_dense;	/* its first dense column */
} OsmlFeature;

typedef struct OsmlFeatureSet
{
	int			n_features;
	OsmlFeature *features;
	char	   *label;			/* NULL where only features are wanted */
	Oid			label_type;
	OsmlLayout	layout;
} OsmlFeatureSet;

/* "name" or, for element k (from 0) of an array, "name[k+1]"; palloc'd */
extern char *osml_dense_name(const OsmlFeatureSet *set, int dense);

#endif							/* OSML_FEATURE_H */
