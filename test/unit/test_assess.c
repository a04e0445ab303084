/*
 * test_assess.c
 *	  Verdicts on planted columns, one kind each, in a table of two classes.
 */
#include "tap.h"

#include <string.h>

#include "features/assess.h"
#include "fixtures/arena.h"
#include "fixtures/table.h"

enum
{
	GOOD, SKEWED, CURVED, COPY, SERIAL, CONSTANT, RARE, GAPS, OUTCOME, CODE, HOUR, WHEN, NOISE,
	HALF, OTHER_HALF, TWIN, TEXT_ID, LEVELS, PROMISED, DELIVERED, RENEWED, LABEL, N_COLUMNS
};

static const OsmlColumnKind kinds[N_COLUMNS] = {
	[GOOD] = {.name = "good"},[SKEWED] = {.name = "skewed"},[CURVED] = {.name = "curved"},
	[COPY] = {.name = "copy"},[SERIAL] = {.name = "serial",.is_integer = true},
	[CONSTANT] = {.name = "constant"},[RARE] = {.name = "rare"},[GAPS] = {.name = "gaps"},
	[OUTCOME] = {.name = "outcome"},[CODE] = {.name = "c",.is_integer = true},
	[HOUR] = {.name = "h",.is_integer = true},[WHEN] = {.name = "when",.is_time = true},
	[NOISE] = {.name = "noise"},[HALF] = {.name = "half",.is_integer = true},
	[OTHER_HALF] = {.name = "other_half",.is_key = true},[TWIN] = {.name = "twin"},
	[TEXT_ID] = {.name = "text_id",.is_key = true},[LEVELS] = {.name = "levels",.is_key = true},
	[PROMISED] = {.name = "promised",.is_integer = true},[DELIVERED] = {.name = "delivered",.is_integer = true},
	[RENEWED] = {.name = "renewed",.is_integer = true},
	[LABEL] = {.name = "y",.is_integer = true}
};

static void
make_row(OsmlCell *row, int i)
{
	int			code = (int) (300 * table_unit(i, 1));
	int			hour = (int) (24 * table_unit(i, 2));
	double		score = 1.2 * table_normal(code, 900) + 1.2 * cos(hour * 0.2617993877991494) +
		0.8 * sin(i / 700.0);
	double		y = table_unit(i, 3) < 1 / (1 + exp(-score)) ? 1 : 0;
	int			half = (int) (20 * table_unit(i, 4));

	row[GOOD] = table_number(table_normal(i, 5) + 0.5 * y);
	row[SKEWED] = table_number(exp(2 * table_normal(i, 6) + 0.5 * y));
	row[CURVED] = table_number((1 + 0.5 * y) * table_normal(i, 7));
	row[COPY] = table_number(3 - 2 * y);
	row[SERIAL] = table_number(1000 + i);
	row[CONSTANT] = table_number(7);
	row[RARE] = table_unit(i, 8) < 0.03 ? table_number(table_unit(i, 9)) : table_null();
	row[GAPS] = table_unit(i, 10) < 0.8 ? table_number(table_unit(i, 11) + 0.2 * y) : table_null();
	row[OUTCOME] = y == 1 && table_unit(i, 12) < 0.5 ? table_number(table_unit(i, 13)) : table_null();
	row[CODE] = table_number(20000 + 89 * code);
	row[HOUR] = table_number(hour);
	row[WHEN] = table_number(1.7e9 + 60.0 * i);
	row[NOISE] = table_number(table_unit(i, 14));
	row[HALF] = table_number(half);
	row[OTHER_HALF] = table_key((uint64_t) (2 * (int) (10 * table_unit(i, 15)) + ((half + (int) y) & 1)));
	row[TWIN] = table_number(2 * row[GOOD].number + 1e-3 * table_unit(i, 16));
	row[TEXT_ID] = table_key((uint64_t) i + 77);
	row[LEVELS] = table_key((uint64_t) (100 * pow(table_unit(i, 17), 1 + y)));
	row[PROMISED] = table_number((int) (1000 * table_unit(i, 18)));
	row[DELIVERED] = table_number(row[PROMISED].number + (2 * y - 1) * (1 + (int) (8 * table_unit(i, 19))));
	row[RENEWED] = y == 1 && table_unit(i, 20) < 0.6 ? table_number((int) (300 * table_unit(i, 21))) : table_null();
	row[LABEL] = table_number(y);
}

/* read and assess all; returns the first failure */
static OsmlStatus
assess_all(OsmlAssess *assess, OsmlSample *sample, const OsmlArena *arena, int n,
		   const OsmlFeatureNote *notes)
{
	OsmlStatus	status = osml_sample_init(sample, arena, kinds, N_COLUMNS, 5000);
	OsmlPairFound pair;
	OsmlCell	row[N_COLUMNS];

	for (int i = 0; status == OSML_OK && i < n; i++)
	{
		make_row(row, i);
		osml_sample_add(sample, row);
	}
	if (status == OSML_OK)
		status = osml_sample_finish(sample);
	if (status == OSML_OK)
		status = osml_assess_begin(assess, sample);
	for (int j = 0; status == OSML_OK && j < LABEL; j++)
		status = osml_assess(assess, j, notes ? &notes[j] : NULL);
	for (int a = 0; status == OSML_OK && a < LABEL; a++)
	{
		for (int b = a + 1; status == OSML_OK && b < LABEL; b++)
			status = osml_assess_pair(assess, a, b, false, &pair);
	}
	return status;
}

static void
expect(const OsmlAssess *assess, int j, OsmlVerdict verdict, const char *words)
{
	const OsmlAssessment *found = &assess->found[j];

	ok(found->verdict == verdict && strstr(found->reason, words), "%s: %s \"%s\"",
	   kinds[j].name, osml_verdict_name(found->verdict), found->reason);
}

static void
test_verdicts(const OsmlArena *arena)
{
	OsmlAssess	assess;
	OsmlSample	sample;

	ok(assess_all(&assess, &sample, arena, 12000, NULL) == OSML_OK, "assessed");
	ok(sample.n == 5000 && sample.rows == 12000, "on a sample");
	expect(&assess, SKEWED, OSML_KEEP, "");
	expect(&assess, CURVED, OSML_KEEP, "");
	expect(&assess, LEVELS, OSML_KEEP, "");
	expect(&assess, COPY, OSML_DROP, "tells 100.0 % of the label");
	expect(&assess, SERIAL, OSML_DROP, "an identifier");
	expect(&assess, TEXT_ID, OSML_DROP, "an identifier");
	expect(&assess, CONSTANT, OSML_DROP, "constant");
	expect(&assess, RARE, OSML_DROP, "present in only 3.");
	expect(&assess, GAPS, OSML_LOOK, "missing in ");
	expect(&assess, OUTCOME, OSML_DROP, "filled only where the label is 1: 100.0 %");
	expect(&assess, CODE, OSML_LOOK, "numbers that name things");
	expect(&assess, HOUR, OSML_LOOK, "hour of day goes round");
	expect(&assess, WHEN, OSML_DROP, "grows with the order of rows");
	expect(&assess, NOISE, OSML_LOOK, "no relation");
	expect(&assess, HALF, OSML_LOOK, "of the label together with \"other_half\"");
	expect(&assess, OTHER_HALF, OSML_LOOK, "of the label together with \"half\"");
	expect(&assess, PROMISED, OSML_LOOK, "together with \"delivered\", by their difference");
	expect(&assess, DELIVERED, OSML_LOOK, "together with \"promised\", by their difference");
	expect(&assess, RENEWED, OSML_DROP, "filled only where the label is 1");
	ok(!strstr(assess.found[RENEWED].reason, "together") && !strstr(assess.found[OUTCOME].reason, "together"),
	   "where two are filled is one class, of which they tell nothing");
	ok(assess.found[GOOD].verdict + assess.found[TWIN].verdict == OSML_LOOK &&
	   assess.found[GOOD].partner == TWIN && assess.found[TWIN].partner == GOOD,
	   "one of twins is to be looked at, both name the other");
	ok(assess.found[SERIAL].association < 0.3 && assess.found[TEXT_ID].association == 0,
	   "identifiers tell nothing");
	ok(assess.found[COPY].min_class_rows == 0 && assess.found[COPY].min_rows > 4000,
	   "rows of the rarest value and class, in the table's size");
}

static void
test_notes(const OsmlArena *arena)
{
	OsmlFeatureNote notes[LABEL] = {{OSML_AVAILABLE_UNKNOWN, NULL, NULL}};
	OsmlAssess	assess;
	OsmlSample	sample;

	notes[GOOD].available = OSML_AVAILABLE_NO;
	notes[GOOD].reason = "the law";
	notes[COPY].available = OSML_AVAILABLE_YES;
	notes[COPY].reason = "written before";
	ok(assess_all(&assess, &sample, arena, 4000, notes) == OSML_OK, "assessed with notes");
	expect(&assess, GOOD, OSML_DROP, "declared as not available: the law");
	expect(&assess, COPY, OSML_LOOK, "declared as available: written before");
}

/* columns of other columns in another form, and what a model sees otherwise already */
static void
test_made(const OsmlArena *arena)
{
	OsmlColumnKind changed[N_COLUMNS];
	OsmlFeatureNote known = {OSML_AVAILABLE_YES, "measured before", NULL};
	OsmlAssess	assess;
	OsmlSample	sample;
	OsmlPairFound pair;

	ok(assess_all(&assess, &sample, arena, 12000, NULL) == OSML_OK, "assessed");
	osml_assess_made_of(&assess, LEVELS, WHEN, NULL);
	expect(&assess, LEVELS, OSML_DROP, "\"when\", which it is made of: a point in time");
	osml_assess_made_of(&assess, CURVED, SERIAL, NULL);
	expect(&assess, CURVED, OSML_DROP, "\"serial\", which it is made of, is an identifier");
	osml_assess_made_of(&assess, SKEWED, OUTCOME, &known);
	expect(&assess, SKEWED, OSML_LOOK, "\"outcome\", which it is made of: filled only where");
	osml_assess_made_of(&assess, NOISE, HOUR, NULL);
	ok(!strstr(assess.found[NOISE].reason, "made of"), "advice about numbers is for the column");
	ok(osml_assess_pair(&assess, GOOD, TWIN, true, &pair) == OSML_OK && pair.akin &&
	   !pair.redundant && pair.redundancy.value > 0.99, "of kin only the figures are shown");

	memcpy(changed, kinds, sizeof(kinds));
	changed[HOUR].regrouped = changed[CODE].regrouped = changed[GAPS].takes_missing = true;
	sample.kinds = changed;
	ok(osml_assess(&assess, HOUR, NULL) == OSML_OK && osml_assess(&assess, CODE, NULL) == OSML_OK &&
	   osml_assess(&assess, GAPS, NULL) == OSML_OK, "assessed again");
	ok(assess.found[HOUR].meaning.meaning == OSML_MEANS_CYCLE, "hours go round");
	ok(!strstr(assess.found[HOUR].reason, "goes round") && !strstr(assess.found[CODE].reason, "name things"),
	   "advice that has been followed is not given");
	expect(&assess, GAPS, OSML_KEEP, "");
}

/* wherever memory runs out, that is what is said */
static void
test_memory(void)
{
	bool		fine = true;
	long		step = 1;

	for (long budget = 0;; budget += step)
	{
		TestArena	memory;
		OsmlAssess	assess;
		OsmlSample	sample;
		OsmlStatus	status;

		test_arena_init(&memory);
		memory.budget = budget;
		status = assess_all(&assess, &sample, &memory.arena, 200, NULL);
		test_arena_free(&memory);
		if (status == OSML_OK)
			break;
		fine = fine && status == OSML_OUT_OF_MEMORY;
		step = budget < 300 ? 1 : 97;
	}
	ok(fine, "out of memory at every place");
}

int
main(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);

	test_verdicts(arena);
	test_notes(arena);
	test_made(arena);
	test_memory();
	test_arena_free(&memory);
	return done();
}
