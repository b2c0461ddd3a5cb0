/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_SEND_H_
#define _KRDMA_MAD_SEND_H_

#include "ibwire/rmpp.h"
#include "mad/agent.h"
#include "mad/recvbuf.h"

/* No result yet: not a value of enum ib_wc_status. */
#define MAD_SEND_PENDING	(-1)

/* The longest message: 16 MiB. */
#define MAD_MESSAGE_MAX		(16U << 20)

/**
 * enum mad_send_state - where a send is
 * @MAD_SEND_IDLE: with the consumer
 * @MAD_SEND_POSTED: in mad_agent.posted: the QP will complete it, or it is being handled locally
 * @MAD_SEND_WAITING: in mad_agent.waiting
 * @MAD_SEND_LOCAL: in mad_agent.local
 * @MAD_SEND_FINISHED: in mad_agent.finished
 */
enum mad_send_state {
	MAD_SEND_IDLE,
	MAD_SEND_POSTED,
	MAD_SEND_WAITING,
	MAD_SEND_LOCAL,
	MAD_SEND_FINISHED,
};

/**
 * struct mad_send_to - address that a send goes to, for the comparison with that of its response
 * @known: the members below are set
 * @comparable: the response's address can be compared
 * @has_grh: @dgid is set
 * @dlid: LID, which the tracepoints show
 * @dgid: GID
 */
struct mad_send_to {
	bool known;
	bool comparable;
	bool has_grh;
	u16 dlid;
	union ib_gid dgid;
};

/**
 * struct mad_send - a send of an agent
 * @base: the part that the consumer sees
 * @agent: the agent, with a reference while the send is not idle
 * @wr: the send as the QP sees it
 * @is_local: the MAD is for the port itself
 * @to: address; protected by mad_port.serial
 * @more: RMPP: data of the segments from the second one on; NULL if there is one
 * @entry: entry in one of the agent's lists; this and the members below, with mad_agent.lock held
 * @state: where the send is
 * @result: result that the handler will get, an enum ib_wc_status, or MAD_SEND_PENDING
 * @vendor_err: goes with @result
 * @wait: time to wait for a response, in jiffies; 0: no response is awaited
 * @tries_left: number of times that the send may be repeated
 * @deadline: end of the waiting, in jiffies
 * @awaits: something is to come back, see mad_qp_expect()
 * @rmpp: the message is sent by RMPP
 * @sent: RMPP: last segment that was sent
 * @acked: RMPP: last segment that has arrived at the receiver
 * @window: RMPP: last segment that may be sent
 * @aborted: RMPP: an Abort was posted
 * @mad: the MAD, or the first segment
 */
struct mad_send {
	struct ib_mad_send_buf base;
	struct mad_agent *agent;
	struct mad_wr wr;
	bool is_local;
	struct mad_send_to to;
	void **more;

	struct list_head entry;
	enum mad_send_state state;
	int result;
	u32 vendor_err;
	unsigned long wait;
	int tries_left;
	unsigned long deadline;
	bool awaits;
	bool rmpp;
	u32 sent;
	u32 acked;
	u32 window;
	bool aborted;

	u8 mad[IB_MGMT_MAD_SIZE] __aligned(8);
};

static inline struct mad_send *to_mad_send(struct ib_mad_send_buf *base)
{
	return container_of(base, struct mad_send, base);
}

/**
 * mad_send_match() - find the request that a response answers
 * @agent: the agent, to which its transaction belongs
 * @recv: the response
 * @any_state: the response may belong to a send that has its result already, for RMPP
 *
 * The request stays where it is. Called with mad_port.serial held, without which no send completes.
 *
 * Return: the request, or NULL.
 */
struct mad_send *mad_send_match(struct mad_agent *agent, struct mad_recv *recv, bool any_state);

/**
 * mad_send_answer() - give an agent a response, and complete its request
 * @send: the request
 * @recv: the response, which is the agent's then
 *
 * Called with mad_port.serial held.
 *
 * Return: false if the request was cancelled; then @recv is still the caller's.
 */
bool mad_send_answer(struct mad_send *send, struct mad_recv *recv);

/**
 * mad_send_extend() - have a request wait longer, because its response has begun to come
 * @send: the request, from mad_send_match()
 */
void mad_send_extend(struct mad_send *send);

/**
 * mad_send_take_local() - get the next send to the port itself
 * @agent: the agent
 *
 * Return: a send, which is posted now: mad_send_done_local() is to be called; or NULL.
 */
struct mad_send *mad_send_take_local(struct mad_agent *agent);

/**
 * mad_send_done_local() - a send to the port itself was handled
 * @send: the send; it may not exist any more after the call
 */
void mad_send_done_local(struct mad_send *send);

/**
 * mad_send_rmpp() - handle an Ack, Stop or Abort of the receiver of a message
 * @send: the message, from mad_send_match()
 * @rmpp: the header of RMPP
 *
 * Return: RMPP_STATUS_NORMAL, or what an Abort for the receiver has to say.
 */
u8 mad_send_rmpp(struct mad_send *send, const struct rmpp *rmpp);

/**
 * mad_send_finish_all() - call the handlers of an agent's sends that have finished
 * @agent: the agent
 */
void mad_send_finish_all(struct mad_agent *agent);

/**
 * mad_send_timer() - end or repeat an agent's sends that have waited too long
 * @work: mad_agent.timer
 */
void mad_send_timer(struct work_struct *work);

/**
 * mad_send_cancel_all() - end all sends of an agent, which gets no new ones
 * @agent: the agent
 *
 * Handlers are called with IB_WC_WR_FLUSH_ERR, by a work item.
 */
void mad_send_cancel_all(struct mad_agent *agent);

#endif /* _KRDMA_MAD_SEND_H_ */
