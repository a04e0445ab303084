/*
 * compat.h
 *	  Differences between the server versions osml builds on (14 to 18).
 *
 * The only place that may look at PG_VERSION_NUM.  What an older server lacks
 * gets the newer server's name and meaning here, so that the rest of the code
 * is written for the newest.
 */
#ifndef OSML_COMPAT_H
#define OSML_COMPAT_H

#include "fmgr.h"
#include "funcapi.h"
#include "parser/parse_type.h"
#include "utils/guc.h"

#if PG_VERSION_NUM < 140000
#error osml needs PostgreSQL 14 or later
#endif

#if PG_VERSION_NUM < 150000

#include "access/xlog.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/tuplestore.h"

/* 15: also refuses unknown settings of the prefix from then on */
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)

/* 15: has a name for what looking whether recovery goes on sets */
#define GetWALInsertionTimeLine() (RecoveryInProgress(), ThisTimeLineID)

/* 15: make ReturnSetInfo hold an empty tuplestore of the declared row type */
static inline void
InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old;
	TupleDesc	desc;

	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo) ||
		!(rsinfo->allowedModes & SFRM_Materialize))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));

	old = MemoryContextSwitchTo(rsinfo->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	rsinfo->returnMode = SFRM_Materialize;
	rsinfo->setResult =
		tuplestore_begin_heap((rsinfo->allowedModes & SFRM_Materialize_Random) != 0,
							  false, work_mem);
	rsinfo->setDesc = desc;
	MemoryContextSwitchTo(old);
}

#endif							/* before 15 */

/* 16: may take errors softly; the words of a type's name, which are not looked up */
static inline TypeName *
osml_parse_type(const char *name)
{
#if PG_VERSION_NUM < 160000
	return typeStringToTypeName(name);
#else
	return typeStringToTypeName(name, NULL);
#endif
}

/* 15: may keep messages back until they are a quarter of the queue, or one is flushed */
#if PG_VERSION_NUM < 150000
#define osml_shm_mq_sendv(queue, parts, n, nowait, flush) \
	shm_mq_sendv(queue, parts, n, nowait)
#else
#define osml_shm_mq_sendv(queue, parts, n, nowait, flush) \
	shm_mq_sendv(queue, parts, n, nowait, flush)
#endif

/* 18: stands before the declaration, where pg_attribute_noreturn() stood behind it */
#if PG_VERSION_NUM < 180000
#define pg_noreturn __attribute__((noreturn))
#endif

/* 18: may leave room before the tuple */
#if PG_VERSION_NUM < 180000
#define osml_form_minimal_tuple(desc, values, nulls) heap_form_minimal_tuple(desc, values, nulls)
#else
#define osml_form_minimal_tuple(desc, values, nulls) heap_form_minimal_tuple(desc, values, nulls, 0)
#endif

#endif							/* OSML_COMPAT_H */
