/*
 * check_inputs.c
 *	  What a run refuses before it reads a row; see check.h.
 *
 * Calls what resolve.c calls.
 */
#include "postgres.h"

#include <math.h>

#include "api/check.h"
#include "train/device.h"
#include "train/parts.h"
#include "train/since.h"
#include "train/warm.h"
#include "utils/jsonb.h"

/* Hyperparameters, parsed as a run would. */
static void
attempt_hparams(OsmlCheck *check)
{
	OsmlHparams *hparams = osml_hparams_parse(check->dataset->options, check->given);

	check->warm = NULL;
	if (hparams->warm_start != 0)
	{
		check->warm = osml_warm_find(check->model, hparams);
		if (check->warm)
			hparams = osml_warm_hparams(check->warm, check->model, check->dataset,
										check->given);
	}
	osml_hparams_check(hparams);
	osml_check_threads(hparams);
	if (check->warm == NULL)
		hparams->warm_start = 0;
	osml_resolve_scale_label(hparams);
	check->hparams = hparams;
}

/* The object with another member. */
static Jsonb *
with_member(Jsonb *object, JsonbValue *key, Jsonb *whole)
{
	JsonbParseState *state = NULL;
	JsonbIterator *it = JsonbIteratorInit(&object->root);
	JsonbIteratorToken token;
	JsonbValue	value;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	(void) JsonbIteratorNext(&it, &value, true);
	while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_END_OBJECT)
		pushJsonbValue(&state, token, &value);
	pushJsonbValue(&state, WJB_KEY, key);
	pushJsonbValue(&state, WJB_VALUE,
				   getKeyJsonValueFromContainer(&whole->root, key->val.string.val,
												key->val.string.len, NULL));
	return JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL));
}

static Jsonb *
empty_object(void)
{
	JsonbParseState *state = NULL;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	return JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL));
}

/* The keys that are fine are what the other checks go by; complains of the others
 * and returns them. */
static char *
keep_valid_keys(OsmlCheck *check)
{
	Jsonb	   *whole = check->given;
	Jsonb	   *fine = empty_object();
	JsonbIterator *it = JsonbIteratorInit(&whole->root);
	JsonbIteratorToken token;
	JsonbValue	key;
	StringInfoData others;

	initStringInfo(&others);
	while ((token = JsonbIteratorNext(&it, &key, true)) != WJB_DONE)
	{
		if (token != WJB_KEY)
			continue;
		check->given = with_member(fine, &key, whole);
		if (osml_check_attempt(check, "hyperparameters", OSML_CHECK_ERROR, attempt_hparams))
			fine = check->given;
		else
			appendStringInfo(&others, "%s\"%.*s\"", others.len > 0 ? ", " : "",
							 key.val.string.len, key.val.string.val);
	}
	check->given = fine;
	return others.data;
}

/* Some keys are wrong: go on with the others, and say so. */
static void
go_on(OsmlCheck *check)
{
	Jsonb	   *given = check->given;
	char	   *others = "";

	check->given = NULL;
	if (!osml_check_attempt(check, NULL, OSML_CHECK_ERROR, attempt_hparams))
	{
		check->hparams = osml_hparams_parse(NULL, NULL);
		osml_hparams_check(check->hparams);
	}
	check->given = given;
	if (given != NULL && JB_ROOT_IS_OBJECT(given))
		others = keep_valid_keys(check);
	else
		(void) osml_check_attempt(check, "hyperparameters", OSML_CHECK_ERROR, attempt_hparams);
	osml_check_put(check, "hyperparameters", OSML_CHECK_WARN, NULL, NAN, others[0] ?
				   psprintf("the other checks leave out %s, and go by the rest of what was given", others) :
				   "the other checks go by the defaults", NULL);
}

static void
attempt_features(OsmlCheck *check)
{
	OsmlPart   *train = &check->parts[OSML_PART_TRAIN];

	osml_resolve_train(train, check->dataset, check->hparams);
	if (check->warm)
		osml_warm_features(check->warm, check->model, check->dataset, train);
	/* its blocks have got a column more */
	osml_feature_set_build(&train->set, check->dataset->name);
	check->set = &train->set;
}

/* Which rows are new. */
static void
attempt_since(OsmlCheck *check)
{
	OsmlPart   *train = &check->parts[OSML_PART_TRAIN];
	OsmlSince	since = {0};

	if (!osml_since_resolve(&since, train, check->hparams, check->model, check->warm, NULL))
		osml_check_put(check, "since", OSML_CHECK_WARN, NULL, 0,
					   psprintf("no row of %s has a \"%s\" above %s: there is nothing new to train on",
								train->source.label, check->hparams->since, since.above), NULL);
}

static void
attempt_counts(OsmlCheck *check)
{
	OsmlPart   *train = &check->parts[OSML_PART_TRAIN];

	osml_resolve_counts(train, check->dataset, check->hparams);
	/* weights are a column more */
	osml_feature_set_build(&train->set, check->dataset->name);
}

static void
attempt_held_out(OsmlCheck *check)
{
	OsmlPart   *part = &check->parts[check->kind];

	osml_resolve_held_out(part, check->kind, check->dataset, &check->parts[OSML_PART_TRAIN]);
}

const char *
osml_check_part(OsmlPartKind kind)
{
	return kind == OSML_PART_TRAIN ? "train" : kind == OSML_PART_VAL ? "val" : "test";
}

/* The features, and what hyperparameters and other parts must have of them. */
static void
check_features(OsmlCheck *check)
{
	if (osml_check_attempt(check, "features", OSML_CHECK_ERROR, attempt_features))
	{
		const OsmlLayout *layout = &check->set->program->output;

		osml_check_put(check, "features", OSML_CHECK_OK, NULL, check->set->n_features,
					   psprintf("%d features: %d numbers and %d categories or bins",
								check->set->n_features, layout->n_dense, layout->n_codes), NULL);
		check->counted = osml_check_attempt(check, "hyperparameters", OSML_CHECK_ERROR,
											attempt_counts);
		check->valid = check->valid && check->counted &&
			osml_check_attempt(check, "since", OSML_CHECK_ERROR, attempt_since);
		for (int p = 0; p < OSML_PART_TRAIN; p++)
		{
			check->kind = p;
			check->subject = osml_check_part(p);
			(void) osml_check_attempt(check, "features", OSML_CHECK_ERROR, attempt_held_out);
		}
		check->subject = NULL;
	}
}

static void
attempt_model(OsmlCheck *check)
{
	osml_check_model(check->model, check->model_given);
}

void
osml_check_inputs(OsmlCheck *check)
{
	check->named = check->model == NULL ||
		osml_check_attempt(check, "model", OSML_CHECK_ERROR, attempt_model);
	check->valid = osml_check_attempt(check, NULL, OSML_CHECK_ERROR, attempt_hparams);
	if (!check->valid)
		go_on(check);
	check_features(check);
}
