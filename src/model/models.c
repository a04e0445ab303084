/*
 * models.c
 *	  The kinds of model.  A new one is one file in this folder and one entry
 *	  here.
 */
#include "model/model.h"

#include "rules/rule.h"

const OsmlModelOps *const osml_models[] = {
	&osml_model_linear,
	NULL
};

/* the kind of that name, whatever its case, or NULL */
const OsmlModelOps *
osml_model_by_name(const char *name)
{
	for (int i = 0; osml_models[i] != NULL; i++)
	{
		if (osml_name_compare(name, osml_models[i]->name) == 0)
			return osml_models[i];
	}
	return NULL;
}
