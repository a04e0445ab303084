/*
 * sums_codes.c
 *	  Sums over one-hot columns that nobody writes out; see sums_codes.h.
 *
 * The product of a dense column x with category a is the sum of x - mean(x)
 * over the rows of a: the dense side alone needs centring.  A block's rows are
 * strung by code, so that each category adds its part of the block once, and
 * errors grow with blocks and not with rows.
 */
#include "compute/sums_codes.h"

#include <math.h>

/* values of together; SIZE_MAX: more than can be counted */
size_t
osml_sums_pairs(const OsmlLayout *layout)
{
	size_t		before = 0;
	size_t		pairs = 0;

	for (int k = 0; k < layout->n_codes; k++)
	{
		size_t		size = (size_t) layout->code_sizes[k];
		size_t		more;

		if (__builtin_mul_overflow(size, before, &more) ||
			__builtin_add_overflow(pairs, more, &pairs))
			return SIZE_MAX;
		before += size;
	}
	return pairs;
}

/* fill table, owner and pair_at */
void
osml_sums_number_codes(OsmlSums *sums, const OsmlLayout *layout)
{
	size_t		pairs = 0;

	sums->table[0] = 0;
	for (int k = 0; k < layout->n_codes; k++)
	{
		int			first = sums->table[k];
		int			size = layout->code_sizes[k];

		sums->table[k + 1] = first + size;
		sums->pair_at[k] = pairs;
		pairs += (size_t) size * (size_t) first;
		for (int c = 0; c < size; c++)
			sums->owner[first + c] = k;
	}
}

/* a string's first row for each code of the longest table, each row's next one */
size_t
osml_sums_codes_scratch(const OsmlLayout *layout)
{
	int32_t		longest = 0;

	for (int k = 0; k < layout->n_codes; k++)
		longest = layout->code_sizes[k] > longest ? layout->code_sizes[k] : longest;
	return layout->n_codes == 0 ? 0 :
		((size_t) longest + OSML_BLOCK_ROWS) * sizeof(int32_t);
}

/* string the rows of each code, in their order; -1 ends a string */
static void
string_rows(int n, const int32_t *code, int size, int32_t *first, int32_t *next)
{
	memset(first, 0xff, (size_t) size * sizeof(int32_t));
	for (int32_t r = n - 1; r >= 0; r--)
	{
		next[r] = first[code[r]];
		first[code[r]] = r;
	}
}

/* the sum of a column over a string of rows */
static double
string_sum(const double *x, int32_t row, const int32_t *next)
{
	double		sum = 0;

	for (; row >= 0; row = next[row])
		sum += x[row];
	return sum;
}

/*
 * What moving a category's centre adds to its products, as a multiple of delta:
 * n rows, rows of them with the category, join sums that have n and rows so far.
 */
static double
centre_move(double n_before, double rows_before, double n, double rows)
{
	return (n_before * rows - n * rows_before) / (n_before + n);
}

/* one category's part of a block: its rows are strung from first */
static void
add_category(OsmlSums *sums, int category, int n, const double *centred,
			 int stride, const double *delta, int32_t first, const int32_t *next)
{
	int			d = sums->n_dense;
	double	   *cx = sums->cx + (size_t) category * (size_t) d;
	double		rows = 0;
	double		move;

	for (int32_t r = first; r >= 0; r = next[r])
		rows++;
	move = centre_move((double) sums->n, sums->count[category], n, rows);
	for (int j = 0; j < d; j++)
		cx[j] += string_sum(centred + (size_t) j * (size_t) stride, first, next) +
			move * delta[j];
	sums->xy[d + category] +=
		string_sum(centred + (size_t) d * (size_t) stride, first, next) +
		move * delta[d];
	sums->count[category] += rows;
}

/* count a block's rows for each pair of a category of column k and one before */
static void
count_pairs(OsmlSums *sums, const OsmlLayout *layout, const OsmlBlock *raw, int k)
{
	const int32_t *code = osml_block_codes(raw, layout, k);
	size_t		length = (size_t) sums->table[k];

	for (int before = 0; before < k; before++)
	{
		const int32_t *other = osml_block_codes(raw, layout, before);
		double	   *together = sums->together + sums->pair_at[k] + sums->table[before];

		for (int r = 0; r < raw->nrows; r++)
			together[(size_t) code[r] * length + (size_t) other[r]]++;
	}
}

/* add a block's categories; see sums_codes.h */
void
osml_sums_codes(OsmlSums *sums, const OsmlLayout *layout, const OsmlBlock *raw,
				const double *centred, int stride, const double *delta,
				void *scratch)
{
	int32_t    *next = scratch;
	int32_t    *first = next + OSML_BLOCK_ROWS;

	for (int k = 0; k < layout->n_codes; k++)
	{
		int			size = layout->code_sizes[k];

		string_rows(raw->nrows, osml_block_codes(raw, layout, k), size, first, next);
		for (int c = 0; c < size; c++)
		{
			/* the rest of a large table has nothing to move yet */
			if (first[c] >= 0 || sums->count[sums->table[k] + c] > 0)
				add_category(sums, sums->table[k] + c, raw->nrows, centred,
							 stride, delta, first[c], next);
		}
		count_pairs(sums, layout, raw, k);
	}
}

/* add other sums' categories; see sums_codes.h */
void
osml_sums_merge_codes(OsmlSums *into, const OsmlSums *from, const double *delta)
{
	int			d = into->n_dense;
	int			categories = into->d - d;
	size_t		pairs = 0;

	for (int a = 0; a < categories; a++)
	{
		double	   *cx = into->cx + (size_t) a * (size_t) d;
		const double *other = from->cx + (size_t) a * (size_t) d;
		double		move = centre_move((double) into->n, into->count[a],
									   (double) from->n, from->count[a]);

		for (int j = 0; j < d; j++)
			cx[j] += other[j] + move * delta[j];
		into->xy[d + a] += from->xy[d + a] + move * delta[d];
		into->count[a] += from->count[a];
	}
	for (int k = 0; k < into->n_codes; k++)
		pairs += (size_t) (into->table[k + 1] - into->table[k]) * (size_t) into->table[k];
	for (size_t i = 0; i < pairs; i++)
		into->together[i] += from->together[i];
}

/* the categories' shares of sums->n rows */
void
osml_sums_shares(OsmlSums *sums)
{
	for (int j = sums->n_dense; j < sums->d; j++)
		sums->mean[j] = sums->count[j - sums->n_dense] / (double) sums->n;
}

/*
 * n_ab - n_a n_b / n.  The difference is taken of whole numbers, with what the
 * products lose in rounding put back: a category that all rows but few have
 * would lose its digits else, and one that all or no rows have is exactly 0.
 */
double
osml_sums_categories(const OsmlSums *sums, int a, int b)
{
	double		n = (double) sums->n;
	double		n_a = sums->count[a];
	double		n_b = sums->count[b];
	int			k = sums->owner[a > b ? a : b];
	double		both = 0;
	double		left;
	double		right;

	if (a == b)
		both = n_a;
	else if (sums->owner[a] != sums->owner[b])
	{
		size_t		high = (size_t) ((a > b ? a : b) - sums->table[k]);
		size_t		low = (size_t) (a > b ? b : a);

		both = sums->together[sums->pair_at[k] + high * (size_t) sums->table[k] + low];
	}
	left = both * n;
	right = n_a * n_b;
	return ((left - right) + (fma(both, n, -left) - fma(n_a, n_b, -right))) / n;
}
