/*
 * assess.h
 *	  A verdict on each feature: keep, look or drop, with figures and reasons.
 *
 * The five questions: is it related to the label; is it known when a prediction
 * is wanted; are there enough examples; do its numbers have a meaningful scale;
 * does an expert say why it should matter.  The last, and part of the second,
 * only people can answer, in notes.
 *
 *	  osml_assess_begin() -> osml_assess() a feature -> osml_assess_made_of() a
 *	  feature that is another in another form -> osml_assess_pair() a pair
 *
 * Next: assess_known.c, assess_made.c, assess_pair.c, then association.h, border.h, leak.h, meaning.h.
 */
#ifndef OSML_ASSESS_H
#define OSML_ASSESS_H

#include "features/leak.h"
#include "features/meaning.h"

#define OSML_REASON_SIZE 1024

/* an answer of fewer rows is not one */
#define OSML_ASSESS_MIN_ROWS 50

typedef enum OsmlVerdict
{
	OSML_KEEP,
	OSML_LOOK,
	OSML_DROP
} OsmlVerdict;

typedef enum OsmlAvailable
{
	OSML_AVAILABLE_UNKNOWN,
	OSML_AVAILABLE_YES,
	OSML_AVAILABLE_NO
} OsmlAvailable;

/* what people know of a feature; texts may be NULL */
typedef struct OsmlFeatureNote
{
	OsmlAvailable available;
	const char *reason;
	const char *rationale;
} OsmlFeatureNote;

typedef struct OsmlAssessment
{
	OsmlVerdict verdict;
	char		reason[OSML_REASON_SIZE];	/* empty: nothing to say */

	/* related to the label */
	double		association;	/* 0 .. 1, like a correlation; 0 where chance
								 * explains it */
	const char *measure;
	double		p;
	double		tells;			/* share of the label that the feature alone tells */
	bool		alike;			/* that share is of classes counted alike, however
								 * rare */

	/* known at prediction time */
	double		leak;			/* figure of the worst sign; NaN: none */
	const char *leak_kind;
	OsmlVerdict known;			/* the verdict of this question alone */
	size_t		known_length;	/* bytes of the reason that are about it */

	/* enough examples */
	double		present;		/* share of rows */
	double		distinct;
	double		min_rows;		/* of the rarest value; NaN: too many values */
	double		min_class_rows; /* of the rarest class at one value; likewise, or
								 * the label has no classes */

	/* a meaningful scale */
	OsmlMeaningFound meaning;

	/* the feature that says most of the same */
	int			partner;		/* -1: none */
	double		redundancy;
	int			n_copies;		/* features that say the same and tell more */
} OsmlAssessment;

typedef struct OsmlAssess
{
	const OsmlSample *sample;
	OsmlTarget	target;
	OsmlView   *views;			/* one a feature, then the label */
	int			n_features;
	OsmlExplained order;		/* what the order of rows tells */
	OsmlAssessment *found;		/* one a feature */
} OsmlAssess;

/* The sample is finished and not empty.  views and found are allocated. */
extern OsmlStatus osml_assess_begin(OsmlAssess *assess, const OsmlSample *sample);

/* answer the questions for feature j; before any pair with it */
extern OsmlStatus osml_assess(OsmlAssess *assess, int j, const OsmlFeatureNote *note);

/*
 * Feature j is a column in another form, a bin or a logarithm of it, say, which the
 * sample has and which has been assessed: what the column gives away the feature
 * does.  note is the feature's.
 */
extern void osml_assess_made_of(OsmlAssess *assess, int j, int column,
								const OsmlFeatureNote *note);

typedef struct OsmlPairFound
{
	OsmlRedundancy redundancy;
	OsmlTogether together;
	bool		akin;			/* that they say the same goes without saying */
	bool		redundant;		/* they say nearly the same */
	bool		tells;			/* together they tell the label, alone they do not */
	bool		names_row;		/* together they are a key of the table */
} OsmlPairFound;

/* compare two features, and let what is found count in their verdicts, unless they
 * are akin: one made of the other, or both of one column */
extern OsmlStatus osml_assess_pair(OsmlAssess *assess, int a, int b, bool akin,
								   OsmlPairFound *pair);

extern const char *osml_verdict_name(OsmlVerdict verdict);

/* the code of the text of no character among a feature's values, which files that are
 * loaded have in the place of NULL; -1: it is not there; for this room */
extern int	osml_assess_empty(const OsmlAssess *assess, int j);

/* question 2, for this room: is it known when a prediction is wanted? */
extern OsmlStatus osml_assess_known(OsmlAssess *assess, int j, const OsmlFeatureNote *note);

/* add a reason, and raise the verdict to at least this; for this room */
extern void osml_assess_say(OsmlAssessment *found, OsmlVerdict verdict,
							const char *format, ...)
			__attribute__((format(printf, 3, 4)));

#endif							/* OSML_ASSESS_H */
