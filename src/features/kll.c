/*
 * kll.c
 *	  Quantiles of a stream in bounded memory; see kll.h.
 *
 *		level 0		a buffer of K values as they come
 *		level 1		values that stand for two each, sorted
 *		level h		values that stand for 2^h each, sorted; at most
 *					K (2/3)^(top - h) of them
 *
 * A full buffer is sorted and every other value of it moves up to level 1,
 * the odd ones or the even ones by the toss of a coin.  Where a level cannot
 * take what comes, it and what comes are merged and every other value moves
 * on.  So all the sketch ever sorts is the buffer, and a toss moves a rank by
 * at most the weight of one value, in either direction alike.
 *
 * Two tosses of a level are a pair, one odd and one even, which halves their
 * variance: DataSketches does that too.
 */
#include "features/kll.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "compute/random.h"
#include "compute/sort.h"

#define KLL_LEVELS 52			/* K values of the highest fit an int64 */
#define KLL_SMALLEST 8			/* values a level has at least */
#define KLL_FORMAT 1			/* of the bytes */

/* a level above the buffer */
typedef struct KllLevel
{
	int			n;
	int			room;			/* values allocated */
	int			tosses;
	bool		coin;			/* the last toss */
	double	   *values;
} KllLevel;

struct OsmlKll
{
	const OsmlArena *arena;
	OsmlArena	memory;			/* arena points here */
	int64_t		count;
	double		min;
	double		max;
	uint64_t	seed;			/* grows with the values; see toss() */
	uint64_t	tosses;
	int			top;			/* highest level in use */
	int			n;				/* values in the buffer */
	double	   *buffer;			/* [OSML_KLL_K] */
	KllLevel	levels[KLL_LEVELS]; /* [0] is not used but for its tosses */
};

/* values that a level may hold */
static int
level_limit(const OsmlKll *kll, int level)
{
	int			limit = OSML_KLL_K;

	for (int i = level; i < kll->top && limit > KLL_SMALLEST; i++)
		limit = limit * 2 / 3;
	return limit > KLL_SMALLEST ? limit : KLL_SMALLEST;
}

/* an empty sketch, or NULL */
OsmlKll *
osml_kll_create(const OsmlArena *arena)
{
	OsmlKll    *kll = osml_arena_alloc(arena, sizeof(OsmlKll));

	if (kll == NULL)
		return NULL;
	kll->memory = *arena;
	kll->arena = &kll->memory;
	kll->min = INFINITY;
	kll->max = -INFINITY;
	kll->buffer = osml_arena_alloc(arena, OSML_KLL_K * sizeof(double));
	if (kll->buffer == NULL)
	{
		osml_arena_release(arena, kll);
		return NULL;
	}
	return kll;
}

/* K values in the buffer, and 1 + 2/3 + (2/3)^2 + ... times as many above it */
size_t
osml_kll_most_bytes(void)
{
	return sizeof(OsmlKll) + sizeof(double) *
		(4 * (size_t) OSML_KLL_K + KLL_LEVELS * KLL_SMALLEST);
}

/* give all of its memory back */
void
osml_kll_free(OsmlKll *kll)
{
	OsmlArena	arena;

	if (kll == NULL)
		return;
	arena = kll->memory;
	for (int i = 1; i < KLL_LEVELS; i++)
		osml_arena_release(&arena, kll->levels[i].values);
	osml_arena_release(&arena, kll->buffer);
	osml_arena_release(&arena, kll);
}

/*
 * Odd or even?  The values that are halved are stirred into the seed, or else
 * the sketches of all parts of a table would toss alike and their errors would
 * add up where they are merged.
 */
static int
toss(OsmlKll *kll, KllLevel *level, const double *values, int n)
{
	OsmlRandomKey key = {.stream = OSML_STREAM_SAMPLE};
	uint64_t	bits;

	if (level->tosses++ % 2 == 1)
		return level->coin = !level->coin;
	memcpy(&bits, &values[n / 2], sizeof(bits));
	kll->seed = (kll->seed ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
	key.seed = kll->seed;
	return level->coin = (osml_random_u64(key, kll->tosses++) >> 63) != 0;
}

/* make room in an empty level for as many values as it may hold */
static OsmlStatus
level_fit(OsmlKll *kll, int level)
{
	KllLevel   *here = &kll->levels[level];
	int			limit = level_limit(kll, level);

	if (here->values != NULL && here->room == limit)
		return OSML_OK;
	osml_arena_release(kll->arena, here->values);
	here->room = 0;
	here->values = osml_arena_alloc(kll->arena, (size_t) limit * sizeof(double));
	if (here->values == NULL)
		return OSML_OUT_OF_MEMORY;
	here->room = limit;
	return OSML_OK;
}

/*
 * Bring n sorted values, at most K, to a level, and what does not fit there to
 * the next.  run has room for 2 K and is used up.
 */
static OsmlStatus
bring(OsmlKll *kll, int level, double *run, int n)
{
	double		both[2 * OSML_KLL_K];

	for (; n > 0; level++)
	{
		KllLevel   *here = &kll->levels[level];
		int			odd;
		int			first;
		OsmlStatus	status;

		if (level >= KLL_LEVELS)
			return OSML_BAD_SHAPE;
		if (level > kll->top)
			kll->top = level;
		if (here->n > 0)
			osml_sort_merge(here->values, here->n, run, n, both);
		else
			memcpy(both, run, (size_t) n * sizeof(double));
		n += here->n;
		here->n = 0;
		if ((status = level_fit(kll, level)) != OSML_OK)
			return status;
		if (n <= here->room)
		{
			memcpy(here->values, both, (size_t) n * sizeof(double));
			here->n = n;
			return OSML_OK;
		}

		/* the odd one out stays; then every other value goes up */
		odd = n % 2;
		if (odd)
			here->values[here->n++] = both[--n];
		first = toss(kll, here, both, n);
		for (int i = first; i < n; i += 2)
			run[i / 2] = both[i];
		n /= 2;
	}
	return OSML_OK;
}

/* sort the full buffer and bring half of it to level 1 */
static OsmlStatus
flush(OsmlKll *kll)
{
	double		run[2 * OSML_KLL_K];
	int			first;

	osml_sort(kll->buffer, OSML_KLL_K, run);
	first = toss(kll, &kll->levels[0], kll->buffer, OSML_KLL_K);
	for (int i = 0; i < OSML_KLL_K / 2; i++)
		run[i] = kll->buffer[2 * i + first];
	kll->n = 0;
	return bring(kll, 1, run, OSML_KLL_K / 2);
}

/* n values that fit the buffer */
static void
fill(OsmlKll *kll, const double *x, int n)
{
	double	   *out = kll->buffer + kll->n;
	double		min = kll->min;
	double		max = kll->max;

	for (int i = 0; i < n; i++)
	{
		double		value = x[i] + 0.0; /* -0 is 0: values alike are the same */

		*out = value;
		out += value == value;
		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	n = (int) (out - kll->buffer);
	kll->count += n - kll->n;
	kll->n = n;
	kll->min = min;
	kll->max = max;
}

/* add n values; NaNs are left out */
OsmlStatus
osml_kll_add(OsmlKll *kll, const double *x, int n)
{
	while (n > 0)
	{
		int			room = OSML_KLL_K - kll->n;
		int			part = n < room ? n : room;
		OsmlStatus	status = room > 0 ? OSML_OK : flush(kll);

		if (status != OSML_OK)
			return status;
		fill(kll, x, part);
		x += part;
		n -= part;
	}
	return OSML_OK;
}

/* add another sketch's values, level by level */
OsmlStatus
osml_kll_merge(OsmlKll *into, const OsmlKll *from)
{
	OsmlStatus	status = osml_kll_add(into, from->buffer, from->n);
	int64_t		count = from->count - from->n;

	for (int level = 1; level <= from->top && status == OSML_OK; level++)
	{
		const KllLevel *here = &from->levels[level];
		double		run[2 * OSML_KLL_K];

		if (here->n == 0)
			continue;
		memcpy(run, here->values, (size_t) here->n * sizeof(double));
		status = bring(into, level, run, here->n);
	}
	into->count += count;
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
	return status;
}

/* values added so far */
int64_t
osml_kll_count(const OsmlKll *kll)
{
	return kll->count;
}

/*
 * All values in order with their weights.  Levels are sorted, so they are
 * merged, from the highest on, which is the longest.
 */
typedef struct KllView
{
	int			n;
	double	   *values;
	int64_t    *weights;
} KllView;

static void
view_merge(const KllView *view, const double *values, int n, int64_t weight,
		   KllView *out)
{
	int			i = 0;
	int			j = 0;

	out->n = view->n + n;
	for (int k = 0; k < out->n; k++)
	{
		if (j < n && (i == view->n || values[j] < view->values[i]))
		{
			out->values[k] = values[j++];
			out->weights[k] = weight;
		}
		else
		{
			out->values[k] = view->values[i];
			out->weights[k] = view->weights[i++];
		}
	}
}

/* the view is in memory at *scratch, which is to be released; n may be 0 */
static OsmlStatus
view_make(const OsmlKll *kll, KllView *view, void **scratch)
{
	int			total = kll->n;
	double	   *numbers;
	int64_t    *weights;
	KllView		other;

	for (int level = 1; level <= kll->top; level++)
		total += kll->levels[level].n;
	*scratch = numbers = osml_arena_alloc(kll->arena, ((size_t) total * 4 +
													   2 * OSML_KLL_K) * sizeof(double));
	if (numbers == NULL)
		return OSML_OUT_OF_MEMORY;
	weights = (int64_t *) (numbers + 2 * total);
	*view = (KllView) {0, numbers, weights};
	other = (KllView) {0, numbers + total, weights + total};
	for (int level = kll->top; level >= 0; level--)
	{
		const double *values = kll->levels[level].values;
		int			n = kll->levels[level].n;
		KllView		swap = *view;

		if (level == 0)
		{
			double	   *sorted = numbers + 4 * (size_t) total;

			n = kll->n;
			memcpy(sorted, kll->buffer, (size_t) n * sizeof(double));
			osml_sort(sorted, n, sorted + OSML_KLL_K);
			values = sorted;
		}
		view_merge(view, values, n, INT64_C(1) << level, &other);
		*view = other;
		other = swap;
	}
	return OSML_OK;
}

/* the values at shares p, ascending, of the order of all values */
OsmlStatus
osml_kll_quantiles(const OsmlKll *kll, int n, const double *p, double *out)
{
	KllView		view;
	void	   *scratch;
	OsmlStatus	status = view_make(kll, &view, &scratch);
	int64_t		before = 0;		/* values in front of view.values[k] */
	int			k = 0;

	if (status != OSML_OK)
		return status;
	for (int i = 0; i < n; i++)
	{
		double		rank = ceil(p[i] * (double) kll->count);

		if (kll->count == 0)
			out[i] = NAN;
		else if (rank <= 1)
			out[i] = kll->min;
		else if (rank >= (double) kll->count)
			out[i] = kll->max;
		else
		{
			while (k < view.n - 1 && (double) (before + view.weights[k]) < rank)
				before += view.weights[k++];
			out[i] = view.values[k];
		}
	}
	osml_arena_release(kll->arena, scratch);
	return OSML_OK;
}

/* how many values are less than each x, ascending */
OsmlStatus
osml_kll_below(const OsmlKll *kll, int n, const double *x, int64_t *below)
{
	KllView		view;
	void	   *scratch;
	OsmlStatus	status = view_make(kll, &view, &scratch);
	int64_t		before = 0;
	int			k = 0;

	if (status != OSML_OK)
		return status;
	for (int i = 0; i < n; i++)
	{
		while (k < view.n && view.values[k] < x[i])
			before += view.weights[k++];
		below[i] = x[i] <= kll->min ? 0 : x[i] > kll->max ? kll->count : before;
	}
	osml_arena_release(kll->arena, scratch);
	return OSML_OK;
}

/* the least value kept that is greater than each x, ascending; beyond the greatest, NaN */
OsmlStatus
osml_kll_above(const OsmlKll *kll, int n, const double *x, double *above)
{
	KllView		view;
	void	   *scratch;
	OsmlStatus	status = view_make(kll, &view, &scratch);
	int			k = 0;

	if (status != OSML_OK)
		return status;
	for (int i = 0; i < n; i++)
	{
		while (k < view.n && view.values[k] <= x[i])
			k++;
		if (x[i] < kll->max)
			above[i] = k < view.n ? view.values[k] : kll->max;
		else
			above[i] = NAN;
	}
	osml_arena_release(kll->arena, scratch);
	return OSML_OK;
}

/* --- bytes --------------------------------------------------------------- */

typedef struct KllHeader
{
	int32_t		format;
	int32_t		top;
	int64_t		count;
	double		min;
	double		max;
	uint64_t	seed;
	uint64_t	tosses;
	struct
	{
		int32_t		n;
		int32_t		tosses;		/* times two, plus the coin */
	}			levels[KLL_LEVELS];
} KllHeader;

/* bytes that osml_kll_write() fills */
size_t
osml_kll_size(const OsmlKll *kll)
{
	size_t		values = (size_t) kll->n;

	for (int level = 1; level <= kll->top; level++)
		values += (size_t) kll->levels[level].n;
	return sizeof(KllHeader) + values * sizeof(double);
}

/* the sketch as bytes */
void
osml_kll_write(const OsmlKll *kll, void *bytes)
{
	KllHeader	header = {
		.format = KLL_FORMAT,
		.top = kll->top,
		.count = kll->count,
		.min = kll->min,
		.max = kll->max,
		.seed = kll->seed,
		.tosses = kll->tosses
	};
	char	   *out = (char *) bytes + sizeof(header);

	for (int level = 0; level <= kll->top; level++)
	{
		const KllLevel *here = &kll->levels[level];
		int			n = level == 0 ? kll->n : here->n;

		header.levels[level].n = n;
		header.levels[level].tosses = here->tosses % 2 * 2 + here->coin;
		if (n > 0)
			memcpy(out, level == 0 ? kll->buffer : here->values,
				   (size_t) n * sizeof(double));
		out += (size_t) n * sizeof(double);
	}
	memcpy(bytes, &header, sizeof(header));
}

/* do the sizes in a header make sense, and together with the bytes? */
static bool
header_fits(const KllHeader *header, size_t size)
{
	size_t		values = 0;
	int64_t		count = 0;

	if (header->format != KLL_FORMAT || header->top < 0 ||
		header->top >= KLL_LEVELS)
		return false;
	for (int level = 0; level <= header->top; level++)
	{
		int32_t		n = header->levels[level].n;

		if (n < 0 || n > OSML_KLL_K)
			return false;
		values += (size_t) n;
		if (__builtin_add_overflow(count, (int64_t) n << level, &count))
			return false;
	}
	return count == header->count && size == sizeof(*header) +
		values * sizeof(double);
}

/* the way back, or NULL */
OsmlKll *
osml_kll_read(const OsmlArena *arena, const void *bytes, size_t size)
{
	const char *in = (const char *) bytes + sizeof(KllHeader);
	KllHeader	header;
	OsmlKll    *kll;

	if (size < sizeof(header))
		return NULL;
	memcpy(&header, bytes, sizeof(header));
	if (!header_fits(&header, size) || (kll = osml_kll_create(arena)) == NULL)
		return NULL;
	kll->top = header.top;
	kll->count = header.count;
	kll->min = header.min;
	kll->max = header.max;
	kll->seed = header.seed;
	kll->tosses = header.tosses;
	kll->n = header.levels[0].n;
	for (int level = 0; level <= kll->top; level++)
	{
		KllLevel   *here = &kll->levels[level];
		size_t		length = (size_t) header.levels[level].n * sizeof(double);

		here->tosses = header.levels[level].tosses / 2;
		here->coin = header.levels[level].tosses % 2 != 0;
		if (level > 0 && length > 0)
		{
			here->n = here->room = header.levels[level].n;
			here->values = osml_arena_alloc(arena, length);
			if (here->values == NULL)
			{
				osml_kll_free(kll);
				return NULL;
			}
		}
		if (length > 0)
			memcpy(level == 0 ? kll->buffer : here->values, in, length);
		in += length;
	}
	return kll;
}
