/*
 * columns.c
 *	  Columns of any type, row by row; see columns.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "source/column.h"
#include "source/columns.h"
#include "source/decode.h"
#include "source/expression.h"

/* columns of a report: their statistics are kept in memory */
#define MAX_COLUMNS 1000

/* Append a column; sql is NULL where it is made.  Returns its number. */
static int
add_column(OsmlColumns *columns, const char *name, OsmlColumnRole role, char *sql, Oid type)
{
	int			n = columns->n++;
	Oid			base = getBaseType(type);

	if (n >= MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s has more than %d columns to report on", columns->source->label,
						MAX_COLUMNS),
				 errhint("Name fewer columns as features of a dataset.")));
	columns->roles[n] = role;
	columns->sql[n] = sql;
	columns->types[n] = type;
	columns->made_column[n] = columns->origin[n] = -1;
	columns->kinds[n].name = pstrdup(name);
	columns->kinds[n].is_key = osml_decode_for(type) == NULL;
	columns->kinds[n].is_integer = base == INT2OID || base == INT4OID || base == INT8OID;
	columns->kinds[n].is_time = osml_decode_unit(type) != OSML_UNIT_NONE;
	columns->kinds[n].is_date = base == DATEOID;
	columns->kinds[n].is_flag = base == BOOLOID;
	columns->kinds[n].is_clock = base == TIMEOID || base == TIMETZOID;
	return n;
}

/* A feature as it is in the source; an array of numbers by its elements. */
static void
add_feature(OsmlColumns *columns, const char *name)
{
	Form_pg_attribute column = osml_need_column(columns->source, name);
	const char *quoted = quote_identifier(name);
	Oid			element = osml_decode_element(column->atttypid);
	int			n = 0;

	if (OidIsValid(element))
		n = osml_peek_array_length(columns->source, name);
	if (n == 0)
		(void) add_column(columns, name, OSML_COLUMN_PLAIN, pstrdup(quoted), column->atttypid);
	for (int i = 1; i <= n; i++)
		(void) add_column(columns, psprintf("%s[%d]", name, i), OSML_COLUMN_PLAIN,
						  psprintf("%s[%d]", quoted, i), element);
}

/* The columns that a defined feature makes.  False: it is not defined. */
static bool
add_made(OsmlColumns *columns, const char *name)
{
	const OsmlMade *made = columns->made;
	bool		found = false;

	for (int i = 0; made && i < made->n; i++)
	{
		const OsmlMadeColumn *column = &made->columns[i];
		Oid			type = OidIsValid(column->value_type) ? column->value_type : FLOAT8OID;
		OsmlColumnKind *kind;
		int			n;

		if (strcmp(made->set->features[column->feature].name, name) != 0)
			continue;
		found = true;
		n = add_column(columns, column->name, OSML_COLUMN_MADE, NULL, type);
		columns->made_column[n] = i;
		kind = &columns->kinds[n];
		kind->is_key = column->is_code;
		kind->takes_missing = column->takes_null;
	}
	return found;
}

/* The type of a candidate, which may be what a feature's expression may be. */
static Oid
candidate_type(const OsmlSource *source, const char *text)
{
	TupleDesc	columns = source->columns;
	char	  **names = palloc(sizeof(char *) * columns->natts);
	Oid		   *types = palloc(sizeof(Oid) * columns->natts);
	int			n = 0;
	Oid			type;

	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (column->attisdropped)
			continue;
		names[n] = NameStr(column->attname);
		types[n++] = column->atttypid;
	}
	type = osml_expression_check(text, text, n, names, types);
	if (type_is_rowtype(type) || get_typtype(type) == TYPTYPE_PSEUDO)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("candidate feature \"%s\" has type %s, which is not a single value",
						text, format_type_be(type))));
	return type;
}

/* Line breaks end a comment at the expression's end. */
static void
add_candidate(OsmlColumns *columns, char *text)
{
	Oid			type = candidate_type(columns->source, text);

	(void) add_column(columns, text, OSML_COLUMN_CANDIDATE, psprintf("(%s\n)", text), type);
}

static OsmlColumns *
new_columns(OsmlSource *source)
{
	OsmlColumns *columns = palloc0(sizeof(OsmlColumns));

	columns->source = source;
	columns->sql = palloc0(sizeof(char *) * MAX_COLUMNS);
	columns->types = palloc0(sizeof(Oid) * MAX_COLUMNS);
	columns->roles = palloc0(sizeof(OsmlColumnRole) * MAX_COLUMNS);
	columns->made_column = palloc0(sizeof(int) * MAX_COLUMNS);
	columns->origin = palloc0(sizeof(int) * MAX_COLUMNS);
	columns->sources = palloc0(sizeof(Bitmapset *) * MAX_COLUMNS);
	columns->kinds = palloc0(sizeof(OsmlColumnKind) * MAX_COLUMNS);
	return columns;
}

void
osml_columns_check_feature(OsmlSource *source, char *text)
{
	OsmlColumns *columns;

	if (osml_find_column(source->columns, text))
		return;
	/* a word is a misspelt column, anything else an expression */
	if (text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0')
		(void) osml_need_column(source, text);
	columns = new_columns(source);
	add_candidate(columns, text);
}

/* Columns that are read only for what is made of them. */
static void
add_behind(OsmlColumns *columns)
{
	const OsmlFeatureSet *set = columns->made->set;

	for (int i = 0; i < set->n_columns; i++)
	{
		const char *name = set->columns[i].name;
		bool		known = false;

		for (int j = 0; j < columns->n; j++)
			known = known || (columns->roles[j] == OSML_COLUMN_PLAIN &&
							  strcmp(columns->kinds[j].name, name) == 0);
		if (!known)
			(void) add_column(columns, name, OSML_COLUMN_BEHIND,
							  pstrdup(quote_identifier(name)), set->columns[i].type);
	}
}

/* Inputs of the set that are this column as it is in the source. */
static Bitmapset *
inputs_of(const OsmlFeatureSet *set, const char *name)
{
	Bitmapset  *inputs = NULL;

	for (int i = 0; i < set->n_inputs; i++)
	{
		if (set->inputs[i].column >= 0 && strcmp(set->inputs[i].name, name) == 0)
			inputs = bms_add_member(inputs, i);
	}
	return inputs;
}

/* Has a made column the numbers of column j as categories, or on a circle? */
static bool
is_regrouped(const OsmlColumns *columns, int j, const OsmlMadeColumn *by)
{
	const OsmlMadeColumn *made;

	if (!by->regroups)
		return false;
	if (columns->roles[j] != OSML_COLUMN_MADE)
		return bms_overlap(columns->sources[j], by->sources);
	made = &columns->made->columns[columns->made_column[j]];
	return made != by && !made->is_code && bms_is_member(made->at.index, by->numbers);
}

/* What is made of what. */
static void
link_made(OsmlColumns *columns)
{
	const OsmlMade *made = columns->made;

	for (int j = 0; j < columns->n; j++)
	{
		if (columns->roles[j] == OSML_COLUMN_MADE)
			columns->sources[j] = made->columns[columns->made_column[j]].sources;
		else if (columns->roles[j] != OSML_COLUMN_CANDIDATE)
			columns->sources[j] = inputs_of(made->set, columns->kinds[j].name);
	}
	for (int j = 0; j < columns->n; j++)
	{
		for (int i = 0; i < made->n; i++)
			columns->kinds[j].regrouped = columns->kinds[j].regrouped ||
				is_regrouped(columns, j, &made->columns[i]);
		for (int i = 0; columns->roles[j] == OSML_COLUMN_MADE && i < columns->n; i++)
		{
			const char *origin = made->columns[columns->made_column[j]].origin;

			if (origin && osml_column_is_read(columns, i) &&
				strcmp(columns->kinds[i].name, origin) == 0)
				columns->origin[j] = i;
		}
	}
}

OsmlColumns *
osml_columns_resolve(OsmlSource *source, const char *label, List *features,
					 List *candidates, OsmlMade *made)
{
	OsmlColumns *columns = new_columns(source);
	ListCell   *cell;

	columns->made = made;
	foreach(cell, features)
	{
		if (!add_made(columns, lfirst(cell)))
			add_feature(columns, lfirst(cell));
	}
	foreach(cell, candidates)
		add_candidate(columns, lfirst(cell));
	if (made)
		add_behind(columns);
	(void) add_column(columns, label, OSML_COLUMN_PLAIN, pstrdup(quote_identifier(label)),
					  osml_need_column(source, label)->atttypid);
	if (made)
		link_made(columns);
	return columns;
}

bool
osml_column_is_read(const OsmlColumns *columns, int j)
{
	return columns->roles[j] == OSML_COLUMN_PLAIN || columns->roles[j] == OSML_COLUMN_BEHIND;
}

const char *
osml_column_type(const OsmlColumns *columns, int j)
{
	return columns->roles[j] == OSML_COLUMN_MADE ?
		columns->made->columns[columns->made_column[j]].type :
		format_type_be(columns->types[j]);
}

bool
osml_columns_akin(const OsmlColumns *columns, int a, int b)
{
	return (columns->kinds[a].is_key || columns->kinds[b].is_key) &&
		bms_overlap(columns->sources[a], columns->sources[b]);
}

OsmlColumns *
osml_columns_match(const OsmlColumns *columns, OsmlSource *source)
{
	OsmlColumns *match = new_columns(source);

	for (int i = 0; i < columns->n; i++)
	{
		const char *name = columns->kinds[i].name;
		Oid			type = columns->types[i];

		if (!osml_column_is_read(columns, i))
			continue;
		/* an element's type is taken to be the same */
		if (columns->sql[i][strlen(columns->sql[i]) - 1] != ']')
			type = osml_need_column(source, name)->atttypid;
		(void) add_column(match, name, columns->roles[i], columns->sql[i], type);
	}
	return match;
}
