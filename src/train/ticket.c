/*
 * ticket.c
 *	  A file for each run that is to be restarted: see ticket.h.
 *
 * osml_restart/<database>.<run id> in the data folder: a head, and the packed plan.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/xlog.h"
#include "common/file_perm.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"
#include "utils/memutils.h"

#include "compat.h"
#include "train/ticket.h"

#define FOLDER "osml_restart"
#define MAGIC 0x6f736d74

typedef struct Head
{
	uint32		magic;
	int32		attempts;
	TimeLineID	timeline;		/* of the server that the run is on */
	pg_crc32c	crc;			/* of what is above and the plan */
	uint64		size;			/* of the plan behind it */
} Head;

static char *
ticket_path(Oid database, int64 run_id)
{
	return psprintf("%s/%u." INT64_FORMAT, FOLDER, database, run_id);
}

static pg_crc32c
checksum(const Head *head, const char *plan, size_t size)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, head, offsetof(Head, crc));
	COMP_CRC32C(crc, plan, size);
	FIN_CRC32C(crc);
	return crc;
}

static void
could_not_write(const char *path)
{
	ereport(ERROR,
			(errcode_for_file_access(),
			 errmsg("could not write file \"%s\": %m", path)));
}

/* Whole or not at all. */
static void
write_ticket(Oid database, int64 run_id, int attempts, const StringInfo plan)
{
	char	   *path = ticket_path(database, run_id);
	char	   *fresh = psprintf("%s.new", path);
	Head		head = {
		.magic = MAGIC,
		.attempts = attempts,
		.timeline = GetWALInsertionTimeLine(),
		.size = plan->len
	};
	int			fd;

	head.crc = checksum(&head, plan->data, plan->len);
	if (MakePGDirectory(FOLDER) < 0 && errno != EEXIST)
		could_not_write(FOLDER);
	fd = OpenTransientFile(fresh, O_CREAT | O_TRUNC | O_WRONLY | PG_BINARY);
	if (fd < 0)
		could_not_write(fresh);
	errno = 0;
	if (write(fd, &head, sizeof(head)) != sizeof(head) ||
		write(fd, plan->data, plan->len) != plan->len || pg_fsync(fd) != 0)
	{
		/* a short write without a reason is a full disk */
		errno = errno ? errno : ENOSPC;
		could_not_write(fresh);
	}
	if (CloseTransientFile(fd) != 0)
		could_not_write(fresh);
	(void) durable_rename(fresh, path, ERROR);
}

void
osml_ticket_issue(OsmlPlan *plan)
{
	struct stat st;

	if (stat(ticket_path(plan->database, plan->run_id), &st) != 0)
		write_ticket(plan->database, plan->run_id, 0, osml_plan_pack(plan));
}

void
osml_ticket_void(Oid database, int64 run_id)
{
	(void) unlink(ticket_path(database, run_id));
}

List *
osml_tickets(void)
{
	DIR		   *dir = AllocateDir(FOLDER);
	List	   *tickets = NIL;
	struct dirent *entry;

	if (dir == NULL)
		return NIL;
	while ((entry = ReadDir(dir, FOLDER)) != NULL)
	{
		OsmlTicket *ticket = palloc0(sizeof(OsmlTicket));
		int			end = 0;

		if (sscanf(entry->d_name, "%u." INT64_FORMAT "%n", &ticket->database,
				   &ticket->run_id, &end) == 2 && entry->d_name[end] == '\0')
			tickets = lappend(tickets, ticket);
	}
	FreeDir(dir);
	return tickets;
}

/* The plan's bytes, if they are what was written. */
static char *
read_plan(int fd, Head *head)
{
	char	   *plan;

	if (read(fd, head, sizeof(*head)) != sizeof(*head) || head->magic != MAGIC ||
		head->size > MaxAllocSize)
		return NULL;
	plan = palloc(head->size + 1);
	if (read(fd, plan, head->size) != (ssize_t) head->size ||
		!EQ_CRC32C(checksum(head, plan, head->size), head->crc))
		return NULL;
	plan[head->size] = '\0';
	return plan;
}

OsmlTicket *
osml_ticket_find(Oid database, int64 run_id)
{
	int			fd = OpenTransientFile(ticket_path(database, run_id), O_RDONLY | PG_BINARY);
	OsmlTicket *ticket;
	Head		head = {0};
	char	   *plan;

	if (fd < 0)
		return NULL;
	plan = read_plan(fd, &head);
	CloseTransientFile(fd);
	ticket = palloc0(sizeof(OsmlTicket));
	ticket->database = database;
	ticket->run_id = run_id;
	ticket->attempts = head.attempts;
	ticket->timeline = head.timeline;
	if (plan)
		ticket->plan = osml_plan_unpack(plan, head.size);
	return ticket;
}

void
osml_ticket_count(OsmlTicket *ticket)
{
	write_ticket(ticket->database, ticket->run_id, ++ticket->attempts,
				 osml_plan_pack(ticket->plan));
}
