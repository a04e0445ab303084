/*
 * adopt.c
 *	  Learned params of one set for another: see adopt.h.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "compat.h"
#include "source/adopt.h"
#include "source/decode.h"
#include "source/definition.h"
#include "source/row.h"

/* what the two sets are called */
typedef struct Adoption
{
	OsmlFeatureSet *set;
	OsmlFeatureSet *other;
	const char *whose;
	const char *dataset;
} Adoption;

/* Raise: a feature is not what it is in the other set. */
pg_noreturn static void
differs(const Adoption *adoption, const char *feature, const char *how)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s %s %s", osml_feature_words(adoption->dataset, feature), how,
					adoption->whose),
			 errhint("Train without \"warm_start\", or with the features of that version.")));
}

static const OsmlFeature *
find_feature(const OsmlFeatureSet *set, const char *name)
{
	for (int i = 0; i < set->n_features; i++)
	{
		if (strcmp(set->features[i].name, name) == 0)
			return &set->features[i];
	}
	return NULL;
}

/* The same names in the same order, each numbers or categories in both. */
static void
check_features(const Adoption *adoption)
{
	const OsmlFeatureSet *set = adoption->set;
	const OsmlFeatureSet *other = adoption->other;

	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *mine = &set->features[i];
		const OsmlFeature *theirs = find_feature(other, mine->name);

		if (theirs == NULL)
			differs(adoption, mine->name, "is none of the features of");
		if ((mine->code < 0) != (theirs->code < 0) || mine->n_dense != theirs->n_dense ||
			mine->n_elements != theirs->n_elements)
			differs(adoption, mine->name, psprintf("has type %s here, and %s in", mine->type,
												   theirs->type));
	}
	for (int i = 0; i < other->n_features; i++)
	{
		if (find_feature(set, other->features[i].name) == NULL)
			differs(adoption, other->features[i].name, "is missing here, but is one of");
	}
	for (int i = 0; i < set->n_features; i++)
	{
		if (strcmp(set->features[i].name, other->features[i].name) != 0)
			differs(adoption, set->features[i].name, "has another place than in");
	}
}

/* A date or time counts otherwise than one of another type, or than a number. */
static void
check_columns(const Adoption *adoption)
{
	const OsmlFeatureSet *other = adoption->other;

	for (int i = 0; i < adoption->set->n_columns; i++)
	{
		const OsmlSourceColumn *mine = &adoption->set->columns[i];

		for (int k = 0; k < other->n_columns; k++)
		{
			Oid			type = osml_row_column_type(&other->columns[k]);

			if (strcmp(mine->name, other->columns[k].name) == 0 &&
				!osml_decode_alike(mine->type, type))
				ereport(ERROR,
						(errcode(ERRCODE_DATATYPE_MISMATCH),
						 errmsg("column \"%s\" has type %s here, but was of type %s for %s",
								mine->name, format_type_be(mine->type), format_type_be(type),
								adoption->whose),
						 errhint("Train without \"warm_start\", or cast it in a view.")));
		}
	}
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
same_list(List *a, List *b)
{
	ListCell   *ca;
	ListCell   *cb;

	if (list_length(a) != list_length(b))
		return false;
	forboth(ca, a, cb, b)
	{
		if (strcmp(lfirst(ca), lfirst(cb)) != 0)
			return false;
	}
	return true;
}

static bool
same_value(const OsmlParam *a, const OsmlParam *b)
{
	if (a->number != b->number || a->n != b->n || (a->texts == NULL) != (b->texts == NULL) ||
		(a->numbers == NULL) != (b->numbers == NULL))
		return false;
	for (int i = 0; i < a->n; i++)
	{
		if ((a->numbers && a->numbers[i] != b->numbers[i]) ||
			(a->texts && strcmp(a->texts[i], b->texts[i]) != 0))
			return false;
	}
	return true;
}

/* What is given here must be so there; what is left open is theirs if they learned it. */
static bool
same_step(const OsmlStep *mine, const OsmlStep *theirs)
{
	for (int p = 0; p < mine->transform->n_params; p++)
	{
		const OsmlParam *a = &mine->params[p];
		const OsmlParam *b = &theirs->params[p];

		if (a->given ? !b->given || !same_value(a, b) :
			b->given && !mine->transform->params[p].fitted)
			return false;
	}
	return true;
}

/* A definition made the same way, but for what was learned. */
static bool
same_definition(const Adoption *adoption, const OsmlDefinition *mine,
				const OsmlDefinition *theirs)
{
	if (strcmp(mine->feature, theirs->feature) != 0 || mine->step != theirs->step ||
		strcmp(mine->transform, theirs->transform) != 0 ||
		!same_list(mine->inputs, theirs->inputs) || !same_text(mine->shared, theirs->shared))
		return false;
	if (mine->program_step < 0)
		return strcmp(osml_definition_expression(adoption->dataset, mine),
					  osml_definition_expression(NULL, theirs)) == 0;
	return same_step(&adoption->set->program->steps[mine->program_step].step,
					 &adoption->other->program->steps[theirs->program_step].step);
}

void
osml_feature_set_adopt(OsmlFeatureSet *set, OsmlFeatureSet *other, const char *whose,
					   const char *dataset)
{
	Adoption	adoption = {set, other, whose, dataset};
	ListCell   *mine;
	ListCell   *theirs;

	osml_feature_set_build(other, NULL);
	check_features(&adoption);
	check_columns(&adoption);
	forboth(mine, set->definitions, theirs, other->definitions)
	{
		if (!same_definition(&adoption, lfirst(mine), lfirst(theirs)))
			differs(&adoption, ((OsmlDefinition *) lfirst(mine))->feature,
					"is defined otherwise than in");
	}
	if (list_length(set->definitions) != list_length(other->definitions))
	{
		List	   *longer = list_length(set->definitions) > list_length(other->definitions) ?
			set->definitions : other->definitions;

		differs(&adoption, ((OsmlDefinition *) llast(longer))->feature,
				"is defined otherwise than in");
	}
	forboth(mine, set->definitions, theirs, other->definitions)
		((OsmlDefinition *) lfirst(mine))->params = ((OsmlDefinition *) lfirst(theirs))->params;
	osml_feature_set_build(set, dataset);
}
