/*
 * literal.h
 *	  Analysing an expression without reading its string literals.
 *
 * Analysis reads a literal as soon as it knows its type, by the type's input
 * function, and that of an array or a range of a domain runs the domain's checks.
 * Nobody's checks may run before they have been judged, so an expression is first
 * analysed with parameters in the place of its literals: overloads are chosen and
 * types found alike, and nothing is read.
 */
#ifndef OSML_LITERAL_H
#define OSML_LITERAL_H

#include "parser/parse_node.h"

/* Parameters from this number on stand for literals. */
#define OSML_FIRST_LITERAL 1000000

/*
 * Replace the string literals of a parse tree, in place, by numbered parameters;
 * returns their texts (char *), in that order.  Those of type modifiers stay.
 */
extern List *osml_literals_take(Node *raw);

/* What the parser's hooks make of them: parameters of type unknown, and of the type
 * that is wanted.  NULL: it is none of them. */
extern Node *osml_literal_unread(const List *literals, const ParamRef *ref);
extern Node *osml_literal_typed(const List *literals, const Param *param, Oid type);

/* the text of a literal, or NULL where the parameter stands for none */
extern const char *osml_literal_text(const List *literals, const Param *param);

#endif							/* OSML_LITERAL_H */
