/*
 * model.h
 *	  OsmlModel: what a kind of model must offer to be trained and to predict.
 *
 * Pure C: no server header, no globals, safe in threads.  A model works on
 * prepared blocks (features/scale.h) and leaves the arithmetic to a backend.
 * A new body is one file beside this one; a new kind of model is one entry in
 * osml_models[].
 *
 * Next: linear.c, mlp.h, predictor.h (prediction from stored bytes), explain.h (why).
 */
#ifndef OSML_MODEL_H
#define OSML_MODEL_H

#include "compute/backend.h"
#include "compute/block.h"
#include "compute/status.h"
#include "rules/activation/activation.h"

/* How parameters start; names as in PyTorch. */
typedef enum OsmlInit
{
	OSML_INIT_TORCH_LINEAR,		/* nn.Linear: U(-1/sqrt(fan_in), ..) weight, then bias */
	OSML_INIT_KAIMING_UNIFORM,	/* on a (k,1) weight and a (1,1) bias: fan_in is 1 */
	OSML_INIT_NORMAL,			/* N(0, 1), torch.nn.init.normal_ */
	OSML_INIT_ZEROS
} OsmlInit;

#define OSML_MAX_TENSORS 256

/* A named tensor inside the parameter vector, row-major. */
typedef struct OsmlTensor
{
	char		name[40];
	int			ndim;
	int64_t		shape[2];
	size_t		offset;			/* first value's index in the parameter vector */
	size_t		size;			/* number of values */
	bool		buffer;			/* kept with the parameters, but no optimiser touches
								 * it: running statistics of batch norm */
} OsmlTensor;

/* A layer as people see it. */
typedef struct OsmlLayer
{
	char		name[32];		/* its module, as PyTorch numbers it */
	const char *type;			/* "Linear", as PyTorch calls it; an activation: as users
								 * write it */
	int			code;			/* the code column that it looks up; -1: it takes values */
	int			n_in;			/* so many of a row */
	int			n_out;			/* values of a row that it makes */
	size_t		params;			/* all values that are kept, buffers too */
	size_t		trained;		/* of these, those that an optimiser touches */
} OsmlLayer;

typedef void (*OsmlLayerVisit) (void *arg, const OsmlLayer *layer);

#define OSML_MAX_HIDDEN 16

/* of a network with hidden layers; zeroes for others */
typedef struct OsmlNetwork
{
	int			n_hidden;
	int			hidden[OSML_MAX_HIDDEN];	/* neurons of each hidden layer */
	OsmlActivation activation;
	bool		batch_norm;		/* BatchNorm1d before every linear layer */
	double		dropout;		/* probability, after every activation; 0: none */
	int			embedding;		/* width of an embedding of a code column; 0: by its size */
	uint64_t	seed;			/* key of the dropout masks */
} OsmlNetwork;

struct OsmlModelOps;

typedef struct OsmlModelSpec
{
	const struct OsmlModelOps *ops;
	OsmlLayout	layout;
	OsmlPrecision precision;
	bool		bias;
	int			n_outputs;		/* values a row: the classes of softmax, else 1 */
	OsmlLoss	loss;
	double		loss_param;		/* huber delta, in the units the model trains in */
	OsmlInit	init;
	uint64_t	seed;			/* mt19937 seed of the initial parameters */
	OsmlNetwork network;
} OsmlModelSpec;

/* what a long computation calls now and then; it holds nothing, so it need not return */
typedef void (*osml_pause_fn) (void);

/*
 * The average training row as a model sees it: its dense columns prepared, and
 * for each code column in turn code_width values, the mean over the training rows
 * of what the model looks up for their codes.  Nothing is owned.
 */
typedef struct OsmlAverageRow
{
	const double *dense;
	const double *codes;
} OsmlAverageRow;

/* Where in a run rows are, so that random masks do not depend on how a batch is
 * cut. */
typedef struct OsmlRowsAt
{
	uint64_t	batch;			/* number of the batch, from 0 */
	int64_t		row;			/* of the first row within the batch, from 0 */
} OsmlRowsAt;

/* a value on the way forward that is not finite */
typedef struct OsmlAnomaly
{
	char		module[24];		/* whose output it is, as tensors name it; empty: the model's */
	int64_t		row;			/* of the rows looked at, from 0 */
	double		value;
} OsmlAnomaly;

typedef struct OsmlModelOps
{
	const char *name;			/* "linear" */

	/* values that are trained: they come first in the parameter vector */
	size_t		(*n_params) (const OsmlModelSpec *spec);

	/* values behind them that are not trained; NULL: none */
	size_t		(*n_buffers) (const OsmlModelSpec *spec);

	/* fill params as spec->init and spec->seed say, drawing as PyTorch does, and
	 * the buffers behind them */
	void		(*init) (const OsmlModelSpec *spec, void *params);

	/* scratch bytes that accumulate, of batches of at most batch_rows, and predict
	 * need; batch_rows 0: predict alone.  Whoever allocates it fills it with zeroes,
	 * once. */
	size_t		(*scratch) (const OsmlModelSpec *spec, int64_t batch_rows);

	/* and predict_row; NULL: none */
	size_t		(*row_scratch) (const OsmlModelSpec *spec);

	/*
	 * Add to grad [n_params] the gradient SUM, and to *loss_sum the loss sum, of
	 * rows [lo, hi).  The trainer divides by the batch's rows once, so a batch cut
	 * into parts has the unsplit gradient.  A model that needs all rows of a batch
	 * at once keeps them in scratch until end_batch.
	 */
	void		(*accumulate) (const OsmlModelSpec *spec, const OsmlBackend *backend,
							   const OsmlBlock *block, int lo, int hi, OsmlRowsAt at,
							   const void *params, void *grad,
							   double *loss_sum, void *scratch);

	/*
	 * Mark the pages (compute/pages.h) of the gradient that rows [lo, hi) add to; block
	 * NULL: that any rows do.  NULL: all are, of any
	 */
	void		(*touch) (const OsmlModelSpec *spec, const OsmlBlock *block, int lo, int hi,
						  uint64_t *pages);

	/* the batch is complete: gradient of what was kept, and running statistics
	 * into the buffers.  NULL: no model of this kind keeps anything */
	void		(*end_batch) (const OsmlModelSpec *spec, const OsmlBackend *backend,
							  void *params, void *grad, double *loss_sum,
							  void *scratch);

	/* the buffers as they are before the first batch; NULL: there are never any */
	void		(*reset_buffers) (const OsmlModelSpec *spec, void *params);

	/* in the place of end_batch, for parameters that no batch has been trained with:
	 * the complete batch into the buffers, which become the mean over all batches
	 * since reset_buffers; no gradient.  NULL together with it */
	void		(*count_batch) (const OsmlModelSpec *spec, const OsmlBackend *backend,
								void *params, void *scratch);

	/* look for values that are not finite among what layers put out: the first layer
	 * that has some, and its first row of [lo, hi); block NULL: of the batch that is
	 * kept, before end_batch.  Changes nothing */
	bool		(*find_anomaly) (const OsmlModelSpec *spec, const OsmlBackend *backend,
								 const OsmlBlock *block, int lo, int hi, OsmlRowsAt at,
								 void *params, void *scratch, OsmlAnomaly *found);

	/* z[k * (hi - lo) + i] = output k of row lo + i, always float64 */
	void		(*predict) (const OsmlModelSpec *spec, const OsmlBackend *backend,
							const OsmlBlock *block, int lo, int hi,
							const void *params, double *z, void *scratch);

	/*
	 * The same for one prepared row: layout.n_dense float64 values and
	 * layout.n_codes codes (NULL where there are none); z gets n_outputs values.
	 */
	void		(*predict_row) (const OsmlModelSpec *spec, const void *params,
								const double *row, const int32_t *codes, double *z,
								void *scratch);

	/* how many parameters stand for a code of code column k, and where the j-th of one
	 * code's is; osml_code_values() reads them */
	int			(*code_width) (const OsmlModelSpec *spec, int k);
	size_t		(*code_place) (const OsmlModelSpec *spec, int k, int32_t code, int j);

	/*
	 * What each column of a prepared row adds to the sum of mix[k] times output k,
	 * compared with the average row: out gets n_dense values, then one a code column.
	 * Returns that sum for the average row; with it they add up to that for the row,
	 * see explain.h for how nearly.  scratch: explain_scratch bytes; NULL: none.  pause:
	 * called each few milliseconds, or NULL.
	 */
	size_t		(*explain_scratch) (const OsmlModelSpec *spec);
	double		(*explain) (const OsmlModelSpec *spec, const void *params,
							const double *row, const int32_t *codes,
							const OsmlAverageRow *average, const double *mix,
							double *out, void *scratch, osml_pause_fn pause);

	/* describe the parameter vector, buffers too; returns the number of tensors */
	int			(*tensors) (const OsmlModelSpec *spec, OsmlTensor *tensors);

	/* show each layer, in the order in which rows go through */
	void		(*layers) (const OsmlModelSpec *spec, OsmlLayerVisit visit, void *arg);
} OsmlModelOps;

/* all values of the parameter vector, buffers too */
static inline size_t
osml_model_values(const OsmlModelSpec *spec)
{
	return spec->ops->n_params(spec) +
		(spec->ops->n_buffers ? spec->ops->n_buffers(spec) : 0);
}

/* the values of a code of code column k as float64: code_width() of them */
static inline void
osml_code_values(const OsmlModelSpec *spec, const void *params, int k, int32_t code, double *out)
{
	for (int j = 0; j < spec->ops->code_width(spec, k); j++)
	{
		size_t		i = spec->ops->code_place(spec, k, code, j);

		out[j] = spec->precision == OSML_FLOAT32 ? (double) ((const float *) params)[i] :
			((const double *) params)[i];
	}
}

extern const OsmlModelOps osml_model_linear;
extern const OsmlModelOps osml_model_mlp;

/* A kind of model as users name it: a body and what its losses make of the outputs. */
typedef struct OsmlModelKind
{
	const char *name;			/* "logistic" */
	const OsmlModelOps *ops;
	OsmlLoss	loss;			/* unless another is asked for */
	uint32_t	links;			/* bits of those that its losses may have: 1 << OsmlLink */
	const char *meaning;		/* one line for the documentation */
} OsmlModelKind;

/* ended by a kind without a name; the parser of model_type and its hint walk it */
extern const OsmlModelKind osml_models[];
extern const OsmlModelKind *osml_model_by_name(const char *name);

/* may it be trained with the loss? */
extern bool osml_model_takes(const OsmlModelKind *kind, OsmlLoss loss);

#endif							/* OSML_MODEL_H */
