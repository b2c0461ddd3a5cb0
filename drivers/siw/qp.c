// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs: creation, destruction, states, the tie to a connection, references.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <trace/events/siw.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/siw_cm.h"
#include "drivers/siw/siw_qp.h"
#include "drivers/siw/siw_user.h"

/* QP 0 and 1 have a meaning of their own elsewhere; ours begin above. */
#define SIW_FIRST_QPN	2

struct siw_qp *siw_qp_find(struct siw_device *dev, u32 qpn)
{
	struct siw_qp *qp;

	xa_lock_bh(&dev->qps);
	qp = xa_load(&dev->qps, qpn);
	if (qp && !kref_get_unless_zero(&qp->ref))
		qp = NULL;
	xa_unlock_bh(&dev->qps);
	return qp;
}

void siw_qp_get(struct siw_qp *qp)
{
	kref_get(&qp->ref);
}

static void qp_release(struct kref *ref)
{
	complete(&container_of(ref, struct siw_qp, ref)->freed);
}

void siw_qp_put(struct siw_qp *qp)
{
	kref_put(&qp->ref, qp_release);
}

void siw_iw_add_ref(struct ib_qp *base)
{
	siw_qp_get(to_siw_qp(base));
}

void siw_iw_rem_ref(struct ib_qp *base)
{
	siw_qp_put(to_siw_qp(base));
}

struct ib_qp *siw_iw_get_qp(struct ib_device *base, int qpn)
{
	struct siw_qp *qp = siw_qp_find(to_siw_dev(base), qpn);

	if (!qp)
		return NULL;
	/* iw_cm takes its own reference while the consumer keeps the QP. */
	siw_qp_put(qp);
	return &qp->base;
}

int siw_qp_tie(struct siw_qp *qp, struct siw_cep *cep)
{
	int ret = 0;

	spin_lock_irq(&qp->state_lock);
	if (qp->cep)
		ret = -EISCONN;
	else if (qp->state > IB_QPS_RTR)
		ret = -EINVAL;
	else
		qp->cep = cep;
	spin_unlock_irq(&qp->state_lock);

	if (!ret)
		siw_cep_get(cep);
	return ret;
}

/*
 * Takes the tie, and with it the reference to the connection; NULL when @cep is not, or no longer,
 * the one.
 */
static struct siw_cep *take_cep(struct siw_qp *qp, struct siw_cep *cep)
{
	unsigned long flags;
	struct siw_cep *tied;

	spin_lock_irqsave(&qp->state_lock, flags);
	tied = !cep || qp->cep == cep ? qp->cep : NULL;
	if (tied)
		qp->cep = NULL;
	spin_unlock_irqrestore(&qp->state_lock, flags);
	return tied;
}

void siw_qp_untie(struct siw_qp *qp, struct siw_cep *cep)
{
	if (take_cep(qp, cep))
		siw_cep_put(cep);
}

static void qp_dispatch_event(struct siw_qp *qp, enum ib_event_type event)
{
	struct ib_event record = {
		.device = qp->base.device,
		.element.qp = &qp->base,
		.event = event,
	};

	trace_siw_qp_event(&qp->base, event);
	if (qp->base.event_handler)
		qp->base.event_handler(&record, qp->base.qp_context);
}

static void qp_event_tasklet(struct tasklet_struct *tasklet)
{
	struct siw_qp *qp = from_tasklet(qp, tasklet, event);
	unsigned long events = xchg(&qp->events, 0);
	int event;

	for_each_set_bit(event, &events, BITS_PER_LONG)
		qp_dispatch_event(qp, event);
}

void siw_qp_event(struct siw_qp *qp, enum ib_event_type event)
{
	BUILD_BUG_ON(IB_EVENT_WQ_FATAL >= BITS_PER_LONG);
	if (READ_ONCE(qp->destroying))
		return;
	set_bit(event, &qp->events);
	tasklet_schedule(&qp->event);
}

static void set_state(struct siw_qp *qp, enum ib_qp_state state)
{
	lockdep_assert_held(&qp->state_lock);
	if (qp->state != state)
		trace_siw_qp_state(&qp->base, qp->state, state);
	WRITE_ONCE(qp->state, state);
}

int siw_qp_connected(struct siw_qp *qp)
{
	unsigned long flags;
	int ret = -EINVAL;

	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->state <= IB_QPS_RTR) {
		set_state(qp, IB_QPS_RTS);
		ret = 0;
	}
	spin_unlock_irqrestore(&qp->state_lock, flags);
	return ret;
}

void siw_qp_fail(struct siw_qp *qp)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&qp->state_lock, flags);
	first = qp->state != IB_QPS_ERR;
	set_state(qp, IB_QPS_ERR);
	siw_sq_flush(qp);
	siw_rq_flush(qp);
	if (first && qp->base.srq)
		siw_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	spin_unlock_irqrestore(&qp->state_lock, flags);
}

static u32 max_inline(const struct ib_udata *udata)
{
	return udata ? SIW_MAX_INLINE : SIW_INLINE_MAX;
}

static int check_init_attr(const struct ib_qp_init_attr *attr, const struct ib_udata *udata)
{
	const struct ib_qp_cap *cap = &attr->cap;

	if (attr->qp_type != IB_QPT_RC || attr->create_flags)
		return -EOPNOTSUPP;
	if (!attr->send_cq || !attr->recv_cq)
		return -EINVAL;
	if (cap->max_send_wr > SIW_MAX_QP_WR || cap->max_recv_wr > SIW_MAX_QP_WR ||
	    cap->max_send_sge > SIW_SGE_MAX || cap->max_recv_sge > SIW_SGE_MAX ||
	    cap->max_inline_data > max_inline(udata))
		return -EINVAL;
	return 0;
}

/* A queue of no entries keeps one slot, so that indexing stays valid. */
static u32 queue_size(u32 max_wr)
{
	return roundup_pow_of_two(max(max_wr, 1u));
}

static void init_queues(struct siw_qp *qp)
{
	const struct ib_qp_cap *cap = &qp->attr.cap;

	spin_lock_init(&qp->sq.lock);
	spin_lock_init(&qp->rq.lock);
	qp->sq.mask = queue_size(cap->max_send_wr) - 1;
	qp->rq.mask = queue_size(cap->max_recv_wr) - 1;
	qp->sq.max_wr = cap->max_send_wr;
	qp->rq.max_wr = cap->max_recv_wr;
}

/* On failure, too, what there is goes with free_queues(). */
static int alloc_queues(struct siw_qp *qp, struct ib_udata *udata)
{
	struct siw_sq *sq = &qp->sq;
	struct siw_rq *rq = &qp->rq;

	sq->ring = kvcalloc(sq->mask + 1, sizeof(*sq->ring), siw_gfp(qp->base.uobject));
	if (!sq->ring)
		return -ENOMEM;
	if (udata)
		return siw_user_qp_make(qp, udata);
	rq->ring = kvcalloc(rq->mask + 1, sizeof(*rq->ring), GFP_KERNEL);
	return rq->ring ? 0 : -ENOMEM;
}

static void free_queues(struct siw_qp *qp)
{
	siw_user_qp_end(qp);
	kvfree(qp->sq.ring);
	kvfree(qp->rq.ring);
}

/* A process posts what fits into its rings: nobody else counts. */
static void round_up_cap(struct ib_qp_cap *cap)
{
	cap->max_send_wr = queue_size(cap->max_send_wr);
	cap->max_recv_wr = queue_size(cap->max_recv_wr);
}

static void set_attr(struct siw_qp *qp, const struct ib_qp_init_attr *init,
		     const struct ib_udata *udata)
{
	qp->sq.signal_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->attr.cap = init->cap;
	qp->attr.cap.max_inline_data = max_inline(udata);
	if (udata)
		round_up_cap(&qp->attr.cap);
	if (init->srq) {
		qp->attr.cap.max_recv_wr = 0;
		qp->attr.cap.max_recv_sge = 0;
	}
	qp->attr.max_rd_atomic = SIW_MAX_ORD;
	qp->attr.max_dest_rd_atomic = SIW_MAX_IRD;
	qp->state = IB_QPS_RESET;
}

int siw_create_qp(struct ib_qp *base, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct siw_device *dev = to_siw_dev(base->device);
	struct siw_qp *qp = to_siw_qp(base);
	int ret;

	ret = check_init_attr(attr, udata);
	if (ret)
		return ret;
	if (atomic_inc_return(&dev->num_qp) > SIW_MAX_QP) {
		ret = -ENOMEM;
		goto uncount;
	}
	qp->dev = dev;
	kref_init(&qp->ref);
	init_completion(&qp->freed);
	spin_lock_init(&qp->state_lock);
	tasklet_setup(&qp->event, qp_event_tasklet);
	set_attr(qp, attr, udata);
	init_queues(qp);
	ret = alloc_queues(qp, udata);
	if (ret)
		goto free_queues;
	ret = siw_stream_init(qp, siw_gfp(base->uobject));
	if (ret)
		goto free_queues;
	/* Last: from here on a connection can find it. */
	ret = xa_alloc_cyclic_bh(&dev->qps, &base->qp_num, qp, XA_LIMIT(SIW_FIRST_QPN, IB_QPN_MASK),
				 &dev->next_qpn, GFP_KERNEL);
	if (ret < 0)
		goto exit_stream;
	attr->cap = qp->attr.cap;
	ret = udata ? siw_user_qp_respond(qp, udata) : 0;
	if (ret)
		siw_destroy_qp(base, udata);
	return ret;

exit_stream:
	siw_stream_exit(qp);
free_queues:
	free_queues(qp);
uncount:
	atomic_dec(&dev->num_qp);
	return ret;
}

int siw_destroy_qp(struct ib_qp *base, struct ib_udata *udata)
{
	struct siw_qp *qp = to_siw_qp(base);
	struct siw_cep *cep;

	/* Whoever destroys it knows that it ends. */
	WRITE_ONCE(qp->destroying, true);
	/* No new connection finds it; the one there is lets go of it. */
	xa_erase_bh(&qp->dev->qps, base->qp_num);
	cep = take_cep(qp, NULL);
	siw_stream_stop(qp);
	if (cep) {
		siw_cep_qp_gone(cep, qp);
		siw_cep_put(cep);
	}
	siw_qp_put(qp);
	wait_for_completion(&qp->freed);

	siw_stream_exit(qp);
	tasklet_kill(&qp->event);
	siw_cq_clean_qp(to_siw_cq(base->send_cq), base);
	siw_cq_clean_qp(to_siw_cq(base->recv_cq), base);
	free_queues(qp);
	atomic_dec(&qp->dev->num_qp);
	return 0;
}

/* The connection the QP is tied to, referenced; NULL when there is none. */
static struct siw_cep *get_cep(struct siw_qp *qp)
{
	unsigned long flags;
	struct siw_cep *cep;

	spin_lock_irqsave(&qp->state_lock, flags);
	cep = qp->cep;
	if (cep)
		siw_cep_get(cep);
	spin_unlock_irqrestore(&qp->state_lock, flags);
	return cep;
}

/* The verbs states between which a consumer may move a QP without a stream. */
static int move_unconnected(struct siw_qp *qp, enum ib_qp_state to)
{
	unsigned long flags;
	int ret = -EINVAL;

	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->state <= to && to <= IB_QPS_RTR && to != IB_QPS_RESET) {
		set_state(qp, to);
		ret = 0;
	} else if (qp->state == to) {
		ret = 0;
	}
	spin_unlock_irqrestore(&qp->state_lock, flags);
	return ret;
}

/* The stream finishes what is posted; the connection bounds the time that takes. */
static void close_connection(struct siw_qp *qp)
{
	struct siw_cep *cep = get_cep(qp);

	if (cep) {
		siw_cep_closing(cep);
		siw_cep_put(cep);
	}
	siw_stream_close(qp);
}

static int close_gracefully(struct siw_qp *qp)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->state == IB_QPS_RTS)
		set_state(qp, IB_QPS_SQD);
	else if (qp->state != IB_QPS_SQD && qp->state != IB_QPS_ERR)
		ret = -EINVAL;
	spin_unlock_irqrestore(&qp->state_lock, flags);
	if (!ret)
		close_connection(qp);
	return ret;
}

static void abort_connection(struct siw_qp *qp)
{
	struct siw_cep *cep = get_cep(qp);

	siw_stream_abort(qp);
	if (!cep)
		return;
	siw_cep_abort(cep);
	siw_cep_put(cep);
}

static int move(struct siw_qp *qp, enum ib_qp_state to)
{
	switch (to) {
	case IB_QPS_INIT:
	case IB_QPS_RTR:
		return move_unconnected(qp, to);
	case IB_QPS_RTS:
		/* Only a connection makes a QP ready to send. */
		return READ_ONCE(qp->state) == IB_QPS_RTS ? 0 : -EINVAL;
	case IB_QPS_SQD:
		return close_gracefully(qp);
	case IB_QPS_ERR:
		abort_connection(qp);
		/* In error already: what a process has posted since comes back, too. */
		if (READ_ONCE(qp->state) == IB_QPS_ERR)
			siw_qp_fail(qp);
		return 0;
	default:
		return -EINVAL;
	}
}

#define SIW_MODIFIABLE								\
	(IB_QP_STATE | IB_QP_CUR_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY | IB_QP_ACCESS_FLAGS |	\
	 IB_QP_MAX_QP_RD_ATOMIC | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_PORT | IB_QP_PKEY_INDEX)

static int check_modification(const struct siw_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if (mask & ~SIW_MODIFIABLE)
		return -EOPNOTSUPP;
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != READ_ONCE(qp->state))
		return -EINVAL;
	if (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~IB_ACCESS_SUPPORTED)
		return -EINVAL;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > SIW_MAX_ORD)
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > SIW_MAX_IRD)
		return -EINVAL;
	return 0;
}

int siw_modify_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct siw_qp *qp = to_siw_qp(base);
	int ret;

	ret = check_modification(qp, attr, mask);
	if (ret)
		return ret;
	/* It has to be known before the queue drains, and says nothing as long as it does not. */
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		WRITE_ONCE(qp->attr.en_sqd_async_notify, !!attr->en_sqd_async_notify);
	if (mask & IB_QP_STATE)
		ret = move(qp, attr->qp_state);
	if (ret)
		return ret;
	if (mask & IB_QP_ACCESS_FLAGS)
		WRITE_ONCE(qp->attr.qp_access_flags, attr->qp_access_flags);
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		qp->attr.max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		qp->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
	return 0;
}

int siw_query_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init_attr)
{
	struct siw_qp *qp = to_siw_qp(base);

	*attr = qp->attr;
	attr->qp_state = READ_ONCE(qp->state);
	attr->cur_qp_state = attr->qp_state;
	attr->sq_draining = attr->qp_state == IB_QPS_SQD && !siw_stream_drained(qp);
	attr->path_mtu = ib_mtu_int_to_enum(READ_ONCE(qp->dev->netdev->mtu));
	attr->port_num = 1;

	*init_attr = (struct ib_qp_init_attr) {
		.event_handler = base->event_handler,
		.qp_context = base->qp_context,
		.send_cq = base->send_cq,
		.recv_cq = base->recv_cq,
		.srq = base->srq,
		.cap = qp->attr.cap,
		.sq_sig_type = qp->sq.signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	return 0;
}
