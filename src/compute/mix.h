/*
 * mix.h
 *	  Taking a word into a hash, for hashes that are stored.
 *
 * Splits of datasets and keys of categories are made of it, in catalogs and in
 * models: nothing here may ever change.
 *
 * Source of the steps: Steele, Lea and Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014.
 */
#ifndef OSML_MIX_H
#define OSML_MIX_H

#include <stdint.h>

#define OSML_MIX_STEP UINT64_C(0x9E3779B97F4A7C15)
#define OSML_MIX_1 UINT64_C(0xBF58476D1CE4E5B9)
#define OSML_MIX_2 UINT64_C(0x94D049BB133111EB)

/* one to one for either of hash and word; every bit of both counts */
static inline uint64_t
osml_mix(uint64_t hash, uint64_t word)
{
	hash = (hash + OSML_MIX_STEP) ^ word;
	hash = (hash ^ (hash >> 30)) * OSML_MIX_1;
	hash = (hash ^ (hash >> 27)) * OSML_MIX_2;
	return hash ^ (hash >> 31);
}

#endif							/* OSML_MIX_H */
