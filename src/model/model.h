/*
 * model.h
 *	  OsmlModel: what a kind of model must offer to be trained and to predict.
 *
 * Pure C: no server header, no globals, safe in threads.  A model works on
 * prepared blocks (features/scale.h) and leaves the arithmetic to a backend.
 * A new kind of model is one file beside this one and one entry in
 * osml_models[].
 *
 * Next: linear.c, predictor.h (prediction from stored bytes).
 */
#ifndef OSML_MODEL_H
#define OSML_MODEL_H

#include "compute/backend.h"
#include "compute/block.h"
#include "compute/status.h"

/* How parameters start; names as in PyTorch. */
typedef enum OsmlInit
{
	OSML_INIT_TORCH_LINEAR,		/* nn.Linear: U(-1/sqrt(fan_in), ..) weight, then bias */
	OSML_INIT_KAIMING_UNIFORM,	/* on a (k,1) weight and a (1,1) bias: fan_in is 1 */
	OSML_INIT_NORMAL,			/* N(0, 1), torch.nn.init.normal_ */
	OSML_INIT_ZEROS
} OsmlInit;

#define OSML_MAX_TENSORS 64

/* A named tensor inside the parameter vector, row-major. */
typedef struct OsmlTensor
{
	char		name[32];
	int			ndim;
	int64_t		shape[2];
	size_t		offset;			/* first value's index in the parameter vector */
	size_t		size;			/* number of values */
} OsmlTensor;

struct OsmlModelOps;

typedef struct OsmlModelSpec
{
	const struct OsmlModelOps *ops;
	OsmlLayout	layout;
	OsmlPrecision precision;
	bool		bias;
	OsmlLoss	loss;
	double		loss_param;		/* huber delta, in the units the model trains in */
	OsmlInit	init;
	uint64_t	seed;			/* mt19937 seed of the initial parameters */
} OsmlModelSpec;

typedef struct OsmlModelOps
{
	const char *name;			/* "linear" */

	/* values in the parameter vector */
	size_t		(*n_params) (const OsmlModelSpec *spec);

	/* fill params as spec->init and spec->seed say, drawing as PyTorch does */
	void		(*init) (const OsmlModelSpec *spec, void *params);

	/* scratch bytes that accumulate and predict need */
	size_t		(*scratch) (const OsmlModelSpec *spec);

	/*
	 * Add to grad the gradient SUM, and to *loss_sum the loss sum, of rows
	 * [lo, hi).  The trainer divides by the batch's rows once, so a batch cut
	 * into parts has the unsplit gradient.
	 */
	void		(*accumulate) (const OsmlModelSpec *spec, const OsmlBackend *backend,
							   const OsmlBlock *block, int lo, int hi,
							   const void *params, void *grad,
							   double *loss_sum, void *scratch);

	/* z[i] = the model's output for row lo + i, always float64 */
	void		(*predict) (const OsmlModelSpec *spec, const OsmlBackend *backend,
							const OsmlBlock *block, int lo, int hi,
							const void *params, double *z, void *scratch);

	/*
	 * The same for one prepared row: layout.n_dense float64 values and
	 * layout.n_codes codes (NULL where there are none).
	 */
	double		(*predict_row) (const OsmlModelSpec *spec, const void *params,
								const double *row, const int32_t *codes);

	/* describe the parameter vector; returns the number of tensors */
	int			(*tensors) (const OsmlModelSpec *spec, OsmlTensor *tensors);
} OsmlModelOps;

extern const OsmlModelOps osml_model_linear;

/* NULL-terminated; the parser of model_type and its hint walk it */
extern const OsmlModelOps *const osml_models[];
extern const OsmlModelOps *osml_model_by_name(const char *name);

#endif							/* OSML_MODEL_H */
