/*
 * measure_bytes.c
 *	  A settled measure as bytes, for parts of the rows that other processes of
 *	  this machine have measured.
 *
 * A head; the confusion matrix; of each rank a head and its entries.  All of it
 * is a multiple of eight bytes long.
 */
#include "rules/metric/measure.h"

#include <string.h>

#include "rules/loss/loss.h"

/* "osml_m3": another layout is another number */
#define MAGIC UINT64_C(0x336D5F6C6D736F00)

typedef struct Head
{
	uint64_t	magic;
	int32_t		task;
	int32_t		n_classes;
	int32_t		ranked;
	int32_t		n_ranks;
	int64_t		n;
	double		loss_sum;
	OsmlMetricSums sums;
	OsmlClassSums classes;		/* its pointer means nothing */
} Head;

typedef struct RankHead
{
	int64_t		n_entries;
	int64_t		is_exact;
} RankHead;

/* what is left to read */
typedef struct Bytes
{
	const char *at;
	size_t		left;
} Bytes;

static size_t
confusion_size(int n_classes)
{
	return (size_t) n_classes * (size_t) n_classes * sizeof(OsmlConfusion);
}

static char *
put(char *at, const void *from, size_t size)
{
	if (size > 0)
		memcpy(at, from, size);
	return at + size;
}

/* false: there are not so many */
static bool
get(Bytes *bytes, void *into, size_t size)
{
	if (bytes->left < size)
		return false;
	if (size > 0)
		memcpy(into, bytes->at, size);
	bytes->at += size;
	bytes->left -= size;
	return true;
}

size_t
osml_measure_size(const OsmlMeasure *measure)
{
	size_t		size = sizeof(Head) + confusion_size(measure->n_classes);

	for (int c = 0; c < measure->n_ranks; c++)
		size += sizeof(RankHead) +
			(size_t) measure->ranks[c].n_entries * sizeof(OsmlRankEntry);
	return size;
}

void
osml_measure_write(const OsmlMeasure *measure, void *bytes)
{
	char	   *at = bytes;
	Head		head;

	memset(&head, 0, sizeof(head)); /* padding is written too */
	head.magic = MAGIC;
	head.task = measure->task;
	head.n_classes = measure->n_classes;
	head.ranked = measure->ranked;
	head.n_ranks = measure->n_ranks;
	head.n = measure->n;
	head.loss_sum = measure->loss_sum;
	head.sums = measure->sums;
	head.classes = measure->classes;
	head.classes.confusion = NULL;
	at = put(at, &head, sizeof(head));
	at = put(at, measure->classes.confusion, confusion_size(measure->n_classes));
	for (int c = 0; c < measure->n_ranks; c++)
	{
		const OsmlRank *rank = &measure->ranks[c];
		RankHead	rank_head = {rank->n_entries, rank->is_exact};

		at = put(at, &rank_head, sizeof(rank_head));
		at = put(at, rank->entries, (size_t) rank->n_entries * sizeof(OsmlRankEntry));
	}
}

/* entries are copied first: bytes may stand at any address */
static bool
read_rank(OsmlRank *rank, Bytes *bytes)
{
	RankHead	head;
	OsmlRankEntry *entries;
	bool		fine;

	if (!get(bytes, &head, sizeof(head)) || head.n_entries < 0 ||
		head.n_entries > rank->capacity)
		return false;
	entries = osml_arena_alloc(rank->arena,
							   (size_t) head.n_entries * sizeof(OsmlRankEntry));
	fine = entries != NULL &&
		get(bytes, entries, (size_t) head.n_entries * sizeof(OsmlRankEntry)) &&
		osml_rank_restore(rank, entries, (int) head.n_entries,
						  head.is_exact != 0) == OSML_OK;
	osml_arena_release(rank->arena, entries);
	return fine;
}

/* what follows the head */
static bool
read_rest(OsmlMeasure *measure, const Head *head, Bytes *bytes)
{
	OsmlConfusion *confusion = measure->classes.confusion;

	if (measure->n_classes != head->n_classes || measure->n_ranks != head->n_ranks)
		return false;
	measure->n = head->n;
	measure->loss_sum = head->loss_sum;
	measure->sums = head->sums;
	measure->classes = head->classes;
	measure->classes.n_classes = head->n_classes;
	measure->classes.confusion = confusion;
	if (!get(bytes, confusion, confusion_size(measure->n_classes)))
		return false;
	for (int c = 0; c < measure->n_ranks; c++)
	{
		if (!read_rank(&measure->ranks[c], bytes))
			return false;
	}
	return bytes->left == 0;
}

OsmlMeasure *
osml_measure_read(const OsmlArena *arena, const void *bytes, size_t size)
{
	Bytes		left = {bytes, size};
	Head		head;
	OsmlMeasure *measure;

	if (!get(&left, &head, sizeof(head)) || head.magic != MAGIC ||
		head.task < 0 || head.task > OSML_TASK_CLASSES ||
		head.n_classes < 0 || head.n_classes > OSML_MAX_CLASSES ||
		head.ranked < OSML_RANKED_NONE || head.ranked >= OSML_MAX_CLASSES)
		return NULL;
	measure = osml_measure_create(arena, (OsmlTask) head.task, head.n_classes,
								  head.ranked);
	if (measure == NULL || read_rest(measure, &head, &left))
		return measure;
	osml_measure_free(measure);
	return NULL;
}
