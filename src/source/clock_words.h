/*
 * clock_words.h
 *	  Words that tell the time: 'now', 'today', 'tomorrow', 'yesterday'.
 *
 * Read as a date or a time they mean another one each time that they are read: in
 * training, and in each session that predicts.  Where they are written in an
 * expression it is refused; where they come with a row, the row is.
 */
#ifndef OSML_CLOCK_WORDS_H
#define OSML_CLOCK_WORDS_H

#include "nodes/primnodes.h"

/* Raise where a text of the expression, read as a value of type, tells the time. */
extern void osml_judge_clock_words(const char *text, Oid type, const char *feature);

/*
 * A planned expression in which each text that becomes a date or a time is seen by
 * osml_refuse_clock_words() first.
 */
extern Node *osml_guard_clock_words(Node *planned);

/* Raise where a text that is to become a date or a time has such a word. */
extern void osml_refuse_clock_words(const char *text);

#endif							/* OSML_CLOCK_WORDS_H */
