/*
 * tally.c
 *	  The most frequent keys of a stream in bounded memory; see tally.h.
 *
 * A hash table.  Each key has a count and what it may have lost before it came
 * (back) to the table, so what it may have at most is count + lost.  When the
 * table is full some keys go.  Those that stay are
 *
 *	the `capacity` with the largest count + lost, which makes the promise: each
 *	rise by one of the largest that goes, the bound on what any key may lose, has
 *	cost at least `capacity` rows, however rows are ordered and parts are merged;
 *	and as many as there is room for with the largest counts, which makes the
 *	choice among the others good: a key that has just come has a large bound, but
 *	most such keys are rare.
 *
 * Equals go by a hash of the key, so as many stay as there is room for, and of
 * keys that are all alike the same ones whatever the order of rows.
 */
#include "features/tally.h"

#include <stdlib.h>
#include <string.h>

#include "features/key.h"

#define TALLY_FORMAT 1
#define TALLY_SLOTS 64			/* of a new table; a power of two */

typedef struct TallySlot
{
	uint64_t	key;			/* OSML_KEY_NULL: empty */
	int64_t		count;			/* 0: told its text, but not counted yet */
	int64_t		lost;			/* at most */
	int64_t		told;			/* calls of osml_tally_add() before it was */
	char	   *text;
} TallySlot;

struct OsmlTally
{
	OsmlArena	arena;
	int			capacity;
	int			n;				/* keys held */
	int			n_counted;		/* of them, those with a count */
	int			n_slots;		/* a power of two, more than n */
	int64_t		adds;			/* calls of osml_tally_add() */
	TallySlot  *slots;
	int64_t		total;
	int64_t		error;
	OsmlTallyRoom *room;		/* NULL: none beyond twice the capacity */
	int			planned;		/* slots that the counted keys need, and as many told
								 * ahead as there may be */
	int64_t		charged;		/* to the room: for the planned table, and texts of
								 * counted keys */
};

/* what stays when keys go: the key of rank `capacity` by what it may have at
 * most, and the last one that stays for its count */
typedef struct Cut
{
	OsmlTallyEntry upper;
	OsmlTallyEntry count;
	bool		by_count;		/* does any stay for its count? */
} Cut;

/* an empty tally, or NULL */
OsmlTally *
osml_tally_create(const OsmlArena *arena, int capacity)
{
	OsmlTally  *tally = osml_arena_alloc(arena, sizeof(OsmlTally));

	if (tally == NULL)
		return NULL;
	tally->arena = *arena;
	tally->capacity = capacity > 0 ? capacity : 1;
	tally->n_slots = tally->planned = TALLY_SLOTS;
	tally->slots = osml_arena_alloc(arena, TALLY_SLOTS * sizeof(TallySlot));
	if (tally->slots == NULL)
	{
		osml_arena_release(arena, tally);
		return NULL;
	}
	return tally;
}

/*
 * A table of at most twice the capacity, and of keys told ahead, three quarters
 * full; two of them while one is made into the other.  The list of counts that are
 * compared is smaller than the second one, and gone by then.
 */
size_t
osml_tally_most_bytes(int capacity, bool told)
{
	size_t		keys = 2 * (size_t) capacity;
	size_t		held = keys + (told ? OSML_TALLY_PENDING : 0);
	size_t		slots = TALLY_SLOTS;

	while (held * 4 > slots * 3)
		slots *= 2;
	return sizeof(OsmlTally) + 2 * slots * sizeof(TallySlot);
}

/* texts that may wait for their keys to be counted */
static int
most_pending(const OsmlTally *tally)
{
	return tally->room != NULL ? 3 * OSML_TALLY_PENDING : OSML_TALLY_PENDING;
}

/*
 * What is charged to the room decides when keys go, so it must depend on the rows
 * alone, and not on how their texts are told.
 */
static void
charge(OsmlTally *tally, int64_t bytes)
{
	if (tally->room == NULL)
		return;
	tally->room->left -= bytes;
	tally->charged += bytes;
}

/* charge a counted key's text, or give it back: with what an allocator adds */
static void
charge_text(OsmlTally *tally, const TallySlot *slot, int sign)
{
	if (slot->text != NULL && tally->room != NULL)
		charge(tally, sign * (2 * ((int64_t) strlen(slot->text) + 1) + 16));
}

/* bytes of a table of n slots, and of the one that it is made into */
static int64_t
table_cost(int n_slots)
{
	return 2 * (int64_t) n_slots * (int64_t) sizeof(TallySlot);
}

/* is the planned table too small for so many counted keys? */
static bool
outgrows(const OsmlTally *tally, int64_t keys)
{
	return (keys + most_pending(tally)) * 4 > (int64_t) tally->planned * 3;
}

/* plan for so many counted keys */
static void
plan(OsmlTally *tally, int64_t keys)
{
	int			before = tally->planned;

	while (outgrows(tally, keys))
		tally->planned *= 2;
	if (tally->planned > before)
		charge(tally, table_cost(tally->planned) - table_cost(before));
}

/* plan anew for so many, but for no larger a table than the one that there was */
static void
plan_less(OsmlTally *tally, int64_t keys)
{
	int			before = tally->planned;

	tally->planned = TALLY_SLOTS;
	while (tally->planned < before && outgrows(tally, keys))
		tally->planned *= 2;
	charge(tally, table_cost(tally->planned) - table_cost(before));
}

/* more keys than twice the capacity while there is room */
void
osml_tally_share_room(OsmlTally *tally, OsmlTallyRoom *room)
{
	tally->room = room;
	charge(tally, table_cost(tally->planned));
}

/* give all of its memory back */
void
osml_tally_free(OsmlTally *tally)
{
	OsmlArena	arena;

	if (tally == NULL)
		return;
	charge(tally, -tally->charged);
	arena = tally->arena;
	for (int i = 0; i < tally->n_slots; i++)
		osml_arena_release(&arena, tally->slots[i].text);
	osml_arena_release(&arena, tally->slots);
	osml_arena_release(&arena, tally);
}

/* the slot of a key, or the empty one where it belongs */
static TallySlot *
slot_of(const OsmlTally *tally, uint64_t key)
{
	uint32_t	mask = (uint32_t) tally->n_slots - 1;
	uint32_t	i = (uint32_t) ((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32);

	while (tally->slots[i & mask].key != key &&
		   tally->slots[i & mask].key != OSML_KEY_NULL)
		i++;
	return &tally->slots[i & mask];
}

/* most frequent first; then by text, those without after all others; then key */
static int
by_frequency(const void *a, const void *b)
{
	const OsmlTallyEntry *x = a;
	const OsmlTallyEntry *y = b;
	int			by_text = 0;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->text != NULL && y->text != NULL)
		by_text = strcmp(x->text, y->text);
	else if (x->text != NULL || y->text != NULL)
		by_text = x->text != NULL ? -1 : 1;
	if (by_text != 0)
		return by_text;
	return (x->key > y->key) - (x->key < y->key);
}

/*
 * A key by its count, or by what it may have at most, then by a hash of it: the
 * keys of numbers are in the order of the numbers.
 */
static OsmlTallyEntry
ranked(const TallySlot *slot, int64_t lost)
{
	uint64_t	hash = (slot->key ^ slot->key >> 32) * UINT64_C(0xD6E8FEB86659FD93);

	return (OsmlTallyEntry) {hash ^ hash >> 32, slot->count + lost, NULL};
}

/* does an entry come before another, or is it that one? */
static bool
stays(OsmlTallyEntry entry, const OsmlTallyEntry *last)
{
	return by_frequency(&entry, last) <= 0;
}

/*
 * May a key's rows still come whose text is not told again?  Texts are told before
 * the rows of their block are counted.  With room, blocks that texts come with need
 * not be those that are counted, and their rows may be in two of these.
 */
static bool
awaited(const OsmlTally *tally, const TallySlot *slot)
{
	return slot->told + (tally->room != NULL) >= tally->adds;
}

/* a counted key goes; is it to wait for its next row, so that it has its text? */
static bool
drop_count(OsmlTally *tally, TallySlot *slot)
{
	if (slot->count + slot->lost > tally->error)
		tally->error = slot->count + slot->lost;
	charge_text(tally, slot, -1);
	slot->count = 0;
	return tally->room != NULL && slot->text != NULL && awaited(tally, slot);
}

/*
 * Does a key stay?  One that is told but not counted yet does while its row may
 * come.
 */
static bool
remains(OsmlTally *tally, TallySlot *slot, const Cut *cut)
{
	if (slot->count == 0)
		return awaited(tally, slot);
	if (cut == NULL || stays(ranked(slot, slot->lost), &cut->upper) ||
		(cut->by_count && stays(ranked(slot, 0), &cut->count)))
		return true;
	return drop_count(tally, slot);
}

/* move to a table of n_slots, but for keys that go */
static OsmlStatus
rebuild(OsmlTally *tally, int n_slots, const Cut *cut)
{
	TallySlot  *old = tally->slots;
	int			n_old = tally->n_slots;
	TallySlot  *slots = osml_arena_alloc(&tally->arena,
										 (size_t) n_slots * sizeof(TallySlot));

	if (slots == NULL)
		return OSML_OUT_OF_MEMORY;
	tally->slots = slots;
	tally->n_slots = n_slots;
	tally->n = tally->n_counted = 0;
	for (int i = 0; i < n_old; i++)
	{
		if (old[i].key == OSML_KEY_NULL)
			continue;
		if (!remains(tally, &old[i], cut))
		{
			osml_arena_release(&tally->arena, old[i].text);
			continue;
		}
		*slot_of(tally, old[i].key) = old[i];
		tally->n++;
		tally->n_counted += old[i].count > 0;
	}
	osml_arena_release(&tally->arena, old);
	return OSML_OK;
}

/*
 * Put the k-th of n entries (from 0) in its place, and those before it before it:
 * Hoare's "find".  The pivot is drawn, so that no order is a bad one.
 */
static void
select_entry(OsmlTallyEntry *entries, int n, int k)
{
	int			lo = 0;
	int			hi = n - 1;
	uint32_t	state = 1;

	while (lo < hi)
	{
		OsmlTallyEntry pivot;
		int			i = lo - 1;
		int			j = hi + 1;

		state = state * 1664525u + 1013904223u;
		pivot = entries[lo + (int) ((uint64_t) state * (uint32_t) (hi - lo) >> 32)];
		for (;;)
		{
			OsmlTallyEntry swap;

			while (by_frequency(&entries[++i], &pivot) < 0)
				continue;
			while (by_frequency(&entries[--j], &pivot) > 0)
				continue;
			if (i >= j)
				break;
			swap = entries[i];
			entries[i] = entries[j];
			entries[j] = swap;
		}
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
}

/*
 * The size of a table that so many counted keys and as many again fit into, and
 * those told ahead, but no larger than the one there is.
 */
static int
slots_for(const OsmlTally *tally, int keys)
{
	int64_t		held = 2 * (int64_t) keys + tally->n - tally->n_counted;
	int			slots = TALLY_SLOTS;

	while (slots < tally->n_slots && held * 4 > (int64_t) slots * 3)
		slots *= 2;
	return slots;
}

/* how many keys stay: where there is room to share half of them, if that is more */
static int
keys_to_keep(const OsmlTally *tally)
{
	int			half = tally->n_counted / 2;

	return tally->room != NULL && half > tally->capacity ? half : tally->capacity;
}

/* keys go */
static OsmlStatus
shrink(OsmlTally *tally)
{
	OsmlTallyEntry *entries = osml_arena_alloc(&tally->arena, (size_t) tally->n_counted *
											   sizeof(OsmlTallyEntry));
	int			keep = keys_to_keep(tally);
	Cut			cut = {.by_count = keep > tally->capacity};
	int			n = 0;

	if (entries == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < tally->n_slots; i++)
	{
		if (tally->slots[i].count > 0)
			entries[n++] = ranked(&tally->slots[i], tally->slots[i].lost);
	}
	select_entry(entries, n, tally->capacity - 1);
	cut.upper = entries[tally->capacity - 1];
	n = 0;
	for (int i = 0; i < tally->n_slots && cut.by_count; i++)
	{
		const TallySlot *slot = &tally->slots[i];

		if (slot->count > 0 && !stays(ranked(slot, slot->lost), &cut.upper))
			entries[n++] = ranked(slot, 0);
	}
	if (cut.by_count)
	{
		select_entry(entries, n, keep - tally->capacity - 1);
		cut.count = entries[keep - tally->capacity - 1];
	}
	osml_arena_release(&tally->arena, entries);
	plan_less(tally, 2 * (int64_t) keep);
	return rebuild(tally, slots_for(tally, keep), &cut);
}

/* must keys go before another one comes? */
static bool
is_full(const OsmlTally *tally)
{
	if (tally->n_counted < 2 * (int64_t) tally->capacity)
		return false;
	return tally->room == NULL ||
		tally->room->left < (outgrows(tally, (int64_t) tally->n_counted + 1) ?
							 table_cost(tally->planned) : 0);
}

/* the slot of a key, new if need be; NULL: out of memory */
static TallySlot *
enter(OsmlTally *tally, uint64_t key)
{
	TallySlot  *slot = slot_of(tally, key);

	if (slot->key == key)
		return slot;
	if ((int64_t) (tally->n + 1) * 4 > (int64_t) tally->n_slots * 3)
	{
		if (rebuild(tally, tally->n_slots * 2, NULL) != OSML_OK)
			return NULL;
		slot = slot_of(tally, key);
	}
	slot->key = key;
	slot->told = tally->adds;
	tally->n++;
	return slot;
}

/* add to a key's count */
static OsmlStatus
count_key(OsmlTally *tally, uint64_t key, int64_t count, int64_t lost)
{
	TallySlot  *slot = enter(tally, key);

	if (slot == NULL)
		return OSML_OUT_OF_MEMORY;
	if (slot->count == 0)
	{
		slot->lost = tally->error;
		plan(tally, ++tally->n_counted);
		charge_text(tally, slot, 1);
	}
	slot->count += count;
	slot->lost += lost;
	return OSML_OK;
}

/* count n keys */
OsmlStatus
osml_tally_add(OsmlTally *tally, const uint64_t *keys, const bool *use, int n)
{
	OsmlStatus	status = OSML_OK;

	for (int i = 0; i < n && status == OSML_OK; i++)
	{
		TallySlot  *slot;

		if (keys[i] == OSML_KEY_NULL || (use != NULL && !use[i]))
			continue;
		tally->total++;
		slot = slot_of(tally, keys[i]);
		if (slot->count > 0)
		{
			slot->count++;
			continue;
		}
		if (is_full(tally))
			status = shrink(tally);
		if (status == OSML_OK)
			status = count_key(tally, keys[i], 1, 0);
	}
	tally->adds++;
	return status;
}

/* give a slot its text */
static OsmlStatus
set_text(OsmlTally *tally, TallySlot *slot, const char *text, size_t length)
{
	if (slot->text != NULL)
		return OSML_OK;
	slot->text = osml_arena_alloc(&tally->arena, length + 1);
	if (slot->text == NULL)
		return OSML_OUT_OF_MEMORY;
	memcpy(slot->text, text, length);
	slot->text[length] = '\0';
	if (slot->count > 0)
		charge_text(tally, slot, 1);
	return OSML_OK;
}

/* the text of a key; a key that is not held yet is entered with a count of 0 */
OsmlStatus
osml_tally_text(OsmlTally *tally, uint64_t key, const char *text, size_t length)
{
	TallySlot  *slot;
	OsmlStatus	status;

	if (key == OSML_KEY_NULL || length > OSML_TALLY_TEXT)
		return OSML_OK;
	slot = slot_of(tally, key);
	if (slot->key != key && tally->n - tally->n_counted >= most_pending(tally))
	{
		if ((status = rebuild(tally, tally->n_slots, NULL)) != OSML_OK)
			return status;
		if (tally->n - tally->n_counted >= most_pending(tally))
			return OSML_OK;
	}
	if ((slot = enter(tally, key)) == NULL)
		return OSML_OUT_OF_MEMORY;
	slot->told = tally->adds;
	return set_text(tally, slot, text, length);
}

/*
 * Add the counts of another tally.  A key that only one side holds may have
 * lost what the other side's error says; so much is in the new error too.
 */
OsmlStatus
osml_tally_merge(OsmlTally *into, const OsmlTally *from)
{
	OsmlStatus	status = OSML_OK;

	for (int i = 0; i < into->n_slots; i++)
	{
		TallySlot  *slot = &into->slots[i];

		if (slot->count > 0 && slot_of(from, slot->key)->count == 0)
			slot->lost += from->error;
	}
	for (int i = 0; i < from->n_slots && status == OSML_OK; i++)
	{
		const TallySlot *other = &from->slots[i];

		if (other->count == 0)
			continue;
		status = count_key(into, other->key, other->count, other->lost);
		if (status == OSML_OK && other->text != NULL)
			status = set_text(into, slot_of(into, other->key), other->text,
							  strlen(other->text));
	}
	into->total += from->total;
	into->error += from->error;
	if (status == OSML_OK && into->n_counted > 2 * (int64_t) into->capacity &&
		is_full(into))
		status = shrink(into);
	return status;
}

/* as it was created */
int
osml_tally_capacity(const OsmlTally *tally)
{
	return tally->capacity;
}

/* rows counted */
int64_t
osml_tally_total(const OsmlTally *tally)
{
	return tally->total;
}

/* what a key may have lost at most */
int64_t
osml_tally_error(const OsmlTally *tally)
{
	return tally->error;
}

/* keys held that have been counted */
int
osml_tally_size(const OsmlTally *tally)
{
	return tally->n_counted;
}

/* up to n entries with at least min_count */
OsmlStatus
osml_tally_top(const OsmlTally *tally, int n, int64_t min_count,
			   OsmlTallyEntry *out, int *found)
{
	OsmlTallyEntry *all = osml_arena_alloc(&tally->arena, (size_t) tally->n_counted *
										   sizeof(OsmlTallyEntry));
	int			kept = 0;

	*found = 0;
	if (all == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < tally->n_slots; i++)
	{
		const TallySlot *slot = &tally->slots[i];

		if (slot->count > 0 && slot->count >= min_count)
			all[kept++] = (OsmlTallyEntry) {slot->key, slot->count, slot->text};
	}
	*found = kept < n ? kept : n;
	if (*found > 0 && *found < kept)
		select_entry(all, kept, *found - 1);
	qsort(all, (size_t) *found, sizeof(OsmlTallyEntry), by_frequency);
	if (*found > 0)
		memcpy(out, all, (size_t) *found * sizeof(OsmlTallyEntry));
	osml_arena_release(&tally->arena, all);
	return OSML_OK;
}

/* --- bytes --------------------------------------------------------------- */

typedef struct TallyHeader
{
	int32_t		format;
	int32_t		capacity;
	int64_t		n;
	int64_t		total;
	int64_t		error;
} TallyHeader;

/* followed by the text and its NUL; length -1: there is none */
typedef struct TallyRecord
{
	uint64_t	key;
	int64_t		count;
	int64_t		lost;
	int64_t		length;
} TallyRecord;

/* bytes that osml_tally_write() fills */
size_t
osml_tally_bytes(const OsmlTally *tally)
{
	size_t		size = sizeof(TallyHeader) +
	(size_t) tally->n_counted * sizeof(TallyRecord);

	for (int i = 0; i < tally->n_slots; i++)
		if (tally->slots[i].count > 0 && tally->slots[i].text != NULL)
			size += strlen(tally->slots[i].text) + 1;
	return size;
}

/* the tally as bytes */
void
osml_tally_write(const OsmlTally *tally, void *bytes)
{
	TallyHeader header = {TALLY_FORMAT, tally->capacity, tally->n_counted, tally->total,
	tally->error};
	char	   *out = bytes;

	memcpy(out, &header, sizeof(header));
	out += sizeof(header);
	for (int i = 0; i < tally->n_slots; i++)
	{
		const TallySlot *slot = &tally->slots[i];
		size_t		size = slot->text == NULL ? 0 : strlen(slot->text) + 1;
		TallyRecord record = {slot->key, slot->count, slot->lost,
		(int64_t) size - 1};

		if (slot->count == 0)
			continue;
		memcpy(out, &record, sizeof(record));
		out += sizeof(record);
		if (size > 0)
			memcpy(out, slot->text, size);
		out += size;
	}
}

/* one record of what is left to a tally; NULL where it is none */
static const char *
read_record(OsmlTally *tally, const char *in, size_t left)
{
	TallyRecord record;

	if (left < sizeof(record))
		return NULL;
	memcpy(&record, in, sizeof(record));
	in += sizeof(record);
	left -= sizeof(record);
	if (record.key == OSML_KEY_NULL || record.count <= 0 || record.length < -1 ||
		record.length >= (int64_t) left ||
		slot_of(tally, record.key)->key == record.key ||
		count_key(tally, record.key, record.count, record.lost) != OSML_OK)
		return NULL;
	if (record.length < 0)
		return in;
	if (memchr(in, '\0', (size_t) record.length + 1) != in + record.length ||
		set_text(tally, slot_of(tally, record.key), in,
				 (size_t) record.length) != OSML_OK)
		return NULL;
	return in + record.length + 1;
}

/* the way back, or NULL */
OsmlTally *
osml_tally_read(const OsmlArena *arena, const void *bytes, size_t size)
{
	const char *in = bytes;
	const char *end = in + size;
	TallyHeader header;
	OsmlTally  *tally;

	if (size < sizeof(header))
		return NULL;
	memcpy(&header, in, sizeof(header));
	in += sizeof(header);
	if (header.format != TALLY_FORMAT || header.n < 0 ||
		(tally = osml_tally_create(arena, header.capacity)) == NULL)
		return NULL;
	for (int64_t i = 0; i < header.n && in != NULL; i++)
		in = read_record(tally, in, (size_t) (end - in));
	if (in != end)
	{
		osml_tally_free(tally);
		return NULL;
	}
	tally->total = header.total;
	tally->error = header.error;
	return tally;
}
