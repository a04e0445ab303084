/*
 * test_meaning.c
 *	  What numbers stand for, each as the only feature of a table whose rows are
 *	  in no order: identifiers, times, circles, codes, copies of a rare class; and
 *	  the measures that look like them.
 */
#include "tap.h"

#include <string.h>

#include "features/assess.h"
#include "features/column_name.h"
#include "fixtures/arena.h"
#include "fixtures/table.h"

#define DRIFT_ROWS 6000

typedef double (*Maker) (int i, double y);

/* one feature, and what is to be said of it */
typedef struct Case
{
	OsmlColumnKind kind;
	Maker		make;
	OsmlVerdict verdict;
	OsmlMeaning meaning;
	const char *words;
} Case;

/* when row i happened: rows are in no order of time */
static int
tick(int i)
{
	return (int) ((int64_t) i * 2741 % DRIFT_ROWS);
}

static int
hour(int i)
{
	return (int) (24 * table_unit(i, 2));
}

/* half of the rows are of each class, which drifts with time and follows the hour */
static double
drifting(int i)
{
	double		score = 1.3 * sin(tick(i) / 900.0) + 1.1 * sin(hour(i) * 0.2617993877991494 + 0.4);

	return table_unit(i, 3) < 1 / (1 + exp(-score)) ? 1 : 0;
}

static double
rare(int i)
{
	return table_unit(i, 3) < 0.03 ? 1 : 0;
}

/* identifiers */
static double stride(int i, double y) { return 5000 + 13.0 * tick(i); }
static double phone(int i, double y)
{
	static const double areas[] = {202e7, 301e7, 703e7};

	return areas[(int) (3 * table_unit(i, 4))] + floor(1e7 * table_unit(i, 5));
}
static double spread(int i, double y) { return floor(1e6 * table_unit(i, 6)); }
static double huge(int i, double y) { return floor(9e18 * table_unit(i, 7)); }
static double account(int i, double y) { return floor(1e6 * exp(table_normal(i, 8))); }

/* nearly all different, and measures */
static double income(int i, double y) { return floor(1e6 * exp(0.6 * table_normal(i, 9) + 0.2 * y)); }
static double steps(int i, double y) { return floor(1e6 * pow(table_unit(i, 10), 1 + 0.4 * y)); }
static double balance(int i, double y) { return floor(5e7 + 1e6 * (table_normal(i, 11) + 0.2 * y)); }
static double unrelated(int i, double y) { return floor(1e6 * exp(table_normal(i, 21))); }

/* times */
static double second(int i, double y) { return 1.6e9 + 3600.0 * tick(i); }
static double milli(int i, double y) { return 1000 * second(i, y); }
static double fraction(int i, double y) { return second(i, y) + table_unit(i, 13); }
static double midnight(int i, double y) { return 1.6e9 + 86400.0 * (tick(i) / 5); }
static double digits(int i, double y)
{
	int			day = tick(i) / 8;

	return 20200101 + 10000 * (day / 336) + 100 * (day / 28 % 12) + day % 28;
}
static double birth(int i, double y) { return -6e8 + 1e9 * table_unit(i, 14) - 2e8 * y; }
static double mass(int i, double y) { return 1.5e9 * exp(0.5 * table_normal(i, 15) + 0.1 * y); }

/* circles, and what fills the range of one */
static double clock_hour(int i, double y) { return hour(i); }
static double minute(int i, double y) { return 60 * hour(i) + floor(60 * table_unit(i, 16)); }
static double grade(int i, double y) { return floor(24 * pow(table_unit(i, 17), 1 + 0.6 * y)); }

/* codes: ZIP codes of one town */
static double zip(int i, double y) { return 20001 + floor(98 * table_unit(i, 18)); }

/* what a rare class leaves */
static double nearly(int i, double y) { return table_unit(i, 19) < 0.01 ? 1 - y : y; }
static double strong(int i, double y) { return table_normal(i, 20) + 2 * y; }

static const Case drift_cases[] = {
	{{.name = "a",.is_integer = true}, stride, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "a",.is_integer = true}, phone, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "a"}, phone, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "a",.is_integer = true}, spread, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "a",.is_integer = true}, huge, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "account_no",.is_integer = true}, account, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "income_cents",.is_integer = true}, income, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "number_of_steps",.is_integer = true}, steps, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "account_balance",.is_integer = true}, balance, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "a",.is_integer = true}, unrelated, OSML_LOOK, OSML_MEANS_SIZE, "no relation"},
	{{.name = "a",.is_integer = true}, second, OSML_DROP, OSML_MEANS_TIME, "seconds since 1970"},
	{{.name = "a",.is_integer = true}, milli, OSML_DROP, OSML_MEANS_TIME, "milliseconds since 1970"},
	{{.name = "a"}, fraction, OSML_DROP, OSML_MEANS_TIME, "that tells "},
	{{.name = "a",.is_time = true}, second, OSML_DROP, OSML_MEANS_TIME, "a point in time (timestamp)"},
	{{.name = "a",.is_time = true}, midnight, OSML_LOOK, OSML_MEANS_TIME, "that tells "},
	{{.name = "a",.is_time = true}, birth, OSML_LOOK, OSML_MEANS_TIME, "that tells "},
	{{.name = "a",.is_integer = true}, digits, OSML_LOOK, OSML_MEANS_TIME, "a date in digits"},
	{{.name = "a"}, mass, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "a",.is_integer = true}, clock_hour, OSML_LOOK, OSML_MEANS_CYCLE, "hour of day goes round"},
	{{.name = "a",.is_integer = true}, minute, OSML_LOOK, OSML_MEANS_CYCLE, "minute of day goes round"},
	{{.name = "minute_of_day",.is_integer = true}, minute, OSML_LOOK, OSML_MEANS_CYCLE, "minute of day goes round"},
	{{.name = "a",.is_integer = true}, grade, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "zip",.is_integer = true}, zip, OSML_LOOK, OSML_MEANS_CODE, "numbers that name things"},
	{{.name = "store_size",.is_integer = true}, zip, OSML_LOOK, OSML_MEANS_SIZE, "no relation"},
};

static const Case rare_cases[] = {
	{{.name = "a",.is_integer = true}, nearly, OSML_LOOK, OSML_MEANS_FLAG, "its classes counted alike"},
	{{.name = "a"}, strong, OSML_KEEP, OSML_MEANS_SIZE, ""},
};

/* all rows of one feature and the label */
static OsmlStatus
assess_case(const OsmlArena *arena, const Case *test, double (*label) (int i), int n,
			OsmlAssess *assess, OsmlSample *sample)
{
	OsmlColumnKind *kinds = osml_arena_alloc(arena, 2 * sizeof(OsmlColumnKind));
	OsmlStatus	status;

	kinds[0] = test->kind;
	kinds[1] = (OsmlColumnKind) {.name = "y",.is_integer = true};
	status = osml_sample_init(sample, arena, kinds, 2, n);
	for (int i = 0; status == OSML_OK && i < n; i++)
	{
		double		y = label(i);
		OsmlCell	row[2] = {table_number(test->make(i, y)), table_number(y)};

		osml_sample_add(sample, row);
	}
	if (status == OSML_OK)
		status = osml_sample_finish(sample);
	if (status == OSML_OK)
		status = osml_assess_begin(assess, sample);
	return status == OSML_OK ? osml_assess(assess, 0, NULL) : status;
}

static void
test_cases(const Case *cases, int n_cases, double (*label) (int i), int n)
{
	for (int c = 0; c < n_cases; c++)
	{
		TestArena	memory;
		OsmlAssess	assess;
		OsmlSample	sample;
		const OsmlAssessment *found;
		const OsmlArena *arena = test_arena_init(&memory);

		if (assess_case(arena, &cases[c], label, n, &assess, &sample) != OSML_OK)
			ok(false, "case %d: assessed", c);
		else
		{
			found = &assess.found[0];
			ok(found->verdict == cases[c].verdict &&
			   found->meaning.meaning == cases[c].meaning &&
			   strstr(found->reason, cases[c].words), "case %d of %d rows, %s: %s, %s, \"%s\"", c,
			   n, cases[c].kind.name, osml_verdict_name(found->verdict),
			   osml_meaning_name(found->meaning.meaning), found->reason);
		}
		test_arena_free(&memory);
	}
}

static void
test_names(void)
{
	static const char ids[] = " id key ";

	ok(osml_name_ends("store_id", ids) && osml_name_ends("storeId", ids) &&
	   osml_name_ends("ID", ids) && osml_name_ends("id2", ids), "the last word");
	ok(!osml_name_ends("id_length", ids) && !osml_name_ends("grid", ids) &&
	   !osml_name_ends("", ids) && !osml_name_ends("42", ids), "no other word, no part of one");
	ok(osml_name_has("id_length", ids) && !osml_name_has("ideal", ids), "any word");
	ok(osml_name_ends_before("key_no", ids, " no ") && !osml_name_ends_before("no", ids, " no ") &&
	   !osml_name_ends_before("key_length", ids, " no "), "the word before");
	ok(!osml_name_has("averyveryveryverylongwordthatnolisthas", " a "), "a long word");
}

int
main(void)
{
	int			n = sizeof(drift_cases) / sizeof(drift_cases[0]);

	test_names();
	test_cases(drift_cases, n, drifting, DRIFT_ROWS);
	test_cases(drift_cases, n, drifting, DRIFT_ROWS / 2);
	test_cases(rare_cases, sizeof(rare_cases) / sizeof(rare_cases[0]), rare, 8000);
	return done();
}
