/*
 * channel.c
 *	  Blocks over a shm_mq, never blocking where an interrupt cannot reach.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"

#include "compat.h"
#include "train/account.h"
#include "train/channel.h"

#define IDLE_MS 1000

/* blocks that took longer to come are sent on alone */
#define FLUSH_SECONDS 0.002

/* Sleep until the latch is set or a second is over, and let the owner look. */
static void
wait_for_peer(OsmlIdle idle, void *arg)
{
	(void) osml_nap(IDLE_MS);
	CHECK_FOR_INTERRUPTS();
	idle(arg);
}

/*
 * Waking the trainer costs as much as a hundred rows, so blocks that follow each other
 * closely are told of a few at a time, a quarter of the queue at most.  What a slow
 * source gives is told at once.
 */
static bool
send_parts(OsmlSender *sender, shm_mq_iovec *parts, int n_parts, bool last)
{
	bool		flush = last || osml_seconds_since(sender->flushed) > FLUSH_SECONDS;

	if (flush)
		INSTR_TIME_SET_CURRENT(sender->flushed);
	for (;;)
	{
		shm_mq_result result = osml_shm_mq_sendv(sender->handle, parts, n_parts, true, flush);

		if (result == SHM_MQ_SUCCESS)
			return true;
		if (result == SHM_MQ_DETACHED)
			return false;
		wait_for_peer(sender->idle, sender->arg);
	}
}

/* Close the gaps between short columns. */
static void
pack_columns(const OsmlLayout *layout, OsmlBlock *block)
{
	int			n_wide = osml_layout_wide(layout);
	int			n_narrow = osml_layout_narrow(layout);
	Size		rows = block->nrows;
	char	   *out = (char *) block->data;

	for (int j = 0; j < n_wide; j++)
	{
		memmove(out, osml_block_column(block, j), rows * sizeof(double));
		out += rows * sizeof(double);
	}
	for (int k = 0; k < n_narrow; k++)
	{
		memmove(out, osml_block_codes(block, layout, k), rows * sizeof(int32));
		out += rows * sizeof(int32);
	}
}

bool
osml_send_block(OsmlSender *sender, const OsmlLayout *layout, OsmlBlock *block)
{
	OsmlMessage message = {0};
	shm_mq_iovec parts[2];

	message.kind = OSML_MESSAGE_BLOCK;
	message.shard = block->shard;
	message.nrows = block->nrows;
	message.n_null = block->n_null;
	message.n_nonfinite = block->n_nonfinite;
	message.first_row = block->first_row;
	parts[0].data = (const char *) &message;
	parts[0].len = sizeof(message);
	parts[1].data = (const char *) block->data;
	if (block->nrows < OSML_BLOCK_ROWS)
		pack_columns(layout, block);
	parts[1].len = osml_message_stride(&message) * osml_layout_row_bytes(layout);
	return send_parts(sender, parts, 2, false);
}

bool
osml_send_texts(OsmlSender *sender, int shard, StringInfo texts, int n)
{
	OsmlMessage message = {0};
	shm_mq_iovec parts[2];

	message.kind = OSML_MESSAGE_TEXTS;
	message.shard = shard;
	message.n_texts = n;
	parts[0].data = (const char *) &message;
	parts[0].len = sizeof(message);
	parts[1].data = texts->data;
	parts[1].len = texts->len;
	return send_parts(sender, parts, 2, false);
}

bool
osml_send_end_of_shard(OsmlSender *sender, int shard, int64 rows_read)
{
	OsmlMessage message = {0};
	shm_mq_iovec part;

	message.kind = OSML_MESSAGE_END_OF_SHARD;
	message.shard = shard;
	message.rows_read = rows_read;
	part.data = (const char *) &message;
	part.len = sizeof(message);
	return send_parts(sender, &part, 1, true);
}

shm_mq_result
osml_receive(shm_mq_handle *handle, OsmlIdle idle, void *arg, OsmlMessage *message,
			 const char **columns)
{
	for (;;)
	{
		Size		size;
		void	   *data;
		shm_mq_result result = shm_mq_receive(handle, &size, &data, true);

		if (result == SHM_MQ_SUCCESS)
		{
			if (size < sizeof(OsmlMessage))
				elog(ERROR, "osml queue delivered a message of %zu bytes", size);
			memcpy(message, data, sizeof(OsmlMessage));
			*columns = (const char *) data + sizeof(OsmlMessage);
			return result;
		}
		if (result == SHM_MQ_DETACHED)
			return result;
		wait_for_peer(idle, arg);
	}
}
