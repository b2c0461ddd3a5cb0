/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Who gets copies of the packets of a fabric, and the copies. */
#ifndef SIB_READER_H
#define SIB_READER_H

#include <linux/refcount.h>
#include <linux/wait.h>

#include "drivers/sib/model.h"

#define SIB_READERS_MAX		8	/* readers of a fabric */
#define SIB_READER_PACKETS	4096	/* packets of a reader that may wait */
#define SIB_READER_BYTES	(1U << 20)	/* bytes of these packets */

/**
 * struct sib_record - a packet, as bytes
 * @ref: references: one of each reader whose queue has the record
 * @time: when the packet crossed, in nanoseconds of CLOCK_REALTIME
 * @guid: GUID of the node that has sent it; 0: the packet was injected at a port without a link
 * @port: number of the port that has sent it
 * @is_bad: the packet was injected, and dropped
 * @len: length in bytes
 * @bytes: the packet, from LRH to VCRC
 */
struct sib_record {
	refcount_t ref;
	u64 time;
	u64 guid;
	u8 port;
	bool is_bad;
	u16 len;
	u8 bytes[];
};

/**
 * struct sib_waiting - a record that waits for a reader
 * @record: the record, referenced
 * @lost: number of records before it that the reader did not get, at most U16_MAX
 * @came: the packet came to the place of the reader's filter
 */
struct sib_waiting {
	struct sib_record *record;
	u16 lost;
	bool came;
};

/**
 * struct sib_reader - who gets copies of packets
 * @tap: the tap, referenced
 * @entry: entry in sib_tap.readers, until the reader has ended; protected by sib_tap.lock
 * @filter: place whose packets the reader gets
 * @wait: waits for a packet or for @ended
 * @ended: no packet comes any more
 * @lock: protects what follows; taken with interrupts off; innermost
 * @queue: ring of SIB_READER_PACKETS records
 * @first: place of the first one in @queue
 * @count: number of records
 * @bytes: bytes of all records
 * @lost: records that the reader did not get since the last one that it got
 */
struct sib_reader {
	struct sib_tap *tap;
	struct list_head entry;
	struct sib_place filter;
	wait_queue_head_t wait;
	bool ended;

	spinlock_t lock; /* protects what follows */
	struct sib_waiting *queue;
	u16 first;
	u16 count;
	u32 bytes;
	u16 lost;
};

/**
 * sib_tap_create() - make a tap
 *
 * Process context.
 *
 * Return: the tap, to be given back by sib_tap_end(); NULL if there is no memory.
 */
struct sib_tap *sib_tap_create(void);

/**
 * sib_tap_end() - end the readers of a tap, whose fabric goes
 * @tap: the tap. No packet and no reader comes any more.
 *
 * Process context. Readers keep what they have got.
 */
void sib_tap_end(struct sib_tap *tap);

/**
 * sib_reader_create() - begin to copy packets
 * @tap: the tap, whose filter the reader takes
 *
 * Process context.
 *
 * Return: the reader, to be given back by sib_reader_free(); ERR_PTR(-EBUSY) if the tap has
 * SIB_READERS_MAX readers; ERR_PTR(-ENOMEM).
 */
struct sib_reader *sib_reader_create(struct sib_tap *tap);

/**
 * sib_reader_free() - end a reader
 * @reader: the reader
 *
 * Process context. Waits for an RCU grace period.
 */
void sib_reader_free(struct sib_reader *reader);

/**
 * sib_reader_take() - take the oldest record
 * @reader: the reader
 * @waiting: out: the record; the caller gives its reference back by sib_record_put()
 *
 * Process context.
 *
 * Return: true; false if none waits.
 */
bool sib_reader_take(struct sib_reader *reader, struct sib_waiting *waiting);

/**
 * sib_record_put() - give a reference back
 * @record: the record, or NULL
 *
 * Any context.
 */
void sib_record_put(struct sib_record *record);

#endif /* SIB_READER_H */
