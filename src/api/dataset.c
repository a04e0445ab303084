/*
 * dataset.c
 *	  osml_create_dataset(), osml_drop_dataset(): names for data.
 *
 * Creating one resolves its sources and columns, so that a wrong name shows
 * now and not when a nightly run starts.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "api/need.h"
#include "catalog/dataset.h"
#include "catalog/role.h"
#include "hparams/hparams.h"
#include "source/source.h"

PG_FUNCTION_INFO_V1(osml_create_dataset);
PG_FUNCTION_INFO_V1(osml_drop_dataset);

/*
 * How the source is stored: a relation by its qualified name, so that the
 * dataset means the same under every search_path.  A temporary schema's name
 * would be of no use to another session.
 */
static char *
stored_text(const OsmlSource *source)
{
	if (OidIsValid(source->relid) && !source->temporary)
		return source->from;
	return source->text;
}

/* Resolve the sources against each other, and put their stored text in. */
static void
check_sources(OsmlDatasetRow *row)
{
	OsmlSource *train = osml_source_resolve(row->train, NULL);
	OsmlRoles	roles = {.label = row->label};
	OsmlFeatureSet *set = osml_source_features(train, &roles, row->features, NIL, row->name);
	char	  **others[2] = {&row->val, &row->test};
	static const char *const names[2] = {"val", "test"};

	row->train = stored_text(train);
	for (int i = 0; i < 2; i++)
	{
		OsmlSource *source;

		if (*others[i] == NULL)
			continue;
		source = osml_source_resolve(*others[i], names[i]);
		(void) osml_source_match(source, set, true);
		*others[i] = stored_text(source);
	}
}

/* An object without one of its members. */
static Jsonb *
without(Jsonb *options, const char *key)
{
	return DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(options),
											  CStringGetTextDatum(key)));
}

/*
 * Defaults are checked as a call's would be.  Label and features among them
 * are the dataset's own, and must not be given in another place as well.  They
 * do not stay among the options, where they would be a run's last word: what is
 * defined later is a feature beside those that were chosen.
 */
static void
take_options(OsmlDatasetRow *row)
{
	OsmlHparams *hparams = osml_hparams_parse(NULL, row->options);
	const char *twice = row->label && hparams->label ? "label" :
		row->features && hparams->features ? "features" : NULL;

	if (twice)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" of dataset \"%s\" is given twice", twice, row->name),
				 errhint("Give it as an argument or in \"options\", not in both.")));
	if (hparams->label)
	{
		row->label = hparams->label;
		row->options = without(row->options, "label");
	}
	if (hparams->features)
	{
		row->features = hparams->features;
		row->options = without(row->options, "features");
	}
}

/* Raise: the name is taken. */
static void
dataset_exists(const char *name)
{
	OsmlDatasetRow *row = osml_dataset_find(name);

	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_OBJECT),
			 row ? errmsg("dataset \"%s\" already exists and belongs to role \"%s\"",
						  name, row->owner) :
			 errmsg("dataset \"%s\" already exists", name),
			 row && osml_role_usable(row->owner) ?
			 errhint("Drop it with osml_drop_dataset(%s), or choose another name.",
					 quote_literal_cstr(name)) :
			 errhint("Choose another name.")));
}

/* osml_create_dataset(name, train, label, features, val, test, options) */
Datum
osml_create_dataset(PG_FUNCTION_ARGS)
{
	OsmlDatasetRow row = {0};
	int64		id;

	osml_prevent_write("osml_create_dataset()");
	row.name = osml_need_text(fcinfo, 0, "name");
	row.train = osml_need_text(fcinfo, 1, "train");
	row.label = osml_maybe_text(fcinfo, 2);
	row.features = osml_maybe_texts(fcinfo, 3, "features");
	row.val = osml_maybe_text(fcinfo, 4);
	row.test = osml_maybe_text(fcinfo, 5);
	row.options = PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6);
	row.owner = osml_current_role();

	if (row.name[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("name of a dataset must not be empty")));
	if (strlen(row.name) > OSML_MAX_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("name of a dataset must have at most %d bytes", OSML_MAX_NAME)));
	take_options(&row);
	check_sources(&row);
	id = osml_dataset_insert(&row);
	if (id == 0)
		dataset_exists(row.name);
	PG_RETURN_INT64(id);
}

/* osml_drop_dataset(name) */
Datum
osml_drop_dataset(PG_FUNCTION_ARGS)
{
	char	   *name = osml_need_text(fcinfo, 0, "name");
	OsmlDatasetRow *row;

	osml_prevent_write("osml_drop_dataset()");
	row = osml_dataset_find(name);
	if (row == NULL)
	{
		const char *nearest = osml_nearest_of(name, osml_dataset_names(false));

		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("dataset \"%s\" does not exist", name),
				 nearest ? errhint("Perhaps you meant the dataset \"%s\".", nearest) :
				 errhint("osml.datasets lists the datasets.")));
	}
	if (!osml_role_usable(row->owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("dataset \"%s\" belongs to role \"%s\"", name, row->owner),
				 errhint("Only that role can drop it.")));
	(void) osml_dataset_delete(name);
	PG_RETURN_VOID();
}
