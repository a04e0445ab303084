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
#include "features/key.h"
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
static double latitude(int i, double y)
{
	return 48000000 + floor(7e6 * (table_unit(i, 22) < 0.1 ? (y + table_unit(i, 23)) / 2 : table_unit(i, 23)));
}
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
static double year_day(int i, double y) { return 2020001 + 1000 * (tick(i) / 8 / 365) + tick(i) / 8 % 365; }
static double spreadsheet_day(int i, double y) { return 45292 + tick(i) / 8; }
static double birth(int i, double y) { return -6e8 + 1e9 * table_unit(i, 14) - 2e8 * y; }
static double mass(int i, double y) { return 1.5e9 * exp(0.5 * table_normal(i, 15) + 0.1 * y); }

/* circles, and what fills the range of one */
static double clock_hour(int i, double y) { return hour(i); }
static double minute(int i, double y) { return 60 * hour(i) + floor(60 * table_unit(i, 16)); }
static double hour_fraction(int i, double y) { return hour(i) + table_unit(i, 16); }
static double second_of_minute(int i, double y) { return 60 * minute(i, y); }
static double grade_fraction(int i, double y) { return 24 * pow(table_unit(i, 17), 1 + 0.6 * y); }
static double no_fraction(int i, double y) { return 24 * table_unit(i, 17); }
static double late_hour(int i, double y) { return hour(i) + 1; }
static double opening_hour(int i, double y) { return 8 + floor(12 * hour(i) / 24.0); }
static double hhmm(int i, double y) { return 100 * hour(i) + floor(60 * table_unit(i, 16)); }
static double not_hhmm(int i, double y) { return 50 * floor(48 * pow(table_unit(i, 17), 1 + 0.6 * y)); }
static double hhmm_key(int i, double y) { return table_key((uint64_t) (3600 * hour(i) + 3600 * table_unit(i, 16))).number; }
static double grade(int i, double y) { return floor(24 * pow(table_unit(i, 17), 1 + 0.6 * y)); }

/* codes: ZIP codes of one town */
static double zip(int i, double y) { return 20001 + floor(98 * table_unit(i, 18)); }

/* whole numbers whose size says nothing: those of two levels, permuted */
static double jumps(int i, double y)
{
	double		draw = table_unit(i, 17);

	return (int) (37 * (floor(50 * draw) + 50 * y * (table_unit(i, 18) < 0.5))) % 101;
}

/* what a rare class leaves */
static double nearly(int i, double y) { return table_unit(i, 19) < 0.01 ? 1 - y : y; }
static double strong(int i, double y) { return table_normal(i, 20) + 2 * y; }

static const Case drift_cases[] = {
	{{.name = "a",.is_integer = true}, stride, OSML_LOOK, OSML_MEANS_SIZE, "or an identifier that drifts"},
	{{.name = "a",.is_integer = true}, phone, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "a"}, phone, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "a",.is_integer = true}, spread, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "a",.is_integer = true}, huge, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "account_no",.is_integer = true}, account, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "income_cents",.is_integer = true}, income, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "number_of_steps",.is_integer = true}, steps, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "account_balance",.is_integer = true}, balance, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "a",.is_integer = true}, unrelated, OSML_LOOK, OSML_MEANS_SIZE, "no relation"},
	{{.name = "a",.is_integer = true}, second, OSML_LOOK, OSML_MEANS_TIME, "(seconds since 1970) that tells "},
	{{.name = "a",.is_integer = true}, milli, OSML_LOOK, OSML_MEANS_TIME, "(milliseconds since 1970) that tells "},
	{{.name = "a"}, fraction, OSML_LOOK, OSML_MEANS_TIME, "that tells "},
	{{.name = "a",.is_time = true}, second, OSML_LOOK, OSML_MEANS_TIME, "a point in time (timestamp) that tells "},
	{{.name = "a",.is_time = true}, midnight, OSML_LOOK, OSML_MEANS_TIME, "that tells "},
	{{.name = "a",.is_time = true}, birth, OSML_LOOK, OSML_MEANS_TIME, "that tells "},
	{{.name = "a",.is_integer = true}, digits, OSML_LOOK, OSML_MEANS_TIME, "a date in digits"},
	{{.name = "a",.is_integer = true}, year_day, OSML_LOOK, OSML_MEANS_TIME, "a year and its day in digits"},
	{{.name = "a",.is_integer = true}, spreadsheet_day, OSML_LOOK, OSML_MEANS_SIZE, "may be a point in time (days since 1900)"},
	{{.name = "a"}, stride, OSML_LOOK, OSML_MEANS_SIZE, "or an identifier that drifts"},
	{{.name = "a"}, mass, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "a",.is_integer = true}, clock_hour, OSML_LOOK, OSML_MEANS_CYCLE, "hour of day goes round"},
	{{.name = "a",.is_integer = true}, minute, OSML_LOOK, OSML_MEANS_CYCLE, "minute of day goes round"},
	{{.name = "minute_of_day",.is_integer = true}, minute, OSML_LOOK, OSML_MEANS_CYCLE, "minute of day goes round"},
	{{.name = "a"}, hour_fraction, OSML_LOOK, OSML_MEANS_CYCLE, "hour of day goes round"},
	{{.name = "a",.is_integer = true}, second_of_minute, OSML_LOOK, OSML_MEANS_CYCLE, "second of day goes round"},
	{{.name = "a"}, grade_fraction, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "a"}, no_fraction, OSML_LOOK, OSML_MEANS_SIZE, "no relation"},
	{{.name = "a",.is_integer = true}, late_hour, OSML_LOOK, OSML_MEANS_CYCLE, "hour of day goes round"},
	{{.name = "hour",.is_integer = true}, opening_hour, OSML_LOOK, OSML_MEANS_CYCLE, "hour of day goes round"},
	{{.name = "km_per_hour",.is_integer = true}, opening_hour, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "tx_last_hour",.is_integer = true}, opening_hour, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "a",.is_integer = true}, hhmm, OSML_LOOK, OSML_MEANS_CYCLE, "time of day (hhmm) goes round"},
	{{.name = "a",.is_integer = true}, not_hhmm, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "a",.is_key = true,.is_clock = true}, hhmm_key, OSML_LOOK, OSML_MEANS_CYCLE, "time of day goes round"},
	{{.name = "a",.is_integer = true}, grade, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "zip",.is_integer = true}, zip, OSML_LOOK, OSML_MEANS_CODE, "numbers that name things"},
	{{.name = "a",.is_integer = true}, jumps, OSML_LOOK, OSML_MEANS_CODE, "the label jumps from value to value"},
	{{.name = "a_code",.is_integer = true}, jumps, OSML_LOOK, OSML_MEANS_CODE, "numbers that name things"},
	{{.name = "store_size",.is_integer = true}, zip, OSML_LOOK, OSML_MEANS_SIZE, "no relation"},
};

/* of so few rows a weak relation is not ruled out */
static const Case few_cases[] = {
	{{.name = "a",.is_integer = true}, latitude, OSML_LOOK, OSML_MEANS_SIZE, "nearly every row has a value of its own"},
	{{.name = "a",.is_integer = true}, spread, OSML_LOOK, OSML_MEANS_SIZE, "an identifier, unless it measures something"},
};

static const Case rare_cases[] = {
	{{.name = "a",.is_integer = true}, nearly, OSML_LOOK, OSML_MEANS_FLAG, "its classes counted alike"},
	{{.name = "a"}, strong, OSML_KEEP, OSML_MEANS_SIZE, ""},
};

/* nine in ten rows are of one class, and what it leaves */
static double
frequent(int i)
{
	return table_unit(i, 3) < 0.9 ? 1 : 0;
}

static double boat(int i, double y)
{
	return y == 1 && table_unit(i, 24) < 0.5 ? 1 + floor(20 * table_unit(i, 25)) : table_null().number;
}
static double fee(int i, double y) { return y == 1 && table_unit(i, 24) < 0.6 ? table_unit(i, 25) : 0; }
static double bonus(int i, double y) { return table_unit(i, 24) < 0.2 + 0.3 * y ? table_unit(i, 25) : 0; }
static double coupon(int i, double y)
{
	return table_unit(i, 24) < 0.2 + 0.3 * y ? table_unit(i, 25) : table_null().number;
}
static double mostly_nan(int i, double y) { return table_unit(i, 24) < 0.03 ? table_unit(i, 25) : NAN; }
static double mostly_empty(int i, double y)
{
	return (OsmlCell) {.key = table_unit(i, 24) < 0.03 ? 5 + (uint64_t) (5 * table_unit(i, 25)) : osml_key("", 0)}.number;
}

static const Case frequent_cases[] = {
	{{.name = "a",.is_integer = true}, boat, OSML_DROP, OSML_MEANS_SIZE, "filled only where the label is 1: 100.0 % of such rows"},
	{{.name = "a"}, fee, OSML_LOOK, OSML_MEANS_SIZE, "other than its usual value only where the label is 1"},
	{{.name = "a"}, bonus, OSML_KEEP, OSML_MEANS_SIZE, ""},
	{{.name = "a"}, coupon, OSML_LOOK, OSML_MEANS_SIZE, "missing in "},
	{{.name = "a"}, mostly_nan, OSML_DROP, OSML_MEANS_SIZE, "present in only "},
	{{.name = "a",.is_key = true}, mostly_empty, OSML_DROP, OSML_MEANS_CATEGORY, "filled in only 3.3 % of rows, empty in 96.7 %"},
};

/* amounts; the feature that makes one is as good as features get */
static double
kilometres(int i)
{
	return exp(2.5 * table_unit(i, 26));
}

static double
fare(int i)
{
	return 3.5 + 2.4 * kilometres(i) + 2 * table_unit(i, 27);
}

static double km(int i, double y) { return kilometres(i); }
static double cents(int i, double y) { return floor(100 * y); }
/* a rank, in no order: every row has its own */
static double sold(int i) { return 10000 - tick(i) + 3000 * table_unit(i, 28); }
static double rank(int i, double y) { return 1 + tick(i); }

static const Case fare_cases[] = {
	{{.name = "a"}, km, OSML_LOOK, OSML_MEANS_SIZE, "tells 99."},
	{{.name = "a",.is_integer = true}, cents, OSML_DROP, OSML_MEANS_SIZE, "tells 100.0 %"},
};
static const Case rank_cases[] = {
	{{.name = "a",.is_integer = true}, rank, OSML_LOOK, OSML_MEANS_SIZE, "a rank or a measure, or an identifier"},
};

/* a label that drifts with the order of rows, and a table sorted by a good feature */
static double
drifting_down(int i)
{
	return table_unit(i, 3) < 0.2 + 0.6 * i / DRIFT_ROWS ? 1 : 0;
}

static double serial(int i, double y) { return 1000 + i; }
static double countdown(int i, double y) { return 90000 - 2 * i; }
static double second_of_row(int i, double y) { return 1.6e9 + 3600.0 * i; }
static double rising(int i, double y) { return floor(1e5 * exp(i / 900.0)); }
static double falling(int i, double y) { return floor(1e5 * exp((DRIFT_ROWS - i) / 900.0)); }

static const Case sorted_cases[] = {
	{{.name = "a",.is_integer = true}, serial, OSML_DROP, OSML_MEANS_IDENTIFIER, "grows with the order of rows"},
	{{.name = "a"}, serial, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "a",.is_integer = true}, countdown, OSML_DROP, OSML_MEANS_IDENTIFIER, "falls with the order of rows"},
	{{.name = "a",.is_integer = true}, rising, OSML_LOOK, OSML_MEANS_SIZE, "grows with the order of rows"},
	{{.name = "a",.is_integer = true}, falling, OSML_LOOK, OSML_MEANS_SIZE, "falls with the order of rows"},
	{{.name = "order_id",.is_integer = true}, rising, OSML_DROP, OSML_MEANS_IDENTIFIER, "an identifier"},
	{{.name = "a",.is_time = true}, second_of_row, OSML_DROP, OSML_MEANS_TIME, "grows with the order of rows"},
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
	test_cases(few_cases, sizeof(few_cases) / sizeof(few_cases[0]), drifting, 500);
	test_cases(rare_cases, sizeof(rare_cases) / sizeof(rare_cases[0]), rare, 8000);
	test_cases(frequent_cases, sizeof(frequent_cases) / sizeof(frequent_cases[0]), frequent, 5000);
	test_cases(fare_cases, sizeof(fare_cases) / sizeof(fare_cases[0]), fare, 5000);
	test_cases(rank_cases, sizeof(rank_cases) / sizeof(rank_cases[0]), sold, DRIFT_ROWS);
	test_cases(sorted_cases, sizeof(sorted_cases) / sizeof(sorted_cases[0]), drifting_down, DRIFT_ROWS);
	return done();
}
