/*
 * link.h
 *	  From a model's outputs to predictions.
 */
#ifndef OSML_LINK_H
#define OSML_LINK_H

typedef enum OsmlLink
{
	OSML_LINK_IDENTITY,			/* an amount: the output, in the label's units */
	OSML_LINK_LOGISTIC,			/* two classes: probability of the second */
	OSML_LINK_SOFTMAX,			/* k classes: probability of each */
	OSML_LINK_EXP				/* a count: its mean */
} OsmlLink;

/* in place: output k of row i is z[k * n + i] */
extern void osml_link_apply(OsmlLink link, int n_outputs, int n, double *z);

#endif							/* OSML_LINK_H */
