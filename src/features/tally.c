/*
 * tally.c
 *	  The most frequent keys of a stream in bounded memory; see tally.h.
 *
 * A hash table of at most twice the capacity.  Each key has a count and what
 * it may have lost before it came (back) to the table.  When the table is
 * full, the bound on what any key may lose rises to the largest (count +
 * lost) that is not among the `capacity` largest, and all keys up to it go.
 * Each rise by one has cost at least `capacity` rows, so the bound is at most
 * rows / capacity, however rows are ordered and parts are merged.
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
	int64_t		told;			/* while the count is 0: after how many adds */
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
};

/* an empty tally, or NULL */
OsmlTally *
osml_tally_create(const OsmlArena *arena, int capacity)
{
	OsmlTally  *tally = osml_arena_alloc(arena, sizeof(OsmlTally));

	if (tally == NULL)
		return NULL;
	tally->arena = *arena;
	tally->capacity = capacity > 0 ? capacity : 1;
	tally->n_slots = TALLY_SLOTS;
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
 * full; two of them, and the counts, while one is made into the other.
 */
size_t
osml_tally_most_bytes(int capacity, bool told)
{
	size_t		keys = 2 * (size_t) capacity;
	size_t		held = keys + (told ? OSML_TALLY_PENDING : 0);
	size_t		slots = TALLY_SLOTS;

	while (held * 4 > slots * 3)
		slots *= 2;
	return sizeof(OsmlTally) + 2 * slots * sizeof(TallySlot) + keys * sizeof(int64_t);
}

/* give all of its memory back */
void
osml_tally_free(OsmlTally *tally)
{
	OsmlArena	arena;

	if (tally == NULL)
		return;
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

/*
 * Does a key go?  Not one that is about to be counted: its text may not come
 * again.  One that was told before the last rows but not counted does.
 */
static bool
goes(const OsmlTally *tally, const TallySlot *slot)
{
	if (slot->count == 0)
		return slot->told < tally->adds;
	return slot->count + slot->lost <= tally->error;
}

/* move to a table of n_slots; with `drop` those that go are left behind */
static OsmlStatus
rebuild(OsmlTally *tally, int n_slots, bool drop)
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
		if (drop && goes(tally, &old[i]))
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

static int
descending(const void *a, const void *b)
{
	int64_t		x = *(const int64_t *) a;
	int64_t		y = *(const int64_t *) b;

	return (x < y) - (x > y);
}

/* at most `capacity` keys stay; what goes depends on counts alone */
static OsmlStatus
shrink(OsmlTally *tally)
{
	int64_t    *upper = osml_arena_alloc(&tally->arena,
										 (size_t) tally->n_counted * sizeof(int64_t));
	int			n = 0;

	if (upper == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < tally->n_slots; i++)
		if (tally->slots[i].count > 0)
			upper[n++] = tally->slots[i].count + tally->slots[i].lost;
	qsort(upper, (size_t) n, sizeof(int64_t), descending);
	if (upper[tally->capacity] > tally->error)
		tally->error = upper[tally->capacity];
	osml_arena_release(&tally->arena, upper);
	return rebuild(tally, tally->n_slots, true);
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
		if (rebuild(tally, tally->n_slots * 2, false) != OSML_OK)
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
	tally->n_counted += slot->count == 0;
	if (slot->count == 0)
		slot->lost = tally->error;
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
		if (tally->n_counted >= 2 * (int64_t) tally->capacity)
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
	if (slot->key != key && tally->n - tally->n_counted >= OSML_TALLY_PENDING)
	{
		if ((status = rebuild(tally, tally->n_slots, true)) != OSML_OK)
			return status;
		if (tally->n - tally->n_counted >= OSML_TALLY_PENDING)
			return OSML_OK;
	}
	if ((slot = enter(tally, key)) == NULL)
		return OSML_OUT_OF_MEMORY;
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
	if (status == OSML_OK && into->n_counted > 2 * (int64_t) into->capacity)
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
	qsort(all, (size_t) kept, sizeof(OsmlTallyEntry), by_frequency);
	*found = kept < n ? kept : n;
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
