/*
 * mlp_batch.c
 *	  Batch norm: mean and variance of a layer's inputs over the whole batch.
 *
 * accumulate() copies a batch's rows into blocks of scratch, each row to its place
 * in the batch, so that nothing depends on how the batch was cut.  end_batch()
 * takes one layer at a time over all blocks.
 *
 * A batch of one row has no variance.  PyTorch refuses it; here its normalised
 * values are 0, so its outputs come from the shifts and biases, and the running
 * statistics stay as they are, since it says nothing about them.
 */
#include "model/mlp.h"

#include <math.h>

/* what a batch goes forward for */
typedef enum Purpose
{
	PURPOSE_TRAIN,				/* its share of the running statistics is fixed */
	PURPOSE_COUNT,				/* they are means over the batches */
	PURPOSE_LOOK				/* they stay as they are */
} Purpose;

/* scratch of a batch: for all of its rows, and for each block of them */
typedef struct Batch
{
	OsmlMlp		mlp;
	const OsmlBackend *backend;
	OsmlMlpKept *kept;
	Purpose		purpose;
	double	   *sum;			/* a number a column of a layer's inputs */
	double	   *product;
	double	   *gain;
	double	   *shift;
	double	   *zeroes;
	double	   *inverse[OSML_MAX_HIDDEN + 1];	/* 1 / sqrt(var + eps), of each layer */
	OsmlTile inputs;			/* a layer's, normalised, of one block */
	char	   *chunks;			/* the blocks, chunk_bytes apart */
	size_t		chunk_bytes;
} Batch;

/* a block of the batch */
typedef struct Chunk
{
	OsmlBlock  *block;
	OsmlMlpRows rows;
	OsmlTile x_slope;		/* slopes of the current layer's inputs */
} Chunk;

/* lay out one chunk; the columns of value[] and slope[] as they belong to layers */
static Chunk
take_chunk(const OsmlMlp *mlp, OsmlMlpScratch *scratch)
{
	Chunk		chunk = {.block = osml_mlp_take(scratch, osml_block_bytes(&mlp->spec->layout))};

	for (int l = 0; l <= mlp->n_layers; l++)
	{
		int			n = l == 0 ? mlp->layer[0].n_in : mlp->layer[l - 1].n_out;

		chunk.rows.value[l] = osml_mlp_take_columns(mlp, scratch, OSML_BLOCK_ROWS, n);
		if (l > 0)
			chunk.rows.slope[l] = osml_mlp_take_columns(mlp, scratch, OSML_BLOCK_ROWS, n);
	}
	chunk.x_slope = osml_mlp_take_columns(mlp, scratch, OSML_BLOCK_ROWS, mlp->width);
	return chunk;
}

/* lay out what all rows share */
static Batch
lay_out(const OsmlModelSpec *spec, const OsmlBackend *backend, OsmlMlpScratch *scratch)
{
	Batch		batch = {.mlp = osml_mlp_plan(spec),.backend = backend};
	const OsmlMlp *mlp = &batch.mlp;
	size_t		doubles = (size_t) mlp->width * sizeof(double);
	OsmlMlpScratch one = {NULL, 0};

	batch.kept = osml_mlp_take(scratch, sizeof(OsmlMlpKept));
	batch.sum = osml_mlp_take(scratch, doubles);
	batch.product = osml_mlp_take(scratch, doubles);
	batch.gain = osml_mlp_take(scratch, doubles);
	batch.shift = osml_mlp_take(scratch, doubles);
	batch.zeroes = osml_mlp_take(scratch, doubles);
	for (int l = 0; l < mlp->n_layers; l++)
		batch.inverse[l] = osml_mlp_take(scratch, (size_t) mlp->layer[l].n_in * sizeof(double));
	batch.inputs = osml_mlp_take_columns(mlp, scratch, OSML_BLOCK_ROWS, mlp->width);
	batch.chunks = osml_mlp_take(scratch, 0);
	take_chunk(mlp, &one);
	batch.chunk_bytes = one.used;
	return batch;
}

/* chunks that so many rows fill */
static int64_t
chunks_of(int64_t rows)
{
	return (rows + OSML_BLOCK_ROWS - 1) / OSML_BLOCK_ROWS;
}

size_t
osml_mlp_batch_scratch(const OsmlMlp *mlp, int64_t batch_rows)
{
	OsmlMlpScratch scratch = {NULL, 0};
	Batch		batch = lay_out(mlp->spec, NULL, &scratch);

	return scratch.used + (size_t) chunks_of(batch_rows) * batch.chunk_bytes;
}

/* chunk c of the batch, its rows set */
static Chunk
chunk_at(const Batch *batch, int64_t c)
{
	OsmlMlpScratch scratch = {batch->chunks + (size_t) c * batch->chunk_bytes, 0};
	Chunk		chunk = take_chunk(&batch->mlp, &scratch);
	int64_t		first = c * OSML_BLOCK_ROWS;
	int64_t		n = batch->kept->rows - first;

	osml_mlp_set_rows(&batch->mlp, &chunk.rows, chunk.block, 0,
					  n < OSML_BLOCK_ROWS ? (int) n : OSML_BLOCK_ROWS);
	chunk.rows.at = (OsmlRowsAt)
	{
		batch->kept->batch - 1, first
	};
	chunk.x_slope.rows = chunk.rows.n;
	return chunk;
}

/* copy n rows from lo on of a block to place to of another: dense columns, label and
 * weight in the compute type, then codes */
static void
copy_rows(const OsmlModelSpec *spec, const OsmlBlock *from, int lo, int n, OsmlBlock *block,
		  int to)
{
	const OsmlLayout *layout = &spec->layout;
	size_t		width = osml_precision_size(spec->precision);

	for (int j = 0; j < layout->n_dense + 1 + (layout->has_weight ? 1 : 0); j++)
		memcpy((char *) osml_block_column(block, j) + (size_t) to * width,
			   (char *) osml_block_column(from, j) + (size_t) lo * width,
			   (size_t) n * width);
	for (int k = 0; k < layout->n_codes; k++)
		memcpy(osml_block_codes(block, layout, k) + to,
			   osml_block_codes(from, layout, k) + lo, (size_t) n * sizeof(int32_t));
}

/* keep rows [lo, hi) of the block, each at its place in the batch */
void
osml_mlp_keep(const OsmlMlp *mlp, const OsmlBlock *block, int lo, int hi, OsmlRowsAt at,
			  void *scratch)
{
	OsmlMlpScratch area = {scratch, 0};
	Batch		batch = lay_out(mlp->spec, NULL, &area);

	/* a batch that was given up begins anew under its number */
	if (batch.kept->batch != at.batch + 1 || at.row == 0)
		*batch.kept = (OsmlMlpKept)
	{
		at.batch + 1, 0
	};
	batch.kept->rows += hi - lo;
	while (lo < hi)
	{
		int			to = (int) (at.row % OSML_BLOCK_ROWS);
		int			n = hi - lo < OSML_BLOCK_ROWS - to ? hi - lo : OSML_BLOCK_ROWS - to;
		OsmlMlpScratch one = {
			batch.chunks + (size_t) (at.row / OSML_BLOCK_ROWS) * batch.chunk_bytes, 0
		};

		copy_rows(mlp->spec, block, lo, n, take_chunk(mlp, &one).block, to);
		lo += n;
		at.row += n;
	}
}

/* running = (1 - momentum) running + momentum of this batch */
static void
run_along(const OsmlMlp *mlp, void *params, size_t i, double momentum, double now)
{
	double		before = osml_mlp_get(mlp, params, i);

	osml_mlp_set(mlp, params, i, (1 - momentum) * before + momentum * now);
}

/* the batch's share of layer l's running statistics, as nn.BatchNorm1d has it with
 * a momentum, or with None */
static double
momentum_of(const Batch *batch, int l, const void *params)
{
	const OsmlMlp *mlp = &batch->mlp;

	return batch->purpose == PURPOSE_COUNT ? 1 / (osml_mlp_get(mlp, params, mlp->layer[l].batches) + 1) :
		OSML_BATCH_NORM_MOMENTUM;
}

/*
 * Mean and variance of layer l's inputs over the batch, which are then replaced by
 * their normalised values.  PyTorch normalises by the variance over n, and keeps
 * the one over n - 1.
 */
static void
normalise(Batch *batch, int l, void *params)
{
	const OsmlMlp *mlp = &batch->mlp;
	const OsmlMlpLayer *layer = &mlp->layer[l];
	OsmlPrecision precision = mlp->spec->precision;
	int64_t		n = batch->kept->rows;
	double	   *mean = batch->sum;
	double		momentum = momentum_of(batch, l, params);
	bool		tracked = n > 1 && batch->purpose != PURPOSE_LOOK;
	size_t		bytes = (size_t) layer->n_in * sizeof(double);

	memset(batch->sum, 0, bytes);
	memset(batch->product, 0, bytes);
	for (int64_t c = 0; c < chunks_of(n); c++)
		batch->backend->sums(batch->backend, precision, chunk_at(batch, c).rows.value[l], batch->sum);
	for (int j = 0; j < layer->n_in; j++)
		mean[j] /= (double) n;
	for (int64_t c = 0; c < chunks_of(n); c++)
	{
		OsmlTile x = chunk_at(batch, c).rows.value[l];

		batch->backend->comoments(batch->backend, precision, x, x, mean, batch->product);
	}
	for (int j = 0; j < layer->n_in; j++)
	{
		batch->inverse[l][j] = 1 / sqrt(batch->product[j] / (double) n + OSML_BATCH_NORM_EPS);
		if (!tracked)
			continue;
		run_along(mlp, params, layer->mean + (size_t) j, momentum, mean[j]);
		run_along(mlp, params, layer->var + (size_t) j, momentum,
				  batch->product[j] / (double) (n - 1));
	}
	for (int64_t c = 0; c < chunks_of(n); c++)
	{
		OsmlTile x = chunk_at(batch, c).rows.value[l];

		batch->backend->map(batch->backend, precision, x, mean, batch->inverse[l], batch->zeroes, x);
	}
	if (tracked)
		osml_mlp_set(mlp, params, layer->batches,
					 osml_mlp_get(mlp, params, layer->batches) + 1);
}

/* batch norm's gain and shift before layer l */
static void
load_affine(Batch *batch, int l, const void *params)
{
	const OsmlMlpLayer *layer = &batch->mlp.layer[l];

	for (int j = 0; j < layer->n_in; j++)
	{
		batch->gain[j] = osml_mlp_get(&batch->mlp, params, layer->gain + (size_t) j);
		batch->shift[j] = osml_mlp_get(&batch->mlp, params, layer->shift + (size_t) j);
	}
}

/* what layer l sees of a chunk: normalised values times gain plus shift */
static OsmlTile
layer_inputs(Batch *batch, const Chunk *chunk, int l)
{
	OsmlTile x = batch->inputs;

	x.n = batch->mlp.layer[l].n_in;
	x.rows = chunk->rows.n;
	batch->backend->map(batch->backend, batch->mlp.spec->precision, chunk->rows.value[l], batch->zeroes,
						batch->gain, batch->shift, x);
	return x;
}

/* layer l over the batch */
static void
forward(Batch *batch, int l, void *params)
{
	normalise(batch, l, params);
	load_affine(batch, l, params);
	for (int64_t c = 0; c < chunks_of(batch->kept->rows); c++)
	{
		Chunk		chunk = chunk_at(batch, c);

		osml_mlp_forward(&batch->mlp, batch->backend, params, &chunk.rows, l,
						 layer_inputs(batch, &chunk, l), true);
	}
}

/*
 * Back through batch norm, of n rows: with s the slopes of its outputs and v its
 * normalised values, those of its inputs are gain / sqrt(var + eps) (s - mean of s -
 * v mean of s v).
 */
static void
back_through_norm(Batch *batch, int l, void *grad)
{
	const OsmlMlp *mlp = &batch->mlp;
	OsmlPrecision precision = mlp->spec->precision;
	double		n = (double) batch->kept->rows;

	for (int j = 0; j < mlp->layer[l].n_in; j++)
	{
		batch->gain[j] *= batch->inverse[l][j];
		batch->sum[j] /= n;
		batch->product[j] /= n;
	}
	for (int64_t c = 0; c < chunks_of(batch->kept->rows); c++)
	{
		Chunk		chunk = chunk_at(batch, c);
		OsmlTile slope = chunk.x_slope;

		slope.n = mlp->layer[l].n_in;
		batch->backend->unmap(batch->backend, precision, chunk.rows.value[l], batch->gain, batch->sum,
							  batch->product, slope);
		if (l > 0)
			batch->backend->multiply(batch->backend, precision, chunk.rows.slope[l], slope);
		else
			osml_mlp_embed_grad(mlp, batch->backend, &chunk.rows, slope, grad);
	}
}

/* gradients of layer l and of its batch norm, slopes of the layer before */
static void
backward(Batch *batch, int l, const void *params, void *grad)
{
	const OsmlMlp *mlp = &batch->mlp;
	const OsmlMlpLayer *layer = &mlp->layer[l];
	size_t		bytes = (size_t) layer->n_in * sizeof(double);

	load_affine(batch, l, params);
	memset(batch->sum, 0, bytes);
	memset(batch->product, 0, bytes);
	for (int64_t c = 0; c < chunks_of(batch->kept->rows); c++)
	{
		Chunk		chunk = chunk_at(batch, c);
		OsmlTile slope = chunk.x_slope;

		slope.n = layer->n_in;
		osml_mlp_weight_grad(mlp, batch->backend, &chunk.rows, l,
							 layer_inputs(batch, &chunk, l), grad);
		osml_mlp_back(mlp, batch->backend, params, &chunk.rows, l, slope);
		batch->backend->sums(batch->backend, mlp->spec->precision, slope, batch->sum);
		batch->backend->comoments(batch->backend, mlp->spec->precision, slope, chunk.rows.value[l],
								  batch->zeroes, batch->product);
	}
	for (int j = 0; j < layer->n_in; j++)
	{
		size_t		gain = layer->gain + (size_t) j;
		size_t		shift = layer->shift + (size_t) j;

		osml_mlp_set(mlp, grad, gain, osml_mlp_get(mlp, grad, gain) + batch->product[j]);
		osml_mlp_set(mlp, grad, shift, osml_mlp_get(mlp, grad, shift) + batch->sum[j]);
	}
	if (l > 0 || mlp->spec->layout.n_codes > 0)
		back_through_norm(batch, l, grad);
}

/* inputs of the first layer, of the kept rows; false: none are kept */
static bool
load_inputs(Batch *batch, const void *params)
{
	if (batch->kept->batch == 0 || batch->kept->rows == 0)
		return false;
	memset(batch->zeroes, 0, (size_t) batch->mlp.width * sizeof(double));
	for (int64_t c = 0; c < chunks_of(batch->kept->rows); c++)
	{
		Chunk		chunk = chunk_at(batch, c);

		osml_mlp_inputs(&batch->mlp, batch->backend, params, &chunk.rows);
	}
	return true;
}

/* all layers over the kept rows, running statistics on the way; false: none are kept */
static bool
go_forward(Batch *batch, void *params)
{
	if (!load_inputs(batch, params))
		return false;
	for (int l = 0; l < batch->mlp.n_layers; l++)
		forward(batch, l, params);
	return true;
}

/* the kept rows are done with */
static void
forget(Batch *batch)
{
	*batch->kept = (OsmlMlpKept)
	{
		0, 0
	};
}

/* all layers over the kept rows, forward and back */
void
osml_mlp_end_batch(const OsmlModelSpec *spec, const OsmlBackend *backend, void *params,
				   void *grad, double *loss_sum, void *scratch)
{
	OsmlMlpScratch area = {scratch, 0};
	Batch		batch;

	if (!spec->network.batch_norm)
		return;
	batch = lay_out(spec, backend, &area);
	if (!go_forward(&batch, params))
		return;
	for (int64_t c = 0; c < chunks_of(batch.kept->rows); c++)
	{
		Chunk		chunk = chunk_at(&batch, c);

		*loss_sum += osml_mlp_loss(&batch.mlp, backend, &chunk.rows);
	}
	for (int l = batch.mlp.n_layers - 1; l >= 0; l--)
		backward(&batch, l, params, grad);
	forget(&batch);
}

/*
 * Running statistics alone, as torch.optim.swa_utils.update_bn() takes them: dropout
 * as in training, and each batch counts the same.
 */
void
osml_mlp_count_batch(const OsmlModelSpec *spec, const OsmlBackend *backend, void *params,
					 void *scratch)
{
	OsmlMlpScratch area = {scratch, 0};
	Batch		batch;

	if (!spec->network.batch_norm)
		return;
	batch = lay_out(spec, backend, &area);
	batch.purpose = PURPOSE_COUNT;
	if (go_forward(&batch, params))
		forget(&batch);
}

/* find_anomaly() of the kept rows */
bool
osml_mlp_find_in_batch(const OsmlModelSpec *spec, const OsmlBackend *backend, void *params,
					   void *scratch, OsmlAnomaly *found)
{
	OsmlMlpScratch area = {scratch, 0};
	Batch		batch = lay_out(spec, backend, &area);

	batch.purpose = PURPOSE_LOOK;
	if (!load_inputs(&batch, params))
		return false;
	for (int l = 0; l < batch.mlp.n_layers; l++)
	{
		forward(&batch, l, params);
		for (int64_t c = 0; c < chunks_of(batch.kept->rows); c++)
		{
			Chunk		chunk = chunk_at(&batch, c);

			if (!osml_mlp_find_in_outputs(&batch.mlp, &chunk.rows, l, found))
				continue;
			found->row += c * OSML_BLOCK_ROWS;
			return true;
		}
	}
	return false;
}
