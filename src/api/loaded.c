/*
 * loaded.c
 *	  The backend's cache of built model versions.
 *
 * Users pin what they got, with a callback on a memory context of theirs, so
 * that an error lets go as surely as the end of a query does.  Eviction spares
 * what is pinned; the list may therefore exceed its bound for a while.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "api/loaded.h"
#include "api/need.h"

#define MAX_LOADED 64

/* names listed by osml_loaded_columns() */
#define MAX_LISTED 20

static dlist_head loaded_list = DLIST_STATIC_INIT(loaded_list);
static int	n_loaded = 0;

/* Find a version in the cache and make it the one used last. */
static OsmlLoaded *
find_loaded(const OsmlVersionKey *key)
{
	dlist_iter	iter;

	dlist_foreach(iter, &loaded_list)
	{
		OsmlLoaded *loaded = dlist_container(OsmlLoaded, node, iter.cur);

		if (loaded->key.version_id == key->version_id &&
			loaded->key.table_oid == key->table_oid &&
			loaded->key.row_xmin == key->row_xmin)
		{
			dlist_move_head(&loaded_list, &loaded->node);
			return loaded;
		}
	}
	return NULL;
}

/* Drop versions from the end of the list, unless somebody uses them. */
static void
evict(void)
{
	dlist_node *node = dlist_is_empty(&loaded_list) ? NULL :
		dlist_tail_node(&loaded_list);

	while (n_loaded >= MAX_LOADED && node != NULL)
	{
		OsmlLoaded *loaded = dlist_container(OsmlLoaded, node, node);

		node = dlist_has_prev(&loaded_list, node) ?
			dlist_prev_node(&loaded_list, node) : NULL;
		if (loaded->pins > 0)
			continue;
		dlist_delete(&loaded->node);
		n_loaded--;
		MemoryContextDelete(loaded->context);
	}
}

/* Callback of a user's context. */
static void
unpin(void *arg)
{
	((OsmlLoaded *) arg)->pins--;
}

/* Keep a version until the user's context is reset or deleted. */
static void
pin(OsmlLoaded *loaded, MemoryContext user)
{
	MemoryContextCallback *callback = MemoryContextAlloc(user, sizeof(*callback));

	callback->func = unpin;
	callback->arg = loaded;
	MemoryContextRegisterResetCallback(user, callback);
	loaded->pins++;
}

/* From the cache, or built now; pinned for the user either way. */
const OsmlLoaded *
osml_loaded_get(const OsmlModelRow *model, MemoryContext user)
{
	OsmlVersionKey key;
	OsmlLoaded *loaded;

	if (!osml_version_key(model, 0, &key))
		osml_not_deployed(model);
	loaded = find_loaded(&key);
	if (loaded == NULL)
	{
		evict();
		/* built where an error frees it, and only then kept */
		loaded = osml_load(model, &key);
		MemoryContextSetParent(loaded->context, CacheMemoryContext);
		dlist_push_head(&loaded_list, &loaded->node);
		n_loaded++;
	}
	pin(loaded, user);
	return loaded;
}

/* A list that a person can read, so not of thousands. */
char *
osml_loaded_columns(const OsmlLoaded *loaded)
{
	const OsmlFeatureSet *set = &loaded->set;
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < set->n_columns && i < MAX_LISTED; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", set->columns[i].name);
	if (set->n_columns > MAX_LISTED)
		appendStringInfo(&list, ", and %d more", set->n_columns - MAX_LISTED);
	return list.data;
}

/* The same value by value, as an array gives them. */
char *
osml_loaded_values(const OsmlLoaded *loaded)
{
	StringInfoData list;
	int			n = loaded->set.layout.n_dense;

	initStringInfo(&list);
	for (int i = 0; i < n && i < MAX_LISTED; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "",
						 osml_input_name(&loaded->set, i));
	if (n > MAX_LISTED)
		appendStringInfo(&list, ", and %d more", n - MAX_LISTED);
	return list.data;
}

Oid
osml_loaded_author(const OsmlLoaded *loaded)
{
	if (OidIsValid(loaded->author))
		return loaded->author;
	for (int i = 0; i < loaded->set.n_inputs; i++)
	{
		if (loaded->set.inputs[i].expression)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("the author of model \"%s\" does not exist", loaded->model),
					 errdetail("The SQL expressions of a version run as the role that trained it.")));
	}
	return GetUserId();
}
