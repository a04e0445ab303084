/*
 * assess_made.c
 *	  What is known of a column counts for what is made of it; see assess.h.
 *
 * A bin of a point in time, or a hash of a serial number, does not show what it is.
 */
#include "features/assess.h"

void
osml_assess_made_of(OsmlAssess *assess, int j, int column, const OsmlFeatureNote *note)
{
	OsmlAssessment *found = &assess->found[j];
	const OsmlAssessment *of = &assess->found[column];
	const char *name = assess->sample->kinds[column].name;
	bool		declared = note && note->available == OSML_AVAILABLE_YES;
	bool		few = assess->views[column].n_present < OSML_ASSESS_MIN_ROWS;

	if (of->meaning.meaning == OSML_MEANS_IDENTIFIER &&
		found->meaning.meaning != OSML_MEANS_IDENTIFIER &&
		found->meaning.meaning != OSML_MEANS_CONSTANT)
		osml_assess_say(found, declared || few ? OSML_LOOK : OSML_DROP,
						"\"%s\", which it is made of, is an identifier", name);
	else if (of->known > found->known)
		osml_assess_say(found, declared ? OSML_LOOK : of->known,
						"\"%s\", which it is made of: %.*s", name, (int) of->known_length,
						of->reason);
}
