/*
 * model.c
 *	  osml_deploy(), osml_drop_model(): which version is in use, and the end of
 *	  versions.
 *
 * Each first finds the model and checks the right, and only then locks the
 * row, so that nobody can hold up a model that is not his.
 */
#include "postgres.h"

#include <limits.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "api/need.h"
#include "catalog/model.h"

PG_FUNCTION_INFO_V1(osml_deploy);
PG_FUNCTION_INFO_V1(osml_deploy_named);
PG_FUNCTION_INFO_V1(osml_drop_model);

/* The model, locked against other changes until the transaction ends. */
static OsmlModelRow *
lock_model(const char *name)
{
	OsmlModelRow *model;

	(void) osml_need_model(name, OSML_MANAGE);
	model = osml_model_lock(name);
	if (model == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("model \"%s\" was dropped meanwhile", name)));
	return model;
}

/* An error unless the model has this version. */
static void
check_version(const OsmlModelRow *model, int version)
{
	OsmlVersionKey key;

	if (version < 1 || !osml_version_key(model, version, &key))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("version %d of model \"%s\" does not exist",
						version, model->name),
				 errhint("osml.models lists the versions.")));
}

/* The version that a word or a number in text means. */
static int
choose_version(const OsmlModelRow *model, const char *word)
{
	char	   *end;
	long		number;
	int			version;

	if (pg_strcasecmp(word, "previous") == 0)
		version = model->previous;
	else if (pg_strcasecmp(word, "best") == 0)
		version = osml_version_best(model);
	else
	{
		number = strtol(word, &end, 10);
		if (end == word || *end != '\0' || number < 1 || number > INT_MAX)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid model version \"%s\"", word),
					 errhint("Give a number, 'best' or 'previous'.")));
		return (int) number;
	}
	if (version == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no %s version", model->name, word),
				 errhint("osml.models lists its versions; name one by number.")));
	return version;
}

/*
 * Deploy a version by word (or number, when word is NULL).  The snapshot is
 * taken after the lock: a version that came while this waited counts.
 */
static int
deploy(const char *name, const char *word, int version)
{
	OsmlModelRow *model = lock_model(name);

	PushActiveSnapshot(GetTransactionSnapshot());
	if (word != NULL)
		version = choose_version(model, word);
	check_version(model, version);
	PopActiveSnapshot();
	osml_model_deploy(model, version);
	return version;
}

/* osml_deploy(model, version integer) */
Datum
osml_deploy(PG_FUNCTION_ARGS)
{
	char	   *name = osml_need_text(fcinfo, 0, "model");

	osml_prevent_write("osml_deploy()");
	PG_RETURN_INT32(deploy(name, NULL, PG_GETARG_INT32(1)));
}

/* osml_deploy(model, version text) */
Datum
osml_deploy_named(PG_FUNCTION_ARGS)
{
	char	   *name = osml_need_text(fcinfo, 0, "model");
	char	   *word = osml_need_text(fcinfo, 1, "version");

	osml_prevent_write("osml_deploy()");
	PG_RETURN_INT32(deploy(name, word, 0));
}

/* osml_drop_model(model, version): without a version the model and all */
Datum
osml_drop_model(PG_FUNCTION_ARGS)
{
	char	   *name = osml_need_text(fcinfo, 0, "model");
	OsmlModelRow *model;
	int			version;

	osml_prevent_write("osml_drop_model()");
	model = lock_model(name);
	if (PG_ARGISNULL(1))
	{
		(void) osml_version_drop(model, 0);
		PG_RETURN_VOID();
	}
	version = PG_GETARG_INT32(1);
	PushActiveSnapshot(GetTransactionSnapshot());
	check_version(model, version);
	PopActiveSnapshot();
	if (version == model->deployed)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("version %d of model \"%s\" is deployed", version, name),
				 errhint("Deploy another version first, or drop the whole model with osml_drop_model(%s).",
						 quote_literal_cstr(name))));
	(void) osml_version_drop(model, version);
	PG_RETURN_VOID();
}
