/*
 * mlp_rows.c
 *	  A tile of rows through the layers of a perceptron, forward and back.
 *
 * Each function does one thing to one layer; mlp.c and mlp_predict.c go through
 * all layers of a tile, mlp_batch.c through all tiles of a layer.
 */
#include "model/mlp.h"

#include <math.h>
#include <stdio.h>

#define ALIGNMENT 64

/* a cache line between columns, or those of a tile would share a cache's sets */
#define PADDING 8

/* bytes of scratch; NULL when they are only counted */
void *
osml_mlp_take(OsmlMlpScratch *scratch, size_t bytes)
{
	size_t		at = scratch->used;

	scratch->used = (at + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return scratch->base == NULL ? NULL : scratch->base + at;
}

/* n columns of a tile; one row has none beside it */
OsmlTile
osml_mlp_take_columns(const OsmlMlp *mlp, OsmlMlpScratch *scratch, int rows, int n)
{
	size_t		stride = rows == 1 ? 1 : (size_t) rows + PADDING;
	size_t		bytes = (size_t) n * stride * osml_precision_size(mlp->spec->precision);

	return (OsmlTile)
	{
		.values = osml_mlp_take(scratch, bytes),
		.stride = stride,
		.n = n
	};
}

/* the first layer reads a block's columns where they lie unless something is put
 * beside them or done to them */
bool
osml_mlp_copies_inputs(const OsmlMlp *mlp)
{
	return mlp->spec->layout.n_codes > 0 || mlp->spec->network.batch_norm;
}

/* rows [lo, lo + n) of the block */
void
osml_mlp_set_rows(const OsmlMlp *mlp, OsmlMlpRows *rows, const OsmlBlock *block, int lo,
				  int n)
{
	rows->block = block;
	rows->lo = lo;
	rows->n = n;
	for (int l = 0; l <= mlp->n_layers; l++)
		rows->value[l].rows = rows->slope[l].rows = n;
	rows->value[mlp->n_layers].stride = rows->slope[mlp->n_layers].stride = (size_t) n;
}

/* columns [first, first + n) of some */
static OsmlTile
part(const OsmlMlp *mlp, OsmlTile columns, int first, int n)
{
	columns.values = osml_mlp_place(mlp, columns.values, (size_t) first * columns.stride);
	columns.n = n;
	return columns;
}

/* what the embeddings say of codes[k * code_stride + row], behind the dense columns */
void
osml_mlp_embed(const OsmlMlp *mlp, const OsmlBackend *backend, const void *params,
			   OsmlTile inputs, const int32_t *codes, size_t code_stride)
{
	const OsmlModelSpec *spec = mlp->spec;
	int			column = spec->layout.n_dense;
	size_t		table = 0;

	for (int k = 0; k < spec->layout.n_codes; k++)
	{
		int			width = osml_mlp_embedding_width(spec, k);

		backend->embed(backend, spec->precision, codes + (size_t) k * code_stride,
					   osml_mlp_place(mlp, params, table),
					   part(mlp, inputs, column, width));
		column += width;
		table += (size_t) spec->layout.code_sizes[k] * (size_t) width;
	}
}

/* the inputs of the first layer */
void
osml_mlp_inputs(const OsmlMlp *mlp, const OsmlBackend *backend, const void *params,
				OsmlMlpRows *rows)
{
	const OsmlModelSpec *spec = mlp->spec;
	OsmlTile *inputs = &rows->value[0];
	OsmlTile block = {
		.values = osml_mlp_place(mlp, osml_block_column(rows->block, 0), (size_t) rows->lo),
		/* a float32 block's columns begin where its float64 ones did */
		.stride = OSML_BLOCK_STRIDE * sizeof(double) / osml_precision_size(spec->precision),
		.rows = rows->n,
		.n = spec->layout.n_dense
	};

	if (!osml_mlp_copies_inputs(mlp))
	{
		*inputs = block;
		return;
	}
	for (int j = 0; j < block.n; j++)
		memcpy(part(mlp, *inputs, j, 1).values, part(mlp, block, j, 1).values,
			   (size_t) rows->n * osml_precision_size(spec->precision));
	if (spec->layout.n_codes > 0)
		osml_mlp_embed(mlp, backend, params, *inputs,
					   osml_block_codes(rows->block, &spec->layout, 0) + rows->lo,
					   OSML_BLOCK_STRIDE);
}

/* outputs of layer l from its inputs x, which batch norm may have changed */
void
osml_mlp_forward(const OsmlMlp *mlp, const OsmlBackend *backend, const void *params,
				 OsmlMlpRows *rows, int l, OsmlTile x, bool train)
{
	const OsmlModelSpec *spec = mlp->spec;
	const OsmlMlpLayer *layer = &mlp->layer[l];
	OsmlDropout dropout = {
		.seed = spec->network.seed,
		.batch = rows->at.batch,
		.row = rows->at.row,
		.layer = l,
		.probability = spec->network.dropout
	};

	backend->dense(backend, spec->precision, osml_mlp_place(mlp, params, layer->weight),
				   spec->bias ? osml_mlp_place(mlp, params, layer->bias) : NULL, x,
				   rows->value[l + 1]);
	if (l == mlp->n_layers - 1)
		return;
	backend->activate(backend, spec->precision, spec->network.activation, rows->value[l + 1],
					  rows->slope[l + 1]);
	if (train && dropout.probability > 0)
		backend->dropout(backend, spec->precision, &dropout, rows->value[l + 1], rows->slope[l + 1]);
}

/* the loss of the outputs, and its slopes */
double
osml_mlp_loss(const OsmlMlp *mlp, const OsmlBackend *backend, const OsmlMlpRows *rows)
{
	const OsmlModelSpec *spec = mlp->spec;
	const void *z = rows->value[mlp->n_layers].values;
	void	   *slope = rows->slope[mlp->n_layers].values;

	if (osml_loss_by_class(spec->loss))
		return backend->class_loss(backend, spec->precision, spec->loss, spec->n_outputs,
								   &spec->layout, rows->block, rows->lo,
								   rows->lo + rows->n, z, slope);
	return backend->loss(backend, spec->precision, spec->loss, spec->loss_param, &spec->layout,
						 rows->block, rows->lo, rows->lo + rows->n, z, slope);
}

/* gradient of layer l's weight and bias, x as it was in forward */
void
osml_mlp_weight_grad(const OsmlMlp *mlp, const OsmlBackend *backend,
					 const OsmlMlpRows *rows, int l, OsmlTile x, void *grad)
{
	const OsmlMlpLayer *layer = &mlp->layer[l];

	backend->dense_grad(backend, mlp->spec->precision, rows->slope[l + 1], x,
						osml_mlp_place(mlp, grad, layer->weight),
						mlp->spec->bias ? osml_mlp_place(mlp, grad, layer->bias) : NULL);
}

/* slopes of layer l's inputs */
void
osml_mlp_back(const OsmlMlp *mlp, const OsmlBackend *backend, const void *params,
			  const OsmlMlpRows *rows, int l, OsmlTile x_slope)
{
	backend->dense_back(backend, mlp->spec->precision,
						osml_mlp_place(mlp, params, mlp->layer[l].weight),
						rows->slope[l + 1], x_slope);
}

/* gradient of the embeddings, from slopes of the first layer's inputs */
void
osml_mlp_embed_grad(const OsmlMlp *mlp, const OsmlBackend *backend,
					const OsmlMlpRows *rows, OsmlTile x_slope, void *grad)
{
	const OsmlLayout *layout = &mlp->spec->layout;
	int			column = layout->n_dense;
	size_t		table = 0;

	for (int k = 0; k < layout->n_codes; k++)
	{
		int			width = osml_mlp_embedding_width(mlp->spec, k);

		backend->embed_grad(backend, mlp->spec->precision,
							osml_block_codes(rows->block, layout, k) + rows->lo,
							layout->code_sizes[k], part(mlp, x_slope, column, width),
							osml_mlp_place(mlp, grad, table));
		column += width;
		table += (size_t) layout->code_sizes[k] * (size_t) width;
	}
}

/* the first row of layer l's outputs that holds a value which is not finite */
bool
osml_mlp_find_in_outputs(const OsmlMlp *mlp, const OsmlMlpRows *rows, int l,
						 OsmlAnomaly *found)
{
	OsmlTile out = rows->value[l + 1];

	for (int r = 0; r < out.rows; r++)
	{
		for (int j = 0; j < out.n; j++)
		{
			double		value = osml_mlp_get(mlp, out.values, (size_t) j * out.stride + (size_t) r);

			if (isfinite(value))
				continue;
			snprintf(found->module, sizeof(found->module), "%d", mlp->layer[l].linear_number);
			found->row = r;
			found->value = value;
			return true;
		}
	}
	return false;
}
