/*
 * exact_memory.h
 *	  What exact least squares takes of a run's budget; osml_check() asks too.
 */
#ifndef OSML_EXACT_MEMORY_H
#define OSML_EXACT_MEMORY_H

#include "compute/block.h"
#include "source/placing.h"

/* raise: the budget has no room for the sums over columns of this layout, categories
 * included; or for solving over those that are not constant */
extern void osml_exact_take_sums(OsmlBudget *budget, const OsmlLayout *layout);
extern void osml_exact_take_solution(OsmlBudget *budget, int active);

#endif							/* OSML_EXACT_MEMORY_H */
