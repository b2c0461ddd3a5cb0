/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_QP_H_
#define _KRDMA_MAD_QP_H_

#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

struct mad_port;
struct mad_recv;

enum {
	MAD_QP_SENDS = 24,	/* sends that are posted to a QP at a time */
	MAD_QP_PARTS = 2,
};

/**
 * struct mad_qp_size - how many receives a QP keeps posted for requests
 * @min: number at the least
 * @max: number at the most, for bursts
 */
struct mad_qp_size {
	u32 min;
	u32 max;
};

/* By the number of the QP */
extern const struct mad_qp_size mad_qp_sizes[2];

/**
 * struct mad_wr - a send on QP 0 or QP 1
 * @cqe: completion of the send
 * @entry: entry in mad_qp.sends or in mad_qp.overflow; protected by mad_qp.lock
 * @ud: the work request; the owner has set the address, and qp.c sets the rest
 * @part: the MAD, in one part or two; the second one is NULL if there is only one
 * @length: length of each part in bytes
 * @sge: the parts, mapped for the device
 * @qp: QP of the last mad_qp_send()
 * @flushed: number of times that the send was flushed because of another one's error
 * @done: called with mad_port.serial held, and no other lock, when the send has completed
 */
struct mad_wr {
	struct ib_cqe cqe;
	struct list_head entry;
	struct ib_ud_wr ud;
	void *part[MAD_QP_PARTS];
	u32 length[MAD_QP_PARTS];
	struct ib_sge sge[MAD_QP_PARTS];
	struct mad_qp *qp;
	u8 flushed;
	void (*done)(struct mad_wr *wr, enum ib_wc_status status, u32 vendor_err);
};

/**
 * struct mad_qp - QP 0 or QP 1 of a port
 * @ibqp: the QP; NULL if the port does not have it
 * @port: the port
 * @pd: PD of the port; NULL if the QP was never opened
 * @max_sends: number of sends that are posted at a time
 * @min_recvs: number of receives that are kept posted for requests at the least
 * @max_recvs: the most receives that are posted
 * @receive: gets each successful receive, with mad_port.serial held, and owns the memory then
 * @target: number of receives to keep posted for requests. This and the two members below are
 *	protected by mad_port.serial, once the QP is open
 * @burst: number of receives that have completed since the CQ was empty, without awaited responses
 * @quiet: number of times that the CQ became empty after a small @burst
 * @lock: protects the members below; taken with interrupts off, inside of mad_agent.lock. Posts to
 *	the QP are made with the lock held, and no other lock of ours is taken inside
 * @open: sends and receives may be posted
 * @nr_recvs: number of receives in @recvs
 * @expected: number of sends for which something is to come back
 * @nr_sends: number of sends in @sends
 * @recvs: receives that are posted
 * @sends: sends that are posted
 * @overflow: sends that wait for room, oldest first
 */
struct mad_qp {
	struct ib_qp *ibqp;
	struct mad_port *port;
	struct ib_pd *pd;
	u32 max_sends;
	u32 min_recvs;
	u32 max_recvs;
	void (*receive)(struct mad_recv *recv);
	u32 target;
	u32 burst;
	u32 quiet;

	spinlock_t lock;	/* protects the members below */
	bool open;
	u32 nr_recvs;
	u32 expected;
	u32 nr_sends;
	struct list_head recvs;
	struct list_head sends;
	struct list_head overflow;
};

/**
 * mad_qp_open() - create QP 0 or QP 1, and post its receives
 * @qp: the QP; @qp->receive is set
 * @port: the port, which has a PD, and a CQ that a work item polls
 * @type: IB_QPT_SMI or IB_QPT_GSI
 * @share: number of completions of this QP that the CQ can have room for
 *
 * Return: 0; -ENOMEM; or the provider's error.
 */
int mad_qp_open(struct mad_qp *qp, struct mad_port *port, enum ib_qp_type type, u32 share);

/**
 * mad_qp_close() - have the device flush the QP
 * @qp: the QP, which may never have been opened
 *
 * Later sends are refused. Waits for completions, which a work item handles, a second at most.
 */
void mad_qp_close(struct mad_qp *qp);

/**
 * mad_qp_destroy() - destroy the QP
 * @qp: the QP, which is closed; the CQ is not polled any more
 */
void mad_qp_destroy(struct mad_qp *qp);

/**
 * mad_qp_end() - complete what the device has not completed, with IB_WC_WR_FLUSH_ERR
 * @qp: the QP, which is destroyed
 *
 * Called with mad_port.serial held.
 */
void mad_qp_end(struct mad_qp *qp);

/**
 * mad_qp_send() - send a MAD, at once or when the QP has room
 * @qp: the QP
 * @wr: the send, which @wr->done owns after 0 was returned
 *
 * Any context.
 *
 * Return: 0; -ENODEV if the QP is closed; -EIO if the MAD cannot be mapped for the device; or the
 * provider's error.
 */
int mad_qp_send(struct mad_qp *qp, struct mad_wr *wr);

/**
 * mad_qp_withdraw() - take back a send that the QP had no room for yet
 * @qp: the QP
 * @wr: a send that has not completed, or that the QP does not have
 *
 * Return: true if @wr is the caller's again, and @wr->done will not be called.
 */
bool mad_qp_withdraw(struct mad_qp *qp, struct mad_wr *wr);

/**
 * mad_qp_fill() - post receives until there are as many as are to be kept
 * @qp: the QP; nothing is posted if it is not open
 *
 * What fails is tried again later. Called with mad_port.serial held, or before the QP is used.
 */
void mad_qp_fill(struct mad_qp *qp);

/**
 * mad_qp_expect() - have a receive for what comes back for a send
 * @qp: the QP
 *
 * Called before the send is posted. Any context.
 */
void mad_qp_expect(struct mad_qp *qp);

/**
 * mad_qp_unexpect() - nothing comes back for the send any more
 * @qp: the QP
 *
 * Any context.
 */
void mad_qp_unexpect(struct mad_qp *qp);

/**
 * mad_qp_answered() - what has been received last was awaited, and does not count for a burst
 * @qp: the QP
 *
 * Called with mad_port.serial held.
 */
void mad_qp_answered(struct mad_qp *qp);

/**
 * mad_qp_idle() - adapt the number of receives for requests, when the CQ has become empty
 * @qp: the QP
 */
void mad_qp_idle(struct mad_qp *qp);

#endif /* _KRDMA_MAD_QP_H_ */
