/*
 * transform_great_circle.c
 *	  The distance between two places on a sphere of the Earth's mean radius,
 *	  given their latitudes and longitudes in degrees.
 *
 * The haversine formula is exact for near places too, where an arc cosine
 * would lose all digits.
 */
#include "features/transforms.h"

enum
{
	UNIT
};

static const char *const units[] = {"km", "mi", "m", NULL};

/* the mean radius of the Earth in each; an international mile has 1.609344 km */
static const double radius[] = {6371.0088, 6371.0088 / 1.609344, 6371008.8};

#define RADIANS (3.14159265358979323846 / 180)

static const OsmlParamDef params[] = {
	[UNIT] = {"unit", OSML_PARAM_CHOICE, .choices = units,.high = 2,.standard = 0,
		.meaning = "of the distance: kilometres, miles or metres"},
};

/* in radii */
static double
arc(double lat1, double lon1, double lat2, double lon2)
{
	double		north = sin((lat2 - lat1) * RADIANS / 2);
	double		east = sin((lon2 - lon1) * RADIANS / 2);
	double		h = north * north +
		cos(lat1 * RADIANS) * cos(lat2 * RADIANS) * (east * east);

	return 2 * asin(sqrt(h < 1 ? h : 1));
}

/*
 * NULL if a coordinate is, or is infinite; else NaN if one is NaN, always the
 * same one.
 */
static double
distance(double unit, double lat1, double lon1, double lat2, double lon2)
{
	const double at[4] = {lat1, lon1, lat2, lon2};
	bool		missing = false;
	bool		nan = false;
	bool		infinite = false;

	for (int i = 0; i < 4; i++)
	{
		missing = missing || osml_is_missing(at[i]);
		nan = nan || isnan(at[i]);
		infinite = infinite || isinf(at[i]);
	}
	if (missing)
		return osml_missing();
	if (nan)
		return NAN;
	return infinite ? osml_missing() : unit * arc(lat1, lon1, lat2, lon2);
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	double		unit = radius[(int) osml_step_number(step, UNIT)];

	for (int i = 0; i < n; i++)
		out->number[i] = distance(unit, in[0].number[i], in[1].number[i],
								  in[2].number[i], in[3].number[i]);
}

const OsmlTransform osml_transform_great_circle = {
	.name = "great_circle",
	.meaning = "the distance of two places: inputs are lat1, lon1, lat2, lon2 in degrees",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 4,
	.max_inputs = 4,
	.keeps_null = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.run = run,
};
