// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RMPP: the receiver of messages (IBTA 13.6.6.4).
 *
 * Segments are taken in their order. One that comes too early is dropped, because the sender begins
 * again after the last one that was acknowledged. A message that is whole is remembered for a
 * while, so that its last Ack can be repeated.
 */
#include "mad/rmpp_recv.h"

#include <linux/slab.h>

#include "mad/reply.h"
#include "mad/send.h"

enum {
	WINDOW = 32,		/* segments that a sender may send without an Ack */
	PARTIAL_MAX = 64,	/* messages of an agent of which segments are missing */
	WHOLE_MAX = 64,		/* messages of an agent that are remembered */
	IDLE_MS = 10000,	/* time until the next segment has to come */
	WHOLE_MS = 40000,	/* time for which a message is remembered */
	TIMER_MS = 1000,
};

/**
 * struct message - a message that has begun to come
 * @entry: entry in mad_agent.partial, in the order of creation
 * @tid: its transaction
 * @mgmt_class: its class
 * @method: its method
 * @slid: LID of the sender
 * @src_qp: QP of the sender
 * @gid: GID of the sender; zeros without a global route
 * @first: the first segment, which has the list of all; NULL if the message is whole, and the
 *	agent's
 * @last: the last segment that has come
 * @window: the last segment that the sender may send
 * @deadline: end of the message, in jiffies
 */
struct message {
	struct list_head entry;
	__be64 tid;
	u8 mgmt_class;
	u8 method;
	u32 slid;
	u32 src_qp;
	union ib_gid gid;
	struct mad_recv *first;
	u32 last;
	u32 window;
	unsigned long deadline;
};

/* Returns how many segments the longest message of a class has. */
static u32 max_segments(u8 mgmt_class)
{
	return DIV_ROUND_UP(MAD_MESSAGE_MAX, MAD_LEN - mad_data_offset(mgmt_class));
}

static void drop_segment(struct mad_recv *recv)
{
	mad_count(recv->qp->port, KRDMA_MAD_RMPP_DROPPED);
	ib_free_recv_mad(&recv->info);
}

/* Answers a MAD of RMPP with an Ack, Stop or Abort. */
static void answer(struct mad_recv *to, const struct rmpp *rmpp)
{
	const struct ib_mad *mad = &to->data.mad;
	struct ib_mad reply = {};

	memcpy(&reply, mad, mad_data_offset(mad->mad_hdr.mgmt_class));
	reply.mad_hdr.method ^= IB_MGMT_METHOD_RESP;
	rmpp_build((u8 *)&reply, rmpp);
	mad_reply(to, &reply, to->wc.pkey_index, 0);
}

static void ack(struct mad_recv *to, const struct message *msg)
{
	const struct rmpp rmpp = {
		.type = RMPP_ACK,
		.flags = RMPP_ACTIVE,
		.segment = msg->last,
		.length = msg->window,
	};

	answer(to, &rmpp);
}

static void refuse(struct mad_recv *to, u8 type, u8 status)
{
	const struct rmpp rmpp = { .type = type, .flags = RMPP_ACTIVE, .status = status };

	mad_count(to->qp->port,
		  type == RMPP_STOP ? KRDMA_MAD_RMPP_STOPPED : KRDMA_MAD_RMPP_ABORTED);
	answer(to, &rmpp);
}

static void free_message(struct mad_agent *agent, struct message *msg)
{
	list_del(&msg->entry);
	if (msg->first) {
		mad_recv_free_message(msg->first);
		agent->nr_partial--;
		atomic_dec(&agent->port->nr_partial);
	} else {
		agent->nr_whole--;
	}
	kfree(msg);
}

static struct message *find_message(struct mad_agent *agent, const struct mad_recv *recv)
{
	const struct ib_mad_hdr *hdr = &recv->data.mad.mad_hdr;
	union ib_gid gid = {};
	struct message *msg;

	mad_recv_source(recv, &gid);
	list_for_each_entry(msg, &agent->partial, entry)
		if (msg->tid == hdr->tid && msg->mgmt_class == hdr->mgmt_class &&
		    msg->method == hdr->method && msg->slid == recv->wc.slid &&
		    msg->src_qp == recv->wc.src_qp && !memcmp(&msg->gid, &gid, sizeof(gid)))
			return msg;
	return NULL;
}

/* Remembers a message whose first segment has come. Returns NULL, and drops it, if it cannot be. */
static struct message *add_message(struct mad_agent *agent, struct mad_recv *recv,
				   const struct rmpp *rmpp)
{
	const struct ib_mad_hdr *hdr = &recv->data.mad.mad_hdr;
	struct message *msg = NULL;

	if (rmpp->segment != 1) {
		drop_segment(recv);
		return NULL;
	}
	if (agent->nr_partial < PARTIAL_MAX &&
	    atomic_read(&agent->port->nr_partial) < MAD_PORT_PARTIAL &&
	    rmpp->length <= max_segments(hdr->mgmt_class) * (MAD_LEN - IB_MGMT_RMPP_HDR))
		msg = kzalloc(sizeof(*msg), GFP_KERNEL);
	if (!msg) {
		refuse(recv, RMPP_STOP, RMPP_STATUS_RESX);
		ib_free_recv_mad(&recv->info);
		return NULL;
	}
	msg->tid = hdr->tid;
	msg->mgmt_class = hdr->mgmt_class;
	msg->method = hdr->method;
	msg->slid = recv->wc.slid;
	msg->src_qp = recv->wc.src_qp;
	mad_recv_source(recv, &msg->gid);
	msg->first = recv;
	msg->window = 1;
	agent->nr_partial++;
	atomic_inc(&agent->port->nr_partial);
	if (list_empty(&agent->partial))
		queue_delayed_work(mad_wq, &agent->rmpp_timer, msecs_to_jiffies(TIMER_MS));
	list_add_tail(&msg->entry, &agent->partial);
	return msg;
}

/* Forgets the oldest message that is whole, if there are too many. */
static void trim_whole(struct mad_agent *agent)
{
	struct message *msg;

	if (agent->nr_whole <= WHOLE_MAX)
		return;
	list_for_each_entry(msg, &agent->partial, entry) {
		if (msg->first)
			continue;
		free_message(agent, msg);
		return;
	}
}

/* Ends a message: its last segment has come. Returns the message. */
static struct mad_recv *complete_message(struct mad_agent *agent, struct message *msg,
					 const struct rmpp *last)
{
	size_t offset = mad_data_offset(msg->mgmt_class);
	struct mad_recv *first = msg->first;

	first->info.mad_len = offset + (msg->last - 1) * (MAD_LEN - offset) + last->length -
			      rmpp_class_header(msg->mgmt_class);
	msg->first = NULL;
	msg->deadline = jiffies + msecs_to_jiffies(WHOLE_MS);
	agent->nr_partial--;
	atomic_dec(&agent->port->nr_partial);
	agent->nr_whole++;
	list_move_tail(&msg->entry, &agent->partial);
	trim_whole(agent);
	mad_count(agent->port, KRDMA_MAD_RMPP_RECEIVED);
	return first;
}

/* Takes a segment of a message. Returns the message if it is whole. */
static struct mad_recv *take_segment(struct mad_agent *agent, struct message *msg,
				     struct mad_recv *recv, const struct rmpp *rmpp)
{
	bool is_last = rmpp->flags & RMPP_LAST;

	if (rmpp->segment <= msg->last) {
		ack(recv, msg);
		drop_segment(recv);
		return NULL;
	}
	if (!msg->first || rmpp->segment > msg->window) {
		refuse(recv, RMPP_ABORT, RMPP_STATUS_S2B);
		if (msg->first)
			free_message(agent, msg);
		ib_free_recv_mad(&recv->info);
		return NULL;
	}
	if (rmpp->segment != msg->last + 1) {
		drop_segment(recv);
		return NULL;
	}
	if (rmpp->segment > max_segments(msg->mgmt_class)) {
		refuse(recv, RMPP_STOP, RMPP_STATUS_RESX);
		free_message(agent, msg);
		ib_free_recv_mad(&recv->info);
		return NULL;
	}
	if (recv != msg->first)
		list_move_tail(&recv->info.recv_buf.list, &msg->first->info.rmpp_list);
	msg->last = rmpp->segment;
	msg->deadline = jiffies + msecs_to_jiffies(IDLE_MS);
	/* The window never shrinks, because a sender takes an Ack that does so for an old one. */
	if (!is_last && msg->last != msg->window)
		return NULL;
	if (!is_last)
		msg->window += WINDOW;
	ack(recv, msg);
	return is_last ? complete_message(agent, msg, rmpp) : NULL;
}

static struct mad_recv *take_data(struct mad_agent *agent, struct mad_recv *recv,
				  const struct rmpp *rmpp)
{
	struct message *msg = find_message(agent, recv);
	struct mad_send *send;

	/* A response without a request is refused before it takes memory. */
	if (ib_response_mad(&recv->data.mad.mad_hdr) && (!msg || msg->first)) {
		send = mad_send_match(agent, recv, false);
		if (!send) {
			if (msg)
				free_message(agent, msg);
			drop_segment(recv);
			return NULL;
		}
		mad_send_extend(send);
	}
	if (!msg)
		msg = add_message(agent, recv, rmpp);
	return msg ? take_segment(agent, msg, recv, rmpp) : NULL;
}

/* Handles an Ack, Stop or Abort: of the receiver of a send, or an Abort of a sender. */
static void take_answer(struct mad_agent *agent, struct mad_recv *recv, const struct rmpp *rmpp)
{
	struct message *msg = rmpp->type == RMPP_ACK ? NULL : find_message(agent, recv);
	struct mad_send *send = msg ? NULL : mad_send_match(agent, recv, true);
	u8 status;

	if (msg && msg->first) {
		free_message(agent, msg);
	} else if (send) {
		status = mad_send_rmpp(send, rmpp);
		if (status)
			refuse(recv, RMPP_ABORT, status);
	} else {
		mad_count(agent->port, KRDMA_MAD_RMPP_DROPPED);
	}
	ib_free_recv_mad(&recv->info);
}

struct mad_recv *mad_rmpp_receive(struct mad_agent *agent, struct mad_recv *recv)
{
	struct message *msg;
	struct rmpp rmpp;
	u8 status;

	status = rmpp_parse(mad_recv_bytes(recv), &rmpp);
	if (status != RMPP_STATUS_NORMAL) {
		/* An invalid Stop or Abort is not answered, because that would never end. */
		if (rmpp.type != RMPP_STOP && rmpp.type != RMPP_ABORT) {
			msg = find_message(agent, recv);
			if (msg && msg->first)
				free_message(agent, msg);
			refuse(recv, RMPP_ABORT, status);
		}
		drop_segment(recv);
		return NULL;
	}
	if (rmpp.type == RMPP_DATA)
		return take_data(agent, recv, &rmpp);
	take_answer(agent, recv, &rmpp);
	return NULL;
}

void mad_rmpp_timer(struct work_struct *work)
{
	struct mad_agent *agent = container_of(work, struct mad_agent, rmpp_timer.work);
	struct message *msg, *next;

	mutex_lock(&agent->port->serial);
	list_for_each_entry_safe(msg, next, &agent->partial, entry) {
		if (time_before(jiffies, msg->deadline))
			continue;
		if (msg->first)
			refuse(msg->first, RMPP_ABORT, RMPP_STATUS_T2L);
		free_message(agent, msg);
	}
	if (!list_empty(&agent->partial))
		queue_delayed_work(mad_wq, &agent->rmpp_timer, msecs_to_jiffies(TIMER_MS));
	mutex_unlock(&agent->port->serial);
}

void mad_rmpp_end(struct mad_agent *agent)
{
	struct message *msg, *next;

	list_for_each_entry_safe(msg, next, &agent->partial, entry)
		free_message(agent, msg);
}
