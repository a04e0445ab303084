/*
 * activation.c
 *	  The table behind activation.h.
 */
#include "rules/activation/activation.h"

#include "rules/rule.h"

const OsmlActivationInfo osml_activations[] = {
#define OSML_ACTIVATION(symbol, function, name, meaning) {name, meaning},
#include "rules/activation/list.h"
#undef OSML_ACTIVATION
};

/* the activation of that name, whatever its case, or -1 */
int
osml_activation_by_name(const char *name)
{
	for (int i = 0; i < OSML_ACTIVATION_COUNT; i++)
	{
		if (osml_name_compare(name, osml_activations[i].name) == 0)
			return i;
	}
	return -1;
}

/* the name as users write it */
const char *
osml_activation_name(OsmlActivation activation)
{
	return osml_activations[activation].name;
}
