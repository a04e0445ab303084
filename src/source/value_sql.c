/*
 * value_sql.c
 *	  SQL over a value whose type may be somebody else's: see value_sql.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "source/value_sql.h"

char *
osml_value_text(const char *value, Oid type)
{
	/* nobody but a superuser gives a built-in type a cast to another */
	if (getBaseType(type) < FirstNormalObjectId)
		return psprintf("%s::pg_catalog.text", value);
	return psprintf("CASE WHEN pg_catalog.num_nulls(%s) OPERATOR(pg_catalog.=) 0 THEN pg_catalog.concat(%s) END",
					value, value);
}

bool
osml_value_readable(Oid type)
{
	Oid			inside;

	type = getBaseType(type);
	if (type < FirstNormalObjectId)
		return true;
	inside = type_is_range(type) ? get_range_subtype(type) :
		type_is_multirange(type) ? get_multirange_range(type) : get_element_type(type);
	if (OidIsValid(inside))
		return get_typtype(inside) != TYPTYPE_DOMAIN && osml_value_readable(inside);
	return get_typtype(type) == TYPTYPE_BASE || get_typtype(type) == TYPTYPE_ENUM;
}

char *
osml_value_literal(const char *text, Oid type)
{
	/* without a length, which character would have */
	return psprintf("%s::%s", quote_literal_cstr(text),
					format_type_extended(getBaseType(type), -1,
										 FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
}

char *
osml_value_compare(const char *left, Oid operator, const char *right)
{
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	Form_pg_operator form;
	char	   *sql;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", operator);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	/* The one for all types of a kind competes with those that casts lead to.  Its
	 * function has a name of its own, and no index, which a column of enums seldom has. */
	if (IsPolymorphicType(form->oprleft) || form->oprleft == RECORDOID)
		sql = psprintf("%s(%s, %s)",
					   quote_qualified_identifier(get_namespace_name(get_func_namespace(form->oprcode)),
												  get_func_name(form->oprcode)),
					   left, right);
	else
		sql = psprintf("%s OPERATOR(%s.%s) %s", left,
					   quote_identifier(get_namespace_name(form->oprnamespace)),
					   NameStr(form->oprname), right);
	ReleaseSysCache(tuple);
	return sql;
}
