/*
 * transform_log1p.c
 *	  log(1 + x), for amounts and counts.  NULL where there is none: x <= -1.
 */
#include "features/transforms.h"

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	for (int i = 0; i < n; i++)
	{
		double		x = in->number[i];

		out->number[i] = isnan(x) ? x : x > -1 ? log1p(x) : osml_missing();
	}
}

const OsmlTransform osml_transform_log1p = {
	.name = "log1p",
	.meaning = "the natural logarithm of 1 + x; NULL for -1 and less",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 1,
	.max_inputs = 1,
	.keeps_null = true,
	.run = run,
};
