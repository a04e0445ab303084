/*
 * pinned.c
 *	  Settings that expressions do not depend on: see pinned.h.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "miscadmin.h"
#include "parser/parse_expr.h"
#include "tsearch/ts_cache.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/guc.h"
#include "utils/pg_locale.h"

#include "source/pinned.h"

/*
 * The one list.  A value here never changes: features that were learned under
 * it depend on it.  Where the server exports the variable, a look at it tells
 * sooner than a search by name whether there is anything to do: this is asked for
 * each row.
 */
static const struct
{
	const char *name;
	const char *value;
	char	  **text;			/* the variable, one of these, or none */
	const bool *flag;
	const int  *number;
	int			is;				/* what value is as a flag or a number */
}			pinned[] = {
	/* what names mean */
	{.name = "search_path",.value = "pg_catalog, pg_temp",
		.text = &namespace_search_path},
	{.name = "default_text_search_config",.value = "pg_catalog.simple",
		.text = &TSCurrentConfig},
	/* what the text of an expression means */
	{.name = "standard_conforming_strings",.value = "on"},
	{.name = "backslash_quote",.value = "safe_encoding"},
	{.name = "transform_null_equals",.value = "off",
		.flag = &Transform_null_equals,.is = false},
	/* texts to values */
	{.name = "array_nulls",.value = "on",
		.flag = &Array_nulls,.is = true},
	{.name = "timezone_abbreviations",.value = "Default"},
	{.name = "xmloption",.value = "content"},
	/* both ways */
	{.name = "TimeZone",.value = "UTC"},
	{.name = "DateStyle",.value = "ISO, YMD"},
	{.name = "IntervalStyle",.value = "postgres",
		.number = &IntervalStyle,.is = INTSTYLE_POSTGRES},
	{.name = "lc_monetary",.value = "C",
		.text = &locale_monetary},
	{.name = "lc_numeric",.value = "C",
		.text = &locale_numeric},
	{.name = "lc_time",.value = "C",
		.text = &locale_time},
	/* values to texts */
	{.name = "bytea_output",.value = "hex"},
	{.name = "extra_float_digits",.value = "1",
		.number = &extra_float_digits,.is = 1},
	{.name = "quote_all_identifiers",.value = "off",
		.flag = &quote_all_identifiers,.is = false},
	{.name = "xmlbinary",.value = "base64"},
};

/* Has a setting its value? */
static bool
holds(int i)
{
	const char *now;

	if (pinned[i].flag)
		return *pinned[i].flag == (bool) pinned[i].is;
	if (pinned[i].number)
		return *pinned[i].number == pinned[i].is;
	now = pinned[i].text ? *pinned[i].text : GetConfigOption(pinned[i].name, false, false);
	return now != NULL && strcmp(now, pinned[i].value) == 0;
}

int
osml_pin_settings(void)
{
	int			level = NewGUCNestLevel();

	for (int i = 0; i < (int) lengthof(pinned); i++)
	{
		/* a setting costs more to set and to reset than to look at */
		if (!holds(i))
			(void) set_config_option(pinned[i].name, pinned[i].value, PGC_USERSET,
									 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	}
	return level;
}
