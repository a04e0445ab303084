/*
 * count_each.c
 *	  The aggregate osml.count_each(numbers, size): how many times each of the
 *	  numbers 1 .. size occurs in all arrays.
 *
 * It stands for as many count(*) FILTER (WHERE ...), each of which the planner
 * would compare with all the others, and the executor would judge for each row.
 * Its state is its result.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(osml_count_each_step);
PG_FUNCTION_INFO_V1(osml_count_each_merge);

#define MAX_COUNTS ((int) ((MaxAllocSize - ARR_OVERHEAD_NONULLS(1)) / sizeof(int64)))

/* All counts are 0; the executor copies them to where states live. */
static ArrayType *
no_counts(int size)
{
	Size		bytes = ARR_OVERHEAD_NONULLS(1);
	ArrayType  *counts;

	if (size < 1 || size > MAX_COUNTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("size of osml.count_each() must be between 1 and %d, not %d",
						MAX_COUNTS, size)));
	bytes += sizeof(int64) * size;
	counts = palloc0(bytes);
	SET_VARSIZE(counts, bytes);
	counts->ndim = 1;
	counts->elemtype = INT8OID;
	ARR_DIMS(counts)[0] = size;
	ARR_LBOUND(counts)[0] = 1;
	return counts;
}

/*
 * The state of argument 0, of a size, to be changed where it is.  An aggregate
 * of somebody's own may start with any array.
 */
static int64 *
counts_of(ArrayType *counts, int size)
{
	if (ARR_NDIM(counts) != 1 || ARR_HASNULL(counts) || ARR_ELEMTYPE(counts) != INT8OID ||
		ARR_DIMS(counts)[0] != size)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("osml.count_each() must have one size for all rows")));
	return (int64 *) ARR_DATA_PTR(counts);
}

/* Raise an error: only an aggregate's state may be changed in place. */
static void
need_aggregate(FunctionCallInfo fcinfo)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a step of osml.count_each() cannot be called by itself")));
}

/* Count the numbers of one array. */
static void
count_array(int64 *counts, int size, ArrayType *array)
{
	Datum	   *numbers;
	bool	   *nulls;
	int			n;

	deconstruct_array(array, INT4OID, sizeof(int32), true, TYPALIGN_INT, &numbers, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		int32		number = nulls[i] ? 1 : DatumGetInt32(numbers[i]);

		if (number < 1 || number > size)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("osml.count_each() counts numbers from 1 to %d, not %d",
							size, number)));
		if (!nulls[i])
			counts[number - 1]++;
	}
	pfree(numbers);
	pfree(nulls);
}

/* osml.count_each_step(counts, numbers, size) -> counts */
Datum
osml_count_each_step(PG_FUNCTION_ARGS)
{
	ArrayType  *counts;
	int			size;

	need_aggregate(fcinfo);
	if (PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("size of osml.count_each() must not be null")));
	size = PG_GETARG_INT32(2);
	counts = PG_ARGISNULL(0) ? no_counts(size) : PG_GETARG_ARRAYTYPE_P(0);
	if (!PG_ARGISNULL(1))
		count_array(counts_of(counts, size), size, PG_GETARG_ARRAYTYPE_P(1));
	PG_RETURN_ARRAYTYPE_P(counts);
}

/*
 * osml.count_each_merge(counts, counts) -> the sums.  It is strict, so the first
 * state that comes is copied by the executor.
 */
Datum
osml_count_each_merge(PG_FUNCTION_ARGS)
{
	ArrayType  *sums;
	ArrayType  *more;
	int			size;
	int64	   *to;
	const int64 *from;

	need_aggregate(fcinfo);
	sums = PG_GETARG_ARRAYTYPE_P(0);
	more = PG_GETARG_ARRAYTYPE_P(1);
	size = ArrayGetNItems(ARR_NDIM(more), ARR_DIMS(more));
	to = counts_of(sums, size);
	from = counts_of(more, size);
	for (int i = 0; i < size; i++)
		to[i] += from[i];
	PG_RETURN_ARRAYTYPE_P(sums);
}
