/*
 * predict.c
 *	  osml_predict(): one row's prediction.
 *
 * Runs once a row of a query, so everything that does not depend on the row is
 * in the call site (call_site.h), and what a row allocates goes with the
 * executor's per-row memory.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"

#include "api/call_site.h"

PG_FUNCTION_INFO_V1(osml_predict_record);
PG_FUNCTION_INFO_V1(osml_predict_array);

/* osml_predict(model, record) */
Datum
osml_predict_record(PG_FUNCTION_ARGS)
{
	text	   *model = PG_GETARG_TEXT_PP(0);
	HeapTupleHeader record = PG_GETARG_HEAPTUPLEHEADER(1);
	OsmlBinding *binding = osml_call_site_bind(fcinfo, model, osml_load_model);
	const double *dense = osml_take_record(binding, record);

	if (dense == NULL)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(osml_predictor_row(&binding->loaded->predictor, dense,
										binding->codes, binding->prepared));
}

/* osml_predict(model, anyarray) and osml_predict(model, VARIADIC float8[]) */
Datum
osml_predict_array(PG_FUNCTION_ARGS)
{
	text	   *model = PG_GETARG_TEXT_PP(0);
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(1);
	OsmlBinding *binding = osml_call_site_bind(fcinfo, model, osml_load_model);
	const double *dense = osml_take_array(binding, array);

	if (dense == NULL)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(osml_predictor_row(&binding->loaded->predictor, dense,
										binding->codes, binding->prepared));
}
