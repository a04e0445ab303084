/*
 * average.h
 *	  Averages of parameters over steps, which often predict better than the
 *	  last ones.
 *
 * The caller says when one is due: after every step, at the end of an epoch,
 * from some step on.  The state is plain numbers and the averages, so that a
 * checkpoint can hold it.
 *
 * Next: list.h (the entries), ema.h (one of them).
 */
#ifndef OSML_AVERAGE_H
#define OSML_AVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "compute/block.h"

/* first reading: bring in the headers, outside of any enum */
#define OSML_AVERAGE(symbol, function, name, meaning)
#include "rules/average/list.h"
#undef OSML_AVERAGE

typedef enum OsmlAverageKind
{
#define OSML_AVERAGE(symbol, function, name, meaning) OSML_AVERAGE_##symbol,
#include "rules/average/list.h"
#undef OSML_AVERAGE
	OSML_AVERAGE_COUNT
} OsmlAverageKind;

typedef struct OsmlAverageInfo
{
	const char *name;			/* as users write it */
	const char *meaning;		/* one line for the documentation */
} OsmlAverageInfo;

/* OSML_AVERAGE_COUNT entries, in the order of the enum; hints walk it */
extern const OsmlAverageInfo osml_averages[];

typedef struct OsmlAverage
{
	OsmlAverageKind kind;
	double		decay;			/* ema: 0.999 is PyTorch's */
	int64_t		n;				/* updates so far; start with 0 */
} OsmlAverage;

/* the average of that name, whatever its case, or -1 */
extern int	osml_average_by_name(const char *name);

/*
 * Take n_params parameters into their averages, both of that precision.  The
 * first update copies them, so averages need no initial values.
 */
extern void osml_average_update(OsmlAverage *average, OsmlPrecision precision,
								size_t n_params, void *averages,
								const void *params);

#endif							/* OSML_AVERAGE_H */
