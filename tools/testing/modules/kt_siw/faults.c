// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_siw_faults.ko: what siw does when a function of the kernel fails that seldom does. A kprobe at
 * the function's entry has the caller run another one instead. The devices siwa and siwb have to be
 * there; see link.h.
 */
#include <linux/completion.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/krdma.h>

#include "link.h"

KRDMA_NEEDS_IB_CORE;

#ifdef CONFIG_KPROBES

/* A function of the kernel, and what runs in its place, in one task only if @task is set. */
struct replaced {
	struct kprobe probe;
	unsigned long (*with)(void);
	const struct task_struct *task;
	atomic_t calls;
};

static int run_other(struct kprobe *probe, struct pt_regs *regs)
{
	struct replaced *r = container_of(probe, struct replaced, probe);

	if (r->task && r->task != current)
		return 0;
	atomic_inc(&r->calls);
	instruction_pointer_set(regs, (unsigned long)r->with);
	return 1;
}

/* Keeps the kernel from using a jump, which would not heed what run_other() returns. */
static void do_nothing(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static bool replace(struct ktap *t, struct replaced *r, const char *name,
		    unsigned long (*with)(void), const struct task_struct *task)
{
	*r = (struct replaced) {
		.probe = {
			.symbol_name = name, .pre_handler = run_other, .post_handler = do_nothing,
		},
		.with = with,
		.task = task,
	};
	return KT_EXPECT_EQ(t, register_kprobe(&r->probe), 0);
}

/* Expects that the function was called. */
static void restore(struct ktap *t, struct replaced *r)
{
	unregister_kprobe(&r->probe);
	KT_EXPECT(t, atomic_read(&r->calls));
}

static noinline unsigned long read_nothing(void)
{
	return 0;
}

static noinline unsigned long no_memory(void)
{
	return -ENOMEM;
}

/* Sends an empty message to B, and returns the status of B's receive, or -1. */
static int send_empty(struct ktap *t, struct kt_link *link)
{
	struct ib_recv_wr recv = { .wr_cqe = &link->recv[1].cqe };
	struct ib_send_wr send = {
		.wr_cqe = &link->op[0].cqe, .opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
	};

	kt_op_begin(&link->recv[1]);
	kt_op_begin(&link->op[0]);
	if (!KT_EXPECT_EQ(t, ib_post_recv(link->b->qp, &recv, NULL), 0) ||
	    !KT_EXPECT_EQ(t, ib_post_send(link->a->qp, &send, NULL), 0))
		return -1;
	return kt_op_wait(&link->recv[1]);
}

/* Connects, and sends an empty message. Returns the status of the receive, or -1. */
static int send_over_new(struct ktap *t, struct kt_hosts *hosts, bool readable)
{
	struct kt_link *link = kzalloc(sizeof(*link), GFP_KERNEL);
	struct replaced r;
	int status = -1;

	if (!KT_EXPECT(t, link))
		return -1;
	if (kt_link_open(t, hosts, link, true)) {
		if (readable) {
			status = send_empty(t, link);
		} else if (replace(t, &r, "skb_seq_read", read_nothing, NULL)) {
			status = send_empty(t, link);
			restore(t, &r);
		}
	}
	kt_link_close(link);
	kfree(link);
	return status;
}

/* What is received is in the memory of a device, as with a socket's zero-copy receive. */
static void test_unreadable(struct ktap *t)
{
	struct kt_hosts hosts;

	if (kt_hosts_open(t, &hosts)) {
		KT_EXPECT_EQ(t, send_over_new(t, &hosts, false), IB_WC_WR_FLUSH_ERR);
		KT_EXPECT_EQ(t, send_over_new(t, &hosts, true), IB_WC_SUCCESS);
	}
	kt_hosts_close(&hosts);
}

static void note_event(struct ib_event *event, void *context)
{
	complete(context);
}

/* A QP with an SRQ cannot be created, because there is no memory for its number. */
static void test_no_number(struct ktap *t)
{
	struct ib_srq_init_attr srq_init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	DECLARE_COMPLETION_ONSTACK(event);
	struct ib_qp_init_attr init = {
		.event_handler = note_event,
		.qp_context = &event,
		.cap = { .max_send_wr = 16, .max_send_sge = 1 },
		.qp_type = IB_QPT_RC,
	};
	struct kt_hosts hosts;
	struct replaced r;
	struct ib_qp *qp;

	if (!kt_hosts_open(t, &hosts))
		goto close;
	init.send_cq = hosts.a.cq;
	init.recv_cq = hosts.a.cq;
	init.srq = ib_create_srq(hosts.a.pd, &srq_init);
	if (!KT_EXPECT_ERR(t, init.srq, 0))
		goto close;
	if (replace(t, &r, "__xa_alloc_cyclic", no_memory, current)) {
		qp = ib_create_qp(hosts.a.pd, &init);
		restore(t, &r);
		if (!KT_EXPECT_ERR(t, qp, -ENOMEM))
			ib_destroy_qp(qp);
		KT_EXPECT(t, !completion_done(&event));
	}
	KT_EXPECT_EQ(t, ib_destroy_srq_user(init.srq, NULL), 0);
close:
	kt_hosts_close(&hosts);
}

#else /* !CONFIG_KPROBES */

static void test_unreadable(struct ktap *t)
{
	ktap_skip(t, "the kernel has no kprobes");
}

static void test_no_number(struct ktap *t)
{
	ktap_skip(t, "the kernel has no kprobes");
}

#endif

static const struct ktap_case cases[] = {
	{ "the CPU cannot read what is received", test_unreadable },
	{ "a QP that gets no number reports no event", test_no_number },
};

static KTAP_SUITE(kt_siw_faults_suite, "siw_faults", cases);
static const struct ktap_suite *const suites[] = { &kt_siw_faults_suite };

KTAP_MODULE(suites);
