// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the agents for performance management: requests by a QP of type UD, which ib_mad does
 * not check, and by process_mad().
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_smi.h>

#include "kt_sib.h"

#define TID		0x1122334455667788ULL
#define AGENT_QKEY	0x80010000	/* uppermost bit: the Q_Key of the sending QP is used */
#define STATUS_BAD_VALUE	0x001c
#define STORM		400	/* requests that are posted at once */
#define QUEUED		256	/* of those, the number that the queue takes at the least */
#define SMP_MS		2000	/* time for the answer to an SMP */

static void make_request(struct ksb_host *h, u8 method, __be16 attr, u8 port)
{
	struct ib_pma_mad *mad = (struct ib_pma_mad *)h->buf;

	memset(mad, 0, sizeof(*mad));
	mad->mad_hdr = (struct ib_mad_hdr) {
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = IB_MGMT_CLASS_PERF_MGMT,
		.class_version = 1,
		.method = method,
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

	KT_EXPECT_EQ(t, ib_modify_qp(p->a.qp, &attr, IB_QP_QKEY), 0);
	ksb_recv(t, &p->a, 1, KSB_SLOT);
	make_request(&p->a, IB_MGMT_METHOD_GET, IB_PMA_CLASS_PORT_INFO, 0);
	msg.data = p->a.buf;
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

static void expect_answer(struct ktap *t, const struct ib_pma_mad *mad, u16 status)
{
	KT_EXPECT_EQ(t, mad->mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KT_EXPECT_EQ(t, be16_to_cpu(mad->mad_hdr.status), status);
	KT_EXPECT(t, be64_to_cpu(mad->mad_hdr.tid) == TID);
}

/* The answer goes to the QP that has asked, and has its transaction. */
static void test_agent_answers(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ready_to_ask(t, p, AGENT_QKEY);
	struct ib_class_port_info *info;
	struct ib_pma_mad *mad;
	struct ib_wc wc;

	ksb_send(t, &msg, IB_WC_SUCCESS);
	if (!wait_answer(t, p, &wc))
		return;
	KT_EXPECT(t, wc.wr_id == 1 && wc.status == IB_WC_SUCCESS && wc.src_qp == 1);
	KT_EXPECT(t, wc.slid == p->b.lid && wc.byte_len == KSB_GRH + IB_MGMT_MAD_SIZE);
	mad = (struct ib_pma_mad *)(ksb_slot(&p->a, 1) + KSB_GRH);
	expect_answer(t, mad, 0);
	info = (struct ib_class_port_info *)mad->data;
	KT_EXPECT(t, info->base_version == 1 && info->class_version == 1);
	KT_EXPECT_EQ(t, be16_to_cpu(info->capability_mask), 0x1300);
}

/* The agent takes no request with another Q_Key, and no datagram that is no MAD of its version. */
static void test_agent_keys(struct ktap *t, struct ksb_pair *p)
{
	struct ib_mad_hdr *hdr = (struct ib_mad_hdr *)p->a.buf;
	u32 before = ksb_port(t, &p->b).qkey_viol_cntr;
	struct ksb_msg msg;
	struct ib_wc wc;

	msg = ready_to_ask(t, p, AGENT_QKEY + 1);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ksb_port(t, &p->b).qkey_viol_cntr, before + 1);
	msg = ready_to_ask(t, p, AGENT_QKEY);
	msg.length = IB_MGMT_MAD_SIZE - 1;
	ksb_send(t, &msg, IB_WC_SUCCESS);
	/* QP 1 of the host takes it, and ib_mad drops what is no MAD. */
	ksb_changed(t, &p->b, "rx_datagrams", 1);
	msg.length = IB_MGMT_MAD_SIZE;
	hdr->base_version = IB_MGMT_BASE_VERSION + 1;
	ksb_send(t, &msg, IB_WC_SUCCESS);
	ksb_changed(t, &p->b, "rx_datagrams", 1);
	hdr->base_version = IB_MGMT_BASE_VERSION;
	ksb_send(t, &msg, IB_WC_SUCCESS);
	/* The one answer is that to the last request, which was queued behind nothing. */
	if (wait_answer(t, p, &wc))
		KT_EXPECT_EQ(t, wc.wr_id, 1);
	ksb_changed(t, &p->b, "rx_datagrams", 0);
}

/* Has the driver process the MAD in a CA's memory, and write its answer to @out. */
static int process_mad(struct ksb_host *h, void *out)
{
	size_t size = IB_MGMT_MAD_SIZE;
	struct ib_wc wc = {};
	u16 pkey_index = 0;

	return h->dev->ops.process_mad(h->dev, 0, 1, &wc, NULL, (struct ib_mad *)h->buf, out,
				       &size, &pkey_index);
}

/* The driver drops an SMP of another version, and leaves MADs of other classes to the host. */
static void test_process_others(struct ktap *t, struct ksb_pair *p)
{
	struct ib_mad_hdr *hdr = (struct ib_mad_hdr *)p->a.buf;

	make_request(&p->a, IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_INFO, 0);
	hdr->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	KT_EXPECT_EQ(t, process_mad(&p->a, p->b.buf), IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY);
	hdr->base_version = IB_MGMT_BASE_VERSION + 1;
	KT_EXPECT_EQ(t, process_mad(&p->a, p->b.buf),
		     IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED);
	hdr->mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
	KT_EXPECT_EQ(t, process_mad(&p->a, p->b.buf), IB_MAD_RESULT_SUCCESS);
	hdr->base_version = IB_MGMT_BASE_VERSION;
	hdr->mgmt_class = IB_MGMT_CLASS_BM;
	KT_EXPECT_EQ(t, process_mad(&p->a, p->b.buf), IB_MAD_RESULT_SUCCESS);
}

/* A driver answers for its own node when ib_mad asks. Agents of the host get all but requests. */
static void test_process(struct ktap *t, struct ksb_pair *p)
{
	static const struct {
		u8 method, port;
		bool answered;
		u16 status;
	} rows[] = {
		{ IB_MGMT_METHOD_GET, 1, true, 0 },
		{ IB_MGMT_METHOD_GET, 2, true, STATUS_BAD_VALUE },
		{ IB_MGMT_METHOD_GET_RESP, 1, false },
		{ IB_MGMT_METHOD_TRAP, 1, false },
	};
	struct ib_pma_mad *answer = (struct ib_pma_mad *)p->b.buf;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		make_request(&p->a, rows[i].method, IB_PMA_PORT_COUNTERS, rows[i].port);
		KT_EXPECT_EQ(t, process_mad(&p->a, p->b.buf), IB_MAD_RESULT_SUCCESS |
			     (rows[i].answered ? IB_MAD_RESULT_REPLY : 0));
		if (!rows[i].answered)
			continue;
		expect_answer(t, answer, rows[i].status);
		KT_EXPECT_EQ(t, answer->data[1], rows[i].port);
	}
}

/* What has become of a MAD that was sent. */
struct sent {
	bool done;
	enum ib_wc_status status;
};

static void note_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct sent *sent = agent->context;

	sent->status = wc->status;
	/* Pairs with smp_load_acquire() in send_with(). */
	smp_store_release(&sent->done, true);
}

static void ignore_mad(struct ib_mad_agent *agent, struct ib_mad_send_buf *buf,
		       struct ib_mad_recv_wc *wc)
{
	ib_free_recv_mad(wc);
}

/* Sends a MAD that needs no answer with a P_Key of QP 1. Returns the status of the send. */
static enum ib_wc_status send_with(struct ktap *t, struct ib_mad_agent *agent, struct ib_ah *ah,
				   u16 pkey_index)
{
	struct sent *sent = agent->context;
	struct ib_mad_send_buf *buf;
	struct ib_mad_hdr *hdr;

	buf = ib_create_send_mad(agent, 1, pkey_index, 0, IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA,
				 GFP_KERNEL, IB_MGMT_BASE_VERSION);
	if (!KT_EXPECT_ERR(t, buf, 0))
		return IB_WC_GENERAL_ERR;
	hdr = buf->mad;
	hdr->base_version = IB_MGMT_BASE_VERSION;
	hdr->mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
	hdr->class_version = 1;
	hdr->method = IB_MGMT_METHOD_SEND;
	buf->ah = ah;
	*sent = (struct sent) {};
	if (!KT_EXPECT_EQ(t, ib_post_send_mad(buf, NULL), 0))
		goto free;
	/* Pairs with smp_store_release() in note_sent(). */
	KT_WAIT(t, smp_load_acquire(&sent->done));
free:
	ib_free_send_mad(buf);
	return sent->status;
}

/* An agent of the first CA, and an address of the second one for it. */
struct asker {
	struct ib_mad_agent *agent;
	struct ib_ah *ah;
	struct sent sent;
};

static void close_asker(struct asker *a)
{
	rdma_destroy_ah(a->ah, 0);
	ib_unregister_mad_agent(a->agent);
}

/* Returns false after the test has failed. */
static bool open_asker(struct ktap *t, struct ksb_pair *p, struct asker *a, enum ib_qp_type type,
		       struct ib_mad_reg_req *request)
{
	struct rdma_ah_attr attr = ksb_ah_attr(p->b.lid, NULL);

	a->agent = ib_register_mad_agent(p->a.dev, 1, type, request, 0, note_sent, ignore_mad,
					 &a->sent, 0);
	if (!KT_EXPECT_ERR(t, a->agent, 0))
		return false;
	a->ah = rdma_create_ah(a->agent->qp->pd, &attr);
	if (KT_EXPECT_ERR(t, a->ah, 0))
		return true;
	ib_unregister_mad_agent(a->agent);
	return false;
}

/* The index of a P_Key is one of the port's table, for each datagram of QP 1. */
static void test_pkey_index(struct ktap *t, struct ksb_pair *p)
{
	struct ib_mad_reg_req request = {
		.mgmt_class = IB_MGMT_CLASS_PERF_MGMT,
		.mgmt_class_version = 1,
	};
	struct asker a = {};

	if (!open_asker(t, p, &a, IB_QPT_GSI, &request))
		return;
	KT_EXPECT_EQ(t, send_with(t, a.agent, a.ah, 0), IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, send_with(t, a.agent, a.ah, 64), IB_WC_LOC_QP_OP_ERR);
	KT_EXPECT_EQ(t, send_with(t, a.agent, a.ah, 0), IB_WC_SUCCESS);
	close_asker(&a);
}

/* Returns how many packets the port of a CA has dropped that had come to it. */
static unsigned int rcv_errors(struct ksb_host *h)
{
	struct ib_pma_portcounters counters;
	struct ib_pma_mad answer;

	make_request(h, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS, 1);
	process_mad(h, &answer);
	memcpy(&counters, answer.data, sizeof(counters));
	return be16_to_cpu(counters.port_rcv_errors);
}

/* Makes a Get of the second CA's NodeInfo by its LID. Returns NULL after the test has failed. */
static struct ib_mad_send_buf *new_smp(struct ktap *t, struct ib_mad_agent *agent, struct ib_ah *ah)
{
	struct ib_mad_send_buf *buf;
	struct ib_smp *smp;

	buf = ib_create_send_mad(agent, 0, 0, 0, IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (!KT_EXPECT_ERR(t, buf, 0))
		return NULL;
	smp = buf->mad;
	memset(smp, 0, sizeof(*smp));
	smp->base_version = IB_MGMT_BASE_VERSION;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	smp->class_version = 1;
	smp->method = IB_MGMT_METHOD_GET;
	smp->tid = cpu_to_be64((u64)agent->hi_tid << 32 | 1);
	smp->attr_id = IB_SMP_ATTR_NODE_INFO;
	buf->ah = ah;
	buf->timeout_ms = SMP_MS;
	return buf;
}

/* Posts more requests than the queue of a port takes, and then an SMP, before any is handled. */
static void storm(struct ktap *t, struct ksb_pair *p, struct ib_mad_send_buf *smp)
{
	struct ksb_msg msg = ready_to_ask(t, p, AGENT_QKEY);
	struct sent *sent = smp->mad_agent->context;
	unsigned int errors = rcv_errors(&p->b), lost = 0, i;
	u64 answered = ksb_value(&p->a, "rx_no_receive");
	struct ib_wc wc;

	/* One answer finds the receive. */
	answered--;
	msg.flags = 0;
	for (i = 0; i < STORM; i++)
		KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	KT_EXPECT_EQ(t, ib_post_send_mad(smp, NULL), 0);
	/* Pairs with smp_store_release() in note_sent(). */
	KT_WAIT(t, smp_load_acquire(&sent->done));
	KT_EXPECT_EQ(t, sent->status, IB_WC_SUCCESS);
	wait_answer(t, p, &wc);
	KT_WAIT(t, (lost = rcv_errors(&p->b) - errors) +
		   ksb_value(&p->a, "rx_no_receive") - answered == STORM);
	ktap_note(t, "%u requests were dropped", lost);
	KT_EXPECT(t, lost <= STORM - QUEUED);
}

/* What finds no room in the queue of a port's agents is counted; there is room for SMPs longer. */
static void test_storm(struct ktap *t, struct ksb_pair *p)
{
	struct ib_mad_send_buf *smp;
	struct asker a = {};

	if (!open_asker(t, p, &a, IB_QPT_SMI, NULL))
		return;
	smp = new_smp(t, a.agent, a.ah);
	if (smp) {
		storm(t, p, smp);
		ib_free_send_mad(smp);
	}
	close_asker(&a);
}

static const struct ktap_case agent_cases[] = {
	KSB_CASE("an answer to any QP", test_agent_answers),
	KSB_CASE("datagrams that are not for the agent", test_agent_keys),
	KSB_CASE("the P_Key of QP 1", test_pkey_index),
	KSB_CASE("more requests than the queue takes", test_storm),
	KSB_CASE("process_mad()", test_process),
	KSB_CASE("process_mad(): what is not for the agents", test_process_others),
};

KTAP_SUITE(ksb_agent_suite, "sib agents", agent_cases);
