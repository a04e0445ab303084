/*
 * validate.h
 *	  Measuring the model on a part.
 */
#ifndef OSML_VALIDATE_H
#define OSML_VALIDATE_H

#include "train/run.h"

/*
 * Measure and log, always or while the ration lasts (log.h).  limit: full
 * batches of the wrapped stream, OSML_AUTO for each row once.  Returns the loss
 * in label units, NaN without rows.
 */
extern double osml_validate(OsmlRun *run, OsmlPartKind part, const char *phase,
							int64 limit, bool always);

#endif							/* OSML_VALIDATE_H */
