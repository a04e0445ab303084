/*
 * loss.h
 *	  The losses as numbers: the enum and the look-ups made from list.h.
 *
 * Next: list.h (the entries), mse.h (one of them), compute/kernel_loss.h (the
 * loops over rows).
 */
#ifndef OSML_LOSS_H
#define OSML_LOSS_H

#include <stdbool.h>

/* first reading: bring in the rules' headers, outside of any enum */
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, meaning)
#include "rules/loss/list.h"
#undef OSML_LOSS

typedef enum OsmlLoss
{
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, meaning) \
	OSML_LOSS_##symbol,
#include "rules/loss/list.h"
#undef OSML_LOSS
	OSML_LOSS_COUNT
} OsmlLoss;

typedef struct OsmlLossInfo
{
	const char *name;			/* as users write it */
	const char *meaning;		/* one line for the documentation */
	bool		is_squared;
	bool		uses_param;
	int			unit_power;
} OsmlLossInfo;

/* OSML_LOSS_COUNT entries, in the order of the enum; hints walk it */
extern const OsmlLossInfo osml_losses[];

/* the loss of that name, or -1 */
extern int	osml_loss_by_name(const char *name);

extern const char *osml_loss_name(OsmlLoss loss);
extern bool osml_loss_is_squared(OsmlLoss loss);

/* loss of one row, for reports; kernels use the rules' inline functions */
extern double osml_loss_value(OsmlLoss loss, double z, double y, double param);

/* what turns a loss of scaled labels into one in the label's own units */
extern double osml_loss_unit(OsmlLoss loss, double label_scale);

#endif							/* OSML_LOSS_H */
