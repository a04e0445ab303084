/*
 * mlp_predict.c
 *	  Outputs of a perceptron for rows of a block or for one row: no dropout, batch
 *	  norm by its running statistics.
 *
 * Both go through the same functions, one row being a tile of one.  The kernels
 * add within a row in one order, so a row has the same bits either way; a backend
 * with a matrix library (OsmlBackend.gemm) gives no such promise.
 */
#include "model/mlp.h"

#include <math.h>

#define PREDICT_VALUES 16384
#define MIN_TILE 64

/* what is laid out for predicting a tile */
typedef struct Work
{
	OsmlMlpRows rows;
	OsmlMlpNorm norm;
} Work;

/* the widest layer, outputs among them */
static int
widest(const OsmlMlp *mlp)
{
	int			n_outputs = mlp->spec->n_outputs;

	return mlp->width > n_outputs ? mlp->width : n_outputs;
}

static int
tile_rows(const OsmlMlp *mlp)
{
	int			rows = PREDICT_VALUES / widest(mlp) / MIN_TILE * MIN_TILE;

	rows = rows < OSML_BLOCK_ROWS ? rows : OSML_BLOCK_ROWS;
	return rows < MIN_TILE ? MIN_TILE : rows;
}

/* room for a map of a layer's inputs */
OsmlMlpNorm
osml_mlp_take_norm(const OsmlMlp *mlp, OsmlMlpScratch *scratch)
{
	size_t		doubles = (size_t) mlp->width * sizeof(double);
	OsmlMlpNorm norm;

	norm.center = osml_mlp_take(scratch, doubles);
	norm.factor = osml_mlp_take(scratch, doubles);
	norm.shift = osml_mlp_take(scratch, doubles);
	return norm;
}

/* layers write to two buffers in turn, and their slopes to one that nobody reads */
static Work
lay_out(const OsmlMlp *mlp, OsmlMlpScratch *scratch, int n)
{
	Work		work = {.norm = {NULL}};
	OsmlTile buffer[2];
	OsmlTile unread;

	osml_mlp_take(scratch, sizeof(OsmlMlpKept));
	work.norm = osml_mlp_take_norm(mlp, scratch);
	buffer[0] = osml_mlp_take_columns(mlp, scratch, n, widest(mlp));
	buffer[1] = osml_mlp_take_columns(mlp, scratch, n, widest(mlp));
	unread = osml_mlp_take_columns(mlp, scratch, n, widest(mlp));
	for (int l = 0; l <= mlp->n_layers; l++)
	{
		work.rows.value[l] = buffer[l % 2];
		work.rows.slope[l] = unread;
		work.rows.value[l].n = work.rows.slope[l].n =
			l == 0 ? mlp->layer[0].n_in : mlp->layer[l - 1].n_out;
	}
	return work;
}

size_t
osml_mlp_predict_scratch(const OsmlMlp *mlp)
{
	OsmlMlpScratch scratch = {NULL, 0};

	lay_out(mlp, &scratch, tile_rows(mlp));
	return scratch.used;
}

size_t
osml_mlp_row_scratch(const OsmlModelSpec *spec)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);
	OsmlMlpScratch scratch = {NULL, 0};

	lay_out(&mlp, &scratch, 1);
	return scratch.used;
}

/* batch norm before layer l: (x - running mean) gain / sqrt(running var + eps) + shift */
void
osml_mlp_running_norm(const OsmlMlp *mlp, const void *params, int l, OsmlMlpNorm *norm)
{
	const OsmlMlpLayer *layer = &mlp->layer[l];

	for (int j = 0; j < layer->n_in; j++)
	{
		size_t		i = (size_t) j;

		norm->center[j] = osml_mlp_get(mlp, params, layer->mean + i);
		norm->factor[j] = osml_mlp_get(mlp, params, layer->gain + i) /
			sqrt(osml_mlp_get(mlp, params, layer->var + i) + OSML_BATCH_NORM_EPS);
		norm->shift[j] = osml_mlp_get(mlp, params, layer->shift + i);
	}
}

/* the inputs are there: outputs of the tile's rows, n values apart */
static void
go_forward(const OsmlMlp *mlp, const OsmlBackend *backend, const void *params, Work *work)
{
	for (int l = 0; l < mlp->n_layers; l++)
	{
		OsmlTile x = work->rows.value[l];

		if (mlp->spec->network.batch_norm)
		{
			osml_mlp_running_norm(mlp, params, l, &work->norm);
			backend->map(backend, mlp->spec->precision, x, work->norm.center, work->norm.factor,
						 work->norm.shift, x);
		}
		osml_mlp_forward(mlp, backend, params, &work->rows, l, x, false);
	}
}

/* outputs of a tile, output k of its row i to z[k * stride + i] */
static void
hand_out(const OsmlMlp *mlp, const Work *work, size_t stride, double *z)
{
	OsmlTile out = work->rows.value[mlp->n_layers];

	for (int k = 0; k < out.n; k++)
		for (int i = 0; i < out.rows; i++)
			z[(size_t) k * stride + (size_t) i] =
				osml_mlp_get(mlp, out.values, (size_t) k * out.stride + (size_t) i);
}

void
osml_mlp_predict(const OsmlModelSpec *spec, const OsmlBackend *backend,
				 const OsmlBlock *block, int lo, int hi, const void *params, double *z,
				 void *scratch)
{
	OsmlMlp		mlp = osml_mlp_plan(spec);
	int			tile = tile_rows(&mlp);
	OsmlMlpScratch area = {scratch, 0};
	Work		work = lay_out(&mlp, &area, tile);

	for (int start = lo; start < hi; start += tile)
	{
		osml_mlp_set_rows(&mlp, &work.rows, block, start,
						  hi - start < tile ? hi - start : tile);
		osml_mlp_inputs(&mlp, backend, params, &work.rows);
		go_forward(&mlp, backend, params, &work);
		hand_out(&mlp, &work, (size_t) (hi - lo), z + (start - lo));
	}
}

void
osml_mlp_predict_row(const OsmlModelSpec *spec, const void *params, const double *row,
					 const int32_t *codes, double *z, void *scratch)
{
	const OsmlBackend *backend = &osml_backend_cpu;
	OsmlMlp		mlp = osml_mlp_plan(spec);
	OsmlMlpScratch area = {scratch, 0};
	Work		work = lay_out(&mlp, &area, 1);

	osml_mlp_set_rows(&mlp, &work.rows, NULL, 0, 1);
	for (int j = 0; j < spec->layout.n_dense; j++)
		osml_mlp_set(&mlp, work.rows.value[0].values, (size_t) j, row[j]);
	osml_mlp_embed(&mlp, backend, params, work.rows.value[0], codes, 1);
	go_forward(&mlp, backend, params, &work);
	hand_out(&mlp, &work, 1, z);
}
