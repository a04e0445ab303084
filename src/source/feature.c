/*
 * feature.c
 *	  From names to features: what to read from a source, and what to make of it.
 *
 * A feature is resolved once, with everything that it needs, so columns are
 * read and definitions kept only where a chosen feature leads to them.
 *
 * Next: column.c (columns by name), feature_set.c (the program of a set).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "rules/name/nearest.h"
#include "source/adapt.h"
#include "source/column.h"
#include "source/decode.h"
#include "source/definition.h"
#include "source/expression.h"
#include "source/fold.h"
#include "source/names.h"

/* state of resolving: what is wanted of the source, so far */
typedef struct Resolver
{
	OsmlSource *source;
	const char *dataset;		/* for messages; NULL: none */
	const char *label;
	List	   *definitions;	/* of the dataset, by feature and step */
	OsmlFeatureSet *set;
	List	   *visiting;		/* features being resolved, outermost first */
	List	   *done;			/* of Resolved */
	const OsmlRoles *roles;
} Resolver;

/* what a feature, or a name among its inputs, turned out to be */
typedef struct Resolved
{
	const char *name;
	OsmlValueKind kind;
	int			n;				/* number columns; 0: it depends on fitting */
	int			n_elements;		/* a plain array column's length */
	const char *type;			/* of its column; else what it is */
	OsmlTimeUnit unit;			/* a number's */
	bool		folds;			/* a text's, whose lower case counts */
	const char *words;			/* what it is, for date_part: "of type integer" */
} Resolved;

static Resolved *resolve_feature(Resolver *resolver, const char *name);

/*
 * The column among those fetched, added if need be.  The label is none of them:
 * a row to predict has none, and a model that reads it has learned nothing.
 */
static int
add_column(const Resolver *resolver, Form_pg_attribute column)
{
	OsmlFeatureSet *set = resolver->set;
	const char *name = NameStr(column->attname);

	if (strcmp(name, resolver->label) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s reads the label \"%s\"",
						osml_feature_words(resolver->dataset, llast(resolver->visiting)),
						name),
				 errhint("Features may read any column but the label.")));

	for (int i = 0; i < set->n_columns; i++)
	{
		if (strcmp(set->columns[i].name, name) == 0)
			return i;
	}
	set->columns = set->n_columns == 0 ? palloc(sizeof(OsmlSourceColumn)) :
		repalloc(set->columns, sizeof(OsmlSourceColumn) * (set->n_columns + 1));
	set->columns[set->n_columns].name = pstrdup(name);
	set->columns[set->n_columns].type = column->atttypid;
	set->columns[set->n_columns].written = osml_type_name(column->atttypid);
	return set->n_columns++;
}

static OsmlInput *
append_input(OsmlFeatureSet *set, const char *name, OsmlInputKind kind)
{
	OsmlInput  *input;

	set->inputs = set->n_inputs == 0 ? palloc(sizeof(OsmlInput)) :
		repalloc(set->inputs, sizeof(OsmlInput) * (set->n_inputs + 1));
	input = &set->inputs[set->n_inputs++];
	memset(input, 0, sizeof(OsmlInput));
	input->name = pstrdup(name);
	input->kind = kind;
	input->column = -1;
	return input;
}

/* Read a column as numbers, as an array of them, or as a key. */
static void
add_input(Resolver *resolver, Form_pg_attribute column, OsmlInputKind kind)
{
	OsmlFeatureSet *set = resolver->set;
	const char *name = NameStr(column->attname);
	OsmlInput  *input;

	for (int i = 0; i < set->n_inputs; i++)
	{
		if (set->inputs[i].column >= 0 && set->inputs[i].kind == kind &&
			strcmp(set->inputs[i].name, name) == 0)
			return;
	}
	osml_check_unique(resolver->source, name);
	input = append_input(set, name, kind);
	input->column = add_column(resolver, column);
	if (kind == OSML_INPUT_ARRAY)
		input->n_elements = osml_peek_array_length(resolver->source, name);
}

static void
append_definition(Resolver *resolver, const OsmlDefinition *definition)
{
	OsmlDefinition *copy = palloc(sizeof(OsmlDefinition));

	*copy = *definition;
	resolver->set->definitions = lappend(resolver->set->definitions, copy);
}

/* The category that a text is by default, as if somebody had defined it. */
static void
imply_category(Resolver *resolver, const char *feature, int step, List *inputs)
{
	OsmlDefinition definition = {0};

	definition.feature = pstrdup(feature);
	definition.step = step;
	definition.transform = pstrdup(OSML_CATEGORY_TRANSFORM);
	definition.inputs = inputs;
	definition.params = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")));
	definition.implied = true;
	append_definition(resolver, &definition);
}

/* What comes as a value of a type. */
static void
set_type(Resolved *resolved, Oid type)
{
	resolved->type = format_type_be(type);
	resolved->unit = osml_decode_unit(type);
	resolved->folds = osml_type_folds(type);
	resolved->words = psprintf("of type %s", resolved->type);
}

/* A column that nobody defined anything for. */
static Resolved *
resolve_column(Resolver *resolver, Form_pg_attribute column)
{
	Resolved   *resolved = palloc0(sizeof(Resolved));
	const char *name = NameStr(column->attname);
	Oid			type = column->atttypid;

	resolved->name = name;
	resolved->n = 1;
	set_type(resolved, type);
	if (OidIsValid(osml_decode_element(type)))
	{
		add_input(resolver, column, OSML_INPUT_ARRAY);
		resolved->n_elements = resolved->n =
			resolver->set->inputs[resolver->set->n_inputs - 1].n_elements;
	}
	else if (osml_decode_for(type) != NULL)
		add_input(resolver, column, OSML_INPUT_NUMBER);
	else if (osml_decode_is_category(type))
	{
		add_input(resolver, column, OSML_INPUT_KEY);
		imply_category(resolver, name, 1, list_make1(pstrdup(name)));
		resolved->kind = OSML_VALUE_CODE;
	}
	else
		osml_feature_type_error(resolver->source, list_make1(column), NIL);
	return resolved;
}

/* The definitions of one feature, step by step. */
static List *
feature_definitions(const Resolver *resolver, const char *name)
{
	List	   *found = NIL;
	ListCell   *cell;

	foreach(cell, resolver->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (strcmp(definition->feature, name) == 0)
			found = lappend(found, definition);
	}
	return found;
}

/* How an element of an array of numbers is a feature, for a hint; element is from 1. */
static const char *
element_words(const char *array, int element)
{
	const char *quoted = quote_identifier(array);
	StringInfoData params;

	initStringInfo(&params);
	appendStringInfoString(&params, "{\"expression\": ");
	escape_json(&params, psprintf("%s[%d]", quoted, element));
	appendStringInfoChar(&params, '}');
	return psprintf("An element of an array is a feature by osml_transform and \"%s\", as with %s.",
					OSML_SQL_TRANSFORM, params.data);
}

/* Does a feature's first step read what has the name of the feature, and nothing else? */
static bool
reads_own_name(const OsmlDefinition *definition)
{
	return list_length(definition->inputs) == 1 &&
		strcmp(linitial(definition->inputs), definition->feature) == 0;
}

/* Raise: an input that is neither a column nor a feature. */
static void
unknown_input(const Resolver *resolver, const OsmlDefinition *definition,
			  const char *name)
{
	TupleDesc	columns = resolver->source->columns;
	Form_pg_attribute array = osml_find_array(columns, name);
	OsmlNearest nearest;
	const char *best;
	ListCell   *cell;

	osml_nearest_begin(&nearest, name);
	for (int i = 0; i < columns->natts; i++)
		osml_nearest_offer(&nearest, NameStr(TupleDescAttr(columns, i)->attname));
	foreach(cell, resolver->definitions)
	{
		const char *feature = ((OsmlDefinition *) lfirst(cell))->feature;

		if (strcmp(feature, name) != 0)
			osml_nearest_offer(&nearest, feature);
	}
	best = osml_nearest_end(&nearest);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("input \"%s\" of %s is neither a column of %s nor %s feature", name,
					osml_feature_words(resolver->dataset, definition->feature),
					resolver->source->label, reads_own_name(definition) ? "another" : "a"),
			 array ?
			 errhint("%s", element_words(NameStr(array->attname), atoi(strrchr(name, '[') + 1))) :
			 best ? errhint("Perhaps you meant \"%s\".", best) : 0));
}

/* Raise: an input is of the wrong kind for its transform. */
static void
wrong_kind(const Resolver *resolver, const OsmlDefinition *definition, const char *input,
		   const char *is, OsmlValueKind wanted)
{
	Form_pg_attribute column = osml_find_column(resolver->source->columns, input);

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("%s of %s cannot take \"%s\", which is %s", definition->transform,
					osml_feature_words(resolver->dataset, definition->feature), input, is),
			 wanted == OSML_VALUE_KEY &&
			 (definition->step == 1 || strcmp(is, "a number") == 0) ?
			 errhint("It takes columns, and texts that expressions of the transform \"sql\" give: end the expression of a number with \"::text\".") :
			 definition->step > 1 ?
			 errhint("Step %d of a feature reads the step before it; osml_drop_feature drops "
					 "steps.", definition->step) :
			 wanted == OSML_VALUE_CODE ?
			 errhint("It takes bins and categories: make one with osml_bin, or with "
					 "osml_transform and category or hash.") :
			 column && OidIsValid(osml_decode_element(column->atttypid)) ?
			 errhint("It takes numbers. %s", element_words(input, 1)) :
			 errhint("It takes numbers.")));
}

/* What a feature is, in words. */
static const char *
kind_words(const Resolved *resolved)
{
	return resolved->kind == OSML_VALUE_CODE ? "a category" :
		resolved->kind == OSML_VALUE_KEY ? "a text" :
		resolved->n == 1 ? "a number" : "several numbers";
}

/* An input of step 1: a column, read as the transform wants it, or a feature. */
static const Resolved *
resolve_input(Resolver *resolver, const OsmlDefinition *definition,
			  const OsmlTransform *transform, const char *name)
{
	Form_pg_attribute column = osml_find_column(resolver->source->columns, name);
	Resolved   *resolved = palloc0(sizeof(Resolved));

	if (column)
		set_type(resolved, column->atttypid);
	if (column && transform->input == OSML_VALUE_KEY)
	{
		add_input(resolver, column, OSML_INPUT_KEY);
		return resolved;
	}
	if (column && transform->input == OSML_VALUE_NUMBER)
	{
		if (osml_decode_for(column->atttypid) == NULL)
			wrong_kind(resolver, definition, name,
					   psprintf("of type %s", format_type_be(column->atttypid)),
					   OSML_VALUE_NUMBER);
		add_input(resolver, column, OSML_INPUT_NUMBER);
		return resolved;
	}
	if (column == NULL && (feature_definitions(resolver, name) == NIL ||
						   reads_own_name(definition)))
		unknown_input(resolver, definition, name);
	resolved = resolve_feature(resolver, name);
	if (resolved->kind != transform->input ||
		(resolved->kind == OSML_VALUE_NUMBER && resolved->n != 1))
		wrong_kind(resolver, definition, name, kind_words(resolved), transform->input);
	return resolved;
}

/*
 * What the numbers that date_part reads count.  What their type says goes into the
 * params, where it stays with a version; of other numbers somebody must have said it.
 */
static void
settle_unit(const Resolver *resolver, OsmlDefinition *definition, OsmlStep *step,
			const char *input, const Resolved *is)
{
	const OsmlTransform *transform = step->transform;
	int			p = osml_param_by_name(transform, OSML_TIME_UNIT);
	OsmlParam  *unit = &step->params[p];

	if (is->unit == OSML_UNIT_NONE && !unit->given)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s of %s cannot take \"%s\", which is %s and so no date or time",
						transform->name, osml_feature_words(resolver->dataset, definition->feature),
						input, is->words),
				 errhint("If it counts seconds or days since 1970, say so as \"%s\", or make a "
						 "timestamp of it with to_timestamp(...) in a step \"%s\".",
						 OSML_TIME_UNIT, OSML_SQL_TRANSFORM)));
	if (is->unit != OSML_UNIT_NONE && unit->given && unit->number != is->unit)
		osml_definition_error(resolver->dataset, definition->feature, transform->name,
							  psprintf("\"%s\" must be %s, for \"%s\" is %s", OSML_TIME_UNIT,
									   transform->params[p].choices[is->unit], input, is->words));
	if (is->unit == OSML_UNIT_DAYS)
	{
		unit->given = true;
		unit->number = OSML_UNIT_DAYS;
		definition->params = osml_step_params(step);
	}
}

/* Categories that somebody gave, of texts whose lower case counts. */
static void
settle_categories(OsmlDefinition *definition, OsmlStep *step)
{
	int			p = osml_param_by_name(step->transform, "categories");
	OsmlParam  *categories = p < 0 ? NULL : &step->params[p];

	if (categories == NULL || !categories->given)
		return;
	for (int i = 0; i < categories->n; i++)
		categories->texts[i] = osml_fold_text(categories->texts[i], strlen(categories->texts[i]));
	definition->params = osml_step_params(step);
}

/* Says of which dataset an expression is that an error is about. */
static void
add_context(void *arg)
{
	if (arg)
		errcontext("dataset \"%s\"", (const char *) arg);
}

/* A SQL expression over the row: a number, or a text. */
static void
resolve_expression(Resolver *resolver, const OsmlDefinition *definition,
				   Resolved *resolved)
{
	TupleDesc	desc = resolver->source->columns;
	char	  **names = palloc(sizeof(char *) * desc->natts);
	Oid		   *types = palloc(sizeof(Oid) * desc->natts);
	List	   *used = NIL;
	OsmlExpression *expression;
	char	   *text = osml_definition_expression(resolver->dataset, definition);
	ErrorContextCallback callback = {error_context_stack, add_context,
	unconstify(char *, resolver->dataset)};
	Oid			type;
	OsmlInput  *input;
	ListCell   *cell;

	for (int i = 0; i < desc->natts; i++)
	{
		names[i] = NameStr(TupleDescAttr(desc, i)->attname);
		types[i] = TupleDescAttr(desc, i)->atttypid;
	}
	error_context_stack = &callback;
	expression = osml_expression_compile(text, definition->feature, GetUserId(),
										 desc->natts, names, types, &used);
	error_context_stack = callback.previous;
	type = osml_expression_type(expression);
	set_type(resolved, type);
	if (osml_decode_for(type) == NULL && !osml_decode_is_category(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("expression of %s has type %s, which is neither a number nor a text",
						osml_feature_words(resolver->dataset, definition->feature),
						resolved->type),
				 errhint("Cast it in the expression.")));
	resolved->kind = osml_decode_for(type) ? OSML_VALUE_NUMBER : OSML_VALUE_KEY;
	foreach(cell, used)
	{
		osml_check_unique(resolver->source, names[lfirst_int(cell)]);
		(void) add_column(resolver, TupleDescAttr(desc, lfirst_int(cell)));
	}
	input = append_input(resolver->set, definition->feature,
						 resolved->kind == OSML_VALUE_KEY ? OSML_INPUT_KEY :
						 OSML_INPUT_NUMBER);
	input->expression = text;
}

/* One step of a feature; resolved is what the step before it gives. */
static void
resolve_step(Resolver *resolver, const OsmlDefinition *definition, Resolved *resolved)
{
	OsmlDefinition settled = *definition;
	OsmlStep	step = {0};
	const char *input = definition->feature;
	const Resolved *is = resolved;
	ListCell   *cell;

	if (strcmp(definition->transform, OSML_SQL_TRANSFORM) == 0)
	{
		if (definition->step > 1)
			osml_definition_error(resolver->dataset, definition->feature,
								  definition->transform, "only the first step can be an expression");
		resolve_expression(resolver, definition, resolved);
		append_definition(resolver, definition);
		return;
	}
	osml_definition_step(resolver->dataset, definition, &step);
	if (definition->step > 1)
	{
		if (resolved->kind != step.transform->input)
			wrong_kind(resolver, definition, definition->feature, kind_words(resolved),
					   step.transform->input);
	}
	else
	{
		foreach(cell, definition->inputs)
		{
			input = lfirst(cell);
			is = resolve_input(resolver, definition, step.transform, input);
		}
	}
	if (strcmp(step.transform->name, OSML_TIME_TRANSFORM) == 0)
		settle_unit(resolver, &settled, &step, input, is);
	if (is->folds && step.transform->input == OSML_VALUE_KEY)
		settle_categories(&settled, &step);
	append_definition(resolver, &settled);
	resolved->unit = step.transform->keeps_unit ? is->unit : OSML_UNIT_NONE;
	resolved->words = step.transform->keeps_unit ? is->words :
		psprintf("what %s makes", step.transform->name);
	resolved->kind = step.transform->makes_codes ? OSML_VALUE_CODE : OSML_VALUE_NUMBER;
	resolved->n = step.transform->n_out ? step.transform->n_out(&step) : 1;
}

/* All steps of a feature; a text at their end is a category. */
static Resolved *
resolve_steps(Resolver *resolver, const char *name, List *definitions)
{
	Resolved   *resolved = palloc0(sizeof(Resolved));
	int			n = 0;
	ListCell   *cell;

	resolved->name = name;
	resolved->n = 1;
	resolved->type = "derived";
	foreach(cell, definitions)
	{
		resolve_step(resolver, lfirst(cell), resolved);
		n = ((OsmlDefinition *) lfirst(cell))->step;
	}
	if (resolved->kind == OSML_VALUE_KEY)
	{
		imply_category(resolver, name, n + 1, NIL);
		resolved->kind = OSML_VALUE_CODE;
	}
	return resolved;
}

/* Raise: a feature that needs itself. */
static void
check_circle(const Resolver *resolver, const char *name)
{
	if (osml_names_hold(resolver->visiting, name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("%s is defined by way of itself",
						osml_feature_words(resolver->dataset, name)),
				 errhint("An input names a column of the source, or else a feature "
						 "that does not need this one.")));
}

/* A feature by name, and everything it needs; once. */
static Resolved *
resolve_feature(Resolver *resolver, const char *name)
{
	List	   *definitions = feature_definitions(resolver, name);
	Resolved   *resolved;
	ListCell   *cell;

	foreach(cell, resolver->done)
	{
		resolved = lfirst(cell);
		if (strcmp(resolved->name, name) == 0)
			return resolved;
	}
	check_circle(resolver, name);
	resolver->visiting = lappend(resolver->visiting, unconstify(char *, name));
	if (definitions != NIL)
		resolved = resolve_steps(resolver, name, definitions);
	else
		resolved = resolve_column(resolver, osml_need_column(resolver->source, name));
	resolver->visiting = list_delete_last(resolver->visiting);
	resolver->done = lappend(resolver->done, resolved);
	return resolved;
}

/* Append a feature to the set. */
static void
add_feature(Resolver *resolver, const char *name)
{
	OsmlFeatureSet *set = resolver->set;
	Resolved   *resolved;
	OsmlFeature *feature;

	for (int i = 0; i < set->n_features; i++)
	{
		if (strcmp(set->features[i].name, name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("%s is named twice",
							osml_feature_words(resolver->dataset, name))));
	}
	resolved = resolve_feature(resolver, name);
	set->features = set->n_features == 0 ? palloc(sizeof(OsmlFeature)) :
		repalloc(set->features, sizeof(OsmlFeature) * (set->n_features + 1));
	feature = &set->features[set->n_features++];
	memset(feature, 0, sizeof(OsmlFeature));
	feature->name = pstrdup(name);
	feature->n_elements = resolved->n_elements;
	feature->type = pstrdup(resolved->type);
}

/* Is a column the label, or one that weights rows or says how new they are? */
static bool
has_role(const Resolver *resolver, const char *name)
{
	const OsmlRoles *roles = resolver->roles;

	return strcmp(name, resolver->label) == 0 ||
		(roles->weight && strcmp(name, roles->weight) == 0) ||
		(roles->exposure && strcmp(name, roles->exposure) == 0) ||
		(roles->since && strcmp(name, roles->since) == 0);
}

/*
 * An error where a column cannot be a feature as it is, with all such columns at
 * once.  They are not left out quietly: a duration may be what tells most.
 */
static void
check_all_columns(const Resolver *resolver)
{
	TupleDesc	columns = resolver->source->columns;
	List	   *wrong = NIL;
	List	   *others = NIL;

	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);
		char	   *name = NameStr(column->attname);
		Oid			type = column->atttypid;

		if (has_role(resolver, name))
			continue;
		if (feature_definitions(resolver, name) != NIL ||
			OidIsValid(osml_decode_element(type)) || osml_decode_for(type) || osml_decode_is_category(type))
			others = lappend(others, name);
		else
			wrong = lappend(wrong, column);
	}
	if (wrong != NIL)
		osml_feature_type_error(resolver->source, wrong, others);
}

/* Features nobody chose: all columns without another role, then what is defined. */
static void
add_all_features(Resolver *resolver)
{
	TupleDesc	columns = resolver->source->columns;
	ListCell   *cell;

	check_all_columns(resolver);
	for (int i = 0; i < columns->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(columns, i)->attname);

		if (!has_role(resolver, name))
			add_feature(resolver, name);
	}
	foreach(cell, resolver->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (definition->step == 1 && osml_find_column(columns, definition->feature) == NULL)
			add_feature(resolver, definition->feature);
	}
}

/* A model without any column, or with too many. */
static void
check_width(const OsmlSource *source, const OsmlFeatureSet *set)
{
	if (set->n_features == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s has no feature column", source->label),
				 errdetail("Its only column, \"%s\", is the label.", set->label)));
	if (set->layout.n_dense > OSML_MAX_DENSE ||
		set->program->output.n_dense > OSML_MAX_DENSE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s has more than %d feature values", source->label, OSML_MAX_DENSE),
				 errhint("Name fewer columns in \"features\".")));
}

/* Is a name that of an element of an array column? */
static bool
names_element(const OsmlInput *array, const char *name)
{
	size_t		length = strlen(array->name);
	int			element;

	if (strncmp(name, array->name, length) != 0 || name[length] != '[')
		return false;
	element = atoi(name + length + 1);
	return element >= 1 && element <= array->n_elements &&
		strcmp(name, psprintf("%s[%d]", array->name, element)) == 0;
}

/*
 * Raise an error: lists name each element of an array column "a[1]", as another
 * column or feature is named.
 */
static void
check_element_names(const OsmlFeatureSet *set, const char *dataset, const char *name,
					bool column)
{
	for (int i = 0; i < set->n_inputs; i++)
	{
		const OsmlInput *array = &set->inputs[i];

		if (array->kind != OSML_INPUT_ARRAY || !names_element(array, name))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
				 errmsg("%s has the name of an element of array column \"%s\"",
						column ? psprintf("column \"%s\"", name) :
						osml_feature_words(dataset, name), array->name),
				 column ?
				 errhint("Rename one of them in a view or a SELECT, or leave one out of \"features\".") :
				 errhint("Choose another name.")));
	}
}

/* All names that a set's lists have. */
static void
check_names(const OsmlFeatureSet *set, const char *dataset)
{
	osml_check_column_names(set, dataset);
	check_element_names(set, dataset, set->label, true);
	for (int i = 0; i < set->n_inputs; i++)
		check_element_names(set, dataset, set->inputs[i].name, set->inputs[i].column >= 0);
	for (int i = 0; i < set->n_features; i++)
		check_element_names(set, dataset, set->features[i].name, false);
}

OsmlFeatureSet *
osml_source_features(OsmlSource *source, const OsmlRoles *roles, List *features,
					 List *definitions, const char *dataset)
{
	const char *label = roles->label;
	OsmlFeatureSet *set = palloc0(sizeof(OsmlFeatureSet));
	Resolver	resolver = {source, dataset, NULL, definitions, set, NIL, NIL, roles};
	ListCell   *cell;

	if (source->columns->natts == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s has no columns", source->label)));
	if (label == NULL)
		label = NameStr(TupleDescAttr(source->columns, 0)->attname);
	osml_set_label(set, source, label);
	osml_set_weights(set, source, roles->weight, roles->exposure);
	resolver.label = label;
	foreach(cell, features)
	{
		if (strcmp(lfirst(cell), label) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("label \"%s\" is also named as a feature", label)));
		add_feature(&resolver, lfirst(cell));
	}
	if (features == NIL)
		add_all_features(&resolver);
	if (dataset)
		set->subject = psprintf("of dataset \"%s\"", dataset);
	osml_place_inputs(set);
	osml_feature_set_build(set, dataset);
	check_names(set, dataset);
	check_width(source, set);
	osml_check_readable(source, set);
	return set;
}
