/*
 * step.h
 *	  What an optimiser's rule needs to know about one step.
 *
 * Scalars are worked out once a step in float64, as PyTorch does on the Python
 * side, and rounded to the compute type where a rule uses them.
 */
#ifndef OSML_OPTIM_STEP_H
#define OSML_OPTIM_STEP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct OsmlOptimHyper
{
	double		lr;
	double		momentum;		/* SGD */
	double		dampening;		/* SGD */
	bool		nesterov;		/* SGD */
	double		weight_decay;
	double		beta1;			/* Adam, AdamW */
	double		beta2;
	double		eps;
} OsmlOptimHyper;

typedef struct OsmlOptimStep
{
	OsmlOptimHyper hyper;
	double		lr;				/* hyper.lr times the schedule's factor */
	int64_t		step;			/* number of this step, from 1 */
	double		step_size;		/* lr / (1 - beta1^step) */
	double		bias_correction2_sqrt;	/* sqrt(1 - beta2^step) */
	double		decay_factor;	/* 1 - lr * weight_decay */
} OsmlOptimStep;

#endif							/* OSML_OPTIM_STEP_H */
