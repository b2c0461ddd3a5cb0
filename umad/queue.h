/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The MADs of an open file: those that the process has not read, and those that it has sent.
 */
#ifndef _KRDMA_UMAD_QUEUE_H_
#define _KRDMA_UMAD_QUEUE_H_

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_mad.h>

/* Memory of the MADs that a file may have unread, and as much of those that it has sent. */
#define UMAD_QUEUE_MAX		(16U << 20)

/* Memory of each datagram besides its data, about. */
#define UMAD_OVERHEAD		512

/**
 * struct umad_mad - a MAD or a message of RMPP that was received, or a send
 * @entry: entry in umad_queue.unread or umad_queue.sent
 * @hdr: header in front of the MAD; of a send, as the process has written it. The reader of a
 *	received MAD sets its length
 * @length: length of the MAD in bytes, as the process reads it
 * @memory: memory that it counts for, in bytes
 * @received: the MAD that was received; NULL: this is a send
 * @send: the send, until it has completed
 * @mad: header of the MAD of a send
 * @response_lost: a response to the send has come, which was dropped
 */
struct umad_mad {
	struct list_head entry;
	struct ib_user_mad_hdr hdr;
	u32 length;
	size_t memory;
	struct ib_mad_recv_wc *received;
	struct ib_mad_send_buf *send;
	struct ib_mad_hdr mad;
	bool response_lost;
};

/* Frees a MAD that is in no queue, and that ib_mad does not have. */
void umad_mad_free(struct umad_mad *mad);

/**
 * struct umad_queue - the MADs of a file
 * @wait: readers that wait for a MAD
 * @lock: protects the members below; taken in process context only
 * @unread: received MADs and sends without a response, in the order in which they are read
 * @sent: sends that have not completed
 * @received_memory: memory of the received MADs in @unread
 * @sent_memory: memory of the sends in @sent and in @unread
 * @ended: the file is being closed, or its device was removed; no MAD is added to @unread
 */
struct umad_queue {
	wait_queue_head_t wait;

	spinlock_t lock;	/* protects the members below */
	struct list_head unread;
	struct list_head sent;
	size_t received_memory;
	size_t sent_memory;
	bool ended;
};

void umad_queue_init(struct umad_queue *queue);

/**
 * umad_queue_received() - add a received MAD
 * @queue: the queue
 * @mad: the MAD; the queue's on success
 *
 * Return: false if the queue has ended, or has %UMAD_QUEUE_MAX bytes of received MADs.
 */
bool umad_queue_received(struct umad_queue *queue, struct umad_mad *mad);

/**
 * umad_queue_sent() - add a send that is going to be posted
 * @queue: the queue
 * @mad: the send
 * @repeats: the transaction may be one of a pending send: this is a segment of a message whose RMPP
 *	the process does itself
 *
 * Two requests are duplicates if they have the same transaction and class, two responses if they
 * also have the same destination.
 *
 * Return: 0; -EINVAL if it is a duplicate of a pending send; -ENOBUFS if the queue has
 * %UMAD_QUEUE_MAX bytes of sends.
 */
int umad_queue_sent(struct umad_queue *queue, struct umad_mad *mad, bool repeats);

/**
 * umad_queue_unsent() - remove a send that was not posted, or has completed
 * @queue: the queue
 * @mad: the send, which is the caller's again
 */
void umad_queue_unsent(struct umad_queue *queue, struct umad_mad *mad);

/**
 * umad_queue_unanswered() - have the process read a send to which it gets no response
 * @queue: the queue
 * @mad: the send, from umad_queue_sent(); the queue's on success
 *
 * Return: false if the queue has ended; then @mad is the caller's again.
 */
bool umad_queue_unanswered(struct umad_queue *queue, struct umad_mad *mad);

/**
 * umad_queue_take() - take the first MAD that was not read
 * @queue: the queue
 *
 * Return: the MAD, which is the caller's; or an ERR_PTR: -EAGAIN: none is there; -EIO: the queue
 * has ended.
 */
struct umad_mad *umad_queue_take(struct umad_queue *queue);

/**
 * umad_queue_put_back() - let a MAD be the first one to be read again, because it was not read
 * @queue: the queue
 * @mad: the MAD, from umad_queue_take(); freed if the queue has ended meanwhile
 */
void umad_queue_put_back(struct umad_queue *queue, struct umad_mad *mad);

/**
 * umad_queue_poll() - get what poll() returns
 * @queue: the queue
 *
 * Return: EPOLL* flags.
 */
__poll_t umad_queue_poll(struct umad_queue *queue);

/**
 * umad_queue_end() - free what was not read, and wake all readers
 * @queue: the queue; may have ended already
 *
 * Sends stay in the queue until they complete.
 */
void umad_queue_end(struct umad_queue *queue);

#endif /* _KRDMA_UMAD_QUEUE_H_ */
