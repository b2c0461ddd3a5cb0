// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends of agents, from ib_post_send_mad() to the call of their handler.
 *
 * A send is in one list of its agent, see enum mad_send_state. It is taken out of the lists for its
 * handler with mad_port.serial held; ib_modify_mad(), which runs in any context, moves a send that
 * it ends to the list of those that have finished. While the QP has a send, its result is
 * noted in the send, and the handler is called when the QP has completed it.
 */
#include "mad/send.h"

#include <linux/slab.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_smi.h>
#include <trace/events/ib_mad.h>

#include "ibwire/smp.h"
#include "mad/rmpp_send.h"

/* Time to wait for an Ack of RMPP if the agent named none. */
#define ACK_MS		2000

static void free_segments(struct mad_send *send)
{
	int i;

	if (!send->more)
		return;
	for (i = 0; i < send->base.seg_count - 1; i++)
		kfree(send->more[i]);
	kvfree(send->more);
}

/* Divides the data into segments: the first one is in the MAD itself. */
static int add_segments(struct mad_send *send, gfp_t gfp)
{
	int size = IB_MGMT_MAD_SIZE - send->base.hdr_len, i;

	send->base.seg_size = size;
	send->base.seg_rmpp_size = IB_MGMT_MAD_SIZE - IB_MGMT_RMPP_HDR;
	send->base.seg_count = max(DIV_ROUND_UP(send->base.data_len, size), 1);
	if (send->base.seg_count == 1)
		return 0;
	send->more = kvcalloc(send->base.seg_count - 1, sizeof(*send->more), gfp);
	if (!send->more)
		return -ENOMEM;
	for (i = 0; i < send->base.seg_count - 1; i++) {
		send->more[i] = kzalloc(size, gfp);
		if (!send->more[i])
			return -ENOMEM;
	}
	return 0;
}

static bool lengths_valid(const struct mad_agent *agent, bool rmpp_active, int hdr_len,
			  int data_len)
{
	if (data_len < 0 || hdr_len < IB_MGMT_MAD_HDR)
		return false;
	if (!rmpp_active)
		return data_len <= IB_MGMT_MAD_SIZE - hdr_len;
	return ib_mad_kernel_rmpp_agent(&agent->base) && hdr_len >= IB_MGMT_RMPP_HDR &&
	       hdr_len < IB_MGMT_MAD_SIZE && data_len <= MAD_MESSAGE_MAX;
}

/**
 * ib_create_send_mad() - allocate a MAD, or an RMPP message
 * @mad_agent: agent that will send it
 * @remote_qpn: number of the QP that it goes to
 * @pkey_index: index of the P_Key with which it is sent
 * @rmpp_active: it is a message of RMPP, and may be longer than a MAD
 * @hdr_len: length of the headers in bytes, from that of the MAD on
 * @data_len: length of the data in bytes
 * @gfp_mask: how memory is allocated
 * @base_version: IB_MGMT_BASE_VERSION
 *
 * The MAD is filled with zeros, but for the header of RMPP if @rmpp_active. Any context that
 * @gfp_mask allows.
 *
 * Return: the MAD, which ib_free_send_mad() frees; or an ERR_PTR: -EINVAL for another base version,
 * if the lengths exceed a MAD, or a message of 16 MiB, or if @rmpp_active is set for an agent that
 * has no RMPP or sends it himself; -ENOMEM.
 */
struct ib_mad_send_buf *ib_create_send_mad(struct ib_mad_agent *mad_agent, u32 remote_qpn,
					   u16 pkey_index, int rmpp_active, int hdr_len,
					   int data_len, gfp_t gfp_mask, u8 base_version)
{
	struct mad_agent *agent = to_mad_agent(mad_agent);
	struct mad_send *send;

	if (base_version != IB_MGMT_BASE_VERSION ||
	    !lengths_valid(agent, rmpp_active, hdr_len, data_len))
		return ERR_PTR(-EINVAL);
	send = kzalloc(sizeof(*send), gfp_mask);
	if (!send)
		return ERR_PTR(-ENOMEM);
	send->agent = agent;
	send->base.mad = send->mad;
	send->base.mad_agent = mad_agent;
	send->base.hdr_len = hdr_len;
	send->base.data_len = data_len;
	send->wr.ud.remote_qpn = remote_qpn;
	send->wr.ud.remote_qkey = IB_QP_SET_QKEY;
	send->wr.ud.pkey_index = pkey_index;
	send->wr.part[0] = send->mad;
	send->wr.length[0] = sizeof(send->mad);
	if (rmpp_active) {
		const struct rmpp rmpp = { .type = RMPP_DATA, .flags = RMPP_ACTIVE };

		rmpp_build(send->mad, &rmpp);
		if (add_segments(send, gfp_mask)) {
			ib_free_send_mad(&send->base);
			return ERR_PTR(-ENOMEM);
		}
	}
	return &send->base;
}
EXPORT_SYMBOL(ib_create_send_mad);

/**
 * ib_get_rmpp_segment() - get the data of a segment
 * @send_buf: a message of RMPP
 * @seg_num: number of the segment, from 1 on
 *
 * Return: &ib_mad_send_buf.seg_size bytes; or NULL if there is no such segment.
 */
void *ib_get_rmpp_segment(struct ib_mad_send_buf *send_buf, int seg_num)
{
	if (seg_num < 1 || seg_num > send_buf->seg_count)
		return NULL;
	return seg_num == 1 ? send_buf->mad + send_buf->hdr_len :
			      to_mad_send(send_buf)->more[seg_num - 2];
}
EXPORT_SYMBOL(ib_get_rmpp_segment);

/**
 * ib_free_send_mad() - free a MAD of ib_create_send_mad()
 * @send_buf: the MAD, which was not posted, or has completed
 *
 * Any context.
 */
void ib_free_send_mad(struct ib_mad_send_buf *send_buf)
{
	struct mad_send *send = to_mad_send(send_buf);

	free_segments(send);
	kfree(send);
}
EXPORT_SYMBOL(ib_free_send_mad);

/* Gives a send that is in no list back to the agent, which may free it. */
static void finish(struct mad_send *send)
{
	struct mad_agent *agent = send->agent;
	struct ib_mad_send_wc wc = {
		.send_buf = &send->base,
		.status = send->result,
		.vendor_err = send->vendor_err,
	};

	if (wc.status == IB_WC_RESP_TIMEOUT_ERR)
		mad_count(agent->port, KRDMA_MAD_TIMEOUTS);
	trace_ib_mad_send_done_agent(agent);
	agent->base.send_handler(&agent->base, &wc);
	mad_agent_put(agent);
}

static void set_result(struct mad_send *send, enum ib_wc_status status, u32 vendor_err)
{
	lockdep_assert_held(&send->agent->lock);
	send->result = status;
	send->vendor_err = vendor_err;
}

static void unlist(struct mad_send *send)
{
	lockdep_assert_held(&send->agent->lock);
	list_del_init(&send->entry);
	send->state = MAD_SEND_IDLE;
	if (send->awaits)
		mad_qp_unexpect(send->agent->qp);
	if (send->rmpp)
		mad_rmpp_restore(send);
}

/* Has the timer run at the deadline of the first send that waits. */
static void set_timer(struct mad_agent *agent)
{
	struct mad_send *first;

	lockdep_assert_held(&agent->lock);
	first = list_first_entry_or_null(&agent->waiting, struct mad_send, entry);
	if (first)
		mod_delayed_work(mad_wq, &agent->timer,
				 time_after(first->deadline, jiffies) ? first->deadline - jiffies :
									0);
}

/* Moves a send to those that wait, in the order of their deadlines. */
static void start_waiting(struct mad_send *send, unsigned long wait)
{
	struct mad_agent *agent = send->agent;
	struct mad_send *at;

	lockdep_assert_held(&agent->lock);
	list_del(&send->entry);
	send->state = MAD_SEND_WAITING;
	send->deadline = jiffies + wait;
	list_for_each_entry_reverse(at, &agent->waiting, entry)
		if (!time_after(at->deadline, send->deadline))
			break;
	/* Without an earlier one, @at is the head of the list. */
	list_add(&send->entry, &at->entry);
	set_timer(agent);
}

static void start_local(struct mad_send *send)
{
	struct mad_agent *agent = send->agent;

	lockdep_assert_held(&agent->lock);
	list_add_tail(&send->entry, &agent->local);
	send->state = MAD_SEND_LOCAL;
	queue_work(mad_wq, &agent->work);
}

/* Gives a send that is in no list to the QP. */
static int start_posted(struct mad_send *send)
{
	int ret;

	lockdep_assert_held(&send->agent->lock);
	trace_ib_mad_ib_send_mad(send);
	ret = mad_qp_send(send->agent->qp, &send->wr);
	if (ret)
		return ret;
	list_add_tail(&send->entry, &send->agent->posted);
	send->state = MAD_SEND_POSTED;
	return 0;
}

static bool awaits_response(const struct mad_send *send)
{
	return send->wait && !(send->rmpp && ib_response_mad((void *)send->mad));
}

static unsigned long ack_time(const struct mad_send *send)
{
	return send->wait ?: msecs_to_jiffies(ACK_MS);
}

/*
 * Decides how a send goes on that was sent without an error: with the next segment, by waiting, or
 * not at all. Leaves a result if it has ended.
 */
static void go_on(struct mad_send *send)
{
	lockdep_assert_held(&send->agent->lock);
	if (send->rmpp) {
		if (mad_rmpp_next(send)) {
			list_del(&send->entry);
			if (start_posted(send)) {
				INIT_LIST_HEAD(&send->entry);
				set_result(send, IB_WC_LOC_QP_OP_ERR, 0);
			}
			return;
		}
		if (send->acked < send->base.seg_count) {
			start_waiting(send, ack_time(send));
			return;
		}
	}
	if (awaits_response(send))
		start_waiting(send, send->wait);
	else
		set_result(send, IB_WC_SUCCESS, 0);
}

/*
 * Has the receiver of a message that it has not got whole told that no more of it comes (IBTA
 * 13.6). Returns false if there is nothing to tell, or that is not possible; otherwise the send
 * completes with the result that it has when the QP has sent the Abort.
 */
static bool abort_message(struct mad_send *send, u8 status)
{
	lockdep_assert_held(&send->agent->lock);
	if (!send->rmpp || !mad_rmpp_abort(send, status))
		return false;
	list_del_init(&send->entry);
	if (start_posted(send))
		return false;
	mad_count(send->agent->port, KRDMA_MAD_RMPP_ABORTED);
	return true;
}

/* Handles the completion of the QP. */
static void sent(struct mad_send *send, enum ib_wc_status status, u32 vendor_err)
{
	struct mad_agent *agent = send->agent;
	bool ended;

	trace_ib_mad_send_done_handler(send, status);
	if (status != IB_WC_SUCCESS)
		trace_ib_mad_error_handler(send);
	spin_lock_irq(&agent->lock);
	if (send->result == MAD_SEND_PENDING && status != IB_WC_SUCCESS)
		set_result(send, status, vendor_err);
	if (send->result == MAD_SEND_PENDING) {
		if (send->rmpp)
			send->sent = max(send->sent + 1, send->acked);
		go_on(send);
	}
	ended = send->result != MAD_SEND_PENDING;
	/* A message was cancelled while the QP had a segment. */
	if (send->result == IB_WC_WR_FLUSH_ERR && status == IB_WC_SUCCESS)
		ended = !abort_message(send, RMPP_STATUS_UNSPEC);
	if (ended)
		unlist(send);
	spin_unlock_irq(&agent->lock);
	if (ended)
		finish(send);
}

static void wr_done(struct mad_wr *wr, enum ib_wc_status status, u32 vendor_err)
{
	sent(container_of(wr, struct mad_send, wr), status, vendor_err);
}

struct mad_send *mad_send_take_local(struct mad_agent *agent)
{
	struct mad_send *send;

	spin_lock_irq(&agent->lock);
	send = list_first_entry_or_null(&agent->local, struct mad_send, entry);
	if (send) {
		list_move_tail(&send->entry, &agent->posted);
		send->state = MAD_SEND_POSTED;
	}
	spin_unlock_irq(&agent->lock);
	return send;
}

void mad_send_done_local(struct mad_send *send)
{
	sent(send, IB_WC_SUCCESS, 0);
}

/*
 * Takes the first step of a directed route. Returns 0 or -EINVAL. What goes to the port itself is
 * not changed, because it may be sent again.
 */
static int set_route(struct mad_send *send)
{
	struct ib_smp *smp = (struct ib_smp *)send->mad;
	struct smp_node node = mad_port_node(send->agent->port, 0);
	u8 copy[IB_MGMT_MAD_SIZE], port = 0;

	send->is_local = false;
	if (smp->mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE ||
	    send->agent->qp != &send->agent->port->qps[0])
		return 0;
	trace_ib_mad_handle_out_ib_smi(smp);
	memcpy(copy, smp, sizeof(copy));
	switch (smp_start(copy, &node, &port)) {
	case SMP_DROP:
		return -EINVAL;
	case SMP_HERE:
		send->is_local = true;
		return 0;
	default:
		smp->hop_ptr = ((struct ib_smp *)copy)->hop_ptr;
		send->wr.ud.port_num = port;
		return 0;
	}
}

/* Returns whether a message is sent in segments, by this end. */
static bool is_rmpp(const struct mad_send *send)
{
	const struct ib_rmpp_mad *mad = (const struct ib_rmpp_mad *)send->mad;

	return send->base.seg_count && rmpp_is_active(send->mad) &&
	       mad->rmpp_hdr.rmpp_type == RMPP_DATA;
}

/* Refuses segments of a class without RMPP, because the receiver would not know what they are. */
static bool rmpp_valid(const struct mad_send *send)
{
	const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)send->mad;

	return !is_rmpp(send) || mad_class_has_rmpp(hdr->mgmt_class);
}

static int post_one(struct mad_send *send)
{
	struct mad_agent *agent = send->agent;
	unsigned long flags;
	int ret;

	if (!agent->base.send_handler || !send->base.ah || send->base.timeout_ms < 0 ||
	    send->base.retries < 0 || (send->base.timeout_ms && !agent->base.recv_handler))
		return -EINVAL;
	spin_lock_irqsave(&agent->lock, flags);
	ret = -ENODEV;
	if (agent->dead)
		goto out;
	ret = -EINVAL;
	if (send->state != MAD_SEND_IDLE || !rmpp_valid(send))
		goto out;
	ret = set_route(send);
	if (ret)
		goto out;
	send->to.known = false;
	send->result = MAD_SEND_PENDING;
	send->vendor_err = 0;
	send->wait = msecs_to_jiffies(send->base.timeout_ms);
	send->tries_left = send->base.retries;
	send->wr.done = wr_done;
	send->wr.ud.ah = send->base.ah;
	send->rmpp = is_rmpp(send);
	if (send->rmpp) {
		mad_rmpp_begin(send);
		mad_rmpp_next(send);
	}
	send->awaits = !send->is_local && (send->rmpp || send->wait);
	if (send->awaits)
		mad_qp_expect(agent->qp);
	if (send->is_local)
		start_local(send);
	else
		ret = start_posted(send);
	if (ret && send->awaits)
		mad_qp_unexpect(agent->qp);
	/* Without the lock, the send may complete at once, and the agent be freed. */
	if (!ret) {
		refcount_inc(&agent->refs);
		mad_count(agent->port, send->is_local ? KRDMA_MAD_LOCAL : KRDMA_MAD_SENT);
	}
out:
	spin_unlock_irqrestore(&agent->lock, flags);
	return ret;
}

/**
 * ib_post_send_mad() - send MADs
 * @send_buf: the first one of a list, linked by &ib_mad_send_buf.next
 * @bad_send_buf: out: if it is not NULL and the call fails, the first MAD that was not taken
 *
 * The handler of completions is called once for each MAD that was taken. It may run before this
 * function returns. SMPs with a directed route that ends at the port itself do not leave it. Any
 * context.
 *
 * Return: 0; -EINVAL if the agent has no handler that the MAD needs, if there is no address handle,
 * a time or a number of retries is negative, the MAD is already posted, it is a message of RMPP of
 * a class without RMPP, or its directed route does not begin here; -ENODEV if the agent or the port
 * is going; -EIO if the MAD cannot be mapped for the device; or the provider's error.
 */
int ib_post_send_mad(struct ib_mad_send_buf *send_buf, struct ib_mad_send_buf **bad_send_buf)
{
	struct ib_mad_send_buf *next;
	int ret;

	for (; send_buf; send_buf = next) {
		/* The MAD may be freed as soon as it is posted. */
		next = send_buf->next;
		ret = post_one(to_mad_send(send_buf));
		if (ret) {
			if (bad_send_buf)
				*bad_send_buf = send_buf;
			return ret;
		}
	}
	return 0;
}
EXPORT_SYMBOL(ib_post_send_mad);

/*
 * Ends a send that is not idle, unless it has a result. What the QP has, or is being handled
 * locally, completes there first.
 */
static void cancel(struct mad_send *send)
{
	struct mad_agent *agent = send->agent;

	lockdep_assert_held(&agent->lock);
	if (send->result != MAD_SEND_PENDING)
		return;
	set_result(send, IB_WC_WR_FLUSH_ERR, 0);
	if (send->state == MAD_SEND_POSTED && !mad_qp_withdraw(agent->qp, &send->wr))
		return;
	if (send->state == MAD_SEND_WAITING && abort_message(send, RMPP_STATUS_UNSPEC))
		return;
	list_move_tail(&send->entry, &agent->finished);
	send->state = MAD_SEND_FINISHED;
	queue_work(mad_wq, &agent->work);
}

/**
 * ib_modify_mad() - change the time that a send waits for its response, or cancel it
 * @send_buf: the MAD, which was posted
 * @timeout_ms: time from now on, for this and for further tries; 0 cancels the send
 *
 * Any context.
 *
 * Return: 0; -EINVAL if the send has completed, or has its result already.
 */
int ib_modify_mad(struct ib_mad_send_buf *send_buf, u32 timeout_ms)
{
	struct mad_send *send = to_mad_send(send_buf);
	struct mad_agent *agent = send->agent;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&agent->lock, flags);
	if (send->state == MAD_SEND_IDLE || send->result != MAD_SEND_PENDING) {
		ret = -EINVAL;
	} else if (!timeout_ms) {
		cancel(send);
	} else {
		send->base.timeout_ms = min_t(u32, timeout_ms, INT_MAX);
		send->wait = msecs_to_jiffies(timeout_ms);
		if (send->state == MAD_SEND_WAITING)
			start_waiting(send, send->wait);
	}
	spin_unlock_irqrestore(&agent->lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_modify_mad);

static void cancel_list(struct list_head *list)
{
	struct mad_send *send, *next;

	list_for_each_entry_safe(send, next, list, entry)
		cancel(send);
}

void mad_send_cancel_all(struct mad_agent *agent)
{
	spin_lock_irq(&agent->lock);
	agent->dead = true;
	cancel_list(&agent->waiting);
	cancel_list(&agent->local);
	cancel_list(&agent->posted);
	spin_unlock_irq(&agent->lock);
}

void mad_send_finish_all(struct mad_agent *agent)
{
	struct mad_send *send;

	for (;;) {
		spin_lock_irq(&agent->lock);
		send = list_first_entry_or_null(&agent->finished, struct mad_send, entry);
		if (send)
			unlist(send);
		spin_unlock_irq(&agent->lock);
		if (!send)
			return;
		finish(send);
	}
}

/* Ends a send that has been tried too often. */
static void give_up(struct mad_send *send)
{
	lockdep_assert_held(&send->agent->lock);
	set_result(send, IB_WC_RESP_TIMEOUT_ERR, 0);
	abort_message(send, RMPP_STATUS_TMR);
}

/* Sends again what was not answered. Leaves a result if that is not possible. */
static void try_again(struct mad_send *send)
{
	lockdep_assert_held(&send->agent->lock);
	list_del_init(&send->entry);
	if (!send->tries_left) {
		give_up(send);
		return;
	}
	send->tries_left--;
	mad_count(send->agent->port, KRDMA_MAD_RESENT);
	trace_ib_mad_send_done_resend(send);
	if (send->is_local) {
		start_local(send);
		return;
	}
	if (send->rmpp) {
		if (send->acked == send->base.seg_count)
			mad_rmpp_begin(send);
		else
			mad_rmpp_again(send);
		mad_rmpp_next(send);
	}
	if (start_posted(send))
		set_result(send, IB_WC_LOC_QP_OP_ERR, 0);
}

/* Takes a send that has ended because it has waited too long. */
static struct mad_send *take_overdue(struct mad_agent *agent)
{
	struct mad_send *send, *next;

	lockdep_assert_held(&agent->lock);
	list_for_each_entry_safe(send, next, &agent->waiting, entry) {
		if (time_after(send->deadline, jiffies))
			break;
		try_again(send);
		if (send->result != MAD_SEND_PENDING && send->state != MAD_SEND_POSTED) {
			unlist(send);
			return send;
		}
	}
	set_timer(agent);
	return NULL;
}

void mad_send_timer(struct work_struct *work)
{
	struct mad_agent *agent = container_of(work, struct mad_agent, timer.work);
	struct mad_send *send;

	mutex_lock(&agent->port->serial);
	do {
		spin_lock_irq(&agent->lock);
		send = take_overdue(agent);
		spin_unlock_irq(&agent->lock);
		if (send)
			finish(send);
	} while (send);
	mutex_unlock(&agent->port->serial);
}

/* Notes the address of a send. Without it, a response is matched by its transaction alone. */
static void read_address(struct mad_send *send)
{
	const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)send->mad;
	struct rdma_ah_attr attr = {};

	send->to = (struct mad_send_to) { .known = true };
	if (send->is_local || hdr->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE ||
	    rdma_query_ah(send->base.ah, &attr))
		return;
	send->to.has_grh = rdma_ah_get_ah_flags(&attr) & IB_AH_GRH;
	if (send->to.has_grh)
		send->to.dgid = attr.grh.dgid;
	send->to.dlid = rdma_ah_get_dlid(&attr);
	/* A group or the permissive LID is answered from another address. */
	send->to.comparable = send->to.has_grh ?
		!rdma_is_multicast_addr((struct in6_addr *)&send->to.dgid) :
		send->to.dlid < be16_to_cpu(IB_MULTICAST_LID_BASE);
}

/*
 * Compares the source of a response with the address of its request. LIDs are not compared, because
 * a port with several of them may answer from another one than it was asked by, and the subnet
 * manager may have changed them. With a global route on one side only, it is another peer.
 */
static bool comes_from(const struct mad_recv *recv, const struct mad_send_to *to)
{
	bool has_grh = recv->wc.wc_flags & IB_WC_GRH;
	union ib_gid gid;

	if (!to->comparable)
		return true;
	if (!has_grh || !to->has_grh)
		return has_grh == to->has_grh;
	return mad_recv_source(recv, &gid) && !memcmp(&gid, &to->dgid, sizeof(gid));
}

static bool same_transaction(const struct mad_send *send, const struct mad_recv *recv)
{
	const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)send->mad;
	const struct ib_mad_hdr *answer = &recv->data.mad.mad_hdr;

	return hdr->tid == answer->tid && hdr->mgmt_class == answer->mgmt_class;
}

/* Finds a send of the transaction: one whose address is not known, or is that of the response. */
static struct mad_send *find_in(struct list_head *list, const struct mad_recv *recv,
				bool any_state, bool known)
{
	struct mad_send *send;

	list_for_each_entry(send, list, entry)
		if (same_transaction(send, recv) && send->to.known == known &&
		    (any_state || (send->wait && send->result == MAD_SEND_PENDING)) &&
		    (!known || comes_from(recv, &send->to)))
			return send;
	return NULL;
}

struct mad_send *mad_send_match(struct mad_agent *agent, struct mad_recv *recv, bool any_state)
{
	struct mad_send *send;
	bool known = false;

	/* First the addresses are read, which may sleep; sends do not complete meanwhile. */
	for (;;) {
		spin_lock_irq(&agent->lock);
		send = find_in(&agent->waiting, recv, any_state, known);
		if (!send)
			send = find_in(&agent->posted, recv, any_state, known);
		spin_unlock_irq(&agent->lock);
		if (known)
			return send;
		if (send)
			read_address(send);
		else
			known = true;
	}
}

bool mad_send_answer(struct mad_send *send, struct mad_recv *recv)
{
	struct mad_agent *agent = send->agent;
	bool pending, ended;

	spin_lock_irq(&agent->lock);
	pending = send->result == MAD_SEND_PENDING;
	ended = pending && send->state == MAD_SEND_WAITING;
	if (pending)
		set_result(send, IB_WC_SUCCESS, 0);
	if (ended)
		unlist(send);
	spin_unlock_irq(&agent->lock);
	if (!pending)
		return false;
	if (send->awaits)
		mad_qp_answered(recv->qp);
	trace_ib_mad_recv_done_agent(agent);
	agent->base.recv_handler(&agent->base, &send->base, &recv->info);
	if (ended)
		finish(send);
	return true;
}

void mad_send_extend(struct mad_send *send)
{
	spin_lock_irq(&send->agent->lock);
	if (send->result == MAD_SEND_PENDING) {
		/* The response says that the request has come. */
		send->acked = send->base.seg_count;
		if (send->state == MAD_SEND_WAITING)
			start_waiting(send, send->wait);
	}
	spin_unlock_irq(&send->agent->lock);
}

u8 mad_send_rmpp(struct mad_send *send, const struct rmpp *rmpp)
{
	struct mad_agent *agent = send->agent;
	u8 status = RMPP_STATUS_NORMAL;
	bool ended = false;

	spin_lock_irq(&agent->lock);
	if (!send->rmpp || send->result != MAD_SEND_PENDING)
		goto out;
	switch (mad_rmpp_answered(send, rmpp, &status)) {
	case MAD_RMPP_KEEP:
		break;
	case MAD_RMPP_NEXT:
		send->tries_left = send->base.retries;
		/* While the QP has a segment, its completion goes on. */
		if (send->state == MAD_SEND_WAITING)
			go_on(send);
		break;
	case MAD_RMPP_ABORT:
		set_result(send, IB_WC_REM_ABORT_ERR, status);
		break;
	case MAD_RMPP_ENDED:
		set_result(send, IB_WC_REM_ABORT_ERR, rmpp->status);
		break;
	}
	ended = send->result != MAD_SEND_PENDING && send->state != MAD_SEND_POSTED;
	if (ended)
		unlist(send);
out:
	spin_unlock_irq(&agent->lock);
	if (ended)
		finish(send);
	return status;
}
