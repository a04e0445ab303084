/*
 * activation.h
 *	  The activations as numbers: the enum and the look-ups made from list.h.
 *
 * Next: list.h (the entries), relu.h (one of them).
 */
#ifndef OSML_ACTIVATION_H
#define OSML_ACTIVATION_H

/* first reading: bring in the rules' headers, outside of any enum */
#define OSML_ACTIVATION(symbol, function, name, meaning)
#include "rules/activation/list.h"
#undef OSML_ACTIVATION

typedef enum OsmlActivation
{
#define OSML_ACTIVATION(symbol, function, name, meaning) OSML_ACTIVATION_##symbol,
#include "rules/activation/list.h"
#undef OSML_ACTIVATION
	OSML_ACTIVATION_COUNT
} OsmlActivation;

typedef struct OsmlActivationInfo
{
	const char *name;			/* as users write it */
	const char *meaning;		/* one line for the documentation */
} OsmlActivationInfo;

/* OSML_ACTIVATION_COUNT entries, in the order of the enum; hints walk it */
extern const OsmlActivationInfo osml_activations[];

/* the activation of that name, whatever its case, or -1 */
extern int	osml_activation_by_name(const char *name);

extern const char *osml_activation_name(OsmlActivation activation);

#endif							/* OSML_ACTIVATION_H */
