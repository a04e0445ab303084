/*
 * need.c
 *	  Arguments and models, or an error that says what to do.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type_d.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "api/need.h"
#include "rules/name/nearest.h"
#include "source/source.h"
#include "train/dataset.h"

/* An argument of a function that cannot be STRICT. */
char *
osml_need_text(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
	return text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

/* An argument that may be left out. */
char *
osml_maybe_text(FunctionCallInfo fcinfo, int arg)
{
	return PG_ARGISNULL(arg) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

/* The elements of a text[] argument that may be left out. */
List *
osml_maybe_texts(FunctionCallInfo fcinfo, int arg, const char *name)
{
	List	   *list = NIL;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	if (PG_ARGISNULL(arg))
		return NIL;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(arg), TEXTOID, -1, false,
					  TYPALIGN_INT, &values, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"%s\" must not contain nulls", name)));
		list = lappend(list, TextDatumGetCString(values[i]));
	}
	return list;
}

/* For hints: what the user may have meant. */
const char *
osml_nearest_of(const char *wanted, List *names)
{
	OsmlNearest nearest;
	ListCell   *lc;

	osml_nearest_begin(&nearest, wanted);
	foreach(lc, names)
		osml_nearest_offer(&nearest, lfirst(lc));
	return osml_nearest_end(&nearest);
}

/* Definitions are text that runs as the dataset's owner, so nobody else's. */
OsmlDatasetRow *
osml_need_dataset(const char *name)
{
	OsmlDatasetRow *row = osml_own_dataset(name);
	const char *nearest;

	if (row != NULL)
		return row;
	row = osml_dataset_find(name);
	if (row != NULL)
		osml_not_own_dataset(row);
	/* definitions, splits and notes need a name that they are kept under */
	if (osml_source_is_relation(name))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a relation, not a dataset", name),
				 errhint("osml_create_dataset(%s, %s) makes a dataset of it.",
						 quote_literal_cstr(name), quote_literal_cstr(name))));
	nearest = osml_nearest_of(name, osml_dataset_names(true));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("dataset \"%s\" does not exist", name),
			 nearest ? errhint("Perhaps you meant the dataset \"%s\"; osml_create_dataset makes a new one.", nearest) :
			 errhint("Make it with osml_create_dataset.")));
}

/* Existence first, so that a typo is not answered with a lack of rights. */
/* Is there such a model by now, which the snapshot does not see? */
static bool
is_newer(const char *name)
{
	bool		found;

	/* a parallel worker takes no snapshot of its own */
	if (IsInParallelMode())
		return false;
	PushActiveSnapshot(GetLatestSnapshot());
	found = osml_model_find(name) != NULL;
	PopActiveSnapshot();
	return found;
}

OsmlModelRow *
osml_need_model(const char *name, OsmlPrivilege privilege)
{
	OsmlModelRow *model = osml_model_find(name);

	if (model == NULL)
	{
		const char *nearest = osml_nearest_of(name, osml_model_names());

		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("model \"%s\" does not exist", name),
				 is_newer(name) ?
				 errhint("It was made after the snapshot of this query or transaction was taken: another will see it.") :
				 nearest ? errhint("Perhaps you meant the model \"%s\".", nearest) :
				 errhint("osml.models lists the models; osml_train makes one.")));
	}
	osml_model_check(model, privilege);
	return model;
}

/* Raise: there are versions perhaps, but none in use. */
void
osml_not_deployed(const OsmlModelRow *model)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("model \"%s\" has no deployed version", model->name),
			 errhint("osml.models lists its versions; deploy one with osml_deploy(%s, version).",
					 quote_literal_cstr(model->name))));
}
