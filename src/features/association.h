/*
 * association.h
 *	  How much of a label a column, or a pair of columns, tells.
 *
 * All figures are shares of the label's variance, corrected for chance: what
 * many groups explain of pure noise is taken off, so an identifier, whose every
 * value is a group of its own, tells nothing.
 *
 * Sources: the corrected share is Kelley's epsilon squared (PNAS 21, 1935);
 * differences of neighbours after Rice (Annals of Statistics 12, 1984); the
 * corrected Cramer's V is Bergsma's (J. Korean Stat. Soc. 42, 2013).
 */
#ifndef OSML_ASSOCIATION_H
#define OSML_ASSOCIATION_H

#include "features/view.h"

typedef struct OsmlExplained
{
	double		share;			/* 0 .. 1, corrected; 0 where it cannot be told */
	double		p;				/* of the hypothesis that groups do not matter */
	int			groups;
	int			within;			/* rows less groups */
} OsmlExplained;

/* by the groups code[i] in 0 .. n_codes - 1; -1: not counted, or with
 * missing_too a group of their own */
extern OsmlStatus osml_explain(const OsmlArena *arena, const OsmlTarget *target,
							   const int32_t *code, int n_codes, bool missing_too,
							   OsmlExplained *explained);

/*
 * By bins or values, with the classes of the label weighted alike: a rare class
 * counts as much as a frequent one, so that a copy of it shows.  Goodman and
 * Kruskal's tau (JASA 49, 1954) of the weighted table, less what chance gives.
 * 0 for a label without classes, and where groups are too many beside the rows
 * of the rarest class.
 */
extern OsmlStatus osml_explain_classes(const OsmlArena *arena, const OsmlTarget *target,
									   const OsmlView *view, double *share);

/*
 * By a function of the column, whatever its form, if it is a smooth one or has
 * few values: 1 less the variance of the label between neighbours in the
 * column's order.  About 0 for a column that tells nothing.
 */
extern double osml_follow(const OsmlTarget *target, const OsmlView *view);

/* Pearson's r over rows where both are numbers; 0 without spread; n_used may
 * be NULL */
extern double osml_correlation(const double *a, const double *b, int n, int *n_used);

/* its two-sided p-value */
extern double osml_correlation_p(double r, int n);

/* how much two columns say the same */
typedef struct OsmlRedundancy
{
	double		value;			/* 0 .. 1, |r| or V */
	const char *measure;		/* "correlation", "rank correlation", "Cramer's V" */
} OsmlRedundancy;

extern OsmlStatus osml_redundancy(const OsmlArena *arena, const OsmlView *a,
								  const OsmlView *b, OsmlRedundancy *redundancy);

/* what two columns say together */
typedef struct OsmlTogether
{
	double		share;			/* of the label, by pairs of values or the best line */
	const char *by;				/* "difference", ...: what tells more; NULL: nothing */
	double		repeats;		/* pairs of rows that are alike in both */
	double		repeats_expected;	/* if the columns had nothing to do with
									 * each other */
} OsmlTogether;

extern OsmlStatus osml_together(const OsmlArena *arena, const OsmlTarget *target,
								const OsmlView *a, const OsmlView *b,
								OsmlTogether *together);

/* and by their difference, sum, ratio or product, if one of them tells more */
extern OsmlStatus osml_derived(const OsmlArena *arena, const OsmlTarget *target,
							   const OsmlView *a, const OsmlView *b,
							   OsmlTogether *together);

#endif							/* OSML_ASSOCIATION_H */
