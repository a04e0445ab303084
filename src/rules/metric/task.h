/*
 * task.h
 *	  What a model predicts, which decides how it is judged.
 */
#ifndef OSML_METRIC_TASK_H
#define OSML_METRIC_TASK_H

#include "rules/loss/link.h"

typedef enum OsmlTask
{
	OSML_TASK_AMOUNT,			/* regression: prediction and label are amounts */
	OSML_TASK_COUNT,			/* the mean of a count; label a count */
	OSML_TASK_BINARY,			/* probability of the second class; label 0 or 1 */
	OSML_TASK_CLASSES			/* probability of each class; label its number */
} OsmlTask;

/* sets of tasks, for list.h */
#define OSML_FOR_AMOUNT (1 << OSML_TASK_AMOUNT)
#define OSML_FOR_COUNT (1 << OSML_TASK_COUNT)
#define OSML_FOR_BINARY (1 << OSML_TASK_BINARY)
#define OSML_FOR_CLASSES (1 << OSML_TASK_CLASSES)
#define OSML_FOR_NUMBERS (OSML_FOR_AMOUNT | OSML_FOR_COUNT)
#define OSML_FOR_EITHER (OSML_FOR_BINARY | OSML_FOR_CLASSES)

/* the task of a model whose outputs become predictions in this way */
static inline OsmlTask
osml_task_of_link(OsmlLink link)
{
	static const OsmlTask tasks[] = {
		[OSML_LINK_IDENTITY] = OSML_TASK_AMOUNT,
		[OSML_LINK_LOGISTIC] = OSML_TASK_BINARY,
		[OSML_LINK_SOFTMAX] = OSML_TASK_CLASSES,
		[OSML_LINK_EXP] = OSML_TASK_COUNT
	};

	return tasks[link];
}

#endif							/* OSML_METRIC_TASK_H */
