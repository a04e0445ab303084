/*
 * line.h
 *	  The lines of list.h as a table that parser and writer walk.
 *
 * Private to src/hparams.
 */
#ifndef OSML_HPARAM_LINE_H
#define OSML_HPARAM_LINE_H

#include "hparams/hparams.h"

typedef enum OsmlHparamKind
{
	HP_BOOL, HP_INT, HP_SWITCH, HP_REAL, HP_TIME, HP_CHOICE, HP_TEXT, HP_COLUMN, HP_TEXTS,
	HP_REALS, HP_MAP
} OsmlHparamKind;

/* a line of list.h, and where its value lives in the struct */
typedef struct OsmlHparamLine
{
	OsmlHparamInfo info;
	OsmlHparamKind kind;
	size_t		offset;
	double		low;
	double		high;
	const char *(*names) (int i);
} OsmlHparamLine;

/* osml_hparam_count() lines, in the order of list.h */
extern const OsmlHparamLine osml_hparam_lines[];

#endif							/* OSML_HPARAM_LINE_H */
