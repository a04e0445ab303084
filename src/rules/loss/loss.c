/*
 * loss.c
 *	  The table behind loss.h.
 */
#include "rules/loss/loss.h"

const OsmlLossInfo osml_losses[] = {
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, meaning) \
	{name, meaning, is_squared, uses_param, unit_power},
#include "rules/loss/list.h"
#undef OSML_LOSS
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
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, meaning) \
	function##_f64,
#include "rules/loss/list.h"
#undef OSML_LOSS
};

/* loss of one row, for reports */
double
osml_loss_value(OsmlLoss loss, double z, double y, double param)
{
	double		slope;

	return loss_functions[loss] (z, y, param, &slope);
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
