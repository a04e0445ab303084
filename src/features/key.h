/*
 * key.h
 *	  The key of a category: 64 bits that stand for its text.
 *
 * Readers hash a text once and everything after works on keys; texts are kept
 * only where people read them.  Two of a million texts share a key with a
 * probability of 3e-8.  Keys are stored in models: the function never changes.
 */
#ifndef OSML_KEY_H
#define OSML_KEY_H

#include <stddef.h>
#include <stdint.h>

/* NULL is a value of its own */
#define OSML_KEY_NULL UINT64_C(0)

/* the key of length bytes; never OSML_KEY_NULL; the same on every machine */
extern uint64_t osml_key(const char *text, size_t length);

#endif							/* OSML_KEY_H */
