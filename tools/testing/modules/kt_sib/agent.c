// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the agents for performance management: requests by a QP of type UD, which ib_mad does
 * not check, and by process_mad().
 */
#include <rdma/ib_pma.h>

#include "kt_sib.h"

#define TID		0x1122334455667788ULL
#define AGENT_QKEY	0x80010000	/* uppermost bit: the Q_Key of the sending QP is used */
#define STATUS_BAD_VALUE	0x001c

static void make_request(struct ib_pma_mad *mad, __be16 attr, u8 port)
{
	memset(mad, 0, sizeof(*mad));
	mad->mad_hdr = (struct ib_mad_hdr) {
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = IB_MGMT_CLASS_PERF_MGMT,
		.class_version = 1,
		.method = IB_MGMT_METHOD_GET,
		.tid = cpu_to_be64(TID),
		.attr_id = attr,
	};
	mad->data[1] = port;
}

/* Makes the QP of the first CA one that can ask agents, with a receive for the answer. */
static struct ksb_msg ready_to_ask(struct ktap *t, struct ksb_pair *p, u32 qkey)
{
	struct ib_qp_attr attr = { .qkey = qkey };
	struct ksb_msg msg = ksb_msg(p, IB_MGMT_MAD_SIZE);

	KT_EXPECT_EQ(t, ib_modify_qp(p->qa, &attr, IB_QP_QKEY), 0);
	KT_EXPECT_EQ(t, ksb_recv(&p->a, p->qa, 1, 1024, 1024), 0);
	msg.qpn = 1;
	msg.qkey = AGENT_QKEY;
	return msg;
}

/* Waits for a completion of the first CA, because agents run in a work item. */
static bool wait_answer(struct ktap *t, struct ksb_pair *p, struct ib_wc *wc)
{
	int nr = 0;

	return KT_WAIT(t, nr == 1 || (nr = ib_poll_cq(p->a.cq, 1, wc)) == 1);
}

/* The answer goes to the QP that has asked, and has its transaction. */
static void test_agent_answers(struct ktap *t)
{
	struct ib_class_port_info *info;
	struct ib_pma_mad *mad;
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_wc wc;

	if (!ksb_start(t, &p))
		return;
	msg = ready_to_ask(t, &p, AGENT_QKEY);
	make_request((struct ib_pma_mad *)p.a.buf, IB_PMA_CLASS_PORT_INFO, 0);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	if (!wait_answer(t, &p, &wc))
		goto out;
	KT_EXPECT(t, wc.wr_id == 1 && wc.status == IB_WC_SUCCESS && wc.src_qp == 1);
	KT_EXPECT(t, wc.slid == p.b.lid && wc.byte_len == KSB_GRH + IB_MGMT_MAD_SIZE);
	mad = (struct ib_pma_mad *)(p.a.buf + 1024 + KSB_GRH);
	KT_EXPECT_EQ(t, mad->mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KT_EXPECT_EQ(t, be16_to_cpu(mad->mad_hdr.status), 0);
	KT_EXPECT(t, be64_to_cpu(mad->mad_hdr.tid) == TID);
	info = (struct ib_class_port_info *)mad->data;
	KT_EXPECT(t, info->base_version == 1 && info->class_version == 1);
	KT_EXPECT_EQ(t, be16_to_cpu(info->capability_mask), 0x1300);
out:
	ksb_end(t, &p);
}

static u32 qkey_violations(struct ktap *t, struct ksb_host *h)
{
	struct ib_port_attr attr;

	KT_EXPECT_EQ(t, ib_query_port(h->dev, 1, &attr), 0);
	return attr.qkey_viol_cntr;
}

/* The agent takes no request with another Q_Key, and no datagram of another length. */
static void test_agent_keys(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_wc wc;
	u32 before;

	if (!ksb_start(t, &p))
		return;
	before = qkey_violations(t, &p.b);
	msg = ready_to_ask(t, &p, AGENT_QKEY + 1);
	make_request((struct ib_pma_mad *)p.a.buf, IB_PMA_CLASS_PORT_INFO, 0);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, qkey_violations(t, &p.b), before + 1);
	msg = ready_to_ask(t, &p, AGENT_QKEY);
	msg.length = IB_MGMT_MAD_SIZE - 1;
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	/* QP 1 of the host takes it, and ib_mad drops what is no MAD. */
	ksb_changed(t, &p.b, "rx_datagrams", 1);
	msg.length = IB_MGMT_MAD_SIZE;
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	/* The one answer is that to the last request, which was queued behind nothing. */
	if (wait_answer(t, &p, &wc))
		KT_EXPECT_EQ(t, wc.wr_id, 1);
	ksb_changed(t, &p.b, "rx_datagrams", 0);
	ksb_end(t, &p);
}

/* Has a driver process a MAD, and write its answer to @out. */
static int process_mad(struct ib_device *dev, u8 *in, u8 *out)
{
	size_t size = IB_MGMT_MAD_SIZE;
	struct ib_wc wc = {};
	u16 pkey_index = 0;

	return dev->ops.process_mad(dev, 0, 1, &wc, NULL, (struct ib_mad *)in,
				    (struct ib_mad *)out, &size, &pkey_index);
}

/* A driver answers for its own node when ib_mad asks. */
static void test_process(struct ktap *t)
{
	u8 *in = kzalloc(2 * IB_MGMT_MAD_SIZE, GFP_KERNEL), *out = in + IB_MGMT_MAD_SIZE;
	struct ib_pma_mad *request = (struct ib_pma_mad *)in, *answer = (struct ib_pma_mad *)out;
	const int answered = IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	struct ksb_pair p;

	if (!KT_EXPECT(t, in))
		return;
	if (!ksb_start(t, &p))
		goto free;
	make_request(request, IB_PMA_PORT_COUNTERS, 1);
	KT_EXPECT_EQ(t, process_mad(p.a.dev, in, out), answered);
	KT_EXPECT_EQ(t, answer->mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KT_EXPECT(t, !answer->mad_hdr.status && answer->mad_hdr.tid == request->mad_hdr.tid);
	KT_EXPECT_EQ(t, answer->data[1], 1);
	make_request(request, IB_PMA_PORT_COUNTERS, 2);
	KT_EXPECT_EQ(t, process_mad(p.a.dev, in, out), answered);
	KT_EXPECT_EQ(t, be16_to_cpu(answer->mad_hdr.status), STATUS_BAD_VALUE);
	/* What is no request is left to agents of the host. */
	request->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	KT_EXPECT_EQ(t, process_mad(p.a.dev, in, out), IB_MAD_RESULT_SUCCESS);
	request->mad_hdr.method = IB_MGMT_METHOD_TRAP;
	KT_EXPECT_EQ(t, process_mad(p.a.dev, in, out), IB_MAD_RESULT_SUCCESS);
	ksb_end(t, &p);
free:
	kfree(in);
}

static const struct ktap_case agent_cases[] = {
	{ "an answer to any QP", test_agent_answers },
	{ "datagrams that are not for the agent", test_agent_keys },
	{ "process_mad()", test_process },
};

KTAP_SUITE(ksb_agent_suite, "sib agents", agent_cases);
