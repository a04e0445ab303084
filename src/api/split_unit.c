/*
 * split_unit.c
 *	  osml.split_unit(seed, row): which number in [0, 1) a row's values make.
 *
 * The splits of osml_split() are stored as queries over this function, so it
 * must give the same number for ever: equal values of a type hash alike
 * whatever their form (1.0 and 1.00, -0.0 and 0.0, a citext in upper case), and nothing of a session's
 * settings, a server's version, its encoding or the machine gets in.  Numbers
 * of different types hash alike too, so that a column may grow from integer to
 * numeric.
 *
 * Next: value_feed.c (the common types), compute/valuehash.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "api/value_feed.h"
#include "compute/valuehash.h"
#include "source/fold.h"

PG_FUNCTION_INFO_V1(osml_split_unit);

typedef struct Hasher Hasher;
typedef struct Kind Kind;
typedef uint64_t (*FeedKind) (Hasher *hasher, const Kind *kind, Datum value, uint64_t hash);

/* how values of one type are hashed; kept for the query */
struct Kind
{
	Oid			type;			/* as declared */
	OsmlFeed	common;			/* how, for a type in the list */
	FeedKind	other;			/* how, for the rest */
	FmgrInfo	print;			/* send or output function, where that is how */
	Oid			element;		/* of an array */
};

struct Hasher
{
	MemoryContext context;		/* lives as long as the query */
	int			n_kinds;
	int			max_kinds;
	Kind	  **kinds;
	Oid			row_type;		/* what the top row was last time */
	int32		row_typmod;
	TupleDesc	row;
	Datum	   *values;
	bool	   *nulls;
};

static const Kind *kind_of(Hasher *hasher, Oid type);
static uint64_t feed_row(Hasher *hasher, TupleDesc row, HeapTupleHeader tuple,
						 Datum *values, bool *nulls, uint64_t hash);

/* A value that is not NULL. */
static inline uint64_t
feed_value(Hasher *hasher, const Kind *kind, Datum value, uint64_t hash)
{
	return kind->common ? kind->common(value, hash) :
		kind->other(hasher, kind, value, hash);
}

/* --- Values made of values ---------------------------------------------------- */

/* Dimensions and items; where the first index starts does not matter. */
static uint64_t
feed_array(Hasher *hasher, const Kind *kind, Datum value, uint64_t hash)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	const Kind *element = kind_of(hasher, kind->element);
	ArrayIterator it;
	Datum		item;
	bool		isnull;

	for (int i = 0; i < ARR_NDIM(array); i++)
		hash = osml_value_hash_word(hash, OSML_VALUE_LIST, ARR_DIMS(array)[i]);
	if (ARR_NDIM(array) == 0)
		hash = osml_value_hash_word(hash, OSML_VALUE_LIST, 0);
	it = array_create_iterator(array, 0, NULL);
	while (array_iterate(it, &item, &isnull))
		hash = isnull ? osml_feed_null(hash) : feed_value(hasher, element, item, hash);
	array_free_iterator(it);
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
	return hash;
}

static uint64_t
feed_composite(Hasher *hasher, const Kind *kind, Datum value, uint64_t hash)
{
	HeapTupleHeader tuple = DatumGetHeapTupleHeader(value);
	TupleDesc	row = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(tuple),
											 HeapTupleHeaderGetTypMod(tuple));
	Datum	   *values = palloc(sizeof(Datum) * row->natts);
	bool	   *nulls = palloc(sizeof(bool) * row->natts);

	hash = feed_row(hasher, row, tuple, values, nulls, hash);
	ReleaseTupleDesc(row);
	pfree(values);
	pfree(nulls);
	return hash;
}

/* Types that nothing is known of: by the text that their output makes ... */
static uint64_t
feed_output(Hasher *hasher, const Kind *kind, Datum value, uint64_t hash)
{
	char	   *text = OutputFunctionCall(unconstify(FmgrInfo *, &kind->print), value);

	hash = osml_feed_chars(text, (int) strlen(text), hash);
	pfree(text);
	return hash;
}

/* ... or by its lower case, where values are equal whose lower case is ... */
static uint64_t
feed_folded(Hasher *hasher, const Kind *kind, Datum value, uint64_t hash)
{
	char	   *text = OutputFunctionCall(unconstify(FmgrInfo *, &kind->print), value);
	char	   *folded = osml_fold_text(text, (int) strlen(text));

	hash = osml_feed_chars(folded, (int) strlen(folded), hash);
	pfree(folded);
	pfree(text);
	return hash;
}

/* ... or by their wire format, which has one byte order. */
static uint64_t
feed_send(Hasher *hasher, const Kind *kind, Datum value, uint64_t hash)
{
	bytea	   *bytes = SendFunctionCall(unconstify(FmgrInfo *, &kind->print), value);

	hash = osml_value_hash_bytes(hash, OSML_VALUE_BYTES, VARDATA(bytes),
								 VARSIZE(bytes) - VARHDRSZ);
	pfree(bytes);
	return hash;
}

/* --- Rows --------------------------------------------------------------------- */

/*
 * A type that is not in the list: its text, if its output function promises
 * that no setting gets in, else its wire format.  Geometric types promise it
 * and print floats by a setting all the same.
 */
static void
fill_unknown(Kind *kind, Oid base)
{
	Oid			function;
	bool		is_varlena;
	char		category;
	bool		preferred;
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(base));
	bool		has_send;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", base);
	has_send = OidIsValid(((Form_pg_type) GETSTRUCT(tuple))->typsend);
	ReleaseSysCache(tuple);
	get_type_category_preferred(base, &category, &preferred);
	getTypeOutputInfo(base, &function, &is_varlena);
	kind->other = osml_type_folds(base) ? feed_folded : feed_output;
	if (has_send && !type_is_enum(base) &&
		(category == TYPCATEGORY_GEOMETRIC ||
		 func_volatile(function) != PROVOLATILE_IMMUTABLE))
	{
		getTypeBinaryOutputInfo(base, &function, &is_varlena);
		kind->other = feed_send;
	}
	fmgr_info(function, &kind->print);
}

/* Choose how values of a type are hashed. */
static Kind *
new_kind(Oid type)
{
	Kind	   *kind = palloc0(sizeof(Kind));
	Oid			base = getBaseType(type);

	kind->type = type;
	kind->common = osml_feed_for(base);
	if (kind->common)
		return kind;
	kind->element = get_element_type(base);
	if (OidIsValid(kind->element))
		kind->other = feed_array;
	else if (type_is_rowtype(base))
		kind->other = feed_composite;
	else
		fill_unknown(kind, base);
	return kind;
}

/* The kind of a type: rows have few types, so a list will do. */
static const Kind *
kind_of(Hasher *hasher, Oid type)
{
	MemoryContext old;

	for (int i = 0; i < hasher->n_kinds; i++)
	{
		if (hasher->kinds[i]->type == type)
			return hasher->kinds[i];
	}
	old = MemoryContextSwitchTo(hasher->context);
	if (hasher->n_kinds == hasher->max_kinds)
	{
		hasher->max_kinds = Max(8, 2 * hasher->max_kinds);
		hasher->kinds = hasher->kinds ?
			repalloc(hasher->kinds, sizeof(Kind *) * hasher->max_kinds) :
			palloc(sizeof(Kind *) * hasher->max_kinds);
	}
	hasher->kinds[hasher->n_kinds] = new_kind(type);
	MemoryContextSwitchTo(old);
	return hasher->kinds[hasher->n_kinds++];
}

/* All values of a row, dropped columns left out. */
static uint64_t
feed_row(Hasher *hasher, TupleDesc row, HeapTupleHeader tuple, Datum *values,
		 bool *nulls, uint64_t hash)
{
	HeapTupleData data = {0};

	data.t_len = HeapTupleHeaderGetDatumLength(tuple);
	ItemPointerSetInvalid(&data.t_self);
	data.t_data = tuple;
	heap_deform_tuple(&data, row, values, nulls);
	for (int i = 0; i < row->natts; i++)
	{
		const Kind *kind;

		if (TupleDescAttr(row, i)->attisdropped)
			continue;
		if (nulls[i])
		{
			hash = osml_feed_null(hash);
			continue;
		}
		kind = kind_of(hasher, TupleDescAttr(row, i)->atttypid);
		hash = feed_value(hasher, kind, values[i], hash);
	}
	return hash;
}

/* What the call keeps between rows, fit for this row's type. */
static Hasher *
hasher_for(FunctionCallInfo fcinfo, HeapTupleHeader tuple)
{
	Hasher	   *hasher = fcinfo->flinfo->fn_extra;
	Oid			type = HeapTupleHeaderGetTypeId(tuple);
	int32		typmod = HeapTupleHeaderGetTypMod(tuple);
	MemoryContext old;
	TupleDesc	row;

	if (hasher && hasher->row_type == type && hasher->row_typmod == typmod)
		return hasher;
	old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	if (hasher == NULL)
	{
		hasher = palloc0(sizeof(Hasher));
		hasher->context = CurrentMemoryContext;
		fcinfo->flinfo->fn_extra = hasher;
	}
	else if (hasher->row)
	{
		hasher->row_type = InvalidOid;	/* until all is there again */
		FreeTupleDesc(hasher->row);
		hasher->row = NULL;
		pfree(hasher->values);
		pfree(hasher->nulls);
	}
	row = lookup_rowtype_tupdesc(type, typmod);
	hasher->row = CreateTupleDescCopy(row);
	ReleaseTupleDesc(row);
	hasher->values = palloc(sizeof(Datum) * hasher->row->natts);
	hasher->nulls = palloc(sizeof(bool) * hasher->row->natts);
	hasher->row_type = type;
	hasher->row_typmod = typmod;
	MemoryContextSwitchTo(old);
	return hasher;
}

/* osml.split_unit(seed, row) */
Datum
osml_split_unit(PG_FUNCTION_ARGS)
{
	HeapTupleHeader tuple = PG_GETARG_HEAPTUPLEHEADER(1);
	Hasher	   *hasher = hasher_for(fcinfo, tuple);
	uint64_t	hash = osml_value_hash_begin((uint64_t) PG_GETARG_INT64(0));

	hash = feed_row(hasher, hasher->row, tuple, hasher->values, hasher->nulls, hash);
	PG_FREE_IF_COPY(tuple, 1);
	PG_RETURN_FLOAT8(osml_value_hash_unit(hash));
}
