/*
 * array.c
 *	  An array's elements to a model's features, by position.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "api/call_site.h"

/* Raise: too many or too few values. */
static void
wrong_length(const OsmlBinding *binding, int n)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg_plural("model \"%s\" takes %d value, not %d",
						   "model \"%s\" takes %d values, not %d",
						   binding->loaded->set.layout.n_dense,
						   binding->loaded->model,
						   binding->loaded->set.layout.n_dense, n),
			 errdetail("In this order: %s.", osml_loaded_columns(binding->loaded)),
			 errhint("Pass a row instead, and the columns are found by name.")));
}

/* The element type's converter, looked up once. */
static OsmlDecode
element_decode(OsmlBinding *binding, Oid element)
{
	if (binding->decode == NULL || binding->element != element)
	{
		binding->decode = osml_decode_for(element);
		binding->element = element;
	}
	if (binding->decode == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("elements of type %s are not numbers", format_type_be(element)),
				 errdetail("Accepted types are %s.", osml_decode_types())));
	return binding->decode;
}

/* Any element type, and NULLs among the elements. */
static bool
take_elements(OsmlBinding *binding, ArrayType *array, OsmlDecode decode)
{
	int16		length;
	bool		by_value;
	char		align;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align,
					  &values, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i] && !binding->loaded->impute)
			return false;
		binding->raw[i] = nulls[i] ? osml_missing() : decode(values[i]);
	}
	pfree(values);
	pfree(nulls);
	return true;
}

/* The usual array, of float8 without NULLs, is used in place. */
bool
osml_take_array(OsmlBinding *binding, ArrayType *array, const double **raw)
{
	OsmlDecode	decode = element_decode(binding, ARR_ELEMTYPE(array));
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (n != binding->loaded->set.layout.n_dense)
		wrong_length(binding, n);
	if (ARR_ELEMTYPE(array) == FLOAT8OID && !ARR_HASNULL(array))
	{
		*raw = (const double *) ARR_DATA_PTR(array);
		return true;
	}
	*raw = binding->raw;
	return take_elements(binding, array, decode);
}
