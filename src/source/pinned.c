/*
 * pinned.c
 *	  Settings that expressions do not depend on: see pinned.h.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "source/pinned.h"

/*
 * The one list.  A value here never changes: features that were learned under
 * it depend on it.
 */
static const struct
{
	const char *name;
	const char *value;
}			pinned[] = {
	/* what names mean */
	{"search_path", "pg_catalog, pg_temp"},
	{"default_text_search_config", "pg_catalog.simple"},
	/* what the text of an expression means */
	{"standard_conforming_strings", "on"},
	{"backslash_quote", "safe_encoding"},
	{"transform_null_equals", "off"},
	/* texts to values */
	{"array_nulls", "on"},
	{"timezone_abbreviations", "Default"},
	{"xmloption", "content"},
	/* both ways */
	{"TimeZone", "UTC"},
	{"DateStyle", "ISO, YMD"},
	{"IntervalStyle", "postgres"},
	{"lc_monetary", "C"},
	{"lc_numeric", "C"},
	{"lc_time", "C"},
	/* values to texts */
	{"bytea_output", "hex"},
	{"extra_float_digits", "1"},
	{"quote_all_identifiers", "off"},
	{"xmlbinary", "base64"},
};

int
osml_pin_settings(void)
{
	int			level = NewGUCNestLevel();

	for (int i = 0; i < (int) lengthof(pinned); i++)
	{
		const char *value = GetConfigOption(pinned[i].name, false, false);

		/* a setting costs more to set and to reset than to look at */
		if (value == NULL || strcmp(value, pinned[i].value) != 0)
			(void) set_config_option(pinned[i].name, pinned[i].value, PGC_USERSET,
									 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	}
	return level;
}
