/*
 * expression_trust.h
 *	  Whose objects an expression may be made of.
 *
 * Names are looked up whenever an expression is read, and what they find runs as
 * the expression's owner.  So whatever is not the server's own must belong to that
 * owner or to a superuser: nobody else may have a say in it, be it by a
 * replacement, an overload or another object of the same name.
 */
#ifndef OSML_EXPRESSION_TRUST_H
#define OSML_EXPRESSION_TRUST_H

/*
 * Raise unless an object (by its catalog, such as pg_proc, and its oid) may be part
 * of an expression that runs as owner.  Temporary ones may not: their names would
 * mean others in another session.  feature is for messages.
 */
extern void osml_expression_trust(Oid catalog, Oid object, Oid owner,
								  const char *feature);

#endif							/* OSML_EXPRESSION_TRUST_H */
