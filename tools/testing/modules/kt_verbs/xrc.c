// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of XRC: domains, target QPs with several handles, and SRQs.
 */
#include <linux/kthread.h>

#include "../support/memcg.h"
#include "ah.h"

static struct ib_xrcd *start_xrc(struct ktap *t, struct kt_env *env)
{
	struct ib_xrcd *xrcd;

	if (!kt_start_ib(t, env))
		return NULL;
	xrcd = ib_alloc_xrcd(env->dev);
	if (KT_EXPECT_ERR(t, xrcd, 0))
		return xrcd;
	kt_end(t, env);
	return NULL;
}

static void end_xrc(struct ktap *t, struct kt_env *env, struct ib_xrcd *xrcd)
{
	KT_EXPECT_EQ(t, atomic_read(&xrcd->usecnt), 0);
	KT_EXPECT_EQ(t, ib_dealloc_xrcd(xrcd), 0);
	kt_end(t, env);
}

static void test_domain(struct ktap *t)
{
	struct ib_xrcd *xrcd, wrong = {};
	struct ib_udata udata = {};
	struct inode inode;
	struct kt_env env;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	KT_EXPECT(t, xrcd->device == env.dev && !xrcd->inode && !atomic_read(&xrcd->usecnt));
	fakedev_fail(env.fd, FAKEDEV_DEALLOC_XRCD, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_dealloc_xrcd(xrcd), -EAGAIN);
	end_xrc(t, &env, xrcd);

	if (!kt_start_ib(t, &env))
		return;
	fakedev_fail(env.fd, FAKEDEV_ALLOC_XRCD, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_alloc_xrcd(env.dev), -ENOSPC);
	KT_WITHOUT(&env, alloc_xrcd, KT_EXPECT_ERR(t, ib_alloc_xrcd(env.dev), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DEALLOC_XRCD), 0);
	xrcd = ib_alloc_xrcd_user(env.dev, &inode, &udata);
	if (KT_EXPECT_ERR(t, xrcd, 0)) {
		KT_EXPECT(t, xrcd->inode == &inode);
		KT_EXPECT_EQ(t, ib_dealloc_xrcd_user(xrcd, &udata), 0);
	}
	atomic_set(&wrong.usecnt, 1);
	KT_EXPECT_EQ(t, ib_dealloc_xrcd(&wrong), -EBUSY);
	kt_end(t, &env);
}

/* What a handle has heard. */
struct ear {
	struct ib_qp *qp;
	int heard;
	int wrong;
};

static void hear(struct ib_event *event, void *context)
{
	struct ear *ear = context;

	if (event->event != IB_EVENT_COMM_EST || event->element.qp != ear->qp)
		ear->wrong++;
	ear->heard++;
}

static struct ib_qp *make_target(struct kt_env *env, struct ib_xrcd *xrcd, struct ear *ear)
{
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_XRC_TGT,
		.xrcd = xrcd,
		.event_handler = ear ? hear : NULL,
		.qp_context = ear,
	};
	struct ib_qp *qp = ib_create_qp(env->pd, &attr);

	if (ear)
		ear->qp = qp;
	return qp;
}

static struct ib_qp *open_target(struct ib_xrcd *xrcd, u32 qpn, struct ear *ear)
{
	struct ib_qp_open_attr attr = {
		.qp_num = qpn,
		.qp_type = IB_QPT_XRC_TGT,
		.event_handler = ear ? hear : NULL,
		.qp_context = ear,
	};
	struct ib_qp *qp = ib_open_qp(xrcd, &attr);

	if (ear)
		ear->qp = qp;
	return qp;
}

static void test_target(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 2 };
	struct ib_qp_init_attr init;
	struct ib_xrcd *xrcd;
	struct kt_env env;
	struct ib_qp *qp;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	qp = make_target(&env, xrcd, NULL);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT(t, qp->real_qp != qp && qp->real_qp->real_qp == qp->real_qp);
		KT_EXPECT(t, qp->device == env.dev && qp->qp_type == IB_QPT_XRC_TGT);
		KT_EXPECT_EQ(t, qp->qp_num, qp->real_qp->qp_num);
		KT_EXPECT(t, !qp->real_qp->pd && !qp->real_qp->send_cq && !qp->real_qp->recv_cq);
		KT_EXPECT(t, qp->real_qp->xrcd == xrcd);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
		KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 0);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_QP), 1);
		KT_EXPECT_EQ(t, ib_dealloc_xrcd(xrcd), -EBUSY);

		/* A handle stands for the QP. */
		KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT), 0);
		KT_EXPECT_EQ(t, qp->real_qp->port, 2);
		memset(&attr, 0, sizeof(attr));
		KT_EXPECT_EQ(t, ib_query_qp(qp, &attr, IB_QP_STATE, &init), 0);
		KT_EXPECT_EQ(t, attr.qp_state, IB_QPS_INIT);

		KT_EXPECT_EQ(t, ib_close_qp(qp->real_qp), -EINVAL);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_QP), 1);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_QP), 0);
	}
	end_xrc(t, &env, xrcd);
}

#define MANY_TARGETS	2000

/* Expects that the memory cgroup is charged for the QPs, not only for handles of processes. */
static void test_target_charged(struct ktap *t)
{
	struct mem_cgroup *memcg = kt_memcg(t);
	struct ib_qp **qps = kvcalloc(MANY_TARGETS, sizeof(*qps), GFP_KERNEL);
	struct ib_xrcd *xrcd = NULL;
	struct kt_env env;
	s64 before;
	int i;

	if (memcg && KT_EXPECT(t, qps))
		xrcd = start_xrc(t, &env);
	if (!xrcd)
		goto out;
	before = kt_charged(memcg);
	for (i = 0; i < MANY_TARGETS; i++) {
		qps[i] = make_target(&env, xrcd, NULL);
		if (!KT_EXPECT_ERR(t, qps[i], 0))
			break;
	}
	KT_EXPECT(t, kt_charged(memcg) - before >= MANY_TARGETS * (s64)sizeof(struct ib_qp));
	while (i--)
		KT_EXPECT_EQ(t, ib_destroy_qp(qps[i]), 0);
	end_xrc(t, &env, xrcd);
out:
	kvfree(qps);
	mem_cgroup_put(memcg);
}

static void test_handles(struct ktap *t)
{
	struct ear first = {}, second = {};
	struct ib_qp *qp, *handle, *real;
	struct ib_xrcd *xrcd;
	struct kt_env env;
	u32 qpn;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	qp = make_target(&env, xrcd, &first);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto out;
	real = qp->real_qp;
	qpn = qp->qp_num;
	handle = open_target(xrcd, qpn, &second);
	if (!KT_EXPECT_ERR(t, handle, 0))
		goto out_close;
	KT_EXPECT(t, handle != qp && handle->real_qp == real);
	KT_EXPECT_EQ(t, atomic_read(&real->usecnt), 2);
	KT_EXPECT_EQ(t, atomic_read(&xrcd->usecnt), 2);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_QP), 1);
	fakedev_qp_event(real, IB_EVENT_COMM_EST);
	KT_EXPECT(t, first.heard == 1 && second.heard == 1);

	/* The QP outlives the handle of its creator. */
	KT_EXPECT_EQ(t, ib_close_qp(qp), 0);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_QP), 0);
	KT_EXPECT_EQ(t, atomic_read(&xrcd->usecnt), 1);
	fakedev_qp_event(real, IB_EVENT_COMM_EST);
	KT_EXPECT(t, first.heard == 1 && second.heard == 2);
	qp = open_target(xrcd, qpn, NULL);
	KT_EXPECT_ERR(t, qp, 0);
	fakedev_qp_event(real, IB_EVENT_COMM_EST);
	KT_EXPECT(t, second.heard == 3 && !first.wrong && !second.wrong);
	KT_EXPECT_EQ(t, ib_destroy_qp(handle), 0);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_QP), 0);
out_close:
	if (!IS_ERR(qp))
		KT_EXPECT_EQ(t, ib_close_qp(qp), 0);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_QP), 1);
	KT_EXPECT_ERR(t, open_target(xrcd, qpn, NULL), -EINVAL);
out:
	end_xrc(t, &env, xrcd);
}

static void test_open_errors(struct ktap *t)
{
	struct ib_qp_open_attr attr = { .qp_type = IB_QPT_RC };
	struct ib_xrcd *xrcd, *other;
	struct ib_qp *qp, *plain;
	struct kt_env env;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	other = ib_alloc_xrcd(env.dev);
	plain = kt_qp(&env, env.cq);
	qp = make_target(&env, xrcd, NULL);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		attr.qp_num = qp->qp_num;
		KT_EXPECT_ERR(t, ib_open_qp(xrcd, &attr), -EINVAL);
		KT_EXPECT_ERR(t, open_target(xrcd, qp->qp_num + 1, NULL), -EINVAL);
		KT_EXPECT_EQ(t, ib_close_qp(qp), 0);
	}
	if (KT_EXPECT_ERR(t, plain, 0)) {
		KT_EXPECT_ERR(t, open_target(xrcd, plain->qp_num, NULL), -EINVAL);
		KT_EXPECT_EQ(t, ib_close_qp(plain), -EINVAL);
		KT_EXPECT_EQ(t, ib_destroy_qp(plain), 0);
	}
	/* The QPs of one domain cannot be opened in another one. */
	if (KT_EXPECT_ERR(t, other, 0)) {
		qp = make_target(&env, other, NULL);
		if (KT_EXPECT_ERR(t, qp, 0)) {
			KT_EXPECT_ERR(t, open_target(xrcd, qp->qp_num, NULL), -EINVAL);
			KT_EXPECT_EQ(t, ib_close_qp(qp), 0);
		}
		KT_EXPECT_EQ(t, ib_dealloc_xrcd(other), 0);
	}
	end_xrc(t, &env, xrcd);
}

static void test_xrc_create_errors(struct ktap *t)
{
	struct ib_qp_init_attr attr = { .qp_type = IB_QPT_XRC_TGT };
	struct kt_env env, foreign;
	struct ib_xrcd *xrcd, *foreign_xrcd;
	struct ib_qp *qp;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	foreign_xrcd = start_xrc(t, &foreign);
	if (!foreign_xrcd)
		goto out;
	KT_EXPECT_ERR(t, ib_create_qp(env.pd, &attr), -EINVAL);
	KT_EXPECT_ERR(t, make_target(&env, foreign_xrcd, NULL), -EINVAL);
	attr = kt_qp_attr(env.cq);
	attr.xrcd = xrcd;
	KT_EXPECT_ERR(t, ib_create_qp(env.pd, &attr), -EINVAL);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_CREATE_QP), 0);
	fakedev_fail(env.fd, FAKEDEV_CREATE_QP, 1, -ENOSPC);
	KT_EXPECT_ERR(t, make_target(&env, xrcd, NULL), -ENOSPC);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_QP), 0);

	/* The resource table refuses a QP whose number is in use. */
	qp = make_target(&env, xrcd, NULL);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		atomic_dec(&env.fd->next_qpn);
		KT_EXPECT_ERR(t, make_target(&env, xrcd, NULL), -EBUSY);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_QP), 1);
		KT_EXPECT_EQ(t, atomic_read(&xrcd->usecnt), 1);
		/* So does the domain, if the table does not know the first QP. */
		rdma_restrack_del(env.dev, &qp->real_qp->res);
		atomic_dec(&env.fd->next_qpn);
		KT_EXPECT_ERR(t, make_target(&env, xrcd, NULL), -EBUSY);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_QP), 2);
		KT_EXPECT_EQ(t, atomic_read(&xrcd->usecnt), 1);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_QP), 0);
		KT_EXPECT_EQ(t, ib_close_qp(qp), 0);
	}
	end_xrc(t, &foreign, foreign_xrcd);
out:
	end_xrc(t, &env, xrcd);
}

/* The provider refuses to destroy the QP: the last handle stays, and gets events again. */
static void test_destroy_error(struct ktap *t)
{
	struct ib_xrcd *xrcd;
	struct ear ear = {};
	struct kt_env env;
	struct ib_qp *qp;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	qp = make_target(&env, xrcd, &ear);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		fakedev_fail(env.fd, FAKEDEV_DESTROY_QP, 1, -EAGAIN);
		KT_EXPECT_EQ(t, ib_close_qp(qp), -EAGAIN);
		KT_EXPECT_EQ(t, atomic_read(&xrcd->usecnt), 1);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_QP), 1);
		fakedev_qp_event(qp->real_qp, IB_EVENT_COMM_EST);
		KT_EXPECT(t, ear.heard == 1 && !ear.wrong);
		KT_EXPECT_EQ(t, ib_close_qp(qp), 0);
	}
	end_xrc(t, &env, xrcd);
}

/* Opens and closes handles of a QP, which exists only now and then, until the thread is stopped. */
static int open_and_close(void *arg)
{
	struct ib_xrcd *xrcd = arg;
	unsigned long qpn = 0;
	struct ib_qp *qp;

	while (!kthread_should_stop()) {
		down_read(&xrcd->tgt_qps_rwsem);
		qpn = xa_find(&xrcd->tgt_qps, &qpn, ULONG_MAX, XA_PRESENT) ? qpn : 0;
		up_read(&xrcd->tgt_qps_rwsem);
		qp = open_target(xrcd, qpn, NULL);
		cond_resched();
		if (!IS_ERR(qp))
			ib_close_qp(qp);
	}
	return 0;
}

static void test_race(struct ktap *t)
{
	struct task_struct *task;
	struct ear ear = {};
	struct ib_xrcd *xrcd;
	struct kt_env env;
	struct ib_qp *qp;
	int i;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	task = kthread_run(open_and_close, xrcd, "kt_xrc");
	if (KT_EXPECT_ERR(t, task, 0)) {
		for (i = 0; i < 300; i++) {
			qp = make_target(&env, xrcd, &ear);
			if (!KT_EXPECT_ERR(t, qp, 0))
				break;
			fakedev_qp_event(qp->real_qp, IB_EVENT_COMM_EST);
			if (!(i % 8))
				usleep_range(50, 100);
			KT_EXPECT_EQ(t, ib_close_qp(qp), 0);
		}
		kthread_stop(task);
		KT_EXPECT(t, ear.heard == 300 && !ear.wrong);
	}
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_QP), 300);
	end_xrc(t, &env, xrcd);
}

/* A handle whose event handler returns when it is told to. */
struct slow_ear {
	struct ear ear;
	struct completion entered, leave;
	bool irqs_off;
};

static void hear_slowly(struct ib_event *event, void *context)
{
	struct slow_ear *slow = context;

	hear(event, &slow->ear);
	slow->irqs_off = irqs_disabled();
	complete(&slow->entered);
	if (!slow->irqs_off)
		wait_for_completion(&slow->leave);
}

struct on_qp {
	struct work_struct work;
	struct ib_qp *qp;
	int ret;
};

static void report_comm_est(struct work_struct *work)
{
	fakedev_qp_event(container_of(work, struct on_qp, work)->qp, IB_EVENT_COMM_EST);
}

static void close_handle(struct work_struct *work)
{
	struct on_qp *on = container_of(work, struct on_qp, work);

	on->ret = ib_close_qp(on->qp);
}

/* Closes the handle while its event handler runs, which has been entered. */
static void close_in_report(struct ktap *t, struct slow_ear *slow, struct ear *other)
{
	struct on_qp closing = { .qp = slow->ear.qp, .ret = -EINPROGRESS };
	struct ib_qp *real = closing.qp->real_qp;

	INIT_WORK_ONSTACK(&closing.work, close_handle);
	queue_work(system_unbound_wq, &closing.work);
	KT_WAIT(t, READ_ONCE(closing.qp->open_end));
	KT_EXPECT_EQ(t, READ_ONCE(closing.ret), -EINPROGRESS);
	/* The handle that is being closed gets no more events, others do. */
	fakedev_qp_event(real, IB_EVENT_COMM_EST);
	KT_EXPECT(t, slow->ear.heard == 1 && other->heard == 1);
	complete_all(&slow->leave);
	flush_work(&closing.work);
	destroy_work_on_stack(&closing.work);
	KT_EXPECT_EQ(t, closing.ret, 0);
}

/* No lock is held while event handlers run; to close a handle is to wait for its handler. */
static void test_close_in_report(struct ktap *t)
{
	struct ib_qp_open_attr attr = {
		.qp_type = IB_QPT_XRC_TGT, .event_handler = hear_slowly,
	};
	struct slow_ear slow = {};
	struct on_qp reporting;
	struct ear other = {};
	struct ib_xrcd *xrcd;
	struct kt_env env;
	struct ib_qp *qp;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	init_completion(&slow.entered);
	init_completion(&slow.leave);
	qp = make_target(&env, xrcd, NULL);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto out;
	reporting.qp = qp->real_qp;
	attr.qp_num = qp->qp_num;
	attr.qp_context = &slow;
	slow.ear.qp = ib_open_qp(xrcd, &attr);
	if (!KT_EXPECT_ERR(t, slow.ear.qp, 0))
		goto out_close;
	KT_EXPECT_ERR(t, open_target(xrcd, qp->qp_num, &other), 0);
	INIT_WORK_ONSTACK(&reporting.work, report_comm_est);
	queue_work(system_unbound_wq, &reporting.work);
	wait_for_completion(&slow.entered);
	if (KT_EXPECT(t, !slow.irqs_off))
		close_in_report(t, &slow, &other);
	else
		KT_EXPECT_EQ(t, ib_close_qp(slow.ear.qp), 0);
	flush_work(&reporting.work);
	destroy_work_on_stack(&reporting.work);
	KT_EXPECT(t, !slow.ear.wrong && !other.wrong && other.heard);
	KT_EXPECT_EQ(t, ib_close_qp(other.qp), 0);
out_close:
	KT_EXPECT_EQ(t, ib_close_qp(qp), 0);
out:
	end_xrc(t, &env, xrcd);
}

static struct ib_srq_init_attr xrc_srq_attr(struct kt_env *env, struct ib_xrcd *xrcd)
{
	return (struct ib_srq_init_attr) {
		.srq_type = IB_SRQT_XRC,
		.attr = { .max_wr = 4, .max_sge = 1 },
		.ext = { .cq = env->cq, .xrc.xrcd = xrcd },
	};
}

static void test_xrc_srq(struct ktap *t)
{
	struct ib_qp_init_attr qp_attr;
	struct ib_srq_init_attr attr;
	struct ib_xrcd *xrcd;
	struct kt_env env;
	struct ib_srq *srq;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	attr = xrc_srq_attr(&env, xrcd);
	srq = ib_create_srq(env.pd, &attr);
	if (KT_EXPECT_ERR(t, srq, 0)) {
		KT_EXPECT(t, srq->srq_type == IB_SRQT_XRC && srq->ext.cq == env.cq);
		KT_EXPECT(t, srq->ext.xrc.xrcd == xrcd && srq->ext.xrc.srq_num);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 1);
		KT_EXPECT_EQ(t, ib_dealloc_xrcd(xrcd), -EBUSY);
		/* Messages name the SRQ; no QP is made on it. */
		qp_attr = kt_qp_attr(env.cq);
		qp_attr.srq = srq;
		KT_EXPECT_ERR(t, ib_create_qp(env.pd, &qp_attr), -EINVAL);
		fakedev_fail(env.fd, FAKEDEV_DESTROY_SRQ, 1, -EAGAIN);
		KT_EXPECT_EQ(t, ib_destroy_srq(srq), -EAGAIN);
		KT_EXPECT_EQ(t, atomic_read(&xrcd->usecnt), 1);
		KT_EXPECT_EQ(t, ib_destroy_srq(srq), 0);
		KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 0);
	}
	end_xrc(t, &env, xrcd);
}

static void test_srq_errors(struct ktap *t)
{
	struct ib_xrcd *xrcd, *foreign_xrcd;
	struct kt_env env, foreign;
	struct ib_srq_init_attr attr;

	xrcd = start_xrc(t, &env);
	if (!xrcd)
		return;
	foreign_xrcd = start_xrc(t, &foreign);
	if (!foreign_xrcd)
		goto out;
	attr = xrc_srq_attr(&env, NULL);
	KT_EXPECT_ERR(t, ib_create_srq(env.pd, &attr), -EINVAL);
	attr = xrc_srq_attr(&env, foreign_xrcd);
	KT_EXPECT_ERR(t, ib_create_srq(env.pd, &attr), -EINVAL);
	attr = xrc_srq_attr(&env, xrcd);
	attr.ext.cq = NULL;
	KT_EXPECT_ERR(t, ib_create_srq(env.pd, &attr), -EINVAL);
	attr.ext.cq = foreign.cq;
	KT_EXPECT_ERR(t, ib_create_srq(env.pd, &attr), -EINVAL);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_CREATE_SRQ), 0);
	attr = xrc_srq_attr(&env, xrcd);
	fakedev_fail(env.fd, FAKEDEV_CREATE_SRQ, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_create_srq(env.pd, &attr), -ENOSPC);
	KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 0);
	end_xrc(t, &foreign, foreign_xrcd);
out:
	end_xrc(t, &env, xrcd);
}

/* ib_qp_usecnt_inc() and _dec() count a QP on its PD, CQs and SRQ. */
static void test_usecnt(struct ktap *t)
{
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start_ib(t, &env))
		return;
	qp = kt_qp(&env, env.cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		ib_qp_usecnt_inc(qp);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 2);
		KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 4);
		ib_qp_usecnt_dec(qp);
		KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 2);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	kt_end(t, &env);
}

static const struct ktap_case xrc_cases[] = {
	{ "domains: creation and destruction", test_domain,
	  COVERS(ib_alloc_xrcd ib_dealloc_xrcd ib_xrcd) },
	{ "a target QP has a domain, and neither PD nor CQs", test_target },
	{ "the memory cgroup pays for target QPs", test_target_charged },
	{ "events reach all handles; the last close destroys the QP", test_handles,
	  COVERS(ib_open_qp ib_close_qp ib_qp_open_attr) },
	{ "opening: each error", test_open_errors, COVERS(ib_open_qp ib_qp_open_attr) },
	{ "creation of a target QP: each error, nothing left behind", test_xrc_create_errors },
	{ "the last handle stays if the provider refuses", test_destroy_error,
	  COVERS(ib_close_qp) },
	{ "opening races with the last close", test_race },
	{ "a handle is closed while its event handler runs", test_close_in_report,
	  COVERS(ib_close_qp) },
	{ "an SRQ is counted on its domain and its CQ", test_xrc_srq },
	{ "SRQs: each error, nothing left behind", test_srq_errors },
	{ "use counts of a QP's objects", test_usecnt },
};

KTAP_SUITE(kt_xrc_suite, "xrc", xrc_cases);
