/*
 * mlp.c
 *	  The multi-layer perceptron as an OsmlModelOps.
 *
 * Rows are taken a tile at a time, forward and back, so that what a tile needs
 * stays in cache.  Sums over a segment's rows are sums of its tiles', whose
 * borders depend on the segment and the network alone.  With batch norm no row can
 * go forward before all of its batch are known: see mlp_batch.c.
 */
#include "model/mlp.h"

/* values of a tile, of all layers: a few hundred KB, in a core's second cache */
#define TILE_VALUES 32768
#define MIN_TILE 128

/* a library's product wants many rows */
#define GEMM_TILE 512

static size_t
n_params(const OsmlModelSpec *spec)
{
	return osml_mlp_plan(spec).n_params;
}

static size_t
n_buffers(const OsmlModelSpec *spec)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);

	return mlp.n_values - mlp.n_params;
}

/* rows to take at a time with this backend, or at most */
static int
tile_rows(const OsmlMlp *mlp, const OsmlBackend *backend)
{
	int64_t		columns = 1;
	int64_t		rows;

	for (int l = 0; l < mlp->n_layers; l++)
		columns += mlp->layer[l].n_in + 2 * (int64_t) mlp->layer[l].n_out;
	rows = TILE_VALUES / columns / MIN_TILE * MIN_TILE;
	rows = rows < MIN_TILE ? MIN_TILE : rows;
	if (rows < GEMM_TILE && (backend == NULL || backend->gemm != NULL))
		rows = GEMM_TILE;
	return rows < OSML_BLOCK_ROWS ? (int) rows : OSML_BLOCK_ROWS;
}

/* lay out what a tile of rows needs in training */
static OsmlMlpRows
take_rows(const OsmlMlp *mlp, OsmlMlpScratch *scratch, int n)
{
	OsmlMlpRows rows = {.lo = 0};

	osml_mlp_take(scratch, sizeof(OsmlMlpKept));
	for (int l = 0; l <= mlp->n_layers; l++)
	{
		int			columns = l == 0 ? mlp->layer[0].n_in : mlp->layer[l - 1].n_out;

		if (l > 0 || osml_mlp_copies_inputs(mlp))
			rows.value[l] = osml_mlp_take_columns(mlp, scratch, n, columns);
		if (l > 0)
			rows.slope[l] = osml_mlp_take_columns(mlp, scratch, n, columns);
	}
	return rows;
}

static size_t
mlp_scratch(const OsmlModelSpec *spec, int64_t batch_rows)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);
	size_t		predict = osml_mlp_predict_scratch(&mlp);
	OsmlMlpScratch scratch = {NULL, 0};

	if (batch_rows == 0)
		return predict;
	if (spec->network.batch_norm)
		scratch.used = osml_mlp_batch_scratch(&mlp, batch_rows);
	else
		take_rows(&mlp, &scratch, tile_rows(&mlp, NULL));
	return scratch.used > predict ? scratch.used : predict;
}

/* a tile of rows forward and back */
static double
accumulate_tile(const OsmlMlp *mlp, const OsmlBackend *backend, OsmlMlpRows *rows,
				const void *params, void *grad)
{
	OsmlPrecision precision = mlp->spec->precision;
	double		loss;

	osml_mlp_inputs(mlp, backend, params, rows);
	for (int l = 0; l < mlp->n_layers; l++)
		osml_mlp_forward(mlp, backend, params, rows, l, rows->value[l], true);
	loss = osml_mlp_loss(mlp, backend, rows);
	for (int l = mlp->n_layers - 1; l >= 0; l--)
	{
		osml_mlp_weight_grad(mlp, backend, rows, l, rows->value[l], grad);
		if (l == 0 && mlp->spec->layout.n_codes == 0)
			break;

		/* a layer's inputs are no longer needed: their slopes take their place */
		osml_mlp_back(mlp, backend, params, rows, l, rows->value[l]);
		if (l > 0)
			backend->multiply(backend, precision, rows->slope[l], rows->value[l]);
		else
			osml_mlp_embed_grad(mlp, backend, rows, rows->value[0], grad);
	}
	return loss;
}

/* gradient sum and loss sum of rows [lo, hi), or keep them for end_batch */
static void
mlp_accumulate(const OsmlModelSpec *spec, const OsmlBackend *backend,
			   const OsmlBlock *block, int lo, int hi, OsmlRowsAt at,
			   const void *params, void *grad, double *loss_sum, void *scratch)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);
	int			tile = tile_rows(&mlp, backend);
	OsmlMlpScratch area = {scratch, 0};
	OsmlMlpRows rows;

	if (spec->network.batch_norm)
	{
		osml_mlp_keep(&mlp, block, lo, hi, at, scratch);
		return;
	}
	rows = take_rows(&mlp, &area, tile);
	for (int start = lo; start < hi; start += tile)
	{
		osml_mlp_set_rows(&mlp, &rows, block, start, hi - start < tile ? hi - start : tile);
		rows.at = (OsmlRowsAt)
		{
			at.batch, at.row + (start - lo)
		};
		*loss_sum += accumulate_tile(&mlp, backend, &rows, params, grad);
	}
}

/* all layers over a tile's rows: the first with outputs that are not finite */
static bool
find_in_tile(const OsmlMlp *mlp, const OsmlBackend *backend, OsmlMlpRows *rows,
			 const void *params, OsmlAnomaly *found)
{
	osml_mlp_inputs(mlp, backend, params, rows);
	for (int l = 0; l < mlp->n_layers; l++)
	{
		osml_mlp_forward(mlp, backend, params, rows, l, rows->value[l], true);
		if (osml_mlp_find_in_outputs(mlp, rows, l, found))
			return true;
	}
	return false;
}

static bool
mlp_find_anomaly(const OsmlModelSpec *spec, const OsmlBackend *backend,
				 const OsmlBlock *block, int lo, int hi, OsmlRowsAt at, void *params,
				 void *scratch, OsmlAnomaly *found)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);
	int			tile = tile_rows(&mlp, backend);
	OsmlMlpScratch area = {scratch, 0};
	OsmlMlpRows rows;

	/* with batch norm rows mean something together only, without it none are kept */
	if (spec->network.batch_norm || block == NULL)
		return spec->network.batch_norm && block == NULL &&
			osml_mlp_find_in_batch(spec, backend, params, scratch, found);
	rows = take_rows(&mlp, &area, tile);
	for (int start = lo; start < hi; start += tile)
	{
		osml_mlp_set_rows(&mlp, &rows, block, start, hi - start < tile ? hi - start : tile);
		rows.at = (OsmlRowsAt)
		{
			at.batch, at.row + (start - lo)
		};
		if (!find_in_tile(&mlp, backend, &rows, params, found))
			continue;
		found->row += start - lo;
		return true;
	}
	return false;
}

const OsmlModelOps osml_model_mlp = {
	.name = "mlp",
	.n_params = n_params,
	.n_buffers = n_buffers,
	.init = osml_mlp_init,
	.scratch = mlp_scratch,
	.row_scratch = osml_mlp_row_scratch,
	.accumulate = mlp_accumulate,
	.end_batch = osml_mlp_end_batch,
	.reset_buffers = osml_mlp_reset_buffers,
	.count_batch = osml_mlp_count_batch,
	.find_anomaly = mlp_find_anomaly,
	.predict = osml_mlp_predict,
	.predict_row = osml_mlp_predict_row,
	.code_width = osml_mlp_embedding_width,
	.code_place = osml_mlp_code_place,
	.explain_scratch = osml_mlp_explain_scratch,
	.explain = osml_mlp_explain,
	.tensors = osml_mlp_tensors,
	.layers = osml_mlp_layers
};
