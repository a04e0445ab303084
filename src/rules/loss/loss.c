/*
 * loss.c
 *	  The table behind loss.h.
 */
#include "rules/loss/loss.h"

const OsmlLossInfo osml_losses[] = {
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, link, meaning) \
	{name, meaning, is_squared, uses_param, unit_power, OSML_LINK_##link},
#include "rules/loss/list.h"
#undef OSML_LOSS
#define OSML_CLASS_LOSS(symbol, function, name, link, meaning) \
	{name, meaning, false, false, 0, OSML_LINK_##link},
#include "rules/loss/classes/list.h"
#undef OSML_CLASS_LOSS
};

/* the loss of that name, whatever its case, or -1 */
int
osml_loss_by_name(const char *name)
{
	for (int i = 0; i < OSML_LOSS_COUNT; i++)
	{
		if (osml_name_compare(name, osml_losses[i].name) == 0)
			return i;
	}
	return -1;
}

/* the name as users write it */
const char *
osml_loss_name(OsmlLoss loss)
{
	return osml_losses[loss].name;
}

/* whether the loss is a sum of squares */
bool
osml_loss_is_squared(OsmlLoss loss)
{
	return osml_losses[loss].is_squared;
}

/* each loss in float64, without its slope */
static double (*const loss_functions[]) (double, double, double, double *) = {
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, link, meaning) \
	function##_f64,
#include "rules/loss/list.h"
#undef OSML_LOSS
};

/* and those by class */
static double (*const class_functions[]) (int, size_t, const double *, double, double *) = {
#define OSML_CLASS_LOSS(symbol, function, name, link, meaning) function##_f64,
#include "rules/loss/classes/list.h"
#undef OSML_CLASS_LOSS
};

/* loss of one row, for reports */
double
osml_loss_value(OsmlLoss loss, int n_outputs, size_t stride, const double *z, double y,
				double param)
{
	double		slope[OSML_MAX_CLASSES];
	double		row[OSML_MAX_CLASSES];

	if (!osml_loss_by_class(loss))
		return loss_functions[loss] (z[0], y, param, slope);
	row[0] = z[0];
	for (int c = 1; c < n_outputs; c++)
		row[c] = z[(size_t) c * stride];
	return class_functions[loss - OSML_ROW_LOSS_COUNT] (n_outputs, 1, row, y, slope);
}

/*
 * label_scale to the power of the loss's units: a squared error of labels
 * divided by s is s^2 times smaller than one in dollars.
 */
double
osml_loss_unit(OsmlLoss loss, double label_scale)
{
	double		unit = 1.0;

	for (int i = 0; i < osml_losses[loss].unit_power; i++)
		unit *= label_scale;
	return unit;
}
