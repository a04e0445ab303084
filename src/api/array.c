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
			 errdetail("In this order: %s.", osml_loaded_values(binding->loaded)),
			 errhint("Pass a row instead, and the columns are found by name.")));
}

/* A date or time must be what each number is made of: elsewhere it counts otherwise. */
static void
check_time(const OsmlBinding *binding, Oid element)
{
	const OsmlFeatureSet *set = &binding->loaded->set;

	for (int i = 0; i < set->n_inputs; i++)
	{
		const OsmlInput *input = &set->inputs[i];
		Oid			type = input->kind == OSML_INPUT_KEY || input->column < 0 ? InvalidOid :
			osml_row_number_type(set, input);

		if (!osml_decode_alike(element, type))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("elements have type %s here, but \"%s\" of %s \"%s\" has type %s",
							format_type_be(element), input->name, binding->loaded->kind,
							binding->loaded->model, format_type_be(type)),
					 errhint("Pass a row instead, and the columns are found by name.")));
	}
}

/* The element type's converter, looked up once. */
static OsmlDecode
element_decode(OsmlBinding *binding, Oid element)
{
	if (binding->decode == NULL || binding->element != element)
	{
		if (osml_decode_unit(element) != OSML_UNIT_NONE)
			check_time(binding, element);
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

/* Raise: the model reads more than numbers. */
static void
not_positional(const OsmlBinding *binding)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("model \"%s\" reads more than numbers, so an array cannot give its values",
					binding->loaded->model),
			 errdetail("It needs the columns %s.", osml_loaded_columns(binding->loaded)),
			 errhint("Pass a row instead, and the columns are found by name.")));
}

/* Can values come by position: is every input a column of numbers? */
static bool
is_positional(const OsmlFeatureSet *set)
{
	for (int i = 0; i < set->n_inputs; i++)
	{
		if (set->inputs[i].kind == OSML_INPUT_KEY || set->inputs[i].column < 0)
			return false;
	}
	return true;
}

/* Any element type, and NULLs among the elements. */
static void
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
		binding->raw[i] = nulls[i] ? osml_missing() : decode(values[i]);
	pfree(values);
	pfree(nulls);
}

/* Raise, unless n values by position are what the model takes. */
static void
check_positional(OsmlBinding *binding, int n)
{
	if (!binding->positional)
	{
		if (!is_positional(&binding->loaded->set))
			not_positional(binding);
		binding->positional = true;
	}
	if (n != binding->loaded->set.layout.n_dense)
		wrong_length(binding, n);
}

const double *
osml_take_values(OsmlBinding *binding, FunctionCallInfo fcinfo, int first)
{
	const NullableDatum *values = &fcinfo->args[first];
	int			n = PG_NARGS() - first;
	OsmlDecode	decode = binding->decode;

	if (decode == NULL)
	{
		osml_check_spread(fcinfo, first);
		decode = element_decode(binding, get_fn_expr_argtype(fcinfo->flinfo, first));
		check_positional(binding, n);
	}
	for (int i = 0; i < n; i++)
		binding->raw[i] = values[i].isnull ? osml_missing() : decode(values[i].value);
	return osml_take_features(binding, binding->raw);
}

/* The usual array, of float8 without NULLs, is used in place. */
const double *
osml_take_array(OsmlBinding *binding, ArrayType *array)
{
	OsmlDecode	decode = element_decode(binding, ARR_ELEMTYPE(array));
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	check_positional(binding, n);
	if (ARR_ELEMTYPE(array) == FLOAT8OID && !ARR_HASNULL(array))
		return osml_take_features(binding, (const double *) ARR_DATA_PTR(array));
	take_elements(binding, array, decode);
	return osml_take_features(binding, binding->raw);
}
