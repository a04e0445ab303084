/*
 * normal.h
 *	  Two-sided p-values of the normal distribution, and the way back.
 */
#ifndef OSML_NORMAL_H
#define OSML_NORMAL_H

/* P(|Z| >= |z|) */
extern double osml_normal_p(double z);

/* the z >= 0 whose two-sided p-value is p in (0, 1]; NaN outside */
extern double osml_normal_deviate(double p);

#endif							/* OSML_NORMAL_H */
