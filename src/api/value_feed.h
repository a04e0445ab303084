/*
 * value_feed.h
 *	  How values get into the hash of osml.split_unit(), a function a type.
 *
 * Stored splits depend on it: a type may be added, none may change.
 *
 * Next: compute/valuehash.h (the hash), split_unit.c (rows, arrays, the rest).
 */
#ifndef OSML_API_VALUE_FEED_H
#define OSML_API_VALUE_FEED_H

/* the hash after a value that is not NULL */
typedef uint64_t (*OsmlFeed) (Datum value, uint64_t hash);

/* the function of a base type; NULL for a type that is not in the list */
extern OsmlFeed osml_feed_for(Oid base);

extern uint64_t osml_feed_null(uint64_t hash);

/* a text in the database's encoding */
extern uint64_t osml_feed_chars(const char *text, int length, uint64_t hash);

#endif							/* OSML_API_VALUE_FEED_H */
