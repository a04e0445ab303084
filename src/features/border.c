/*
 * border.c
 *	  Borders in the label that a column tells; see border.h.
 *
 * Rows are in the order of the label, each with a group of the column.  At each
 * border a group belongs to the side on which most of its rows are; the others
 * are on the wrong one.  Both sides must be right, so that a rare one counts like
 * a frequent one; of such borders the best has most rows right.
 */
#include "features/border.h"

#include <math.h>
#include <string.h>

/* Right are so many of each side, for data has mistakes ... */
#define RIGHT 0.97

/*
 * ... and of the rows next to the border, 2 % of all.  There the mistakes of
 * noise are: of x + noise, x uniform and cut anywhere, more than 7 % of them are
 * wrong unless x tells more than 0.9998 of the label and is nearly it.
 */
#define RIGHT_NEAR 0.93
#define NEAR 0.02
#define MIN_NEAR 20

/*
 * Chance: in fewer rows the halves of a feature that tells 0.999 of the label
 * often leave none of the nearest 20 on the wrong side (in so many about 1 in 20
 * does, of one that tells 0.99 none in 100), and a quarter of a smaller side
 * shows no dip.  Rarer values count together.
 */
#define MIN_SHARP_ROWS 1000
#define MIN_SHARP_SIDE 100
#define MIN_SIDE 50
#define MIN_GROUP 20

/* A label of fewer values is one of classes, which have no order to be cut. */
#define MIN_VALUES 6

/*
 * No dip: of a label whose density is log-concave (normal, Poisson, exponential,
 * uniform), f(b)^2 >= f(a) f(c) where b is between a and c.  Two normal
 * heaps that are so far apart have about 0.3 of that; counts of 25 rows deviate
 * by half of it.
 */
#define DIP 0.4

/* no gap: as far as so many steps between the next values on either side */
#define GAP 15
#define GAP_STEPS 10

/* right borders that have more than this part of the rows between them are
 * several, not one that mistakes have blurred */
#define APART 0.05

/* one for each value of a column that has few, for rare ones, and for NULL */
#define MAX_GROUPS (OSML_VIEW_BINS + 2)

typedef struct Rows
{
	int			n;
	int			n_values;
	int			near;			/* as many are next to a border */
	int8_t	   *group;			/* [n], in the order of the label */
	int32_t    *start;			/* [n_values + 1] the first row of each value */
	const double *value;		/* [n_values] */
} Rows;

/* the group of a row's value */
static int8_t
group_of(const OsmlView *view, int32_t code)
{
	int			few = view->n_values <= OSML_VIEW_BINS ? view->n_values : 2;

	if (code < 0)
		return (int8_t) (few + 1);
	if (view->n_values > OSML_VIEW_BINS)
		return code == view->modal ? 0 : 1;
	return (int8_t) (view->count[code] < MIN_GROUP ? few : code);
}

static OsmlStatus
line_up(Rows *rows, const OsmlArena *arena, const OsmlTarget *target, const OsmlView *view)
{
	const OsmlView *label = target->view;

	rows->n = target->n;
	rows->near = (int) fmax(MIN_NEAR, NEAR * rows->n);
	rows->n_values = label->n_values;
	rows->value = label->value;
	rows->group = osml_arena_alloc(arena, rows->n);
	rows->start = osml_arena_alloc(arena, sizeof(int32_t) * (label->n_values + 1));
	if (rows->group == NULL || rows->start == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < rows->n; i++)
		rows->group[i] = group_of(view, view->code[label->order[i]]);
	for (int c = 0; c < label->n_values; c++)
		rows->start[c + 1] = rows->start[c] + label->count[c];
	return OSML_OK;
}

/* what is known of a border while the rows below it grow */
typedef struct Sides
{
	int			rows[2][MAX_GROUPS];	/* below and above, by group */
	int			right[2];
} Sides;

/* the side that a group belongs to: 0 below, 1 above */
static int
side_of(const Sides *sides, int group)
{
	return sides->rows[1][group] > sides->rows[0][group] ? 1 : 0;
}

static void
move_below(Sides *sides, int group)
{
	int			side = side_of(sides, group);

	sides->right[side] -= sides->rows[side][group];
	sides->rows[1][group]--;
	sides->rows[0][group]++;
	side = side_of(sides, group);
	sides->right[side] += sides->rows[side][group];
}

static void
all_above(Sides *sides, const Rows *rows)
{
	memset(sides, 0, sizeof(*sides));
	for (int i = 0; i < rows->n; i++)
		sides->rows[1][rows->group[i]]++;
	sides->right[1] = rows->n;
}

/* The best border: the first value above it, or 0.  best: the sides there. */
static int
best_border(const Rows *rows, Sides *best, OsmlBorder *border, bool *several)
{
	Sides		sides;
	int			found = 0;
	int			first = -1;
	int			last = -1;

	all_above(&sides, rows);
	for (int c = 1; c < rows->n_values; c++)
	{
		int			n = rows->start[c];
		double		below;
		double		above;

		for (int i = rows->start[c - 1]; i < n; i++)
			move_below(&sides, rows->group[i]);
		below = (double) sides.right[0] / n;
		above = (double) sides.right[1] / (rows->n - n);
		if (n < MIN_SIDE || rows->n - n < MIN_SIDE || below < RIGHT || above < RIGHT)
			continue;
		first = first < 0 ? n : first;
		last = n;
		if (found > 0 && sides.right[0] + sides.right[1] <= best->right[0] + best->right[1])
			continue;
		found = c;
		border->below = below;
		border->above = above;
		*best = sides;
	}
	*several = last - first > APART * rows->n;
	return found;
}

/* from border c away to one side, by whole values, at least n rows if there are */
static int
walk(const Rows *rows, int c, int step, int n)
{
	int			from = rows->start[c];

	while (c + step >= 0 && c + step <= rows->n_values)
	{
		c += step;
		if (step * (rows->start[c] - from) >= n)
			break;
	}
	return c;
}

/* are nearly all rows between two borders on that side? */
static bool
all_right(const Rows *rows, const Sides *sides, int from, int to, int side)
{
	int			right = 0;
	int			n = rows->start[to] - rows->start[from];

	for (int i = rows->start[from]; i < rows->start[to]; i++)
		right += side_of(sides, rows->group[i]) == side ? 1 : 0;
	return right >= RIGHT_NEAR * n;
}

/* where border c is: halfway between its neighbours, of which the outer lack one */
static double
place(const Rows *rows, int c)
{
	const double *value = rows->value;

	if (c == 0)
		return value[0] - (value[1] - value[0]) / 2;
	if (c == rows->n_values)
		return value[c - 1] + (value[c - 1] - value[c - 2]) / 2;
	return value[c - 1] + (value[c] - value[c - 1]) / 2;
}

/* rows by the label's unit between two borders, in either order */
static double
density(const Rows *rows, int a, int b)
{
	return (rows->start[b] - rows->start[a]) / (place(rows, b) - place(rows, a));
}

/* Is it empty about border c, beside what is left and right of it?  A quarter of
 * the smaller side shows its edge, if it has one. */
static bool
dips(const Rows *rows, int c)
{
	int			smaller = rows->start[c] < rows->n - rows->start[c] ? rows->start[c] :
		rows->n - rows->start[c];
	double		near[2];
	double		far[2];

	for (int side = 0; side < 2; side++)
	{
		int			step = side == 0 ? -1 : 1;
		int			a = walk(rows, c, step, smaller / 4);
		int			b = walk(rows, a, step, smaller / 4);

		near[side] = density(rows, a, c);
		far[side] = a != b ? density(rows, a, b) : 0;
	}
	return !(near[0] * near[0] >= DIP * near[1] * far[0] &&
			 near[1] * near[1] >= DIP * near[0] * far[1]);
}

static bool
gapes(const Rows *rows, int c)
{
	const double *value = rows->value;
	int			low = c - 1 > GAP_STEPS ? c - 1 - GAP_STEPS : 0;
	int			high = c + GAP_STEPS < rows->n_values ? c + GAP_STEPS : rows->n_values - 1;
	double		gap = value[c] - value[c - 1];

	return !(gap * (high - low - 1) <= GAP * (value[high] - value[low] - gap));
}

/* the roundest number from low to below high */
static double
round_border(double low, double high)
{
	double		step = pow(10, ceil(log10(fmax(fabs(low), fabs(high)))));

	for (int digit = 0; digit < 12; digit++, step /= 10)
	{
		double		round = ceil(low / step) * step;

		if (round >= low && round < high)
			return round;
	}
	return low;
}

OsmlStatus
osml_border(const OsmlArena *arena, const OsmlTarget *target, const OsmlView *view,
			OsmlBorder *border)
{
	Rows		rows;
	Sides		sides;
	bool		several;
	int			c;

	memset(border, 0, sizeof(*border));
	if (target->view->value == NULL || target->view->n_values < MIN_VALUES)
		return OSML_OK;
	if (line_up(&rows, arena, target, view) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	c = best_border(&rows, &sides, border, &several);
	border->found = c > 0 &&
		all_right(&rows, &sides, walk(&rows, c, -1, rows.near), c, 0) &&
		all_right(&rows, &sides, c, walk(&rows, c, 1, rows.near), 1);
	if (border->found)
	{
		border->value = round_border(rows.value[c - 1], rows.value[c]);
		border->sharp = !several && rows.n >= MIN_SHARP_ROWS &&
			rows.start[c] >= MIN_SHARP_SIDE && rows.n - rows.start[c] >= MIN_SHARP_SIDE &&
			c > 1 && c < rows.n_values - 1 && !dips(&rows, c) && !gapes(&rows, c);
	}
	osml_arena_release(arena, rows.group);
	osml_arena_release(arena, rows.start);
	return OSML_OK;
}
