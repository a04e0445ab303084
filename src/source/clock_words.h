/*
 * literal_clock.h
 *	  Literals that tell the time: 'now', 'today', 'tomorrow', 'yesterday'.
 *
 * Read as a date or a time they are constants, but of another value each time
 * that an expression is read: in training, and in each session that predicts.
 */
#ifndef OSML_LITERAL_CLOCK_H
#define OSML_LITERAL_CLOCK_H

#include "nodes/primnodes.h"

/* Raise where a literal of raw, of which analysed was made, tells the time. */
extern void osml_judge_literals(Node *raw, Node *analysed, const char *feature);

/* Raise where a constant, which is cast to type by its text, tells the time. */
extern void osml_judge_literal_cast(const Const *constant, Oid type, const char *feature);

#endif							/* OSML_LITERAL_CLOCK_H */
