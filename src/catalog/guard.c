/*
 * guard.c
 *	  Whose a row of a base table would be: see guard.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"

#include "catalog/guard.h"

/* run under the writer's search_path, so operators have their schema */
static const struct
{
	const char *kind;
	const char *query;
}			parents[] = {
	{"dataset", "SELECT owner FROM osml.dataset"
	" WHERE dataset_id OPERATOR(pg_catalog.=) $1"},
	{"model", "SELECT owner FROM osml.model WHERE model_id OPERATOR(pg_catalog.=) $1"},
	{"version", "SELECT m.owner FROM osml.model m, osml.model_version v"
	" WHERE m.model_id OPERATOR(pg_catalog.=) v.model_id"
	" AND v.version_id OPERATOR(pg_catalog.=) $1"},
	{"run", "SELECT owner FROM osml.run WHERE run_id OPERATOR(pg_catalog.=) $1"},
};

char *
osml_guard_owner(const char *kind, int64 id)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid			types[1] = {INT8OID};
	Datum		values[1] = {Int64GetDatum(id)};
	char	   *owner = NULL;
	int			i = 0;

	while (strcmp(parents[i].kind, kind) != 0)
	{
		if (++i == (int) lengthof(parents))
			elog(ERROR, "no parent of kind \"%s\"", kind);
	}
	SPI_connect();
	/* sees rows of the same COPY or INSERT that were there before */
	if (SPI_execute_with_args(parents[i].query, 1, types, values, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_with_args failed: %s", parents[i].query);
	if (SPI_processed == 1)
		owner = MemoryContextStrdup(caller, SPI_getvalue(SPI_tuptable->vals[0],
														 SPI_tuptable->tupdesc, 1));
	SPI_finish();
	return owner;
}
