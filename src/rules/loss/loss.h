/*
 * loss.h
 *	  The losses as numbers: the enum and the look-ups made from list.h.
 *
 * Next: list.h and classes/list.h (the entries), mse.h (one of them), compute/kernel_loss.h (the
 * loops over rows).
 */
#ifndef OSML_LOSS_H
#define OSML_LOSS_H

#include <stdbool.h>
#include <stddef.h>

#include "rules/loss/link.h"

/* first reading: bring in the rules' headers, outside of any enum */
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, link, meaning)
#include "rules/loss/list.h"
#undef OSML_LOSS
#define OSML_CLASS_LOSS(symbol, function, name, link, meaning)
#include "rules/loss/classes/list.h"
#undef OSML_CLASS_LOSS

typedef enum OsmlLoss
{
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, link, meaning) \
	OSML_LOSS_##symbol,
#include "rules/loss/list.h"
#undef OSML_LOSS
	OSML_ROW_LOSS_COUNT,		/* losses of one output */
	OSML_BEFORE_CLASS_LOSSES = OSML_ROW_LOSS_COUNT - 1,
#define OSML_CLASS_LOSS(symbol, function, name, link, meaning) OSML_LOSS_##symbol,
#include "rules/loss/classes/list.h"
#undef OSML_CLASS_LOSS
	OSML_LOSS_COUNT
} OsmlLoss;

/* a label has at most so many classes */
#define OSML_MAX_CLASSES 1000

typedef struct OsmlLossInfo
{
	const char *name;			/* as users write it */
	const char *meaning;		/* one line for the documentation */
	bool		is_squared;
	bool		uses_param;
	int			unit_power;
	OsmlLink	link;
} OsmlLossInfo;

/* OSML_LOSS_COUNT entries, in the order of the enum; hints walk it */
extern const OsmlLossInfo osml_losses[];

/* the loss of that name, or -1 */
extern int	osml_loss_by_name(const char *name);

extern const char *osml_loss_name(OsmlLoss loss);
extern bool osml_loss_is_squared(OsmlLoss loss);

/* has it one output a class? */
static inline bool
osml_loss_by_class(OsmlLoss loss)
{
	return loss >= OSML_ROW_LOSS_COUNT;
}

/* loss of one row, for reports; kernels use the rules' inline functions.  Output
 * k of the row is z[k * stride]; n_outputs is 1 unless the loss is by class. */
extern double osml_loss_value(OsmlLoss loss, int n_outputs, size_t stride,
							  const double *z, double y, double param);

/* what turns a loss of scaled labels into one in the label's own units */
extern double osml_loss_unit(OsmlLoss loss, double label_scale);

#endif							/* OSML_LOSS_H */
