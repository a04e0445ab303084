/*
 * mlp.h
 *	  The parts of the multi-layer perceptron, for the files that make it up.
 *
 * The network is PyTorch's nn.Sequential of
 *
 *		[BatchNorm1d,] Linear, activation, [Dropout,] ..., [BatchNorm1d,] Linear
 *
 * behind one nn.Embedding a code column, whose outputs follow the dense columns as
 * inputs of the first layer.
 *
 * Next: mlp_plan.c (parameters), mlp_layers.c (a description), mlp_rows.c (a tile of rows forward and back),
 * mlp_batch.c (batch norm), mlp_explain.c (attributions), mlp.c (the entries of
 * OsmlModelOps).
 */
#ifndef OSML_MLP_H
#define OSML_MLP_H

#include "model/model.h"

/* nn.BatchNorm1d's defaults */
#define OSML_BATCH_NORM_EPS 1e-5
#define OSML_BATCH_NORM_MOMENTUM 0.1

/* more code columns than this are stored as one tensor */
#define OSML_MLP_MAX_EMBEDDINGS 128

/* a linear layer and the batch norm before it: places in the parameter vector */
typedef struct OsmlMlpLayer
{
	int			n_in;
	int			n_out;
	int			norm_number;	/* in the Sequential */
	int			linear_number;
	size_t		gain;			/* batch norm's weight and bias */
	size_t		shift;
	size_t		weight;
	size_t		bias;
	size_t		mean;			/* buffers */
	size_t		var;
	size_t		batches;
} OsmlMlpLayer;

/* a spec's network, laid out */
typedef struct OsmlMlp
{
	const OsmlModelSpec *spec;
	int			n_layers;		/* linear layers: hidden ones and the last */
	OsmlMlpLayer layer[OSML_MAX_HIDDEN + 1];
	int			width;			/* of the widest layer's inputs */
	size_t		n_params;
	size_t		n_values;		/* with the buffers */
} OsmlMlp;

/*
 * A tile of rows and where its values are.  value[l] are the inputs of layer l,
 * value[n_layers] the network's outputs; slope[l] is what value[l] multiplies its
 * own slopes by on the way back, slope[n_layers] the loss's.  Hidden values and
 * slopes are a stride apart, those of the outputs as many as there are rows, as
 * losses want them.
 */
typedef struct OsmlMlpRows
{
	const OsmlBlock *block;
	int			lo;
	int			n;
	OsmlRowsAt	at;				/* of row lo */
	OsmlTile value[OSML_MAX_HIDDEN + 2];
	OsmlTile slope[OSML_MAX_HIDDEN + 2];
} OsmlMlpRows;

/* hands out scratch; without a base it only counts */
typedef struct OsmlMlpScratch
{
	char	   *base;
	size_t		used;
} OsmlMlpScratch;

/* batch norm of a layer's inputs in prediction, as a map: (x - center) factor + shift */
typedef struct OsmlMlpNorm
{
	double	   *center;
	double	   *factor;
	double	   *shift;
} OsmlMlpNorm;

/* what a scratch starts with, also one for predict alone: rows kept for batch norm
 * since the batch began.  Zeroes at first. */
typedef struct OsmlMlpKept
{
	uint64_t	batch;			/* its number, plus 1; 0: none */
	int64_t		rows;
} OsmlMlpKept;

/* value i of a vector in the compute type, as a place */
static inline void *
osml_mlp_place(const OsmlMlp *mlp, const void *vector, size_t i)
{
	return (char *) vector + i * osml_precision_size(mlp->spec->precision);
}

/* in mlp_plan.c */
extern OsmlMlp osml_mlp_plan(const OsmlModelSpec *spec);
extern int	osml_mlp_embedding_width(const OsmlModelSpec *spec, int k);
extern size_t osml_mlp_code_place(const OsmlModelSpec *spec, int k, int32_t code, int j);
extern double osml_mlp_get(const OsmlMlp *mlp, const void *vector, size_t i);
extern void osml_mlp_set(const OsmlMlp *mlp, void *vector, size_t i, double value);
extern void osml_mlp_init(const OsmlModelSpec *spec, void *params);
extern void osml_mlp_reset_buffers(const OsmlModelSpec *spec, void *params);
extern int	osml_mlp_tensors(const OsmlModelSpec *spec, OsmlTensor *tensors);

/* in mlp_layers.c */
extern void osml_mlp_layers(const OsmlModelSpec *spec, OsmlLayerVisit visit, void *arg);

/* in mlp_rows.c */
extern void *osml_mlp_take(OsmlMlpScratch *scratch, size_t bytes);
extern OsmlTile osml_mlp_take_columns(const OsmlMlp *mlp, OsmlMlpScratch *scratch,
										 int rows, int n);
extern bool osml_mlp_copies_inputs(const OsmlMlp *mlp);
extern void osml_mlp_set_rows(const OsmlMlp *mlp, OsmlMlpRows *rows, const OsmlBlock *block,
							  int lo, int n);
extern void osml_mlp_inputs(const OsmlMlp *mlp, const OsmlBackend *backend,
							const void *params, OsmlMlpRows *rows);
extern void osml_mlp_embed(const OsmlMlp *mlp, const OsmlBackend *backend,
						   const void *params, OsmlTile inputs,
						   const int32_t *codes, size_t code_stride);
extern void osml_mlp_forward(const OsmlMlp *mlp, const OsmlBackend *backend,
							 const void *params, OsmlMlpRows *rows, int l, OsmlTile x,
							 bool train);
extern double osml_mlp_loss(const OsmlMlp *mlp, const OsmlBackend *backend,
							const OsmlMlpRows *rows);
extern void osml_mlp_weight_grad(const OsmlMlp *mlp, const OsmlBackend *backend,
								 const OsmlMlpRows *rows, int l, OsmlTile x, void *grad);
extern void osml_mlp_back(const OsmlMlp *mlp, const OsmlBackend *backend,
						  const void *params, const OsmlMlpRows *rows, int l,
						  OsmlTile x_slope);
extern void osml_mlp_embed_grad(const OsmlMlp *mlp, const OsmlBackend *backend,
								const OsmlMlpRows *rows, OsmlTile x_slope, void *grad);

extern bool osml_mlp_find_in_outputs(const OsmlMlp *mlp, const OsmlMlpRows *rows, int l,
									 OsmlAnomaly *found);

/* in mlp_batch.c */
extern size_t osml_mlp_batch_scratch(const OsmlMlp *mlp, int64_t batch_rows);
extern void osml_mlp_keep(const OsmlMlp *mlp, const OsmlBlock *block, int lo, int hi,
						  OsmlRowsAt at, void *scratch);
extern void osml_mlp_end_batch(const OsmlModelSpec *spec, const OsmlBackend *backend,
							   void *params, void *grad, double *loss_sum, void *scratch);
extern bool osml_mlp_find_in_batch(const OsmlModelSpec *spec, const OsmlBackend *backend,
								   void *params, void *scratch, OsmlAnomaly *found);
extern void osml_mlp_count_batch(const OsmlModelSpec *spec, const OsmlBackend *backend,
								 void *params, void *scratch);

/* in mlp_predict.c */
extern OsmlMlpNorm osml_mlp_take_norm(const OsmlMlp *mlp, OsmlMlpScratch *scratch);
extern void osml_mlp_running_norm(const OsmlMlp *mlp, const void *params, int l,
								  OsmlMlpNorm *norm);
extern size_t osml_mlp_predict_scratch(const OsmlMlp *mlp);
extern size_t osml_mlp_row_scratch(const OsmlModelSpec *spec);
extern void osml_mlp_predict(const OsmlModelSpec *spec, const OsmlBackend *backend,
							 const OsmlBlock *block, int lo, int hi, const void *params,
							 double *z, void *scratch);
extern void osml_mlp_predict_row(const OsmlModelSpec *spec, const void *params,
								 const double *row, const int32_t *codes, double *z,
								 void *scratch);

/* in mlp_explain.c */
extern size_t osml_mlp_explain_scratch(const OsmlModelSpec *spec);
extern double osml_mlp_explain(const OsmlModelSpec *spec, const void *params,
							   const double *row, const int32_t *codes,
							   const OsmlAverageRow *average, const double *mix,
							   double *out, void *scratch, osml_pause_fn pause);

#endif							/* OSML_MLP_H */
