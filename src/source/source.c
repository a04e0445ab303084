/*
 * source.c
 *	  From the text that names a source to a FROM item, its columns and shards.
 *
 * Runs as the user, under the user's search_path: a name means what it would
 * mean in a query of that user.  Next: feature.c, table.c.
 */
#include "postgres.h"

#include <ctype.h>

#include "access/relation.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "partitioning/partdesc.h"
#include "storage/bufmgr.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/varlena.h"

#include "compat.h"
#include "source/source.h"

/* Skip what may stand before a query's first word: space, comments, "(". */
static const char *
skip_to_word(const char *text)
{
	for (;;)
	{
		text += strspn(text, " \t\r\n\f\v(");
		if (strncmp(text, "--", 2) == 0)
			text += strcspn(text, "\r\n");
		else if (strncmp(text, "/*", 2) == 0)
		{
			int			depth = 0;	/* comments nest in SQL */

			do
			{
				int			opens = strncmp(text, "/*", 2) == 0;
				int			closes = strncmp(text, "*/", 2) == 0;

				depth += opens - closes;
				text += opens || closes ? 2 : 1;
			} while (depth > 0 && *text != '\0');
		}
		else
			return text;
	}
}

/*
 * Does the text start with a word that begins a query?  A longer identifier
 * does not count, nor one that qualifies a name, nor the word alone: "values"
 * may well be a table.
 */
static bool
is_query(const char *text)
{
	static const char *const words[] = {"select", "with", "values", "table"};

	text = skip_to_word(text);
	for (int i = 0; i < (int) lengthof(words); i++)
	{
		size_t		n = strlen(words[i]);

		if (pg_strncasecmp(text, words[i], n) == 0 && text[n] != '\0' &&
			!IS_HIGHBIT_SET(text[n]) && !isalnum((unsigned char) text[n]) &&
			strchr("_$.", text[n]) == NULL)
			return true;
	}
	return false;
}

/* One SELECT and nothing else, so that it can stand in a FROM clause. */
static char *
checked_query(const char *text)
{
	List	   *statements = pg_parse_query(text);
	RawStmt    *raw;
	char	   *query = pstrdup(text);
	int			length = (int) strlen(query);

	if (list_length(statements) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("a source must be a single query"),
				 errdetail("The text holds %d statements.", list_length(statements))));
	raw = linitial_node(RawStmt, statements);
	if (!IsA(raw->stmt, SelectStmt) || ((SelectStmt *) raw->stmt)->intoClause)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a source query must be a SELECT"),
				 errhint("Name a relation, or write SELECT, WITH, VALUES or TABLE.")));
	/* what follows the statement is white space and semicolons */
	if (raw->stmt_len > 0)
		query[raw->stmt_location + raw->stmt_len] = '\0';
	else
	{
		while (length > 0 && strchr("; \t\r\n", query[length - 1]) != NULL)
			query[--length] = '\0';
	}
	return query;
}

/* Relations that are read, those among them that are views included. */
static List *
planned_relations(SPIPlanPtr plan, const CachedPlanSource *parsed)
{
	CachedPlan *planned = SPI_plan_get_cached_plan(plan);
	List	   *relations = list_copy(parsed->relationOids);
	ListCell   *cell;

	foreach(cell, planned->stmt_list)
		relations = list_concat_unique_oid(relations,
										   lfirst_node(PlannedStmt, cell)->relationOids);
	ReleaseCachedPlan(planned, NULL);
	return relations;
}

/*
 * The columns a query gives, and what it reads, through whatever views, without running
 * it.  What the planner has looked at is locked: views' tables, and of partitions those
 * that it does not leave out.
 */
static void
describe_query(OsmlSource *source)
{
	MemoryContext caller = CurrentMemoryContext;
	char	   *sql = psprintf("SELECT * FROM %s", source->from);
	SPIPlanPtr	plan;
	CachedPlanSource *parsed;
	ListCell   *cell;

	SPI_connect();
	plan = SPI_prepare(sql, 0, NULL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	parsed = (CachedPlanSource *) linitial(SPI_plan_get_plan_sources(plan));
	MemoryContextSwitchTo(caller);
	source->relations = planned_relations(plan, parsed);
	foreach(cell, source->relations)
	{
		if (get_rel_persistence(lfirst_oid(cell)) == RELPERSISTENCE_TEMP)
			source->temporary = true;
	}
	if (source->columns == NULL)
		source->columns = CreateTupleDescCopy(parsed->resultDesc);
	SPI_finish();
}

static OsmlSource *
resolve_query(const char *text, const char *part)
{
	OsmlSource *source = palloc0(sizeof(OsmlSource));

	source->text = pstrdup(text);
	/* the newline ends a trailing line comment */
	source->from = psprintf("(%s\n) AS osml_source", checked_query(text));
	source->label = part ? psprintf("the %s query", part) : pstrdup("the query");
	describe_query(source);
	source->n_units = 1;
	source->units = palloc0(sizeof(OsmlScanUnit));
	source->units[0].from = source->from;
	source->units[0].label = source->label;
	return source;
}

/* Raise the error for a name that is no relation the user can mean. */
pg_noreturn static void
undefined_relation(const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("\"%s\" is neither a dataset nor a relation", text),
			 errhint("Name a table, view or foreign table as in a query, a dataset "
					 "made with osml_create_dataset, or write a SELECT.")));
}

/* A qualified, quoted name that any search_path reads alike. */
static char *
qualified_name(Relation rel)
{
	return pstrdup(quote_qualified_identifier(get_namespace_name(RelationGetNamespace(rel)),
											  RelationGetRelationName(rel)));
}

/*
 * Fill a unit for a relation; only a plain heap can be cut by blocks, and only
 * for who may read ctid, which the right to some columns does not include.  An
 * empty one counts as a block: 0 would say that it cannot be cut, and with it,
 * say, a partitioned table whose next partition has been made already.
 */
static void
fill_unit(OsmlScanUnit *unit, Relation rel)
{
	unit->from = qualified_name(rel);
	unit->label = psprintf("relation %s", unit->from);
	unit->n_blocks = 0;
	if ((rel->rd_rel->relkind == RELKIND_RELATION ||
		 rel->rd_rel->relkind == RELKIND_MATVIEW) &&
		rel->rd_rel->relam == HEAP_TABLE_AM_OID && !rel->rd_rel->relhassubclass &&
		pg_class_aclcheck(RelationGetRelid(rel), GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		unit->n_blocks = Max(1, RelationGetNumberOfBlocks(rel));
}

/*
 * Leaves of a partitioned table in the order a scan of the parent appends them.
 * Returns false when reading the leaves by themselves is not the same as
 * reading the parent: a row security policy, or a leaf the user may not read.
 */
static bool
collect_leaves(Relation parent, List **leaves)
{
	PartitionDesc desc = RelationGetPartitionDesc(parent, true);

	if (check_enable_rls(RelationGetRelid(parent), InvalidOid, true) != RLS_NONE)
		return false;
	for (int i = 0; i < desc->nparts; i++)
	{
		Relation	rel = relation_open(desc->oids[i], AccessShareLock);
		bool		usable = true;

		if (rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
			usable = collect_leaves(rel, leaves);
		else if (pg_class_aclcheck(desc->oids[i], GetUserId(), ACL_SELECT) != ACLCHECK_OK ||
				 check_enable_rls(desc->oids[i], InvalidOid, true) != RLS_NONE)
			usable = false;
		else
			*leaves = lappend_oid(*leaves, desc->oids[i]);
		relation_close(rel, NoLock);
		if (!usable)
			return false;
	}
	return true;
}

static void
fill_units(OsmlSource *source, Relation rel)
{
	List	   *leaves = NIL;
	ListCell   *cell;

	if (rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE &&
		collect_leaves(rel, &leaves) && leaves != NIL)
	{
		source->units = palloc0(sizeof(OsmlScanUnit) * list_length(leaves));
		foreach(cell, leaves)
		{
			Relation	leaf = relation_open(lfirst_oid(cell), NoLock);

			fill_unit(&source->units[source->n_units++], leaf);
			relation_close(leaf, NoLock);
		}
		return;
	}
	source->n_units = 1;
	source->units = palloc0(sizeof(OsmlScanUnit));
	fill_unit(&source->units[0], rel);
}

static void
check_relkind(Relation rel)
{
	switch (rel->rd_rel->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
			return;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" cannot be read as rows", RelationGetRelationName(rel)),
					 errdetail("It is not a table, view, materialized view or foreign table.")));
	}
}

/* Copy the columns a query sees: dropped ones left out. */
static TupleDesc
live_columns(Relation rel)
{
	TupleDesc	all = RelationGetDescr(rel);
	TupleDesc	live;
	int			n = 0;

	for (int i = 0; i < all->natts; i++)
		n += TupleDescAttr(all, i)->attisdropped ? 0 : 1;
	live = CreateTemplateTupleDesc(n);
	n = 0;
	for (int i = 0; i < all->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(all, i);

		if (!att->attisdropped)
			TupleDescInitEntry(live, ++n, NameStr(att->attname), att->atttypid,
							   att->atttypmod, att->attndims);
	}
	return live;
}

/* The relation that a text names, locked; InvalidOid if it is no such name. */
static Oid
find_relation(const char *text, LOCKMODE lock)
{
	List	   *parts;
	List	   *names = NIL;
	ListCell   *cell;

	if (!SplitIdentifierString(pstrdup(text), '.', &parts) ||
		parts == NIL || list_length(parts) > 3)
		return InvalidOid;
	foreach(cell, parts)
		names = lappend(names, makeString(pstrdup(lfirst(cell))));
	return RangeVarGetRelid(makeRangeVarFromNameList(names), lock, true);
}

bool
osml_source_is_relation(const char *text)
{
	return OidIsValid(find_relation(text, NoLock));
}

static OsmlSource *
resolve_relation(const char *text)
{
	OsmlSource *source = palloc0(sizeof(OsmlSource));
	Oid			relid = find_relation(text, AccessShareLock);
	Relation	rel;

	if (!OidIsValid(relid))
		undefined_relation(text);
	/* the lock is kept to the end of the transaction: the plan relies on it */
	rel = relation_open(relid, NoLock);
	check_relkind(rel);
	source->text = pstrdup(text);
	source->relid = relid;
	source->from = qualified_name(rel);
	source->label = psprintf("relation %s", source->from);
	source->temporary = rel->rd_rel->relpersistence == RELPERSISTENCE_TEMP;
	source->columns = live_columns(rel);
	if (rel->rd_rel->relkind == RELKIND_VIEW || rel->rd_rel->relhassubclass)
		describe_query(source);
	else
		source->relations = list_make1_oid(relid);
	fill_units(source, rel);
	relation_close(rel, NoLock);
	return source;
}

OsmlSource *
osml_source_resolve(const char *text, const char *part)
{
	const char *scheme = strstr(text, "://");

	if (is_query(text))
		return resolve_query(text, part);
	if (scheme != NULL && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789+") ==
		(size_t) (scheme - text))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("source \"%s\" is a URL, which this version cannot read", text),
				 errhint("Load the objects into a table, or name a foreign table over them.")));
	return resolve_relation(text);
}

OsmlShard *
osml_source_shards(const OsmlSource *source, uint32 pages, int *n_shards)
{
	OsmlShard  *shards;
	int			n = 0;

	for (int u = 0; u < source->n_units; u++)
		n += Max(1, (source->units[u].n_blocks + pages - 1) / pages);
	shards = palloc(sizeof(OsmlShard) * n);
	n = 0;
	for (int u = 0; u < source->n_units; u++)
	{
		uint32		n_blocks = source->units[u].n_blocks;
		uint32		first = 0;

		do
		{
			OsmlShard  *shard = &shards[n++];

			shard->unit = u;
			shard->first_block = first;
			shard->n_blocks = Min(pages, n_blocks - first);
			first += shard->n_blocks;
			/* the last one is open: rows may come while the run is planned */
			if (first >= n_blocks && n_blocks > 0)
				shard->n_blocks = PG_UINT32_MAX;
		} while (first < n_blocks);
	}
	*n_shards = n;
	return shards;
}
