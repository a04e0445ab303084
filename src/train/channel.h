/*
 * channel.h
 *	  Blocks on their way from a reader to the trainer, over one shm_mq.
 *
 * A message is a header and, for a block, its columns without the unused rows
 * (stride nrows).  A block whose texts were asked for comes after a message with
 * the texts of its keys.  A shard ends with a message of its own: a queue that
 * detaches without it has lost rows, and the run fails.
 */
#ifndef OSML_CHANNEL_H
#define OSML_CHANNEL_H

#include "lib/stringinfo.h"
#include "portability/instr_time.h"
#include "train/segment.h"

typedef enum OsmlMessageKind
{
	OSML_MESSAGE_BLOCK,
	OSML_MESSAGE_TEXTS,
	OSML_MESSAGE_END_OF_SHARD
} OsmlMessageKind;

typedef struct OsmlMessage
{
	int32		kind;
	int32		shard;
	int32		nrows;
	int32		n_null;
	int32		n_nonfinite;
	int32		n_texts;
	int64		first_row;
	int64		rows_read;		/* of the whole shard, at its end */
} OsmlMessage;

/* before each text of an OSML_MESSAGE_TEXTS; not aligned */
typedef struct OsmlTextHeader
{
	uint64		key;
	int32		key_column;
	int32		length;
} OsmlTextHeader;

/* values between a message's columns: a full block goes as it lies */
static inline Size
osml_message_stride(const OsmlMessage *message)
{
	return message->nrows == OSML_BLOCK_ROWS ? OSML_BLOCK_STRIDE : message->nrows;
}

/* called in each wait, at least once a second; may raise an error */
typedef void (*OsmlIdle) (void *arg);

typedef struct OsmlSender
{
	shm_mq_handle *handle;
	OsmlIdle	idle;
	void	   *arg;
	instr_time	flushed;		/* when the trainer was last told of all there is */
} OsmlSender;

/* false when the trainer has gone: stop reading.  Packs the block in place. */
extern bool osml_send_block(OsmlSender *sender, const OsmlLayout *layout,
							OsmlBlock *block);
/* n texts, one after another, each an OsmlTextHeader and its bytes */
extern bool osml_send_texts(OsmlSender *sender, int shard, StringInfo texts, int n);
extern bool osml_send_end_of_shard(OsmlSender *sender, int shard, int64 rows_read);

/*
 * The next message of a queue; columns of a block have stride nrows and stay
 * valid until the next call.  SHM_MQ_DETACHED when the reader has gone.
 */
extern shm_mq_result osml_receive(shm_mq_handle *handle, OsmlIdle idle, void *arg,
								  OsmlMessage *message, const char **columns);

#endif							/* OSML_CHANNEL_H */
