// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of objects that are changed or destroyed while another thread sends to them, or by them. */
#include <linux/kthread.h>

#include "kt_sib.h"

#define ROUNDS	100
#define LENGTH	1000	/* of each datagram */

/**
 * struct sender - a thread that sends from the first CA until it is stopped
 * @p: the CAs
 * @qpn: QP that gets the datagrams
 * @sent: number of datagrams
 * @failed: requests that were not posted, or did not complete with success
 * @task: the thread
 */
struct sender {
	struct ksb_pair *p;
	u32 qpn;
	u64 sent;
	u64 failed;
	struct task_struct *task;
};

static int send_on(void *data)
{
	struct sender *s = data;
	struct ksb_msg msg = ksb_msg(s->p, LENGTH);
	struct ib_wc wc;

	while (!kthread_should_stop()) {
		msg.qpn = READ_ONCE(s->qpn);
		if (ksb_post(&msg) || ib_poll_cq(s->p->a.cq, 1, &wc) != 1 ||
		    wc.status != IB_WC_SUCCESS)
			s->failed++;
		WRITE_ONCE(s->sent, s->sent + 1);
		cond_resched();
	}
	return 0;
}

static bool start_sender(struct ktap *t, struct sender *s, struct ksb_pair *p)
{
	*s = (struct sender) { .p = p, .qpn = p->b.qp->qp_num };
	s->task = kthread_run(send_on, s, "kt_sib");
	return KT_EXPECT_ERR(t, s->task, 0);
}

/* Waits until the thread has sent some datagrams more. */
static void wait_sent(struct ktap *t, struct sender *s)
{
	u64 now = READ_ONCE(s->sent);

	KT_WAIT(t, READ_ONCE(s->sent) >= now + 2);
}

static void stop_sender(struct ktap *t, struct sender *s)
{
	kthread_stop(s->task);
	KT_EXPECT_EQ(t, s->failed, 0);
}

/* Counts the completions of a CQ, and expects that all are those of receives of one QP. */
static u32 drain(struct ktap *t, struct ksb_host *h, const struct ib_qp *qp)
{
	struct ib_wc wc;
	u32 nr = 0;

	for (; ib_poll_cq(h->cq, 1, &wc) == 1; nr++)
		KT_EXPECT(t, wc.qp == qp && (wc.status == IB_WC_SUCCESS ||
					     wc.status == IB_WC_WR_FLUSH_ERR));
	return nr;
}

/* A QP that is destroyed leaves no completions, and nothing of it is used later. */
static void test_destroyed(struct ktap *t, struct ksb_pair *p)
{
	struct sender s;
	struct ib_qp *qp;
	u32 received = 0;
	int i;

	if (!start_sender(t, &s, p))
		return;
	for (i = 0; i < ROUNDS; i++) {
		qp = ksb_qp(t, &p->b, IB_QPS_RTS);
		if (!qp)
			break;
		ksb_recv_all(t, &p->b, qp, KSB_GRH + LENGTH);
		WRITE_ONCE(s.qpn, qp->qp_num);
		if (i & 1)
			wait_sent(t, &s);
		received += drain(t, &p->b, qp);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
		ksb_expect_none(t, &p->b);
	}
	stop_sender(t, &s);
	KT_EXPECT(t, received > 0);
}

/* The state changes under traffic: each receive completes once, or is gone with RESET. */
static void test_states(struct ktap *t, struct ksb_pair *p)
{
	struct ib_qp *qp = p->b.qp;
	struct sender s;
	int i;

	if (!start_sender(t, &s, p))
		return;
	for (i = 0; i < ROUNDS; i++) {
		ksb_recv_all(t, &p->b, qp, KSB_GRH + LENGTH);
		if (i & 1)
			wait_sent(t, &s);
		KT_EXPECT_EQ(t, ksb_modify(qp, IB_QPS_ERR), 0);
		KT_EXPECT_EQ(t, drain(t, &p->b, qp), KSB_DEPTH);
		KT_EXPECT_EQ(t, ksb_modify(qp, IB_QPS_RESET), 0);
		ksb_expect_none(t, &p->b);
		ksb_ready(t, qp, IB_QPS_RTS);
	}
	stop_sender(t, &s);
}

/* Handles come and go while another one is used. */
static void test_handles_under_traffic(struct ktap *t, struct ksb_pair *p)
{
	struct rdma_ah_attr attr = ksb_ah_attr(p->b.lid, NULL);
	struct ib_ah *ah;
	struct sender s;
	int i;

	if (!start_sender(t, &s, p))
		return;
	for (i = 0; i < ROUNDS; i++) {
		ah = ksb_ah_with(t, &p->a, &attr);
		if (!ah)
			break;
		/* The same address once more, while the sender reads it. */
		KT_EXPECT_EQ(t, rdma_modify_ah(p->ah, &attr), 0);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah, 0), 0);
	}
	wait_sent(t, &s);
	stop_sender(t, &s);
}

static const struct ktap_case busy_cases[] = {
	KSB_CASE("QPs are destroyed under traffic", test_destroyed),
	KSB_CASE("a QP changes its state under traffic", test_states),
	KSB_CASE("handles come and go under traffic", test_handles_under_traffic),
};

KTAP_SUITE(ksb_busy_suite, "sib traffic", busy_cases);
