/*
 * gram.h
 *	  Sums of a batch from which its squared loss and gradient follow for any weights,
 *	  without its rows.
 *
 * With the rows x of p values (dense columns, one-hot categories, a one for the bias;
 * the order of a linear model's parameters), labels y and weights w:
 *
 *	  loss sum = t'Gt - 2 c't + s,  gradient sum = 2 (Gt - c)
 *	  G = sum of w x x',  c = sum of w x y,  s = sum of w y^2
 *
 * These cancel where weights are near their best, or where a column's spread is small
 * beside its mean.  So every sum is kept, and every product taken, as an unevaluated sum
 * of two float64 (106 bits), by Knuth's TwoSum and Dekker's product (Numer. Math. 18,
 * 1971), which need no fused multiply-add: the same bits on every machine.  What is left
 * of a cancellation is then at least as exact as what summing over rows gives, until
 * 70 bits are gone; osml_gram_apply() says when that is so.
 *
 * Rows are added through a tile, so that sums do not depend on how a batch is cut.
 */
#ifndef OSML_GRAM_H
#define OSML_GRAM_H

#include "compute/block.h"

/* more values have more pairs than a batch has use for */
#define OSML_GRAM_MAX_VALUES 2048

typedef struct OsmlGram
{
	int			p;				/* values of a row */
	int			stride;			/* from one row of G to the next */
	int64_t		rows;
	double		weight;			/* of the rows, added up in their order */
	double		yy[2];			/* s; high part, low part */
	double	   *xy;				/* [2 x stride] c: high parts, then low parts */
	double	   *xx;				/* [2 x p x stride] G: high parts, then low parts; its lower
								 * triangle until osml_gram_close() */
} OsmlGram;

/* values of a row, with a bias or without */
extern size_t osml_gram_values(const OsmlLayout *layout, bool bias);

/* the same in whole vectors */
extern size_t osml_gram_stride(const OsmlLayout *layout, bool bias);

/* bytes of an OsmlGram, which osml_gram_init() lays out, empty, in memory (8-byte aligned) */
extern size_t osml_gram_bytes(const OsmlLayout *layout, bool bias);
extern OsmlGram *osml_gram_init(void *memory, const OsmlLayout *layout, bool bias);

/* rows on their way into sums: bytes, and an empty tile */
typedef struct OsmlGramTile OsmlGramTile;

extern size_t osml_gram_tile_bytes(const OsmlLayout *layout, bool bias);
extern OsmlGramTile *osml_gram_tile_init(void *memory, const OsmlLayout *layout, bool bias);

/* add rows [lo, hi) of a prepared block in the compute type; after the last ones the sums
 * are closed, with a tile that is empty again */
extern void osml_gram_add(OsmlGram *gram, OsmlGramTile *tile, OsmlPrecision precision,
						  const OsmlBlock *block, int lo, int hi);
extern void osml_gram_close(OsmlGram *gram, OsmlGramTile *tile);

/*
 * Of parameters in the compute type: the loss sum, and the gradient sum [p] as float64.
 * Returns false where they are not finite, or nothing is left of the loss; both are then
 * to be had from rows.  scratch: 2 x stride values.
 */
extern bool osml_gram_apply(const OsmlGram *gram, OsmlPrecision precision, const void *params,
							double *gradient, double *loss, double *scratch);

#endif							/* OSML_GRAM_H */
