/*
 * kept.c
 *	  Rows of a scan kept in memory: see kept.h.
 *
 * Rows are minimal tuples, nothing of them out of line or compressed, in a single piece of
 * memory, so what they take is known to the byte, and letting some go is closing gaps.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "source/kept.h"

struct OsmlKeptRow
{
	uint64		number;			/* its random number; finished, a hash of its values */
	uint32		bytes;			/* of all this, aligned */
	int32		place;			/* in its block */
	/* the tuple follows */
};

#define FIRST_SIZE (64 * 1024)

static MinimalTuple
tuple_of(const OsmlKeptRow *row)
{
	return (MinimalTuple) (unconstify(OsmlKeptRow *, row) + 1);
}

OsmlKept *
osml_kept_create(TupleDesc desc, uint64 seed, Size most, Size row_extra)
{
	OsmlKept   *kept = palloc0(sizeof(OsmlKept));

	kept->desc = desc;
	kept->random = (OsmlRandomKey) {seed, OSML_STREAM_SAMPLE, 0};
	kept->limit = PG_UINT64_MAX;
	kept->most = most;
	kept->row_extra = row_extra + sizeof(OsmlKeptRow *);
	kept->size = Min(FIRST_SIZE, most);
	kept->bytes = palloc(kept->size);
	kept->scratch = AllocSetContextCreate(CurrentMemoryContext, "osml kept row",
										  ALLOCSET_SMALL_SIZES);
	kept->flat = palloc(sizeof(Datum) * Max(1, desc->natts));
	return kept;
}

/* --- while the scan goes on ----------------------------------------------- */

/* From an offset on, leave only rows below the limit and, of one block, those that count. */
static void
close_gaps(OsmlKept *kept, Size from, const bool *counts)
{
	Size		to = from;
	Size		settled = kept->settled;

	for (Size at = from; at < kept->used;)
	{
		OsmlKeptRow *row = (OsmlKeptRow *) (kept->bytes + at);
		Size		bytes = row->bytes;

		if (at == kept->settled)
			settled = to;
		if (row->number > kept->limit || (counts && !counts[row->place]))
			kept->n--;
		else
		{
			memmove(kept->bytes + to, row, bytes);
			to += bytes;
		}
		at += bytes;
	}
	kept->settled = kept->settled == kept->used ? to : settled;
	kept->used = to;
}

/* Raise: not even one row has room. */
static void
row_too_large(const OsmlKept *kept, Size bytes)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("a row needs %zu kB of memory, more than osml.max_memory allows",
					(bytes + kept->row_extra) / 1024 + 1),
			 errdetail("The limit is %zu kB.", kept->most / 1024),
			 errhint("Raise osml.max_memory.")));
}

/* Room for a row of that number behind the others.  False: the row has to go. */
static bool
make_room(OsmlKept *kept, uint64 number, Size bytes)
{
	if (bytes + kept->row_extra > kept->most)
		row_too_large(kept, bytes);
	while (kept->used + bytes + (kept->n + (Size) 1) * kept->row_extra > kept->most ||
		   kept->n == PG_UINT32_MAX)
	{
		CHECK_FOR_INTERRUPTS();
		kept->limit /= 2;
		close_gaps(kept, 0, NULL);
		if (number > kept->limit)
			return false;
	}
	if (kept->used + bytes > kept->size)
	{
		kept->size = Min(kept->most, Max(kept->size * 2, kept->used + bytes));
		kept->bytes = repalloc_huge(kept->bytes, kept->size);
	}
	return true;
}

/* A row as a tuple in itself; in the current context. */
static MinimalTuple
flatten(OsmlKept *kept, const Datum *values, const bool *nulls)
{
	for (int i = 0; i < kept->desc->natts; i++)
	{
		kept->flat[i] = values[i];
		if (!nulls[i] && TupleDescAttr(kept->desc, i)->attlen == -1)
			kept->flat[i] = PointerGetDatum(PG_DETOAST_DATUM_PACKED(values[i]));
	}
	return osml_form_minimal_tuple(kept->desc, kept->flat, unconstify(bool *, nulls));
}

void
osml_kept_offer(OsmlKept *kept, int place, const Datum *values, const bool *nulls)
{
	uint64		number = osml_random_u64(kept->random, kept->offered++);
	MemoryContext old;
	MinimalTuple tuple;
	Size		bytes;

	if (number > kept->limit)
		return;
	MemoryContextReset(kept->scratch);
	old = MemoryContextSwitchTo(kept->scratch);
	tuple = flatten(kept, values, nulls);
	MemoryContextSwitchTo(old);
	bytes = MAXALIGN(sizeof(OsmlKeptRow) + tuple->t_len);
	if (make_room(kept, number, bytes))
	{
		OsmlKeptRow *row = (OsmlKeptRow *) (kept->bytes + kept->used);

		*row = (OsmlKeptRow) {number, bytes, place};
		memcpy(tuple_of(row), tuple, tuple->t_len);
		kept->used += bytes;
		kept->n++;
	}
}

void
osml_kept_settle(OsmlKept *kept, const bool *counts)
{
	close_gaps(kept, kept->settled, counts);
	kept->settled = kept->used;
}

/* --- afterwards ----------------------------------------------------------- */

/* Equal rows are interchangeable, so it does not matter which of them is first. */
static int
compare(const void *a, const void *b)
{
	uint64		left = (*(OsmlKeptRow *const *) a)->number;
	uint64		right = (*(OsmlKeptRow *const *) b)->number;

	return left < right ? -1 : left > right ? 1 : 0;
}

void
osml_kept_finish(OsmlKept *kept)
{
	const Size	start = offsetof(MinimalTupleData, t_bits);
	uint32		i = 0;

	kept->order = MemoryContextAllocHuge(CurrentMemoryContext,
										 sizeof(OsmlKeptRow *) * Max(1, (Size) kept->n));
	for (Size at = 0; at < kept->used;)
	{
		OsmlKeptRow *row = (OsmlKeptRow *) (kept->bytes + at);
		MinimalTuple tuple = tuple_of(row);

		CHECK_FOR_INTERRUPTS();
		row->number = hash_bytes_extended((unsigned char *) tuple + start,
										  (int) (tuple->t_len - start), 0);
		kept->order[i++] = row;
		at += row->bytes;
	}
	qsort(kept->order, kept->n, sizeof(OsmlKeptRow *), compare);
}

/* A row as those functions of the server want it that take a tuple apart. */
static HeapTupleData
heap_tuple(const OsmlKept *kept, uint32 i)
{
	MinimalTuple tuple = tuple_of(kept->order[i]);
	HeapTupleData heap = {0};

	heap.t_len = tuple->t_len + MINIMAL_TUPLE_OFFSET;
	heap.t_data = (HeapTupleHeader) ((char *) tuple - MINIMAL_TUPLE_OFFSET);
	return heap;
}

void
osml_kept_row(const OsmlKept *kept, uint32 i, Datum *values, bool *nulls)
{
	HeapTupleData heap = heap_tuple(kept, i);

	heap_deform_tuple(&heap, kept->desc, values, nulls);
}

Datum
osml_kept_value(const OsmlKept *kept, uint32 i, int column, bool *isnull)
{
	HeapTupleData heap = heap_tuple(kept, i);

	return heap_getattr(&heap, column + 1, kept->desc, isnull);
}
