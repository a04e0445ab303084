/*
 * refuse_clock_words.c
 *	  osml.refuse_clock_words(): what expressions of features call before a text
 *	  becomes a date or a time.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/lsyscache.h"

#include "source/clock_words.h"

PG_FUNCTION_INFO_V1(osml_refuse_clock_words_of);

/*
 * osml.refuse_clock_words(value) -> the value.  Any type, since casts by way of a
 * text take any: its output function is looked up once.
 */
Datum
osml_refuse_clock_words_of(PG_FUNCTION_ARGS)
{
	FmgrInfo   *output = fcinfo->flinfo->fn_extra;
	char	   *text;

	if (output == NULL)
	{
		Oid			function;
		bool		is_varlena;

		getTypeOutputInfo(get_fn_expr_argtype(fcinfo->flinfo, 0), &function, &is_varlena);
		output = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(FmgrInfo));
		fmgr_info_cxt(function, output, fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = output;
	}
	text = OutputFunctionCall(output, PG_GETARG_DATUM(0));
	osml_refuse_clock_words(text);
	pfree(text);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
