// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: completion queues and queue pairs.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kscript/kscript.h"

/* Called when a CQ with poll=direct that the command "arm" has armed gets a completion. */
static void completion_event(struct ib_cq *ibcq, void *context)
{
	struct ks_cq *cq = context;

	ks_report(cq->obj.s, "comp %s", cq->obj.name);
}

static int destroy_cq(struct ks_obj *obj)
{
	struct ks_cq *cq = to_ks_cq(obj);

	if (atomic_read(&cq->users))
		return -EBUSY;
	ib_free_cq(cq->cq);
	return 0;
}

static struct ks_cq *new_cq(struct ks_session *s, const char *name, int cqe,
			    enum ib_poll_context poll)
{
	struct ks_cq *cq = ks_obj_new(sizeof(*cq), s, KS_CQ, destroy_cq, name);
	int ret;

	if (IS_ERR(cq))
		return cq;
	cq->direct = poll == IB_POLL_DIRECT;
	cq->cq = ib_alloc_cq_any(s->base.dev, cq, cqe, poll);
	if (IS_ERR(cq->cq)) {
		ret = PTR_ERR(cq->cq);
		kfree(cq);
		return ERR_PTR(ret);
	}
	/* No completion can come before the handlers are set, because no QP uses the CQ yet. */
	cq->cq->event_handler = ks_event_report;
	if (cq->direct)
		cq->cq->comp_handler = completion_event;
	return cq;
}

int ks_cmd_cq(struct ks_session *s, struct ks_args *args)
{
	static const char *const contexts[] = {
		[IB_POLL_DIRECT] = "direct", [IB_POLL_SOFTIRQ] = "softirq",
		[IB_POLL_WORKQUEUE] = "work", [IB_POLL_UNBOUND_WORKQUEUE] = "unbound",
	};
	int cqe = ks_needs_number(args, "cqe");
	int poll = match_string(contexts, ARRAY_SIZE(contexts), ks_arg(args, "poll") ?: "work");
	struct ks_cq *cq;
	int ret;

	if (ks_args_end(args) || poll < 0)
		return -EINVAL;
	cq = new_cq(s, args->name, cqe, poll);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ret = ks_obj_add(&cq->obj);
	if (ret) {
		ib_free_cq(cq->cq);
		kfree(cq);
		return ret;
	}
	ks_obj_put(&cq->obj);
	return 0;
}

/*
 * Returns the CQ that the command names, which the caller releases by ks_obj_put(), or ERR_PTR. A
 * CQ without poll=direct is refused with -EINVAL.
 */
static struct ks_obj *direct_cq(struct ks_session *s, struct ks_args *args)
{
	struct ks_obj *obj;

	if (ks_args_end(args))
		return ERR_PTR(-EINVAL);
	obj = ks_obj_get(s, KS_CQ, args->name);
	if (IS_ERR(obj) || to_ks_cq(obj)->direct)
		return obj;
	ks_obj_put(obj);
	return ERR_PTR(-EINVAL);
}

int ks_cmd_poll(struct ks_session *s, struct ks_args *args)
{
	int n = ks_number(args, "n", -1);
	struct ks_obj *obj = direct_cq(s, args);

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	n = ib_process_cq_direct(to_ks_cq(obj)->cq, n);
	ks_report(s, "polled %s n=%d", obj->name, n);
	ks_obj_put(obj);
	return 0;
}

int ks_cmd_arm(struct ks_session *s, struct ks_args *args)
{
	enum ib_cq_notify_flags flags = ks_flag(args, "sol") ? IB_CQ_SOLICITED : IB_CQ_NEXT_COMP;
	struct ks_obj *obj = direct_cq(s, args);
	int ret;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = ib_req_notify_cq(to_ks_cq(obj)->cq, flags);
	ks_obj_put(obj);
	return ret;
}

/* Arguments of the command "qp". */
struct qp_attr {
	struct ib_qp_init_attr init;
	struct ib_pd *pd;
	const char *cq;
	const char *srq;
	int state;
};

static int parse_qp_attr(struct ks_session *s, struct ks_args *args, struct qp_attr *attr)
{
	const char *sig = ks_arg(args, "sig"), *state = ks_arg(args, "state");
	struct ib_qp_cap *cap = &attr->init.cap;

	attr->init.qp_type = IB_QPT_RC;
	attr->init.sq_sig_type = sig ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	attr->init.event_handler = ks_event_report;
	cap->max_send_wr = ks_number(args, "sq", 16);
	cap->max_recv_wr = ks_number(args, "rq", 16);
	cap->max_send_sge = ks_number(args, "sge", 6);
	cap->max_recv_sge = cap->max_send_sge;
	cap->max_inline_data = ks_number(args, "inline", 64);
	attr->pd = ks_pd(s, args);
	attr->cq = ks_arg(args, "cq");
	attr->srq = ks_arg(args, "srq");
	attr->state = state ? ks_state_of(state) : IB_QPS_INIT;
	if (ks_args_end(args) || IS_ERR(attr->pd) || (sig && strcmp(sig, "all")) ||
	    (attr->state != IB_QPS_INIT && attr->state != IB_QPS_RESET))
		return -EINVAL;
	return 0;
}

/*
 * Gives the QP the CQ that cq= names, and counts the QP as a user of that CQ. Without cq=, creates
 * a CQ that is private to the QP.
 */
static int get_cq(struct ks_qp *qp, const struct qp_attr *attr)
{
	const struct ib_qp_cap *cap = &attr->init.cap;
	struct ks_session *s = qp->obj.s;
	struct ks_obj *obj;

	/* With an SRQ, rq= only adds entries to the private CQ. */
	if (!attr->cq) {
		qp->own = true;
		qp->cq = new_cq(s, qp->obj.name, cap->max_send_wr + cap->max_recv_wr + 2,
				IB_POLL_WORKQUEUE);
		return PTR_ERR_OR_ZERO(qp->cq);
	}
	obj = ks_obj_get(s, KS_CQ, attr->cq);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	qp->cq = to_ks_cq(obj);
	atomic_inc(&qp->cq->users);
	ks_obj_put(obj);
	return 0;
}

static void put_cq(struct ks_qp *qp)
{
	if (!qp->own) {
		atomic_dec(&qp->cq->users);
		return;
	}
	ib_free_cq(qp->cq->cq);
	kfree(qp->cq);
}

static int to_init(struct ks_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				   IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC,
	};

	return ib_modify_qp(qp->qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS);
}

/*
 * Holds the SRQ only until the QP is created: from then on, the core refuses to destroy the SRQ,
 * because the QP uses it.
 */
static int make_qp(struct ks_qp *qp, struct qp_attr *attr)
{
	struct ks_obj *srq = NULL;
	int ret;

	if (attr->srq) {
		srq = ks_obj_get(qp->obj.s, KS_SRQ, attr->srq);
		if (IS_ERR(srq))
			return PTR_ERR(srq);
		attr->init.srq = to_ks_srq(srq)->srq;
	}
	attr->init.qp_context = qp;
	attr->init.send_cq = qp->cq->cq;
	attr->init.recv_cq = qp->cq->cq;
	qp->qp = ib_create_qp(attr->pd, &attr->init);
	if (srq)
		ks_obj_put(srq);
	if (IS_ERR(qp->qp))
		return PTR_ERR(qp->qp);
	ret = attr->state == IB_QPS_INIT ? to_init(qp) : 0;
	if (!ret)
		ret = ks_obj_add(&qp->obj);
	if (ret)
		ib_destroy_qp(qp->qp);
	return ret;
}

static int destroy_qp(struct ks_obj *obj)
{
	struct ks_qp *qp = to_ks_qp(obj);
	int ret;

	/*
	 * A request with `repeat` is posted again when it completes, so all requests are drained
	 * before the QP is destroyed.
	 */
	if (qp->repeats)
		ib_drain_qp(qp->qp);
	ret = ib_destroy_qp(qp->qp);
	if (!ret)
		put_cq(qp);
	return ret;
}

static int report_qp(struct ks_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = {};
	int ret = ib_query_qp(qp->qp, &attr, IB_QP_STATE, &init);

	if (!ret)
		ks_report(qp->obj.s,
			  "qp %s qpn=%u ird=%u ord=%u access=0x%x draining=%u sq=%u rq=%u state=%s",
			  qp->obj.name, qp->qp->qp_num, attr.max_dest_rd_atomic,
			  attr.max_rd_atomic, attr.qp_access_flags, attr.sq_draining,
			  init.cap.max_send_wr, init.cap.max_recv_wr,
			  ks_name(KS_STATES, attr.qp_state));
	return ret;
}

int ks_cmd_qp(struct ks_session *s, struct ks_args *args)
{
	struct qp_attr attr = {};
	struct ks_qp *qp;
	int ret;

	ret = parse_qp_attr(s, args, &attr);
	if (ret)
		return ret;
	qp = ks_obj_new(sizeof(*qp), s, KS_QP, destroy_qp, args->name);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = get_cq(qp, &attr);
	if (ret)
		goto free_qp;
	ret = make_qp(qp, &attr);
	if (ret)
		goto put_cq;
	ret = report_qp(qp);
	ks_obj_put(&qp->obj);
	return ret;

put_cq:
	put_cq(qp);
free_qp:
	kfree(qp);
	return ret;
}

static int modify_qp(struct ks_obj *obj, struct ks_args *args)
{
	const char *to = ks_arg(args, "state");
	int state = to ? ks_state_of(to) : 0;
	struct ib_qp_attr attr = { .qp_state = state };
	int mask = 0;

	if (to)
		mask |= IB_QP_STATE;
	if (ks_arg(args, "access"))
		mask |= IB_QP_ACCESS_FLAGS;
	if (ks_arg(args, "notify"))
		mask |= IB_QP_EN_SQD_ASYNC_NOTIFY;
	attr.qp_access_flags = ks_access(args, "access");
	attr.en_sqd_async_notify = ks_number(args, "notify", 0);
	if (ks_args_end(args) || state < 0 || !mask)
		return -EINVAL;
	if (mask == IB_QP_STATE && state == IB_QPS_INIT)
		return to_init(to_ks_qp(obj));
	return ib_modify_qp(to_ks_qp(obj)->qp, &attr, mask);
}

/* Returns the QP, SRQ or CQ @name, which the caller releases by ks_obj_put(), or ERR_PTR. */
static struct ks_obj *get_queue(struct ks_session *s, const char *name)
{
	struct ks_obj *obj = ks_obj_get(s, KS_QP, name);

	if (PTR_ERR(obj) == -EMEDIUMTYPE)
		obj = ks_obj_get(s, KS_SRQ, name);
	return PTR_ERR(obj) == -EMEDIUMTYPE ? ks_obj_get(s, KS_CQ, name) : obj;
}

int ks_cmd_modify(struct ks_session *s, struct ks_args *args)
{
	struct ks_obj *obj = get_queue(s, args->name);
	int ret, cqe;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	if (obj->kind == KS_QP) {
		ret = modify_qp(obj, args);
	} else if (obj->kind == KS_SRQ) {
		ret = ks_srq_modify(obj, args);
	} else {
		cqe = ks_needs_number(args, "cqe");
		ret = ks_args_end(args) ?: ib_resize_cq(to_ks_cq(obj)->cq, cqe);
	}
	ks_obj_put(obj);
	return ret;
}

int ks_cmd_query(struct ks_session *s, struct ks_args *args)
{
	struct ks_obj *obj;
	int ret;

	if (ks_args_end(args))
		return -EINVAL;
	obj = get_queue(s, args->name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	if (obj->kind == KS_QP) {
		ret = report_qp(to_ks_qp(obj));
	} else if (obj->kind == KS_SRQ) {
		ret = ks_srq_query(obj);
	} else {
		ks_report(s, "cq %s cqe=%d", obj->name, to_ks_cq(obj)->cq->cqe);
		ret = 0;
	}
	ks_obj_put(obj);
	return ret;
}

int ks_cmd_drain(struct ks_session *s, struct ks_args *args)
{
	struct ks_obj *obj;

	if (ks_args_end(args))
		return -EINVAL;
	obj = ks_obj_get(s, KS_QP, args->name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ib_drain_qp(to_ks_qp(obj)->qp);
	ks_obj_put(obj);
	return 0;
}
