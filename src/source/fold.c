/*
 * fold.c
 *	  Types whose values are equal in upper and lower case; see fold.h.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"

#include "source/fold.h"

/* The extension says so: anybody may call a type of his own citext. */
bool
osml_type_folds(Oid type)
{
	Oid			base = getBaseType(type);
	Oid			extension;
	char	   *name;

	if (base < FirstNormalObjectId || OidIsValid(get_element_type(base)))
		return false;
	extension = getExtensionOfObject(TypeRelationId, base);
	name = OidIsValid(extension) ? get_extension_name(extension) : NULL;
	return name && strcmp(name, "citext") == 0;
}

/* By the database's own collation, as citext does. */
char *
osml_fold_text(const char *text, int length)
{
	return str_tolower(text, length, DEFAULT_COLLATION_OID);
}
