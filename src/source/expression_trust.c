/*
 * expression_trust.c
 *	  Whose objects an expression may be made of: see expression_trust.h.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "miscadmin.h"
#include "utils/syscache.h"

#include "compat.h"
#include "source/expression_trust.h"

/* "function s.f(integer)" */
static const char *
describe(Oid catalog, Oid object)
{
	ObjectAddress address;

	ObjectAddressSet(address, catalog, object);
	return getObjectDescription(&address, false);
}

/* An attribute of the object that is the oid of something else. */
static Oid
attribute(Oid catalog, Oid object, AttrNumber number)
{
	int			cache = get_object_catcache_oid(catalog);
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(object));
	bool		isnull;
	Oid			value;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for object %u of catalog %u", object, catalog);
	value = DatumGetObjectId(SysCacheGetAttr(cache, tuple, number, &isnull));
	ReleaseSysCache(tuple);
	return value;
}

void
osml_expression_trust(Oid catalog, Oid object, Oid owner, const char *feature)
{
	Oid			holder;

	if (object < FirstNormalObjectId)
		return;
	if (isAnyTempNamespace(attribute(catalog, object, get_object_attnum_namespace(catalog))))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("%s in the expression of feature \"%s\" is temporary",
						describe(catalog, object), feature),
				 errhint("Create it in a schema that other sessions see.")));
	holder = attribute(catalog, object, get_object_attnum_owner(catalog));
	if (holder == owner || superuser_arg(holder))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("%s in the expression of feature \"%s\" belongs to role \"%s\"",
					describe(catalog, object), feature, GetUserNameFromId(holder, false)),
			 errdetail("The expression runs as role \"%s\", and so would whatever its owner "
					   "makes of it.", GetUserNameFromId(owner, false)),
			 errhint("Use what belongs to \"%s\" or to a superuser.",
					 GetUserNameFromId(owner, false))));
}
