/*
 * ticket.h
 *	  A file for each run that is to be restarted after the server was.
 *
 * Who a run belongs to must not be read from a table when nobody is there who
 * launched it, so the trainer keeps its plan, which has the launching session's
 * identity and settings, in the data folder, where only the server writes.  The file
 * goes when the run has ended in any way but an interruption.  It is good for one
 * timeline: a copy of the folder that became a standby or was restored to some moment
 * may be a second server, on which nobody launched the run.
 */
#ifndef OSML_TICKET_H
#define OSML_TICKET_H

#include "access/xlogdefs.h"
#include "nodes/pg_list.h"

#include "train/plan.h"

typedef struct OsmlTicket
{
	Oid			database;
	int64		run_id;
	int			attempts;		/* restarts that were tried */
	TimeLineID	timeline;		/* on which it was issued */
	OsmlPlan   *plan;			/* NULL: the file is not what was written */
} OsmlTicket;

/* keep the plan, unless the run has a ticket already */
extern void osml_ticket_issue(OsmlPlan *plan);

/* nothing happens where there is none */
extern void osml_ticket_void(Oid database, int64 run_id);

/* all there are, without their plans (OsmlTicket *) */
extern List *osml_tickets(void);

/* one with its plan, or NULL */
extern OsmlTicket *osml_ticket_find(Oid database, int64 run_id);

/* one more attempt */
extern void osml_ticket_count(OsmlTicket *ticket);

#endif							/* OSML_TICKET_H */
