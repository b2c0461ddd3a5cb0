// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs: the verbs that create, modify, query and destroy them.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/qp.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/conn/cep.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/rq.h"
#include "drivers/siw/queue/sq.h"
#include "drivers/siw/queue/user.h"
#include "drivers/siw/stream/stream.h"
#include "soft/cq.h"
#include "soft/mw.h"
#include "soft/wqe.h"

/* QP numbers 0 and 1 are not used, because they are those of special QPs in InfiniBand. */
#define SIW_FIRST_QPN	2

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
	/*
	 * Drop the reference now, because the caller, iw_cm, takes its own with iw_add_ref(). Until
	 * then, the QP stays valid only because the consumer must not destroy it.
	 */
	siw_qp_put(qp);
	return &qp->soft.base;
}

/* Returns how many bytes of inline data fit into a posted entry of the send queue. */
static u32 qp_max_inline(const struct ib_udata *udata)
{
	if (udata)
		return SIW_MAX_INLINE;
	return SOFT_INLINE_MAX;
}

static void qp_init_attr(struct siw_qp *qp, const struct ib_qp_init_attr *init,
			 const struct ib_udata *udata)
{
	struct ib_qp_cap *cap = &qp->attr.cap;

	*cap = init->cap;
	cap->max_inline_data = qp_max_inline(udata);
	if (udata) {
		/* Round up, because only the size of the rings limits how much a process posts. */
		cap->max_send_wr = soft_ring_size(cap->max_send_wr);
		cap->max_recv_wr = soft_ring_size(cap->max_recv_wr);
	}
	if (init->srq) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
	}
	qp->attr.max_rd_atomic = SIW_MAX_ORD;
	qp->attr.max_dest_rd_atomic = SIW_MAX_IRD;
}

/* Creates queues of the sizes in qp->attr.cap. After a failure, the caller destroys the queues. */
static int qp_create_queues(struct siw_qp *qp, bool signal_all, struct ib_udata *udata)
{
	const struct ib_qp_cap *cap = &qp->attr.cap;
	int ret;

	ret = soft_sq_init(&qp->soft.sq, cap, signal_all, udata);
	if (!ret)
		ret = soft_rq_init(&qp->soft.rq, cap, udata);
	if (!ret && udata)
		ret = siw_user_qp_create(qp, udata);
	return ret;
}

static void qp_destroy_queues(struct siw_qp *qp)
{
	siw_user_qp_destroy(qp);
	soft_sq_exit(&qp->soft.sq);
	soft_rq_exit(&qp->soft.rq);
}

int siw_create_qp(struct ib_qp *base, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct siw_device *dev = to_siw_dev(base->device);
	struct siw_qp *qp = to_siw_qp(base);
	int ret;

	/* uverbs refuses INTEGRITY_EN from processes. */
	if (attr->qp_type != IB_QPT_RC || attr->create_flags & ~IB_QP_CREATE_INTEGRITY_EN)
		return -EOPNOTSUPP;
	/* The core has checked the other limits, which siw announces. */
	if (!attr->send_cq || !attr->recv_cq || attr->cap.max_inline_data > qp_max_inline(udata))
		return -EINVAL;
	if (atomic_inc_return(&dev->num_qp) > base->device->attrs.max_qp) {
		ret = -ENOMEM;
		goto uncount;
	}
	qp->dev = dev;
	INIT_LIST_HEAD(&qp->soft.windows);
	if (udata)
		qp->memcg = get_mem_cgroup_from_mm(current->mm);
	siw_qp_state_init(qp);
	qp_init_attr(qp, attr, udata);
	ret = qp_create_queues(qp, attr->sq_sig_type == IB_SIGNAL_ALL_WR, udata);
	if (ret)
		goto destroy_queues;
	ret = siw_stream_init(qp, soft_gfp(base->uobject));
	if (ret)
		goto destroy_queues;
	/* The number is allocated last, because connections can find the QP after that. */
	ret = xa_alloc_cyclic_bh(&dev->qps, &base->qp_num, qp, XA_LIMIT(SIW_FIRST_QPN, IB_QPN_MASK),
				 &dev->next_qpn, GFP_KERNEL);
	if (ret < 0)
		goto exit_stream;
	attr->cap = qp->attr.cap;
	if (!udata)
		return 0;
	ret = siw_user_qp_respond(qp, udata);
	if (ret)
		siw_destroy_qp(base, udata);
	return ret;

exit_stream:
	/* The consumer must get no event of a QP that was not created. */
	WRITE_ONCE(qp->destroying, true);
	siw_stream_exit(qp);
destroy_queues:
	siw_qp_state_exit(qp);
	qp_destroy_queues(qp);
	mem_cgroup_put(qp->memcg);
uncount:
	atomic_dec(&dev->num_qp);
	return ret;
}

/*
 * Removes the QP from the table. Its number stays reserved until the next QP is removed, so that
 * the table keeps the nodes that the next QPs need.
 */
static void qp_remove(struct siw_device *dev, u32 qpn)
{
	xa_lock_bh(&dev->qps);
	/*
	 * Storing NULL reserves the number, because the xarray has XA_FLAGS_ALLOC. Storing cannot
	 * fail, because the number has an entry.
	 */
	__xa_store(&dev->qps, qpn, NULL, GFP_ATOMIC);
	if (dev->reserved_qpn)
		__xa_erase(&dev->qps, dev->reserved_qpn);
	dev->reserved_qpn = qpn;
	xa_unlock_bh(&dev->qps);
}

int siw_destroy_qp(struct ib_qp *base, struct ib_udata *udata)
{
	struct siw_qp *qp = to_siw_qp(base);
	struct siw_cep *cep;

	might_sleep();

	/* The consumer needs no event about the end of a QP that it destroys. */
	WRITE_ONCE(qp->destroying, true);
	/* Remove the QP from the table first, so that no new connection finds it; then unbind. */
	qp_remove(qp->dev, base->qp_num);
	cep = siw_qp_unbind(qp, NULL);
	siw_stream_stop(qp->stream);
	if (cep) {
		siw_cep_qp_destroyed(cep, qp);
		siw_cep_put(cep);
	}
	siw_qp_put(qp);
	wait_for_completion(&qp->freed);

	soft_mw_unbind_all(&qp->dev->soft, &qp->soft.windows);
	siw_stream_exit(qp);
	siw_qp_state_exit(qp);
	soft_cq_clean_qp(to_soft_cq(base->send_cq), base, qp->soft.sq.cq_end);
	soft_cq_clean_qp(to_soft_cq(base->recv_cq), base, qp->soft.rq.cq_end);
	qp_destroy_queues(qp);
	mem_cgroup_put(qp->memcg);
	atomic_dec(&qp->dev->num_qp);
	return 0;
}

/* Returns the connection that the QP is bound to, with a reference; NULL if there is none. */
static struct siw_cep *qp_get_cep(struct siw_qp *qp)
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

/* Closes the connection gracefully: the posted requests are still sent, within SIW_CLOSE_MS. */
static int qp_close(struct siw_qp *qp)
{
	struct siw_cep *cep;
	int ret;

	ret = siw_qp_drain(qp);
	if (ret)
		return ret;
	cep = qp_get_cep(qp);
	if (cep) {
		siw_cep_closing(cep);
		siw_cep_put(cep);
	}
	siw_stream_close(qp->stream);
	return 0;
}

static void qp_abort(struct siw_qp *qp)
{
	struct siw_cep *cep = qp_get_cep(qp);

	siw_stream_abort(qp->stream);
	if (cep) {
		siw_cep_abort(cep);
		siw_cep_put(cep);
	}
	/* If the QP was in ERR already, flush what a process has posted since then. */
	if (READ_ONCE(qp->soft.state) == IB_QPS_ERR)
		siw_qp_flush(qp);
}

/*
 * Puts a QP back into the state of a new one. Fails if the QP has a connection, whose stream would
 * use the queues. Completions in the ring of a process stay. Returns 0 or an errno.
 */
static int qp_reset(struct siw_qp *qp)
{
	const struct ib_qp *base = &qp->soft.base;
	int ret;

	ret = siw_qp_begin_reset(qp);
	if (ret)
		return ret;
	soft_mw_unbind_all(&qp->dev->soft, &qp->soft.windows);
	siw_sq_reset(qp);
	siw_rq_reset(qp);
	soft_cq_clean_qp(to_soft_cq(base->send_cq), base, qp->soft.sq.cq_end);
	soft_cq_clean_qp(to_soft_cq(base->recv_cq), base, qp->soft.rq.cq_end);
	WRITE_ONCE(qp->attr.en_sqd_async_notify, 0);
	WRITE_ONCE(qp->attr.qp_access_flags, 0);
	qp->attr.max_rd_atomic = SIW_MAX_ORD;
	qp->attr.max_dest_rd_atomic = SIW_MAX_IRD;
	siw_qp_end_reset(qp);
	return 0;
}

static int qp_modify_state(struct siw_qp *qp, enum ib_qp_state to)
{
	lockdep_assert_held(&qp->modify);
	switch (to) {
	case IB_QPS_RESET:
		return qp_reset(qp);
	case IB_QPS_INIT:
	case IB_QPS_RTR:
		return siw_qp_modify_unconnected(qp, to);
	case IB_QPS_RTS:
		/* Only a connection makes a QP ready to send. */
		return READ_ONCE(qp->soft.state) == IB_QPS_RTS ? 0 : -EINVAL;
	case IB_QPS_SQD:
		return qp_close(qp);
	case IB_QPS_ERR:
		qp_abort(qp);
		return 0;
	default:
		return -EINVAL;
	}
}

#define SIW_MODIFIABLE								\
	(IB_QP_STATE | IB_QP_CUR_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY | IB_QP_ACCESS_FLAGS |	\
	 IB_QP_MAX_QP_RD_ATOMIC | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_PORT | IB_QP_PKEY_INDEX)

int siw_modify_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct siw_qp *qp = to_siw_qp(base);
	int ret = 0;

	might_sleep();
	if (mask & ~SIW_MODIFIABLE)
		return -EOPNOTSUPP;
	if (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~IB_ACCESS_SUPPORTED)
		return -EINVAL;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > SIW_MAX_ORD)
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > SIW_MAX_IRD)
		return -EINVAL;

	mutex_lock(&qp->modify);
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != READ_ONCE(qp->soft.state)) {
		ret = -EINVAL;
		goto unlock;
	}
	/* Set the flag before the QP moves to SQD: the move begins draining, which reads it. */
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		WRITE_ONCE(qp->attr.en_sqd_async_notify, !!attr->en_sqd_async_notify);
	if (mask & IB_QP_STATE)
		ret = qp_modify_state(qp, attr->qp_state);
	if (ret)
		goto unlock;
	if (mask & IB_QP_ACCESS_FLAGS)
		WRITE_ONCE(qp->attr.qp_access_flags, attr->qp_access_flags);
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		qp->attr.max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		qp->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
unlock:
	mutex_unlock(&qp->modify);
	return ret;
}

int siw_query_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init_attr)
{
	struct siw_qp *qp = to_siw_qp(base);

	*attr = qp->attr;
	attr->qp_state = READ_ONCE(qp->soft.state);
	attr->cur_qp_state = attr->qp_state;
	attr->sq_draining = attr->qp_state == IB_QPS_SQD && !siw_stream_drained(qp->stream);
	attr->path_mtu = ib_mtu_int_to_enum(READ_ONCE(qp->dev->netdev->mtu));
	attr->port_num = 1;

	*init_attr = (struct ib_qp_init_attr) {
		.event_handler = base->event_handler,
		.qp_context = base->qp_context,
		.send_cq = base->send_cq,
		.recv_cq = base->recv_cq,
		.srq = base->srq,
		.cap = qp->attr.cap,
		.sq_sig_type = qp->soft.sq.signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	return 0;
}
