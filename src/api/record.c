/*
 * record.c
 *	  A row's columns to a model's features, by name.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

#include "api/call_site.h"
#include "rules/name/nearest.h"
#include "source/column.h"

/* Raise: the row lacks a column that the model needs. */
static void
missing_column(const OsmlBinding *binding, TupleDesc desc, const char *name)
{
	OsmlNearest nearest;

	osml_nearest_begin(&nearest, name);
	for (int i = 0; i < desc->natts; i++)
	{
		if (!TupleDescAttr(desc, i)->attisdropped)
			osml_nearest_offer(&nearest, NameStr(TupleDescAttr(desc, i)->attname));
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("the row has no column \"%s\", which %s \"%s\" needs",
					name, binding->loaded->kind, binding->loaded->model),
			 osml_nearest_end(&nearest) ?
			 errdetail("The row's nearest column is \"%s\".",
					   osml_nearest_end(&nearest)) : 0,
			 errhint("The %s needs the columns %s.", binding->loaded->kind,
					 osml_loaded_columns(binding->loaded))));
}

/* Raise: a column's type is not what the model was trained on. */
static void
wrong_type(const OsmlBinding *binding, const OsmlInput *input, Oid type)
{
	if (input->n_elements > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" has type %s, but %s \"%s\" needs an array of %d numbers",
						input->name, format_type_be(type), binding->loaded->kind,
						binding->loaded->model, input->n_elements)));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" has type %s, but %s \"%s\" needs a number", input->name,
					format_type_be(type), binding->loaded->kind, binding->loaded->model),
			 errdetail("%sAccepted types are %s.",
					   osml_reader_words(&binding->loaded->set, input->name),
					   osml_decode_types()),
			 errhint("Cast it in a subquery, and pass the subquery's row.")));
}

/* Raise: an array is too short or too long. */
static void
length_error(void *arg, const OsmlInput *input, int n)
{
	const OsmlBinding *binding = arg;

	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg_plural("array column \"%s\" has %d element, but %s \"%s\" needs %d",
						   "array column \"%s\" has %d elements, but %s \"%s\" needs %d",
						   n, input->name, n, binding->loaded->kind,
						   binding->loaded->model, input->n_elements)));
}

/*
 * Index of a column in a row type, or -1.  A row of a join can have two of one name,
 * and taking the first would be a guess.
 */
static int
find_column(const OsmlBinding *binding, TupleDesc desc, const char *name)
{
	int			found = -1;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (column->attisdropped || strcmp(NameStr(column->attname), name) != 0)
			continue;
		if (found >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_AMBIGUOUS_COLUMN),
					 errmsg("the row has several columns \"%s\", which %s \"%s\" needs",
							name, binding->loaded->kind, binding->loaded->model),
					 errhint("Give them different names with AS.")));
		found = i;
	}
	return found;
}

/* Can each input be read from a column of this type? */
static void
check_type(const OsmlBinding *binding, int column, Oid type)
{
	const OsmlFeatureSet *set = &binding->loaded->set;

	for (int i = 0; i < set->n_inputs; i++)
	{
		const OsmlInput *input = &set->inputs[i];

		if (input->column != column || input->kind == OSML_INPUT_KEY)
			continue;
		if (input->kind == OSML_INPUT_ARRAY ? !OidIsValid(osml_decode_element(type)) :
			osml_decode_for(type) == NULL)
			wrong_type(binding, input, type);
	}
}

/* Map the columns that the model reads to those of a row; desc lives as long as the binding. */
static void
map_columns(OsmlBinding *binding, TupleDesc desc)
{
	OsmlFeatureSet set = binding->loaded->set;

	binding->desc = NULL;
	binding->fields = palloc(Max(1, set.n_columns) * sizeof(int));
	set.columns = palloc(Max(1, set.n_columns) * sizeof(OsmlSourceColumn));
	for (int i = 0; i < set.n_columns; i++)
	{
		const char *name = binding->loaded->set.columns[i].name;

		binding->fields[i] = find_column(binding, desc, name);
		if (binding->fields[i] < 0)
			missing_column(binding, desc, name);
		set.columns[i] = binding->loaded->set.columns[i];
		set.columns[i].type = TupleDescAttr(desc, binding->fields[i])->atttypid;
		check_type(binding, i, set.columns[i].type);
	}
	binding->reader = osml_row_reader_create(&set, osml_loaded_author(binding->loaded),
											 length_error, binding);
	binding->picked = palloc(Max(1, set.n_columns) * sizeof(Datum));
	binding->picked_nulls = palloc(Max(1, set.n_columns) * sizeof(bool));
	binding->desc = desc;
}

static void
map_record(OsmlBinding *binding, Oid type, int32 typmod)
{
	MemoryContext old = MemoryContextSwitchTo(binding->context);
	TupleDesc	desc = lookup_rowtype_tupdesc_copy(type, typmod);

	map_columns(binding, desc);
	binding->values = palloc(Max(1, desc->natts) * sizeof(Datum));
	binding->nulls = palloc(Max(1, desc->natts) * sizeof(bool));
	binding->row_type = type;
	binding->row_typmod = typmod;
	MemoryContextSwitchTo(old);
}

/* The picked columns, as features. */
static const double *
take_picked(OsmlBinding *binding)
{
	(void) osml_row_take(binding->reader, binding->picked, binding->picked_nulls,
						 binding->raw, binding->keys, 1);
	return osml_take_features(binding, binding->raw);
}

/*
 * Deform the row once and pick the columns.  The row type is looked at each
 * time, since rows of several types can come to one call site.
 */
const double *
osml_take_record(OsmlBinding *binding, HeapTupleHeader record)
{
	Oid			type = HeapTupleHeaderGetTypeId(record);
	int32		typmod = HeapTupleHeaderGetTypMod(record);
	HeapTupleData tuple = {0};

	if (binding->desc == NULL || type != binding->row_type ||
		typmod != binding->row_typmod)
		map_record(binding, type, typmod);
	tuple.t_len = HeapTupleHeaderGetDatumLength(record);
	tuple.t_data = record;
	heap_deform_tuple(&tuple, binding->desc, binding->values, binding->nulls);
	for (int i = 0; i < binding->loaded->set.n_columns; i++)
	{
		binding->picked[i] = binding->values[binding->fields[i]];
		binding->picked_nulls[i] = binding->nulls[binding->fields[i]];
	}
	return take_picked(binding);
}

/* The names and types of the values of a call, which stay what they are. */
static void
map_call(OsmlBinding *binding, FunctionCallInfo fcinfo, int first)
{
	MemoryContext old = MemoryContextSwitchTo(binding->context);
	int			n = PG_NARGS() - first;
	Datum	   *names;
	bool	   *nulls;
	int			n_names;
	TupleDesc	desc = CreateTemplateTupleDesc(n);

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(first - 1), TEXTOID, -1, false, TYPALIGN_INT,
					  &names, &nulls, &n_names);
	if (n_names != n)
		elog(ERROR, "%d names for %d values", n_names, n);
	for (int i = 0; i < n; i++)
		TupleDescInitEntry(desc, (AttrNumber) (i + 1),
						   nulls[i] ? "" : TextDatumGetCString(names[i]),
						   get_fn_expr_argtype(fcinfo->flinfo, first + i), -1, 0);
	map_columns(binding, desc);
	MemoryContextSwitchTo(old);
}

const double *
osml_take_columns(OsmlBinding *binding, FunctionCallInfo fcinfo, int first)
{
	const NullableDatum *values = &fcinfo->args[first];

	if (binding->desc == NULL)
	{
		osml_check_spread(fcinfo, first);
		map_call(binding, fcinfo, first);
	}
	for (int i = 0; i < binding->loaded->set.n_columns; i++)
	{
		binding->picked[i] = values[binding->fields[i]].value;
		binding->picked_nulls[i] = values[binding->fields[i]].isnull;
	}
	return take_picked(binding);
}
