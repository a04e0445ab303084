/*
 * scale.c
 *	  Raw columns to what a model sees; see scale.h.
 *
 * A block and a single row go through the same three operations in the same
 * order, so that a prediction has the bits that training had.
 */
#include "features/scale.h"

#include "compute/kernels.h"

/* one value of a float64 run: impute, centre, scale */
static inline __attribute__((always_inline)) double
prepare_wide(double x, double center, double scale, double impute)
{
	x = osml_is_missing(x) ? impute : x;
	return (x - center) / scale;
}

/*
 * One value of a float32 run.  Value and constants are narrowed first, since
 * that is what PyTorch does with float32 tensors: a float32 run follows it to
 * 1e-5 only so (38.9 degrees that vary by 0.01 lose four digits on the way).
 */
static inline __attribute__((always_inline)) float
prepare_narrow(double x, float center, float scale, double impute)
{
	x = osml_is_missing(x) ? impute : x;
	return ((float) x - center) / scale;
}

/* a divisor in float32; one too small for it counts as 0, and so as 1 */
static inline float
narrow_scale(double scale)
{
	return (float) scale == 0 ? 1 : (float) scale;
}

/* n values of one column, in place */
OSML_CLONES static void
osml_prepare_wide(int n, double center, double scale, double impute, double *x)
{
	for (int i = 0; i < n; i++)
		x[i] = prepare_wide(x[i], center, scale, impute);
}

/* the same where nothing is to be scaled: a division less per value */
OSML_CLONES static void
osml_prepare_unscaled(int n, double impute, double *x)
{
	for (int i = 0; i < n; i++)
		x[i] = osml_is_missing(x[i]) ? impute : x[i];
}

/* n values of one column of a float32 run */
OSML_CLONES static void
osml_prepare_narrow(int n, double center, double scale, double impute,
					const double *x, float *out)
{
	float		center_f = (float) center;
	float		scale_f = narrow_scale(scale);

	for (int i = 0; i < n; i++)
		out[i] = prepare_narrow(x[i], center_f, scale_f, impute);
}

/*
 * One column in place.  Narrow values come by way of the stack: the compiler
 * may assume that a float and a double never overlap.
 */
static void
prepare_column(OsmlPrecision precision, int n, double center, double scale,
			   double impute, double *x)
{
	float		narrow[OSML_BLOCK_ROWS];

	if (precision == OSML_FLOAT32)
	{
		osml_prepare_narrow(n, center, scale, impute, x, narrow);
		memcpy(x, narrow, (size_t) n * sizeof(float));
	}
	else if (center == 0 && scale == 1)
		osml_prepare_unscaled(n, impute, x);
	else
		osml_prepare_wide(n, center, scale, impute, x);
}

/* dense columns, label and weight of a raw block; codes stay as they are */
void
osml_prepare_block(const OsmlScaling *scaling, const OsmlLayout *layout,
				   OsmlPrecision precision, OsmlBlock *block)
{
	int			n = block->nrows;
	int			label = layout->n_dense;

	for (int j = 0; j < label; j++)
		prepare_column(precision, n, scaling->center[j], scaling->scale[j],
					   scaling->impute[j], osml_block_column(block, j));
	prepare_column(precision, n, scaling->label_center, scaling->label_scale,
				   osml_missing(), osml_block_column(block, label));
	if (layout->has_weight)
		prepare_column(precision, n, 0, 1, osml_missing(),
					   osml_block_column(block, label + 1));
	block->prepared = true;
}

/* one row: raw[n] to out[n]; the two may be the same array */
void
osml_prepare_row(const OsmlScaling *scaling, OsmlPrecision precision,
				 const double *raw, double *out)
{
	for (int j = 0; j < scaling->n; j++)
	{
		double		center = scaling->center[j];
		double		scale = scaling->scale[j];
		double		impute = scaling->impute[j];

		out[j] = precision == OSML_FLOAT32 ?
			prepare_narrow(raw[j], (float) center, narrow_scale(scale),
						   impute) :
			prepare_wide(raw[j], center, scale, impute);
	}
}

/* labels of rows [lo, hi) of a prepared block, in their own units */
void
osml_prepared_labels(const OsmlScaling *scaling, const OsmlLayout *layout,
					 OsmlPrecision precision, const OsmlBlock *block,
					 int lo, int hi, double *out)
{
	const double *wide = osml_block_label(block, layout);
	const float *narrow = (const float *) wide;

	for (int i = lo; i < hi; i++)
	{
		double		y = precision == OSML_FLOAT32 ? narrow[i] : wide[i];

		out[i - lo] = y * scaling->label_scale + scaling->label_center;
	}
}
