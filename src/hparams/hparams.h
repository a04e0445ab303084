/*
 * hparams.h
 *	  Hyperparameters: one struct, made from list.h.
 *
 * Life of a set: osml_hparams_parse() checks what the user gave, before a row
 * is read; osml_hparams_check() judges keys against each other;
 * osml_hparams_to_jsonb() is what travels to the trainer and is stored with
 * the run, defaults included.  Must not: read tables, know about processes.
 *
 * Next: list.h (the hyperparameters), choices.h (names of choices).
 */
#ifndef OSML_HPARAMS_H
#define OSML_HPARAMS_H

#include <math.h>

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "hparams/choices.h"
#include "model/model.h"

/* an INT left at "auto"; a REAL or TIME left at "auto" is NaN */
#define OSML_AUTO INT64_C(-1)

/* a SWITCH that is true; false is 0, and a number itself */
#define OSML_TRUE INT64_C(-2)

typedef struct OsmlReals
{
	int			n;				/* 0: auto */
	double	   *values;
} OsmlReals;

/* numbers by name, or a word that stands for such */
typedef struct OsmlMap
{
	char	   *word;			/* NULL: none */
	int			n;				/* 0 without a word: auto */
	char	  **keys;
	double	   *values;
} OsmlMap;

#define OSML_CTYPE_BOOL bool
#define OSML_CTYPE_INT int64
#define OSML_CTYPE_SWITCH int64
#define OSML_CTYPE_REAL double
#define OSML_CTYPE_TIME double
#define OSML_CTYPE_CHOICE int
#define OSML_CTYPE_TEXT char *
#define OSML_CTYPE_COLUMN char *
#define OSML_CTYPE_TEXTS List *
#define OSML_CTYPE_REALS OsmlReals
#define OSML_CTYPE_MAP OsmlMap

typedef struct OsmlHparams
{
#define HP(kind, name, dflt, low, high, names, meaning) OSML_CTYPE_##kind name;
#include "hparams/list.h"
#undef HP
} OsmlHparams;

/* a row of osml_hparams() */
typedef struct OsmlHparamInfo
{
	const char *name;
	const char *type;
	const char *dflt;
	const char *meaning;
} OsmlHparamInfo;

extern int	osml_hparam_count(void);
extern const OsmlHparamInfo *osml_hparam_info(int i);
extern char *osml_hparam_default(int i);	/* palloc'd */
extern char *osml_hparam_range(int i);	/* palloc'd; choices or bounds */

/*
 * Parse user input over defaults; options (may be NULL) are a dataset's own
 * defaults, applied first.  Errors name the key; unknown keys hint at the
 * nearest name.  The result lives in the current context.
 */
extern OsmlHparams *osml_hparams_parse(Jsonb *options, Jsonb *given);

/* Judge keys against each other and resolve what needs no data. */
extern void osml_hparams_check(OsmlHparams *hparams);

/* does nothing but a number of batches, or time, end the run?  It has no epochs then,
 * but one stream of rows. */
extern bool osml_hparams_endless(const OsmlHparams *hparams);

/*
 * Resolve kind of model and loss: what was asked for, else what suits a label
 * that is a number, a boolean or of so many classes.  n_classes 0: they are not
 * counted yet, and then NULL is returned where their number decides.
 */
typedef enum OsmlLabelType
{
	OSML_LABEL_TYPE_NUMBER,
	OSML_LABEL_TYPE_BOOLEAN,
	OSML_LABEL_TYPE_TEXT
} OsmlLabelType;

extern const OsmlModelKind *osml_hparams_kind(OsmlHparams *hparams,
													 OsmlLabelType label, int n_classes);

/* The whole set, defaults included; "auto" values appear as null. */
extern Jsonb *osml_hparams_to_jsonb(const OsmlHparams *hparams);

/* hidden layers of a network, default ones where none are chosen */
extern OsmlNetwork osml_hparams_network(const OsmlHparams *hparams);

#endif							/* OSML_HPARAMS_H */
