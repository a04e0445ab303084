/*
 * mlp_explain.c
 *	  What each column adds to a perceptron's output: integrated gradients.
 *
 * The output's gradient is integrated along the straight line from the average row
 * to the row, in the space of the first layer's inputs, where a category is the
 * point its embedding says; what its units add is what the column adds.  Of the
 * methods whose parts sum up to the whole this one needs no random draws, takes
 * inputs of any number, and agrees with weight times distance where the network
 * is linear.
 *
 * The line is cut in halves until the integral over a piece, by three points of
 * Gauss and Legendre, is the difference of the outputs at its ends: nearly at
 * once where the network is smooth or linear, close around each kink of a relu.
 * Everything is computed in float64, of a float32 network too, whose rounding
 * would hide how good a piece is.
 *
 * Source: Sundararajan, Taly and Yan, "Axiomatic Attribution for Deep Networks",
 * ICML 2017.
 */
#include "model/mlp.h"

#include <math.h>

/* pieces to begin with, and how many are looked at together */
#define FIRST_PIECES 8
#define TOGETHER 16
#define POINTS 3

/* pieces that wait at most, and those looked at in all; beyond, a piece counts as
 * it is */
#define MAX_WAITING 1024
#define MAX_PIECES 16384

/*
 * A piece may be off by so much of the whole, for its share of the line, but for
 * one of 1 / 1024 at least: together at most twice that with up to 1,024 kinks.
 */
#define TOLERANCE 5e-7
#define LEAST_SHARE (1.0 / 1024)

/* nodes in [0, 1] and weights of Gauss and Legendre; the second is the middle */
static const double nodes[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double weights[POINTS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/* from lo to lo + width of the line, and the outputs at both ends */
typedef struct Piece
{
	double		lo;
	double		width;
	double		low_output;
	double		high_output;
} Piece;

/* the line, and the network behind the embeddings */
typedef struct Line
{
	OsmlModelSpec head;			/* the embeddings' units are dense columns of it */
	OsmlMlp		mlp;
	const void *params;
	const double *mix;			/* of outputs that is explained, called the output */
	osml_pause_fn pause;
	OsmlMlpRows rows;			/* TOGETHER * POINTS */
	OsmlMlpNorm norm;
	double	   *start;			/* inputs of the average row */
	double	   *way;			/* from there to the row's */
	double	   *sum;			/* integrals of pieces that are done, times way */
	double	   *part;			/* of one piece */
	Piece	   *waiting;
	double	   *wide;			/* parameters of a float32 network */
} Line;

/* values of all embeddings, which come first in the parameter vector */
static size_t
embedding_values(const OsmlModelSpec *spec)
{
	size_t		n = 0;

	for (int k = 0; k < spec->layout.n_codes; k++)
		n += (size_t) spec->layout.code_sizes[k] * (size_t) osml_mlp_embedding_width(spec, k);
	return n;
}

/* the network from its first layer's inputs on; line->mlp keeps a pointer into line */
static void
lay_out(Line *line, const OsmlModelSpec *spec, OsmlMlpScratch *scratch)
{
	OsmlMlp		whole = osml_mlp_plan(spec);
	int			n_in = whole.layer[0].n_in;
	size_t		inputs = (size_t) n_in * sizeof(double);

	line->head = *spec;
	line->head.layout = (OsmlLayout)
	{
		.n_dense = n_in
	};
	line->head.precision = OSML_FLOAT64;
	line->mlp = osml_mlp_plan(&line->head);
	line->norm = osml_mlp_take_norm(&line->mlp, scratch);
	line->rows = (OsmlMlpRows)
	{
		.lo = 0
	};
	for (int l = 0; l <= line->mlp.n_layers; l++)
	{
		int			columns = l == 0 ? n_in : line->mlp.layer[l - 1].n_out;

		line->rows.value[l] = osml_mlp_take_columns(&line->mlp, scratch, TOGETHER * POINTS,
													columns);
		line->rows.slope[l] = osml_mlp_take_columns(&line->mlp, scratch, TOGETHER * POINTS,
													columns);
	}
	line->start = osml_mlp_take(scratch, inputs);
	line->way = osml_mlp_take(scratch, inputs);
	line->sum = osml_mlp_take(scratch, inputs);
	line->part = osml_mlp_take(scratch, inputs);
	line->waiting = osml_mlp_take(scratch, MAX_WAITING * sizeof(Piece));
	line->wide = osml_mlp_take(scratch, spec->precision == OSML_FLOAT64 ? 0 :
							   line->mlp.n_values * sizeof(double));
}

size_t
osml_mlp_explain_scratch(const OsmlModelSpec *spec)
{
	OsmlMlpScratch scratch = {NULL, 0};
	Line		line;

	lay_out(&line, spec, &scratch);
	return scratch.used;
}

/* the parameters of the layers, in float64 */
static void
set_params(Line *line, const OsmlModelSpec *spec, const void *params)
{
	size_t		first = embedding_values(spec);

	if (spec->precision == OSML_FLOAT64)
	{
		line->params = (const double *) params + first;
		return;
	}
	for (size_t i = 0; i < line->mlp.n_values; i++)
		line->wide[i] = ((const float *) params)[first + i];
	line->params = line->wide;
}

/* the two ends of the line */
static void
set_ends(Line *line, const OsmlModelSpec *spec, const void *params, const double *row,
		 const int32_t *codes, const OsmlAverageRow *average)
{
	int			n = spec->layout.n_dense;

	for (int j = 0; j < n; j++)
	{
		line->start[j] = average->dense[j];
		line->way[j] = row[j] - average->dense[j];
	}
	for (int k = 0, at = 0; k < spec->layout.n_codes; k++)
	{
		int			width = osml_mlp_embedding_width(spec, k);

		osml_code_values(spec, params, k, codes[k], line->way + n + at);
		for (int j = at; j < at + width; j++)
		{
			line->start[n + j] = average->codes[j];
			line->way[n + j] -= average->codes[j];
		}
		at += width;
	}
}

/* row r of the tile is the point t of the line, whose start is one however far it goes */
static void
set_point(Line *line, int r, double t)
{
	OsmlTile	x = line->rows.value[0];

	for (int j = 0; j < x.n; j++)
		((double *) x.values)[(size_t) j * x.stride + (size_t) r] =
			t > 0 ? line->start[j] + t * line->way[j] : line->start[j];
}

/* outputs of the first n points */
static void
go_forward(Line *line, int n)
{
	const OsmlBackend *backend = &osml_backend_cpu;

	osml_mlp_set_rows(&line->mlp, &line->rows, NULL, 0, n);
	for (int l = 0; l < line->mlp.n_layers; l++)
	{
		OsmlTile	x = line->rows.value[l];

		if (line->head.network.batch_norm)
		{
			osml_mlp_running_norm(&line->mlp, line->params, l, &line->norm);
			backend->map(backend, OSML_FLOAT64, x, line->norm.center, line->norm.factor,
						 line->norm.shift, x);
		}
		osml_mlp_forward(&line->mlp, backend, line->params, &line->rows, l, x, false);
	}
}

/* and the output's slopes at them, which take the place of the inputs */
static void
go_back(Line *line)
{
	const OsmlBackend *backend = &osml_backend_cpu;
	OsmlTile	last = line->rows.slope[line->mlp.n_layers];

	for (int k = 0; k < last.n; k++)
		for (int r = 0; r < last.rows; r++)
			((double *) last.values)[(size_t) k * last.stride + (size_t) r] = line->mix[k];
	for (int l = line->mlp.n_layers - 1; l >= 0; l--)
	{
		OsmlTile	x = line->rows.value[l];

		osml_mlp_back(&line->mlp, backend, line->params, &line->rows, l, x);
		if (line->head.network.batch_norm)
		{
			osml_mlp_running_norm(&line->mlp, line->params, l, &line->norm);
			for (int j = 0; j < x.n; j++)
				line->norm.center[j] = line->norm.shift[j] = 0;
			backend->map(backend, OSML_FLOAT64, x, line->norm.center, line->norm.factor,
						 line->norm.shift, x);
		}
		if (l > 0)
			backend->multiply(backend, OSML_FLOAT64, line->rows.slope[l], x);
	}
}

static double
output_at(const Line *line, int r)
{
	OsmlTile	z = line->rows.value[line->mlp.n_layers];
	double		sum = 0;

	for (int k = 0; k < z.n; k++)
		sum += line->mix[k] * ((const double *) z.values)[(size_t) k * z.stride + (size_t) r];
	return sum;
}

/* slopes along these pieces */
static void
look_at(Line *line, const Piece *pieces, int n)
{
	if (line->pause)
		line->pause();
	for (int i = 0; i < n; i++)
		for (int q = 0; q < POINTS; q++)
			set_point(line, i * POINTS + q, pieces[i].lo + nodes[q] * pieces[i].width);
	go_forward(line, n * POINTS);
	go_back(line);
}

/* the integral over piece i of those that were looked at, to line->part; its sum */
static double
integrate(Line *line, const Piece *piece, int i)
{
	OsmlTile	slope = line->rows.value[0];
	double		total = 0;

	for (int j = 0; j < slope.n; j++)
	{
		const double *at = (const double *) slope.values + (size_t) j * slope.stride +
			i * POINTS;
		double		mean = 0;

		for (int q = 0; q < POINTS; q++)
			mean += weights[q] * at[q];
		line->part[j] = mean * piece->width * line->way[j];
		total += line->part[j];
	}
	return total;
}

static void
add_part(Line *line)
{
	for (int j = 0; j < line->head.layout.n_dense; j++)
		line->sum[j] += line->part[j];
}

/* pieces of equal width that make up the line, last on top */
static void
cut_line(Line *line)
{
	for (int i = 0; i <= FIRST_PIECES; i++)
		set_point(line, i, (double) i / FIRST_PIECES);
	go_forward(line, FIRST_PIECES + 1);
	for (int i = 0; i < FIRST_PIECES; i++)
		line->waiting[i] = (Piece)
	{
		(double) i / FIRST_PIECES, 1.0 / FIRST_PIECES, output_at(line, i),
			output_at(line, i + 1)
	};
}

/* what errors are measured by: the sum of what the columns add, roughly, without sign */
static double
measure_line(Line *line)
{
	double		size = fabs(line->waiting[FIRST_PIECES - 1].high_output -
							line->waiting[0].low_output);

	memset(line->sum, 0, (size_t) line->head.layout.n_dense * sizeof(double));
	look_at(line, line->waiting, FIRST_PIECES);
	for (int i = 0; i < FIRST_PIECES; i++)
	{
		integrate(line, &line->waiting[i], i);
		add_part(line);
	}
	for (int j = 0; j < line->head.layout.n_dense; j++)
		size += fabs(line->sum[j]);
	memset(line->sum, 0, (size_t) line->head.layout.n_dense * sizeof(double));
	return size;
}

/* is the integral of a piece what its ends say?  NaN is as good as it gets. */
static bool
good_enough(const Piece *piece, double integral, double size)
{
	double		share = piece->width > LEAST_SHARE ? piece->width : LEAST_SHARE;

	return !(fabs(integral - (piece->high_output - piece->low_output)) >
			 TOLERANCE * share * size);
}

/* integrate along the whole line: pieces come from the top of those that wait, and
 * the halves of one that is not good enough go back there */
static void
walk_line(Line *line, double size)
{
	int			n_waiting = FIRST_PIECES;
	int			n_pieces = 0;
	Piece		pieces[TOGETHER];
	double		middle[TOGETHER];

	while (n_waiting > 0)
	{
		int			n = n_waiting < TOGETHER ? n_waiting : TOGETHER;

		n_waiting -= n;
		n_pieces += n;
		memcpy(pieces, line->waiting + n_waiting, (size_t) n * sizeof(Piece));
		look_at(line, pieces, n);
		for (int i = 0; i < n; i++)
			middle[i] = output_at(line, i * POINTS + 1);
		for (int i = 0; i < n; i++)
		{
			const Piece *p = &pieces[i];
			double		half = p->width / 2;

			if (good_enough(p, integrate(line, p, i), size) || n_pieces > MAX_PIECES ||
				n_waiting + 2 > MAX_WAITING || p->lo + half == p->lo)
			{
				add_part(line);
				continue;
			}
			line->waiting[n_waiting++] = (Piece)
			{
				p->lo, half, p->low_output, middle[i]
			};
			line->waiting[n_waiting++] = (Piece)
			{
				p->lo + half, half, middle[i], p->high_output
			};
		}
	}
}

double
osml_mlp_explain(const OsmlModelSpec *spec, const void *params, const double *row,
				 const int32_t *codes, const OsmlAverageRow *average, const double *mix,
				 double *out, void *scratch, osml_pause_fn pause)
{
	int			n = spec->layout.n_dense;
	OsmlMlpScratch area = {scratch, 0};
	Line		line;
	double		base;

	lay_out(&line, spec, &area);
	line.mix = mix;
	line.pause = pause;
	set_params(&line, spec, params);
	set_ends(&line, spec, params, row, codes, average);
	cut_line(&line);
	base = line.waiting[0].low_output;
	walk_line(&line, measure_line(&line));
	memcpy(out, line.sum, (size_t) n * sizeof(double));
	for (int c = 0, at = n; c < spec->layout.n_codes; c++)
	{
		out[n + c] = 0;
		for (int width = osml_mlp_embedding_width(spec, c); width > 0; width--)
			out[n + c] += line.sum[at++];
	}
	return base;
}
