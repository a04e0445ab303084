/*
 * value_sql.h
 *	  SQL over a value whose type may be somebody else's.
 *
 * Who owns a type may give it casts, and who owns a domain its checks.  A query that is
 * made here runs as whoever calls us, who named a table and not those functions: so
 * none of them may be in it.
 */
#ifndef OSML_VALUE_SQL_H
#define OSML_VALUE_SQL_H

/* the value as text, NULL for NULL: by a built-in cast, or as its output function has it */
extern char *osml_value_text(const char *value, Oid type);

/* May a value be read from text?  Not where that runs the checks of a domain in it; those
 * of the type itself are passed by. */
extern bool osml_value_readable(Oid type);

/* a literal of a type that is readable: 'text'::type, of what a domain is over */
extern char *osml_value_literal(const char *text, Oid type);

/* two values of one type under an operator that the type's operator class has, which is
 * found by its own name whatever casts there are */
extern char *osml_value_compare(const char *left, Oid operator, const char *right);

#endif							/* OSML_VALUE_SQL_H */
