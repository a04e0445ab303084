/*
 * statement.h
 *	  How the files of this room run their SQL: prepared once a backend,
 *	  parameters pushed and result columns pulled in the order of the text.
 *
 * Private to src/catalog.  Between osml_catalog_begin() and _end():
 *
 *	  osml_push_text(&args, name);
 *	  n = osml_statement_read(&find, &args);
 *	  fields = osml_fields(&scope, 0);
 *	  row->id = osml_pull_int8(&fields);
 *
 * Pulled values are allocated in the context that was current before
 * osml_catalog_begin(), so they outlive osml_catalog_end().
 */
#ifndef OSML_CATALOG_STATEMENT_H
#define OSML_CATALOG_STATEMENT_H

#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "catalog/scope.h"

#define OSML_MAX_ARGS 32

/* static in its file; .plan is filled in at first use */
typedef struct OsmlStatement
{
	const char *sql;
	int			n_args;
	Oid			types[OSML_MAX_ARGS];
	SPIPlanPtr	plan;
} OsmlStatement;

/* OSML_STATEMENT(text, type of $1, type of $2, ...) */
#define OSML_STATEMENT(text, ...) { \
	.sql = (text), \
	.n_args = sizeof((Oid[]) {__VA_ARGS__}) / sizeof(Oid), \
	.types = {__VA_ARGS__} \
}

/* initialise with {0} */
typedef struct OsmlArgs
{
	int			n;
	Datum		values[OSML_MAX_ARGS];
	char		nulls[OSML_MAX_ARGS];
} OsmlArgs;

extern void osml_push(OsmlArgs *args, Datum value);
extern void osml_push_null(OsmlArgs *args);
extern void osml_push_int8(OsmlArgs *args, int64 value);
extern void osml_push_int4(OsmlArgs *args, int value);
extern void osml_push_float8(OsmlArgs *args, double value); /* NaN: NULL */
extern void osml_push_text(OsmlArgs *args, const char *value);	/* NULL: NULL */
extern void osml_push_jsonb(OsmlArgs *args, Jsonb *value);	/* likewise */
extern void osml_push_texts(OsmlArgs *args, List *strings); /* NIL: NULL */
extern void osml_push_float8s(OsmlArgs *args, const double *values, int n);	/* 0: NULL */

/* strings (char *) as a text[]; palloc'd */
extern Datum osml_text_array(const List *strings);

/* args may be NULL; both return the number of rows */
extern uint64 osml_statement_read(OsmlStatement *statement, OsmlArgs *args);
extern uint64 osml_statement_write(OsmlStatement *statement, OsmlArgs *args);

/*
 * Rows for a statement that takes an array for each column, as in
 * INSERT INTO t (a, b) SELECT * FROM unnest($1, $2):
 *
 *	  osml_inserts_begin(&inserts, &insert);
 *	  for ...
 *		  osml_push_...(&args, ...), osml_inserts_add(&inserts, &args);
 *	  osml_inserts_end(&inserts);
 *
 * A statement has a cost of its own, and here it comes once in a thousand rows.
 * Rows are in the context that was current at the beginning.
 */
#define OSML_ROWS_AT_ONCE 1000

typedef struct OsmlInserts
{
	OsmlStatement *statement;
	int			n;
	Datum	   *values[OSML_MAX_ARGS];	/* of each column, of OSML_ROWS_AT_ONCE */
	bool	   *nulls[OSML_MAX_ARGS];
} OsmlInserts;

extern void osml_inserts_begin(OsmlInserts *inserts, OsmlStatement *statement);
extern void osml_inserts_add(OsmlInserts *inserts, const OsmlArgs *args);
extern void osml_inserts_end(OsmlInserts *inserts);

/* the columns of one result row, pulled from left to right */
typedef struct OsmlFields
{
	HeapTuple	tuple;
	TupleDesc	columns;
	MemoryContext context;
	int			next;
} OsmlFields;

extern OsmlFields osml_fields(const OsmlCatalogScope *scope, uint64 row);
extern Datum osml_pull(OsmlFields *fields, bool *isnull);
extern int64 osml_pull_int8(OsmlFields *fields);	/* NULL: 0 */
extern int	osml_pull_int4(OsmlFields *fields); /* NULL: 0 */
extern double osml_pull_float8(OsmlFields *fields); /* NULL: NaN */
extern char *osml_pull_text(OsmlFields *fields);	/* NULL: NULL */
extern bytea *osml_pull_bytea(OsmlFields *fields);	/* NULL: NULL */
extern Jsonb *osml_pull_jsonb(OsmlFields *fields);	/* NULL: NULL */
extern List *osml_pull_texts(OsmlFields *fields);	/* NULL: NIL */
extern double *osml_pull_float8s(OsmlFields *fields, int *n);	/* NULL: none */

#endif							/* OSML_CATALOG_STATEMENT_H */
