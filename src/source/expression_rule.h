/*
 * expression_rule.h
 *	  What an expression of a feature may be made of: of the row alone.
 *
 * Functions are immutable, or they are the server's own and look at nothing but
 * pinned settings (source/pinned.h); users' functions are immutable and parallel
 * safe.  Nothing tells the time: neither functions nor literals such as 'now'.
 *
 * What users made (functions, operators, types, collations) belongs to the owner of
 * the expression or to a superuser.  Names are looked up whenever an expression is
 * read, and what they find runs as its owner: nobody else may have a say in that,
 * be it by an overload, a replacement or a type of the same name.
 */
#ifndef OSML_EXPRESSION_RULE_H
#define OSML_EXPRESSION_RULE_H

#include "nodes/primnodes.h"

/*
 * Raise unless the rule holds for an expression.  It is to be asked three times: of
 * one whose literals are not read yet (literals are their texts, source/literal.h; else
 * NIL), of the analysed and of the planned one.  Reading literals runs input functions,
 * only planning shows default arguments and what inlined functions hold, and each may
 * evaluate what it would have shown.  owner is as whom it will run; feature is for
 * messages.
 */
extern void osml_expression_judge(Node *expression, const List *literals,
								  const char *feature, Oid owner);

/*
 * Does a pinned setting have a say in the value of a planned expression?  Most
 * have not, and pinning would cost more than they do.
 */
extern bool osml_expression_needs_pins(Node *planned);

#endif							/* OSML_EXPRESSION_RULE_H */
