// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kpuppet: completion queues and queue pairs.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kpuppet/kpuppet.h"

static struct kp_cq *to_cq(struct kp_obj *obj)
{
	return container_of(obj, struct kp_cq, obj);
}

static struct kp_qp *to_qp(struct kp_obj *obj)
{
	return container_of(obj, struct kp_qp, obj);
}

static void cq_event(struct ib_event *event, void *context)
{
	struct kp_cq *cq = context;

	kp_report(cq->obj.s, "async %s %s", kp_event_name(event->event), cq->obj.name);
}

/* Of one that we poll ourselves: what was asked for by "arm". */
static void completion_event(struct ib_cq *ibcq, void *context)
{
	struct kp_cq *cq = context;

	kp_report(cq->obj.s, "comp %s", cq->obj.name);
}

static struct kp_cq *new_cq(struct kp_session *s, const char *name, int cqe,
			    enum ib_poll_context poll)
{
	struct kp_cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	int ret;

	if (!cq)
		return ERR_PTR(-ENOMEM);
	ret = kp_obj_init(&cq->obj, s, KP_CQ, name);
	if (ret)
		goto free_cq;
	cq->direct = poll == IB_POLL_DIRECT;
	cq->cq = ib_alloc_cq_any(s->dev, cq, cqe, poll);
	if (IS_ERR(cq->cq)) {
		ret = PTR_ERR(cq->cq);
		goto free_cq;
	}
	/* Nothing completes into it yet. */
	cq->cq->event_handler = cq_event;
	if (cq->direct)
		cq->cq->comp_handler = completion_event;
	return cq;

free_cq:
	kfree(cq);
	return ERR_PTR(ret);
}

void kp_cq_free(struct kp_obj *obj)
{
	kfree(to_cq(obj));
}

int kp_cq_destroy(struct kp_obj *obj)
{
	struct kp_cq *cq = to_cq(obj);

	if (atomic_read(&cq->users))
		return -EBUSY;
	ib_free_cq(cq->cq);
	return 0;
}

static int poll_context(const char *text)
{
	if (!text || !strcmp(text, "work"))
		return IB_POLL_WORKQUEUE;
	if (!strcmp(text, "unbound"))
		return IB_POLL_UNBOUND_WORKQUEUE;
	if (!strcmp(text, "softirq"))
		return IB_POLL_SOFTIRQ;
	return strcmp(text, "direct") ? -EINVAL : IB_POLL_DIRECT;
}

int kp_cmd_cq(struct kp_session *s, struct kp_args *args)
{
	int cqe = kp_needs_number(args, "cqe");
	int poll = poll_context(kp_arg(args, "poll"));
	struct kp_cq *cq;
	int ret;

	if (kp_args_end(args) || poll < 0)
		return -EINVAL;
	cq = new_cq(s, args->name, cqe, poll);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ret = kp_obj_add(&cq->obj);
	if (ret) {
		ib_free_cq(cq->cq);
		kfree(cq);
		return ret;
	}
	kp_obj_put(&cq->obj);
	return 0;
}

/* The CQ that a command is about, one that nobody polls unasked. Used until kp_obj_put(). */
static struct kp_obj *direct_cq(struct kp_session *s, struct kp_args *args)
{
	struct kp_obj *obj;

	if (kp_args_end(args))
		return ERR_PTR(-EINVAL);
	obj = kp_obj_get(s, KP_CQ, args->name);
	if (IS_ERR(obj) || to_cq(obj)->direct)
		return obj;
	kp_obj_put(obj);
	return ERR_PTR(-EINVAL);
}

int kp_cmd_poll(struct kp_session *s, struct kp_args *args)
{
	int n = kp_number(args, "n", -1);
	struct kp_obj *obj = direct_cq(s, args);

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	n = ib_process_cq_direct(to_cq(obj)->cq, n);
	kp_report(s, "polled %s n=%d", obj->name, n);
	kp_obj_put(obj);
	return 0;
}

int kp_cmd_arm(struct kp_session *s, struct kp_args *args)
{
	enum ib_cq_notify_flags flags = kp_flag(args, "sol") ? IB_CQ_SOLICITED : IB_CQ_NEXT_COMP;
	struct kp_obj *obj = direct_cq(s, args);
	int ret;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = ib_req_notify_cq(to_cq(obj)->cq, flags);
	kp_obj_put(obj);
	return ret;
}

static void qp_event(struct ib_event *event, void *context)
{
	struct kp_qp *qp = context;

	kp_report(qp->obj.s, "async %s %s", kp_event_name(event->event), qp->obj.name);
}

/* What "qp" asks for. */
struct wish {
	struct ib_qp_init_attr init;
	struct ib_pd *pd;
	const char *cq;
	const char *srq;
	int state;
};

static int parse_wish(struct kp_session *s, struct kp_args *args, struct wish *wish)
{
	const char *sig = kp_arg(args, "sig"), *state = kp_arg(args, "state");
	struct ib_qp_cap *cap = &wish->init.cap;

	wish->init.qp_type = IB_QPT_RC;
	wish->init.sq_sig_type = sig ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	wish->init.event_handler = qp_event;
	cap->max_send_wr = kp_number(args, "sq", 16);
	cap->max_recv_wr = kp_number(args, "rq", 16);
	cap->max_send_sge = kp_number(args, "sge", 6);
	cap->max_recv_sge = cap->max_send_sge;
	cap->max_inline_data = kp_number(args, "inline", 64);
	wish->pd = kp_pd(s, args);
	wish->cq = kp_arg(args, "cq");
	wish->srq = kp_arg(args, "srq");
	wish->state = state ? kp_state_of(state) : IB_QPS_INIT;
	if (kp_args_end(args) || IS_ERR(wish->pd) || (sig && strcmp(sig, "all")) ||
	    (wish->state != IB_QPS_INIT && wish->state != IB_QPS_RESET))
		return -EINVAL;
	return 0;
}

/* One that has a name and is counted, or one of the QP's own. */
static int get_cq(struct kp_qp *qp, const struct wish *wish)
{
	const struct ib_qp_cap *cap = &wish->init.cap;
	struct kp_session *s = qp->obj.s;
	struct kp_obj *obj;

	/* With an SRQ, rq= is what the CQ has room for. */
	if (!wish->cq) {
		qp->own = true;
		qp->cq = new_cq(s, qp->obj.name, cap->max_send_wr + cap->max_recv_wr + 2,
				IB_POLL_WORKQUEUE);
		return PTR_ERR_OR_ZERO(qp->cq);
	}
	obj = kp_obj_get(s, KP_CQ, wish->cq);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	qp->cq = to_cq(obj);
	atomic_inc(&qp->cq->users);
	kp_obj_put(obj);
	return 0;
}

static void put_cq(struct kp_qp *qp)
{
	if (!qp->own) {
		atomic_dec(&qp->cq->users);
		return;
	}
	ib_free_cq(qp->cq->cq);
	kfree(qp->cq);
}

static int to_init(struct kp_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				   IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC,
	};

	return ib_modify_qp(qp->qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS);
}

/* The core keeps an SRQ in being while a QP uses it. */
static int create_qp(struct kp_qp *qp, struct wish *wish)
{
	struct kp_obj *srq = NULL;

	if (wish->srq) {
		srq = kp_obj_get(qp->obj.s, KP_SRQ, wish->srq);
		if (IS_ERR(srq))
			return PTR_ERR(srq);
		wish->init.srq = container_of(srq, struct kp_srq, obj)->srq;
	}
	qp->qp = ib_create_qp(wish->pd, &wish->init);
	if (srq)
		kp_obj_put(srq);
	return PTR_ERR_OR_ZERO(qp->qp);
}

static int make_qp(struct kp_qp *qp, struct wish *wish)
{
	int ret;

	wish->init.qp_context = qp;
	wish->init.send_cq = qp->cq->cq;
	wish->init.recv_cq = qp->cq->cq;
	ret = create_qp(qp, wish);
	if (ret)
		return ret;
	ret = wish->state == IB_QPS_INIT ? to_init(qp) : 0;
	if (!ret)
		ret = kp_obj_add(&qp->obj);
	if (ret)
		ib_destroy_qp(qp->qp);
	return ret;
}

void kp_qp_free(struct kp_obj *obj)
{
	kfree(to_qp(obj));
}

int kp_qp_destroy(struct kp_obj *obj)
{
	struct kp_qp *qp = to_qp(obj);
	int ret;

	/* Nothing may be posted any more when it goes. */
	if (qp->repeats)
		ib_drain_qp(qp->qp);
	ret = ib_destroy_qp(qp->qp);
	if (!ret)
		put_cq(qp);
	return ret;
}

static int report_qp(struct kp_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = {};
	int ret = ib_query_qp(qp->qp, &attr, IB_QP_STATE, &init);

	if (!ret)
		kp_report(qp->obj.s,
			  "qp %s qpn=%u ird=%u ord=%u access=0x%x draining=%u sq=%u rq=%u state=%s",
			  qp->obj.name, qp->qp->qp_num, attr.max_dest_rd_atomic,
			  attr.max_rd_atomic, attr.qp_access_flags, attr.sq_draining,
			  init.cap.max_send_wr, init.cap.max_recv_wr,
			  kp_state_name(attr.qp_state));
	return ret;
}

int kp_cmd_qp(struct kp_session *s, struct kp_args *args)
{
	struct wish wish = {};
	struct kp_qp *qp;
	int ret;

	ret = parse_wish(s, args, &wish);
	if (ret)
		return ret;
	qp = kzalloc(sizeof(*qp), GFP_KERNEL);
	if (!qp)
		return -ENOMEM;
	ret = kp_obj_init(&qp->obj, s, KP_QP, args->name);
	if (ret)
		goto free_qp;
	ret = get_cq(qp, &wish);
	if (ret)
		goto free_qp;
	ret = make_qp(qp, &wish);
	if (ret)
		goto put_cq;
	ret = report_qp(qp);
	kp_obj_put(&qp->obj);
	return ret;

put_cq:
	put_cq(qp);
free_qp:
	kfree(qp);
	return ret;
}

static int modify_qp(struct kp_obj *obj, struct kp_args *args)
{
	const char *to = kp_arg(args, "state");
	int state = to ? kp_state_of(to) : 0;
	struct ib_qp_attr attr = { .qp_state = state };
	int mask = 0;

	if (to)
		mask |= IB_QP_STATE;
	if (kp_arg(args, "access"))
		mask |= IB_QP_ACCESS_FLAGS;
	if (kp_arg(args, "notify"))
		mask |= IB_QP_EN_SQD_ASYNC_NOTIFY;
	attr.qp_access_flags = kp_access(args, "access");
	attr.en_sqd_async_notify = kp_number(args, "notify", 0);
	if (kp_args_end(args) || state < 0 || !mask)
		return -EINVAL;
	if (mask == IB_QP_STATE && state == IB_QPS_INIT)
		return to_init(to_qp(obj));
	return ib_modify_qp(to_qp(obj)->qp, &attr, mask);
}

static int modify_cq(struct kp_obj *obj, struct kp_args *args)
{
	int cqe = kp_needs_number(args, "cqe");

	return kp_args_end(args) ?: ib_resize_cq(to_cq(obj)->cq, cqe);
}

/* A queue of any kind that can be modified and queried. */
static struct kp_obj *get_queue(struct kp_session *s, const char *name)
{
	struct kp_obj *obj = kp_obj_get(s, KP_QP, name);

	if (PTR_ERR(obj) == -EMEDIUMTYPE)
		obj = kp_obj_get(s, KP_SRQ, name);
	return PTR_ERR(obj) == -EMEDIUMTYPE ? kp_obj_get(s, KP_CQ, name) : obj;
}

static int report_cq(struct kp_cq *cq)
{
	kp_report(cq->obj.s, "cq %s cqe=%d", cq->obj.name, cq->cq->cqe);
	return 0;
}

int kp_cmd_modify(struct kp_session *s, struct kp_args *args)
{
	struct kp_obj *obj = get_queue(s, args->name);
	int ret;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = obj->kind == KP_QP ? modify_qp(obj, args) :
	      obj->kind == KP_CQ ? modify_cq(obj, args) : kp_srq_modify(obj, args);
	kp_obj_put(obj);
	return ret;
}

int kp_cmd_query(struct kp_session *s, struct kp_args *args)
{
	struct kp_obj *obj;
	int ret;

	if (kp_args_end(args))
		return -EINVAL;
	obj = get_queue(s, args->name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = obj->kind == KP_QP ? report_qp(to_qp(obj)) :
	      obj->kind == KP_CQ ? report_cq(to_cq(obj)) : kp_srq_query(obj);
	kp_obj_put(obj);
	return ret;
}

int kp_cmd_drain(struct kp_session *s, struct kp_args *args)
{
	struct kp_obj *obj;

	if (kp_args_end(args))
		return -EINVAL;
	obj = kp_obj_get(s, KP_QP, args->name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ib_drain_qp(to_qp(obj)->qp);
	kp_obj_put(obj);
	return 0;
}
