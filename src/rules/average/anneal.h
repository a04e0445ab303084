/*
 * anneal.h
 *	  The learning rate once stochastic weight averaging has begun: from what it was
 *	  to one that keeps the weights moving, torch.optim.swa_utils.SWALR.
 */
#ifndef OSML_AVERAGE_ANNEAL_H
#define OSML_AVERAGE_ANNEAL_H

#include <stdint.h>

typedef enum OsmlAnneal
{
	OSML_ANNEAL_COS,
	OSML_ANNEAL_LINEAR
} OsmlAnneal;

/*
 * The rate in an epoch, 0 the first that is averaged: `from` there, unless epochs is
 * 0, and `to` from number `epochs` on.
 */
extern double osml_anneal(OsmlAnneal strategy, double from, double to, int64_t epoch,
						  int64_t epochs);

#endif							/* OSML_AVERAGE_ANNEAL_H */
