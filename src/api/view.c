/*
 * view.c
 *	  What the views of schema osml ask while they are read.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "catalog/role.h"
#include "catalog/run.h"

PG_FUNCTION_INFO_V1(osml_view_role_usable);
PG_FUNCTION_INFO_V1(osml_view_run_status);

/* osml.role_usable(role): runs as the view's reader, not as its owner */
Datum
osml_view_role_usable(PG_FUNCTION_ARGS)
{
	char	   *role = text_to_cstring(PG_GETARG_TEXT_PP(0));
	bool		usable = osml_role_usable(role);

	pfree(role);
	PG_RETURN_BOOL(usable);
}

/* osml.run_status(run_id, status) */
Datum
osml_view_run_status(PG_FUNCTION_ARGS)
{
	OsmlRunRow	row = {0};

	row.run_id = PG_GETARG_INT64(0);
	row.status = text_to_cstring(PG_GETARG_TEXT_PP(1));
	PG_RETURN_TEXT_P(cstring_to_text(osml_run_status(&row)));
}
