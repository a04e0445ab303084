/*
 * predict.c
 *	  osml_predict(), osml_predict_proba(), osml_predict_class(),
 *	  osml_predict_interval(): one row.
 *
 * Runs once a row of a query, so everything that does not depend on the row is
 * in the call site (call_site.h), and what a row allocates goes with the
 * executor's per-row memory.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "api/call_site.h"
#include "api/outputs.h"

PG_FUNCTION_INFO_V1(osml_predict_record);
PG_FUNCTION_INFO_V1(osml_predict_array);
PG_FUNCTION_INFO_V1(osml_predict_columns);
PG_FUNCTION_INFO_V1(osml_predict_proba_record);
PG_FUNCTION_INFO_V1(osml_predict_proba_array);
PG_FUNCTION_INFO_V1(osml_predict_proba_columns);
PG_FUNCTION_INFO_V1(osml_predict_class_record);
PG_FUNCTION_INFO_V1(osml_predict_class_array);
PG_FUNCTION_INFO_V1(osml_predict_class_columns);
PG_FUNCTION_INFO_V1(osml_predict_interval_record);
PG_FUNCTION_INFO_V1(osml_predict_interval_array);

/* Of features, if none is missing; the binding, or NULL. */
static OsmlBinding *
predict(OsmlBinding *binding, const double *dense)
{
	if (dense == NULL)
		return NULL;
	osml_predictor_row(&binding->loaded->predictor, dense, binding->codes, binding->out,
					   binding->prepared);
	return binding;
}

/* Arguments model and features; NULL when a feature is missing. */
static OsmlBinding *
predict_record(FunctionCallInfo fcinfo)
{
	OsmlBinding *binding = osml_call_site_bind(fcinfo, PG_GETARG_TEXT_PP(0), osml_load_model);

	return predict(binding, osml_take_record(binding, PG_GETARG_HEAPTUPLEHEADER(1)));
}

static OsmlBinding *
predict_array(FunctionCallInfo fcinfo)
{
	OsmlBinding *binding = osml_call_site_bind(fcinfo, PG_GETARG_TEXT_PP(0), osml_load_model);

	return predict(binding, osml_take_array(binding, PG_GETARG_ARRAYTYPE_P(1)));
}

/* Arguments model, names and values: what predict_support.c makes of the other two. */
static OsmlBinding *
predict_columns(FunctionCallInfo fcinfo)
{
	OsmlBinding *binding;

	if (PG_ARGISNULL(0) || PG_NARGS() < 3)
		return NULL;
	binding = osml_call_site_bind(fcinfo, PG_GETARG_TEXT_PP(0), osml_load_model);
	return predict(binding, PG_ARGISNULL(1) ? osml_take_values(binding, fcinfo, 2) :
				   osml_take_columns(binding, fcinfo, 2));
}

/* A number: an amount, the mean of a count, the probability of the second class. */
static Datum
return_number(FunctionCallInfo fcinfo, const OsmlBinding *binding)
{
	if (binding == NULL)
		PG_RETURN_NULL();
	osml_need_number(binding->loaded);
	PG_RETURN_FLOAT8(binding->out[0]);
}

static Datum
return_proba(FunctionCallInfo fcinfo, const OsmlBinding *binding)
{
	if (binding == NULL)
		PG_RETURN_NULL();
	osml_need_classes(binding->loaded);
	return osml_proba(binding->loaded, binding->out, 1);
}

static Datum
return_class(FunctionCallInfo fcinfo, const OsmlBinding *binding)
{
	const char *class;

	if (binding == NULL)
		PG_RETURN_NULL();
	osml_need_classes(binding->loaded);
	class = osml_class_text(binding->loaded, binding->out, 1);
	if (class == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(class));
}

/* The row's type is looked up once a binding. */
static TupleDesc
result_type(FunctionCallInfo fcinfo, OsmlBinding *binding)
{
	if (binding->result == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(binding->context);

		if (get_call_result_type(fcinfo, NULL, &binding->result) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		binding->result = BlessTupleDesc(binding->result);
		MemoryContextSwitchTo(old);
	}
	return binding->result;
}

/* A number and what its label lies between. */
static Datum
return_interval(FunctionCallInfo fcinfo, OsmlBinding *binding)
{
	double		level = osml_need_level(PG_GETARG_FLOAT8(2));
	Datum		values[3];
	bool		nulls[3] = {false};
	double		lower;
	double		upper;

	if (binding == NULL)
		PG_RETURN_NULL();
	osml_need_intervals(binding->loaded);
	osml_loaded_interval(binding->loaded, binding->out[0], level, &lower, &upper);
	values[0] = Float8GetDatum(binding->out[0]);
	values[1] = Float8GetDatum(lower);
	values[2] = Float8GetDatum(upper);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(result_type(fcinfo, binding), values,
													  nulls)));
}

/* osml_predict(model, record) */
Datum
osml_predict_record(PG_FUNCTION_ARGS)
{
	return return_number(fcinfo, predict_record(fcinfo));
}

/* osml_predict(model, anyarray) and osml_predict(model, VARIADIC float8[]) */
Datum
osml_predict_array(PG_FUNCTION_ARGS)
{
	return return_number(fcinfo, predict_array(fcinfo));
}

/* osml.predict_columns(model, names, VARIADIC values) */
Datum
osml_predict_columns(PG_FUNCTION_ARGS)
{
	return return_number(fcinfo, predict_columns(fcinfo));
}

/* osml_predict_proba(model, record) */
Datum
osml_predict_proba_record(PG_FUNCTION_ARGS)
{
	return return_proba(fcinfo, predict_record(fcinfo));
}

/* osml_predict_proba(model, anyarray) and (model, VARIADIC float8[]) */
Datum
osml_predict_proba_array(PG_FUNCTION_ARGS)
{
	return return_proba(fcinfo, predict_array(fcinfo));
}

/* osml.predict_proba_columns(model, names, VARIADIC values) */
Datum
osml_predict_proba_columns(PG_FUNCTION_ARGS)
{
	return return_proba(fcinfo, predict_columns(fcinfo));
}

/* osml_predict_class(model, record) */
Datum
osml_predict_class_record(PG_FUNCTION_ARGS)
{
	return return_class(fcinfo, predict_record(fcinfo));
}

/* osml_predict_class(model, anyarray) and (model, VARIADIC float8[]) */
Datum
osml_predict_class_array(PG_FUNCTION_ARGS)
{
	return return_class(fcinfo, predict_array(fcinfo));
}

/* osml.predict_class_columns(model, names, VARIADIC values) */
Datum
osml_predict_class_columns(PG_FUNCTION_ARGS)
{
	return return_class(fcinfo, predict_columns(fcinfo));
}

/* osml_predict_interval(model, record, level) */
Datum
osml_predict_interval_record(PG_FUNCTION_ARGS)
{
	return return_interval(fcinfo, predict_record(fcinfo));
}

/* osml_predict_interval(model, anyarray, level) */
Datum
osml_predict_interval_array(PG_FUNCTION_ARGS)
{
	return return_interval(fcinfo, predict_array(fcinfo));
}
