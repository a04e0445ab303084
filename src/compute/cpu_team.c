/*
 * cpu_team.c
 *	  The CPU's backend on several threads: each entry cuts its work and hands the parts
 *	  to the plain entry of the same name.
 */
#include "compute/cpu_team.h"

#include "compute/cpu_network.h"

/* what is worth a round of the team, some microseconds of work: products, values that are
 * computed, and those of a single addition or product */
#define LEAST_PRODUCTS 131072
#define LEAST_VALUES 8192
#define LEAST_QUICK 32768

/* parts begin at a multiple of: columns, which kernels take four at a time; values of a
 * column, of which a cache line has as many */
#define COLUMNS_AT_ONCE 4
#define VALUES_AT_ONCE 16

static const OsmlBackend *const plain = &osml_backend_cpu;

/* what an operation was asked for; each uses the fields that it has */
typedef struct Work
{
	void		(*on_columns) (const struct Work *work, int first, OsmlTile x, OsmlTile z);
	const OsmlBackend *self;
	OsmlPrecision precision;
	const OsmlLayout *layout;
	const OsmlBlock *block;
	int			lo;
	int			hi;
	const void *w;
	double		bias;
	const void *biases;
	OsmlTile	x;
	OsmlTile	z;
	void	   *g;
	void	   *g_bias;
	int			choice;			/* of activations or optimisers */
	const void *hyper;
	const double *center;
	const double *factor;
	const double *shift;
	double	   *sums;
	size_t		first;
	size_t		n;
	size_t		n_params;
	double		number;
} Work;

/* the share of n things, taken `quantum` at a time: [*first, *end), which may be empty */
static void
share(size_t n, size_t quantum, int part, int parts, size_t *first, size_t *end)
{
	size_t		units = n < quantum ? 1 : n / quantum;

	*first = units * (size_t) part / (size_t) parts * quantum;
	*end = part + 1 == parts ? n : units * (size_t) (part + 1) / (size_t) parts * quantum;
}

/* the same of columns or rows; false: none */
static bool
share_int(int n, int quantum, int part, int parts, int *first, int *end)
{
	size_t		from;
	size_t		to;

	share((size_t) n, (size_t) quantum, part, parts, &from, &to);
	*first = (int) from;
	*end = (int) to;
	return to > from;
}

/* value i of an array in the precision; like strchr, it serves readers and writers */
static void *
at(OsmlPrecision precision, const void *values, size_t i)
{
	return values == NULL ? NULL : (char *) values + i * osml_precision_size(precision);
}

/* columns [first, end) of a tile */
static OsmlTile
columns(OsmlPrecision precision, OsmlTile tile, int first, int end)
{
	tile.values = at(precision, tile.values, (size_t) first * tile.stride);
	tile.n = end - first;
	return tile;
}

/* is an operation of so many products, or values, left to one thread? */
static bool
is_small(double size, double least)
{
	return size < least;
}

/* --- linear models ------------------------------------------------------------- */

static void
affine_part(const void *arg, int part, int parts)
{
	const Work *work = arg;
	int			first;
	int			end;

	if (share_int(work->hi - work->lo, VALUES_AT_ONCE, part, parts, &first, &end))
		plain->affine(plain, work->precision, work->layout, work->block, work->lo + first,
					  work->lo + end, work->w, work->bias,
					  at(work->precision, work->g, (size_t) first));
}

static void
team_affine(const OsmlBackend *self, OsmlPrecision precision, const OsmlLayout *layout,
			const OsmlBlock *block, int lo, int hi, const void *w, double bias, void *z)
{
	Work		work = {
		.precision = precision,.layout = layout,.block = block,.lo = lo,.hi = hi,.w = w,
		.bias = bias,.g = z
	};

	if (is_small((double) layout->n_dense * (hi - lo), LEAST_PRODUCTS))
		plain->affine(plain, precision, layout, block, lo, hi, w, bias, z);
	else
		osml_team_run(self->team, affine_part, &work);
}

static void
affine_grad_part(const void *arg, int part, int parts)
{
	const Work *work = arg;
	int			first;
	int			end;

	if (share_int((int) work->n, COLUMNS_AT_ONCE, part, parts, &first, &end))
		plain->affine_grad(plain, work->precision, work->layout, work->block, work->lo,
						   work->hi, (int) work->first + first, (int) work->first + end,
						   work->w, work->g);
}

static void
team_affine_grad(const OsmlBackend *self, OsmlPrecision precision, const OsmlLayout *layout,
				 const OsmlBlock *block, int lo, int hi, int first, int last,
				 const void *slope, void *g)
{
	Work		work = {
		.precision = precision,.layout = layout,.block = block,.lo = lo,.hi = hi,
		.first = (size_t) first,.n = (size_t) (last - first),.w = slope,.g = g
	};

	if (is_small((double) (last - first) * (hi - lo), LEAST_PRODUCTS))
		plain->affine_grad(plain, precision, layout, block, lo, hi, first, last, slope, g);
	else
		osml_team_run(self->team, affine_grad_part, &work);
}

/* --- parameters ---------------------------------------------------------------- */

static void
optim_step_part(const void *arg, int part, int parts)
{
	const Work *work = arg;
	size_t		first;
	size_t		end;

	share(work->n, VALUES_AT_ONCE, part, parts, &first, &end);
	plain->optim_step(plain, work->precision, (OsmlOptim) work->choice, work->hyper,
					  work->first + first, end - first, work->z.values, work->w, work->g,
					  work->n_params);
}

static void
team_optim_step(const OsmlBackend *self, OsmlPrecision precision, OsmlOptim optim,
				const OsmlOptimStep *step, size_t first, size_t n, void *params,
				const void *grad, void *state, size_t n_params)
{
	Work		work = {
		.precision = precision,.choice = (int) optim,.hyper = step,.first = first,.n = n,
		.z.values = params,.w = grad,.g = state,.n_params = n_params
	};

	if (is_small((double) n, LEAST_VALUES))
		plain->optim_step(plain, precision, optim, step, first, n, params, grad, state,
						  n_params);
	else
		osml_team_run(self->team, optim_step_part, &work);
}

static void
scale_part(const void *arg, int part, int parts)
{
	const Work *work = arg;
	size_t		first;
	size_t		end;

	share(work->n, VALUES_AT_ONCE, part, parts, &first, &end);
	plain->scale(plain, work->precision, end - first,
				 at(work->precision, work->g, first), work->number);
}

static void
team_scale(const OsmlBackend *self, OsmlPrecision precision, size_t n, void *v, double factor)
{
	Work		work = {.precision = precision,.n = n,.g = v,.number = factor};

	if (is_small((double) n, LEAST_QUICK))
		plain->scale(plain, precision, n, v, factor);
	else
		osml_team_run(self->team, scale_part, &work);
}

/* --- dense layers -------------------------------------------------------------- */

static void
dense_part(const void *arg, int part, int parts)
{
	const Work *work = arg;
	int			first;
	int			end;

	if (share_int(work->z.n, work->choice, part, parts, &first, &end))
		osml_cpu_dense(work->self, work->precision,
					   at(work->precision, work->w, (size_t) first * (size_t) work->x.n),
					   at(work->precision, work->biases, (size_t) first), work->x,
					   columns(work->precision, work->z, first, end));
}

/* outputs, or inputs, that a part has a multiple of */
static int
dense_quantum(const OsmlBackend *self, int n_in, int n_out, int rows)
{
	return osml_cpu_uses_gemm(self, n_in, n_out, rows) ? OSML_GEMM_COLUMNS : COLUMNS_AT_ONCE;
}

static void
team_dense(const OsmlBackend *self, OsmlPrecision precision, const void *w, const void *bias,
		   OsmlTile x, OsmlTile z)
{
	Work		work = {
		.self = self,.precision = precision,.w = w,.biases = bias,.x = x,.z = z,
		.choice = dense_quantum(self, x.n, z.n, z.rows)
	};

	if (is_small((double) x.n * z.n * z.rows, LEAST_PRODUCTS))
		osml_cpu_dense(self, precision, w, bias, x, z);
	else
		osml_team_run(self->team, dense_part, &work);
}

static void
dense_grad_part(const void *arg, int part, int parts)
{
	const Work *work = arg;
	int			first;
	int			end;

	if (share_int(work->z.n, work->choice, part, parts, &first, &end))
		osml_cpu_dense_grad(work->self, work->precision,
							columns(work->precision, work->z, first, end), work->x,
							at(work->precision, work->g,
									   (size_t) first * (size_t) work->x.n),
							at(work->precision, work->g_bias, (size_t) first));
}

static void
team_dense_grad(const OsmlBackend *self, OsmlPrecision precision, OsmlTile slope, OsmlTile x,
				void *g, void *g_bias)
{
	Work		work = {
		.self = self,.precision = precision,.z = slope,.x = x,.g = g,.g_bias = g_bias,
		.choice = dense_quantum(self, x.n, slope.n, x.rows)
	};

	if (is_small((double) x.n * slope.n * x.rows, LEAST_PRODUCTS))
		osml_cpu_dense_grad(self, precision, slope, x, g, g_bias);
	else
		osml_team_run(self->team, dense_grad_part, &work);
}

static void
dense_back_part(const void *arg, int part, int parts)
{
	const Work *work = arg;
	int			first;
	int			end;

	if (share_int(work->x.n, work->choice, part, parts, &first, &end))
		osml_cpu_dense_back_inputs(work->self, work->precision,
								   at(work->precision, work->w, (size_t) first), work->x.n,
								   work->z, columns(work->precision, work->x, first, end));
}

static void
team_dense_back(const OsmlBackend *self, OsmlPrecision precision, const void *w,
				OsmlTile slope, OsmlTile x_slope)
{
	Work		work = {
		.self = self,.precision = precision,.w = w,.z = slope,.x = x_slope,
		.choice = dense_quantum(self, x_slope.n, slope.n, slope.rows)
	};

	if (is_small((double) x_slope.n * slope.n * slope.rows, LEAST_PRODUCTS))
		osml_cpu_dense_back(self, precision, w, slope, x_slope);
	else
		osml_team_run(self->team, dense_back_part, &work);
}

/* --- values of layers, batch norm ---------------------------------------------- */

/* the part's columns of both tiles, of which an operation may have but one */
static void
columns_part(const void *arg, int part, int parts)
{
	const Work *work = arg;
	int			first;
	int			end;

	if (share_int(work->x.n, 1, part, parts, &first, &end))
		work->on_columns(work, first, columns(work->precision, work->x, first, end),
						 columns(work->precision, work->z, first, end));
}

/* an operation on columns of values, each of which takes some time */
static void
run_columns(const OsmlBackend *self, Work *work, double least)
{
	if (is_small((double) work->x.n * work->x.rows, least))
		work->on_columns(work, 0, work->x, work->z);
	else
		osml_team_run(self->team, columns_part, work);
}

static void
activate_columns(const Work *work, int first, OsmlTile x, OsmlTile z)
{
	plain->activate(plain, work->precision, (OsmlActivation) work->choice, x, z);
}

static void
team_activate(const OsmlBackend *self, OsmlPrecision precision, OsmlActivation activation,
			  OsmlTile value, OsmlTile slope)
{
	Work		work = {
		.precision = precision,.on_columns = activate_columns,.choice = (int) activation,
		.x = value,.z = slope
	};

	run_columns(self, &work, LEAST_VALUES);
}

static void
multiply_columns(const Work *work, int first, OsmlTile x, OsmlTile z)
{
	plain->multiply(plain, work->precision, x, z);
}

static void
team_multiply(const OsmlBackend *self, OsmlPrecision precision, OsmlTile v, OsmlTile factor)
{
	Work		work = {
		.precision = precision,.on_columns = multiply_columns,.x = v,.z = factor
	};

	run_columns(self, &work, LEAST_QUICK);
}

static void
sums_columns(const Work *work, int first, OsmlTile x, OsmlTile z)
{
	plain->sums(plain, work->precision, x, work->sums + first);
}

static void
team_sums(const OsmlBackend *self, OsmlPrecision precision, OsmlTile x, double *sums)
{
	Work		work = {.precision = precision,.on_columns = sums_columns,.x = x,.sums = sums};

	run_columns(self, &work, LEAST_QUICK);
}

static void
comoments_columns(const Work *work, int first, OsmlTile x, OsmlTile z)
{
	plain->comoments(plain, work->precision, x, z, work->center + first, work->sums + first);
}

static void
team_comoments(const OsmlBackend *self, OsmlPrecision precision, OsmlTile a, OsmlTile b,
			   const double *center, double *sums)
{
	Work		work = {
		.precision = precision,.on_columns = comoments_columns,.x = a,.z = b,
		.center = center,.sums = sums
	};

	run_columns(self, &work, LEAST_VALUES);
}

static void
map_columns(const Work *work, int first, OsmlTile x, OsmlTile z)
{
	plain->map(plain, work->precision, x, work->center + first, work->factor + first,
			   work->shift + first, z);
}

static void
team_map(const OsmlBackend *self, OsmlPrecision precision, OsmlTile x, const double *center,
		 const double *factor, const double *shift, OsmlTile out)
{
	Work		work = {
		.precision = precision,.on_columns = map_columns,.x = x,.z = out,.center = center,
		.factor = factor,.shift = shift
	};

	run_columns(self, &work, LEAST_VALUES);
}

static void
unmap_columns(const Work *work, int first, OsmlTile x, OsmlTile z)
{
	plain->unmap(plain, work->precision, x, work->factor + first, work->shift + first,
				 work->center + first, z);
}

static void
team_unmap(const OsmlBackend *self, OsmlPrecision precision, OsmlTile x, const double *factor,
		   const double *shift, const double *share_of, OsmlTile v)
{
	Work		work = {
		.precision = precision,.on_columns = unmap_columns,.x = x,.z = v,.factor = factor,
		.shift = shift,.center = share_of
	};

	run_columns(self, &work, LEAST_VALUES);
}

/* rows, not columns: which neurons are dropped goes by their number in the layer */
static void
dropout_part(const void *arg, int part, int parts)
{
	const Work *work = arg;
	OsmlDropout dropout = *(const OsmlDropout *) work->hyper;
	OsmlTile	value = work->x;
	OsmlTile	slope = work->z;
	int			first;
	int			end;

	if (!share_int(value.rows, VALUES_AT_ONCE, part, parts, &first, &end))
		return;
	dropout.row += first;
	value.values = at(work->precision, value.values, (size_t) first);
	slope.values = at(work->precision, slope.values, (size_t) first);
	value.rows = slope.rows = end - first;
	plain->dropout(plain, work->precision, &dropout, value, slope);
}

static void
team_dropout(const OsmlBackend *self, OsmlPrecision precision, const OsmlDropout *dropout,
			 OsmlTile value, OsmlTile slope)
{
	Work		work = {.precision = precision,.hyper = dropout,.x = value,.z = slope};

	if (is_small((double) value.n * value.rows, LEAST_VALUES))
		plain->dropout(plain, precision, dropout, value, slope);
	else
		osml_team_run(self->team, dropout_part, &work);
}

void
osml_cpu_use_team(OsmlBackend *backend, OsmlTeam *team)
{
	backend->team = team;
	backend->affine = team_affine;
	backend->affine_grad = team_affine_grad;
	backend->optim_step = team_optim_step;
	backend->scale = team_scale;
	backend->dense = team_dense;
	backend->dense_grad = team_dense_grad;
	backend->dense_back = team_dense_back;
	backend->activate = team_activate;
	backend->multiply = team_multiply;
	backend->dropout = team_dropout;
	backend->sums = team_sums;
	backend->comoments = team_comoments;
	backend->map = team_map;
	backend->unmap = team_unmap;
}
