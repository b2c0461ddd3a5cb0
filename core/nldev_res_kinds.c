// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The description of an object, for each kind.
 */
#include "core/nldev_res.h"

#include <linux/sched.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/restrack_cm.h>
#include "core/counters.h"
#include "core/nldev_msg.h"
#include "verbs/cq.h"

/*
 * Puts the owner of the object: the name of a module, or the pid of a process. Returns -ENOENT, so
 * that the object is hidden from the reader, if the process has no pid in the reader's pid
 * namespace: the process is outside of the namespace, or has exited while another process holds the
 * object.
 */
static int put_owner(struct sk_buff *msg, const struct rdma_restrack_entry *res)
{
	pid_t pid;

	if (rdma_is_kernel_res(res))
		return nla_put_string(msg, RDMA_NLDEV_ATTR_RES_KERN_NAME, res->kern_name);
	pid = task_pid_vnr(res->task);
	return pid ? nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PID, pid) : -ENOENT;
}

static int put_qp(struct sk_buff *msg, struct rdma_restrack_entry *res,
		  const struct nldev_res_reader *reader)
{
	int wanted = IB_QP_STATE | IB_QP_PORT | IB_QP_SQ_PSN | IB_QP_RQ_PSN | IB_QP_DEST_QPN |
		     IB_QP_PATH_MIG_STATE;
	struct ib_qp *qp = container_of(res, struct ib_qp, res);
	bool connected = qp->qp_type == IB_QPT_RC || qp->qp_type == IB_QPT_UC;
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr attr = {};
	int err;

	err = ib_query_qp(qp, &attr, wanted, &init);
	if (err)
		return err;
	if (reader->port && attr.port_num != reader->port)
		return -ENOENT;
	err = put_owner(msg, res);
	if (err)
		return err;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, qp->qp_num) ||
	    (qp->pd && nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, qp->pd->res.id)) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, qp->qp_type) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, attr.qp_state) ||
	    /* SQ_PSN is put for iWARP, too: `rdma` rejects a list without SQ_PSN as malformed. */
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_SQ_PSN, attr.sq_psn))
		return -EMSGSIZE;
	if (attr.port_num && nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, attr.port_num))
		return -EMSGSIZE;
	/* An iWARP QP has no packet numbers, and does not know the number of the peer's QP. */
	if (connected &&
	    rdma_node_get_transport(qp->device->node_type) != RDMA_TRANSPORT_IWARP &&
	    (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RQPN, attr.dest_qp_num) ||
	     nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RQ_PSN, attr.rq_psn) ||
	     nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE, attr.path_mig_state)))
		return -EMSGSIZE;
	return qp->device->ops.fill_res_qp_entry ?
	       qp->device->ops.fill_res_qp_entry(msg, qp) : 0;
}

static int put_qp_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_res_reader *reader)
{
	struct ib_qp *qp = container_of(res, struct ib_qp, res);

	return qp->device->ops.fill_res_qp_entry_raw(msg, qp);
}

/* The numbers that `rdma` uses for poll contexts, which differ from enum ib_poll_context. */
static const u8 shown_poll_ctx[] = {
	[IB_POLL_DIRECT] = 0,
	[IB_POLL_SOFTIRQ] = 1,
	[IB_POLL_WORKQUEUE] = 2,
	[IB_POLL_UNBOUND_WORKQUEUE] = 3,
};

/* Puts the number of the context that created the object; nothing for an object of a ULP. */
static int put_context(struct sk_buff *msg, const struct ib_uobject *uobject)
{
	if (!uobject)
		return 0;
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CTXN, uobject->context->res.id);
}

static int put_cq(struct sk_buff *msg, struct rdma_restrack_entry *res,
		  const struct nldev_res_reader *reader)
{
	struct ib_cq *cq = container_of(res, struct ib_cq, res);
	int err;

	err = put_owner(msg, res);
	if (err)
		return err;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQN, res->id) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQE, cq->cqe) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_RES_USECNT, atomic_read(&cq->usecnt)) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM, !!cq->dim) ||
	    put_context(msg, cq->uobject))
		return -EMSGSIZE;
	/*
	 * Put no poll context for a CQ that the core does not poll: its poll_ctx is 0, which is the
	 * value of IB_POLL_SOFTIRQ.
	 */
	if (verbs_cq_polled_by_core(cq) &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_POLL_CTX, shown_poll_ctx[cq->poll_ctx]))
		return -EMSGSIZE;
	return cq->device->ops.fill_res_cq_entry ?
	       cq->device->ops.fill_res_cq_entry(msg, cq) : 0;
}

static int put_cq_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_res_reader *reader)
{
	struct ib_cq *cq = container_of(res, struct ib_cq, res);

	return cq->device->ops.fill_res_cq_entry_raw(msg, cq);
}

static int put_mr(struct sk_buff *msg, struct rdma_restrack_entry *res,
		  const struct nldev_res_reader *reader)
{
	struct ib_mr *mr = container_of(res, struct ib_mr, res);
	int err;

	err = put_owner(msg, res);
	if (err)
		return err;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_MRN, res->id) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, mr->pd->res.id) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_RES_MRLEN, mr->length))
		return -EMSGSIZE;
	/* Put the keys only for an administrator, because a key gives access to the memory. */
	if (reader->admin && (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RKEY, mr->rkey) ||
			      nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LKEY, mr->lkey)))
		return -EMSGSIZE;
	/* Addresses of the kernel are not disclosed. */
	if (reader->admin && !rdma_is_kernel_res(res) &&
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_RES_IOVA, mr->iova))
		return -EMSGSIZE;
	return mr->device->ops.fill_res_mr_entry ?
	       mr->device->ops.fill_res_mr_entry(msg, mr) : 0;
}

static int put_mr_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_res_reader *reader)
{
	struct ib_mr *mr = container_of(res, struct ib_mr, res);

	return mr->device->ops.fill_res_mr_entry_raw(msg, mr);
}

static int put_pd(struct sk_buff *msg, struct rdma_restrack_entry *res,
		  const struct nldev_res_reader *reader)
{
	struct ib_pd *pd = container_of(res, struct ib_pd, res);
	int err;

	err = put_owner(msg, res);
	if (err)
		return err;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, res->id) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_RES_USECNT, atomic_read(&pd->usecnt)) ||
	    put_context(msg, pd->uobject))
		return -EMSGSIZE;
	/* Put the keys only for an administrator, because a key gives access to memory. */
	if (!reader->admin)
		return 0;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY, pd->local_dma_lkey))
		return -EMSGSIZE;
	if (!(pd->flags & IB_PD_UNSAFE_GLOBAL_RKEY))
		return 0;
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_UNSAFE_GLOBAL_RKEY, pd->unsafe_global_rkey);
}

static int put_qp_range(struct sk_buff *msg, u32 min, u32 max)
{
	struct nlattr *entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	int err;

	if (!entry)
		return -EMSGSIZE;
	if (min == max)
		err = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, min);
	else
		err = nla_put_u32(msg, RDMA_NLDEV_ATTR_MIN_RANGE, min) ?:
		      nla_put_u32(msg, RDMA_NLDEV_ATTR_MAX_RANGE, max);
	if (err)
		nla_nest_cancel(msg, entry);
	else
		nla_nest_end(msg, entry);
	return err;
}

/*
 * Finds the first QP that uses @srq and whose number is *@from or more, and sets *@from to that
 * number. Returns false if there is no such QP.
 */
static bool next_srq_qp(const struct ib_srq *srq, u32 *from)
{
	struct rdma_restrack_entry *res;
	bool found = false;

	while (!found && (res = rdma_restrack_get_next(srq->device, RDMA_RESTRACK_QP, from))) {
		found = container_of(res, struct ib_qp, res)->srq == srq;
		rdma_restrack_put(res);
		if (!found)
			++*from;
	}
	return found;
}

static int put_srq(struct sk_buff *msg, struct rdma_restrack_entry *res,
		   const struct nldev_res_reader *reader)
{
	struct ib_srq *srq = container_of(res, struct ib_srq, res);
	u32 qpn = 0, min, max;
	struct nlattr *table;
	int err;

	err = put_owner(msg, res);
	if (err)
		return err;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_SRQN, res->id) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, srq->srq_type) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, srq->pd->res.id))
		return -EMSGSIZE;
	if (srq->srq_type == IB_SRQT_XRC &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQN, srq->ext.cq->res.id))
		return -EMSGSIZE;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);
	if (!table)
		return -EMSGSIZE;
	/* QPs with consecutive numbers form one range. */
	while (!err && next_srq_qp(srq, &qpn)) {
		min = qpn;
		do {
			max = qpn++;
		} while (next_srq_qp(srq, &qpn) && qpn == max + 1);
		err = put_qp_range(msg, min, max);
	}
	if (err && !reader->brief)
		return -EMSGSIZE;
	nla_nest_end(msg, table);
	return 0;
}

static int put_ctx(struct sk_buff *msg, struct rdma_restrack_entry *res,
		   const struct nldev_res_reader *reader)
{
	return put_owner(msg, res) ?: nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CTXN, res->id);
}

static int put_address(struct sk_buff *msg, int attr, const struct sockaddr_storage *addr)
{
	return addr->ss_family ? nla_put(msg, attr, sizeof(*addr), addr) : 0;
}

static int put_cm_id(struct sk_buff *msg, struct rdma_restrack_entry *res,
		     const struct nldev_res_reader *reader)
{
	struct rdma_cm_res *cm = container_of(res, struct rdma_cm_res, res);
	struct rdma_cm_res_info info = {};
	int err;

	cm->describe(cm, &info);
	if (reader->port && info.port != reader->port)
		return -ENOENT;
	err = put_owner(msg, res);
	if (err)
		return err;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CM_IDN, res->id))
		return -EMSGSIZE;
	if (info.port && nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, info.port))
		return -EMSGSIZE;
	if (info.qpn && (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, info.qpn) ||
			 nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, info.qp_type)))
		return -EMSGSIZE;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PS, info.ps) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, info.state) ||
	    put_address(msg, RDMA_NLDEV_ATTR_RES_SRC_ADDR, &info.local) ||
	    put_address(msg, RDMA_NLDEV_ATTR_RES_DST_ADDR, &info.remote))
		return -EMSGSIZE;
	if (!cm->id || !cm->device->ops.fill_res_cm_id_entry)
		return 0;
	return cm->device->ops.fill_res_cm_id_entry(msg, cm->id);
}

static int put_counter_values(struct sk_buff *msg, struct rdma_counter *counter)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	int err, i;

	if (!table)
		return -EMSGSIZE;
	err = ib_core_counter_read_lock(counter);
	if (err)
		return err;
	for (i = 0; i < counter->stats->num_counters && !err; i++)
		err = nldev_put_hw_counter(msg, counter->stats, i);
	mutex_unlock(&counter->lock);
	if (!err)
		nla_nest_end(msg, table);
	return err;
}

static int put_counter_qps(struct sk_buff *msg, const struct rdma_counter *counter, bool brief)
{
	struct rdma_restrack_entry *res;
	struct nlattr *table;
	struct ib_qp *qp;
	int err = 0;
	u32 id = 0;

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);
	if (!table)
		return -EMSGSIZE;
	while (!err && (res = rdma_restrack_get_next(counter->device, RDMA_RESTRACK_QP, &id))) {
		qp = container_of(res, struct ib_qp, res);
		if (READ_ONCE(qp->counter) == counter)
			err = put_qp_range(msg, qp->qp_num, qp->qp_num);
		rdma_restrack_put(res);
		id++;
	}
	if (err && !brief)
		return -EMSGSIZE;
	nla_nest_end(msg, table);
	return 0;
}

/* Puts the list of QPs last, because only this list may be cut where the message ends. */
static int put_counter(struct sk_buff *msg, struct rdma_restrack_entry *res,
		       const struct nldev_res_reader *reader)
{
	struct rdma_counter *counter = container_of(res, struct rdma_counter, res);
	bool automatic = counter->mode.mode == RDMA_COUNTER_MODE_AUTO;
	u32 mask = automatic ? counter->mode.mask : 0;
	int err = 0;

	if (reader->port && counter->port != reader->port)
		return -ENOENT;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, counter->port) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, counter->id) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_MODE, counter->mode.mode))
		return -EMSGSIZE;
	/* In automatic mode, put the properties that the counter's QPs share. */
	if (automatic && nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, mask))
		return -EMSGSIZE;
	if ((mask & RDMA_COUNTER_MASK_QP_TYPE) &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, counter->mode.param.qp_type))
		return -EMSGSIZE;
	if (mask & RDMA_COUNTER_MASK_PID)
		err = put_owner(msg, res);
	if (!err)
		err = put_counter_values(msg, counter);
	return err ?: put_counter_qps(msg, counter, reader->brief);
}

#define NEEDS(op)	offsetof(struct ib_device_ops, op)

const struct nldev_res_kind nldev_res_kinds[RDMA_NLDEV_NUM_OPS] = {
	[RDMA_NLDEV_CMD_RES_QP_GET] = {
		RDMA_RESTRACK_QP, RDMA_NLDEV_ATTR_RES_LQPN, RDMA_NLDEV_ATTR_RES_QP,
		RDMA_NLDEV_ATTR_RES_QP_ENTRY, 0, put_qp },
	[RDMA_NLDEV_CMD_RES_CQ_GET] = {
		RDMA_RESTRACK_CQ, RDMA_NLDEV_ATTR_RES_CQN, RDMA_NLDEV_ATTR_RES_CQ,
		RDMA_NLDEV_ATTR_RES_CQ_ENTRY, 0, put_cq },
	[RDMA_NLDEV_CMD_RES_MR_GET] = {
		RDMA_RESTRACK_MR, RDMA_NLDEV_ATTR_RES_MRN, RDMA_NLDEV_ATTR_RES_MR,
		RDMA_NLDEV_ATTR_RES_MR_ENTRY, 0, put_mr },
	[RDMA_NLDEV_CMD_RES_PD_GET] = {
		RDMA_RESTRACK_PD, RDMA_NLDEV_ATTR_RES_PDN, RDMA_NLDEV_ATTR_RES_PD,
		RDMA_NLDEV_ATTR_RES_PD_ENTRY, 0, put_pd },
	[RDMA_NLDEV_CMD_RES_SRQ_GET] = {
		RDMA_RESTRACK_SRQ, RDMA_NLDEV_ATTR_RES_SRQN, RDMA_NLDEV_ATTR_RES_SRQ,
		RDMA_NLDEV_ATTR_RES_SRQ_ENTRY, 0, put_srq },
	[RDMA_NLDEV_CMD_RES_CTX_GET] = {
		RDMA_RESTRACK_CTX, RDMA_NLDEV_ATTR_RES_CTXN, RDMA_NLDEV_ATTR_RES_CTX,
		RDMA_NLDEV_ATTR_RES_CTX_ENTRY, 0, put_ctx },
	[RDMA_NLDEV_CMD_RES_CM_ID_GET] = {
		RDMA_RESTRACK_CM_ID, RDMA_NLDEV_ATTR_RES_CM_IDN, RDMA_NLDEV_ATTR_RES_CM_ID,
		RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY, 0, put_cm_id },
	[RDMA_NLDEV_CMD_STAT_GET] = {
		RDMA_RESTRACK_COUNTER, RDMA_NLDEV_ATTR_STAT_COUNTER_ID,
		RDMA_NLDEV_ATTR_STAT_COUNTER, RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY, 0, put_counter },
	[RDMA_NLDEV_CMD_RES_QP_GET_RAW] = {
		RDMA_RESTRACK_QP, RDMA_NLDEV_ATTR_RES_LQPN, RDMA_NLDEV_ATTR_RES_QP,
		RDMA_NLDEV_ATTR_RES_QP_ENTRY, NEEDS(fill_res_qp_entry_raw), put_qp_raw },
	[RDMA_NLDEV_CMD_RES_CQ_GET_RAW] = {
		RDMA_RESTRACK_CQ, RDMA_NLDEV_ATTR_RES_CQN, RDMA_NLDEV_ATTR_RES_CQ,
		RDMA_NLDEV_ATTR_RES_CQ_ENTRY, NEEDS(fill_res_cq_entry_raw), put_cq_raw },
	[RDMA_NLDEV_CMD_RES_MR_GET_RAW] = {
		RDMA_RESTRACK_MR, RDMA_NLDEV_ATTR_RES_MRN, RDMA_NLDEV_ATTR_RES_MR,
		RDMA_NLDEV_ATTR_RES_MR_ENTRY, NEEDS(fill_res_mr_entry_raw), put_mr_raw },
};
