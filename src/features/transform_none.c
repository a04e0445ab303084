/*
 * transform_none.c
 *	  A number as it is.  Its use is to keep a run from scaling a feature.
 */
#include <string.h>

#include "features/transforms.h"

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	memcpy(out->number, in->number, (size_t) n * sizeof(double));
}

const OsmlTransform osml_transform_none = {
	.name = "none",
	.meaning = "the number as it is, not scaled",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 1,
	.max_inputs = 1,
	.keeps_null = true,
	.scales = true,
	.keeps_unit = true,
	.run = run,
};
