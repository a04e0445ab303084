/*
 * call_site.c
 *	  Model names bound to loaded versions, for one call site and snapshot.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "api/call_site.h"
#include "api/need.h"

/* names bound at a time; a query with more looks up again */
#define MAX_BINDINGS 64

/* All by which two snapshots can differ in what they show of the catalog. */
typedef struct SnapshotKey
{
	TransactionId xmin;
	TransactionId xmax;
	uint32		n_running;
	int32		n_subxacts;
	CommandId	command;
	uint64		completed;		/* transactions that had ended by then */
} SnapshotKey;

typedef struct CallSite
{
	MemoryContext context;		/* of the bindings */
	OsmlBinding *first;			/* used last comes first */
	int			n;
	SnapshotKey snapshot;
	Oid			user;			/* whose right was checked */
} CallSite;

/* The parts of the active snapshot that identify it; zeros without one. */
static SnapshotKey
snapshot_key(void)
{
	SnapshotKey key = {0};
	Snapshot	snapshot;

	if (!ActiveSnapshotSet())
		return key;
	snapshot = GetActiveSnapshot();
	key.xmin = snapshot->xmin;
	key.xmax = snapshot->xmax;
	key.n_running = snapshot->xcnt;
	key.n_subxacts = snapshot->subxcnt;
	key.command = snapshot->curcid;
	key.completed = snapshot->snapXactCompletionCount;
	return key;
}

/* Field by field, for the struct has padding; no snapshot is like no other. */
static bool
same_snapshot(const SnapshotKey *a, const SnapshotKey *b)
{
	return TransactionIdIsValid(a->xmin) &&
		a->xmin == b->xmin && a->xmax == b->xmax &&
		a->n_running == b->n_running && a->n_subxacts == b->n_subxacts &&
		a->command == b->command && a->completed == b->completed;
}

/* The call site's memory, empty at first. */
static CallSite *
get_call_site(FunctionCallInfo fcinfo)
{
	CallSite   *site = fcinfo->flinfo->fn_extra;

	if (site == NULL)
	{
		site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));
		site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt,
											  "osml_predict",
											  ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = site;
	}
	return site;
}

/* Forget the bindings; this also lets go of their versions. */
static void
clear(CallSite *site)
{
	site->first = NULL;
	site->n = 0;
	MemoryContextReset(site->context);
}

/* A model that the user may predict with. */
const OsmlLoaded *
osml_load_model(const char *name)
{
	return osml_loaded_get(osml_need_model(name, OSML_PREDICT), CurrentMemoryContext);
}

/* Look a name up, check the right to it, and remember. */
static OsmlBinding *
bind(CallSite *site, text *name, OsmlLoader loader)
{
	MemoryContext old = MemoryContextSwitchTo(site->context);
	const OsmlLoaded *loaded = loader(text_to_cstring(name));
	OsmlBinding *binding = palloc0(sizeof(OsmlBinding));
	const OsmlLayout *input = &loaded->set.layout;
	const OsmlLayout *layout = &loaded->layout;
	const OsmlProgram *program = loaded->set.program;

	binding->name = text_to_cstring(name);
	binding->name_length = strlen(binding->name);
	binding->loaded = loaded;
	binding->context = site->context;
	binding->raw = palloc(sizeof(double) * Max(1, input->n_dense));
	binding->keys = palloc(sizeof(uint64) * Max(1, input->n_keys));
	binding->dense = palloc(sizeof(double) * Max(1, layout->n_dense));
	binding->codes = palloc(sizeof(int32) * Max(1, layout->n_codes));
	/* features without a model predict nothing */
	if (loaded->predictor.spec.ops)
	{
		binding->prepared = palloc(Max(1, osml_predictor_row_bytes(&loaded->predictor)));
		binding->out = palloc(sizeof(double) * loaded->predictor.spec.n_outputs);
	}
	binding->scratch = palloc(Max(1, osml_program_scratch(program, 1)));
	MemoryContextSwitchTo(old);

	binding->next = site->first;
	site->first = binding;
	site->n++;
	return binding;
}

/* Find a bound name and make it the one used last. */
static OsmlBinding *
find_binding(CallSite *site, text *name)
{
	int			length = VARSIZE_ANY_EXHDR(name);

	for (OsmlBinding **at = &site->first; *at != NULL; at = &(*at)->next)
	{
		OsmlBinding *binding = *at;

		if (binding->name_length == length &&
			memcmp(binding->name, VARDATA_ANY(name), length) == 0)
		{
			*at = binding->next;
			binding->next = site->first;
			site->first = binding;
			return binding;
		}
	}
	return NULL;
}

/* Raise, unless values come as the planner spreads them. */
void
osml_check_spread(FunctionCallInfo fcinfo, int first)
{
	if (get_fn_expr_variadic(fcinfo->flinfo) ||
		!get_fn_expr_arg_stable(fcinfo->flinfo, first - 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("values must be given one by one, and their names as a constant"),
				 errhint("Call osml_predict() with a row or an array.")));
}

/* The same program as a block's rows go through. */
const double *
osml_take_features(OsmlBinding *binding, const double *raw)
{
	const OsmlLoaded *loaded = binding->loaded;
	const double *dense = raw;

	if (!loaded->set.program->identity)
	{
		osml_program_run(loaded->set.program, 1, 1, raw, binding->keys, binding->dense,
						 binding->codes, binding->scratch);
		dense = binding->dense;
	}
	for (int j = 0; !loaded->impute && j < loaded->layout.n_dense; j++)
	{
		if (osml_is_missing(dense[j]))
			return NULL;
	}
	return dense;
}

/* The binding of a name, under this snapshot and for this user. */
OsmlBinding *
osml_call_site_bind(FunctionCallInfo fcinfo, text *name, OsmlLoader loader)
{
	CallSite   *site = get_call_site(fcinfo);
	SnapshotKey now = snapshot_key();
	OsmlBinding *binding;

	if (!same_snapshot(&site->snapshot, &now) || site->user != GetUserId())
	{
		clear(site);
		site->snapshot = now;
		site->user = GetUserId();
	}
	binding = find_binding(site, name);
	if (binding != NULL)
		return binding;
	if (site->n >= MAX_BINDINGS)
		clear(site);
	return bind(site, name, loader);
}
