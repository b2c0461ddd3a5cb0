// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of MADs that are dropped, refused or answered by the device.
 */
#include "kt_mad.h"

static struct kmd_pair recvs;

/* A request, and the status of its answer: negative: none, and the named counter counts. */
struct odd {
	const char *what;
	u8 base_version, mgmt_class, class_version, method;
	int status;
	enum krdma_mad_counter counter;
};

static const struct odd odds[] = {
	{ "base version", 2, KMD_PLAIN, 1, 0x01, -1, KRDMA_MAD_BAD_VERSION },
	{ "SMP by QP 1", 1, 0x01, 1, 0x01, -1, KRDMA_MAD_BAD_CLASS },
	{ "directed SMP by QP 1", 1, 0x81, 1, 0x01, -1, KRDMA_MAD_BAD_CLASS },
	{ "unknown class", 1, 0x0a, 1, 0x01, 0x000c, KRDMA_MAD_UNWANTED },
	{ "unknown class, Set", 1, 0x0a, 1, 0x02, 0x000c, KRDMA_MAD_UNWANTED },
	{ "unknown class, Send", 1, 0x0a, 1, 0x03, -1, KRDMA_MAD_UNWANTED },
	{ "unknown class, Trap", 1, 0x0a, 1, 0x05, -1, KRDMA_MAD_UNWANTED },
	{ "a class that is kept with the agent's", 1, KMD_PLAIN + 32, 1, 0x01, 0x000c,
	  KRDMA_MAD_UNWANTED },
	{ "unknown method", 1, KMD_PLAIN, 1, 0x12, -1, KRDMA_MAD_UNWANTED },
	{ "another version", 1, KMD_PLAIN, 2, 0x01, 0x0004, KRDMA_MAD_UNWANTED },
	{ "performance, by the device", 1, 0x04, 1, 0x01, 0, KRDMA_MAD_PROCESSED },
	{ "performance, unknown", 1, 0x04, 1, 0x02, 0x000c, KRDMA_MAD_PROCESSED },
	{ "vendor's class, another OUI", 1, 0x31, 1, 0x01, 0x000c, KRDMA_MAD_UNWANTED },
	{ "response of no request", 1, KMD_PLAIN, 1, 0x81, -1, KRDMA_MAD_UNMATCHED },
	{ "baseboard management", 1, 0x05, 1, 0x01, 0x000c, KRDMA_MAD_UNWANTED },
};

static void test_odd(struct ktap *t)
{
	const struct odd *o;
	long before;

	if (!kmd_start(t, &recvs, &kmd_plain))
		return;
	for (o = odds; o < odds + ARRAY_SIZE(odds); o++) {
		struct ib_mad_send_buf *buf;
		struct ib_mad_hdr *hdr;
		struct kmd_event event;

		buf = kmd_new(t, &recvs.from, memdev_lid(recvs.b, 1), o->method, 0);
		if (!buf)
			break;
		hdr = kmd_hdr(buf);
		hdr->base_version = o->base_version;
		hdr->mgmt_class = o->mgmt_class;
		hdr->class_version = o->class_version;
		if (o->status == 0)
			hdr->attr_id = cpu_to_be16(1);
		before = krdma_mad_read(recvs.b, 1, o->counter);
		buf->timeout_ms = o->status < 0 ? 0 : KMD_LONG;
		kmd_post(t, buf);
		KT_WAIT(t, krdma_mad_read(recvs.b, 1, o->counter) == before + 1);
		event = kmd_wait(t, &recvs.from, o->status < 0 ? 1 : 2);
		if (o->status >= 0 && KT_EXPECT(t, recvs.from.events[0].recv)) {
			hdr = &recvs.from.events[0].recv->recv_buf.mad->mad_hdr;
			if (!KT_EXPECT_EQ(t, be16_to_cpu(hdr->status), o->status))
				ktap_note(t, "%s", o->what);
			KT_EXPECT_EQ(t, hdr->method, IB_MGMT_METHOD_GET_RESP);
		}
		KT_EXPECT_EQ(t, event.status, IB_WC_SUCCESS);
		kmd_forget(&recvs.from);
		kmd_free(buf);
	}
	KT_EXPECT_EQ(t, recvs.to.nr, 0);
	kmd_end(&recvs);
}

/* Datagrams that no ib_mad would send, from a QP of a consumer. */
static void test_strange(struct ktap *t)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_UD,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = { .max_send_wr = 8, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1, .qkey = IB_QP1_QKEY };
	static const struct { u32 qpn, length; u8 mgmt_class; enum krdma_mad_counter counter; }
	strange[] = {
		{ 1, 255, KMD_PLAIN, KRDMA_MAD_BAD_LENGTH },
		{ 1, 0, KMD_PLAIN, KRDMA_MAD_BAD_LENGTH },
		{ 1, 24, KMD_PLAIN, KRDMA_MAD_BAD_LENGTH },
		{ 0, 256, 0x01, KRDMA_MAD_BAD_SOURCE },
		{ 0, 256, 0x81, KRDMA_MAD_BAD_SOURCE },
		{ 0, 256, 0x04, KRDMA_MAD_BAD_CLASS },
	};
	struct rdma_ah_attr to = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1 };
	static u8 mad[256];
	struct ib_pd *pd;
	struct ib_qp *qp;
	struct ib_ah *ah;
	size_t i;

	if (!kmd_start(t, &recvs, &kmd_plain))
		return;
	pd = ib_alloc_pd(recvs.a, 0);
	init.send_cq = ib_alloc_cq(recvs.a, NULL, 16, 0, IB_POLL_DIRECT);
	init.recv_cq = init.send_cq;
	qp = ib_create_qp(pd, &init);
	rdma_ah_set_dlid(&to, memdev_lid(recvs.b, 1));
	ah = rdma_create_ah(pd, &to, 0);
	if (!KT_EXPECT_ERR(t, qp, 0) || !KT_EXPECT_ERR(t, ah, 0))
		goto out;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
				     IB_QP_QKEY), 0);
	attr.qp_state = IB_QPS_RTR;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE), 0);
	attr.qp_state = IB_QPS_RTS;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN), 0);
	mad[0] = 1;
	mad[2] = 1;
	mad[3] = IB_MGMT_METHOD_GET;
	for (i = 0; i < ARRAY_SIZE(strange); i++) {
		struct ib_sge sge = {
			.addr = (uintptr_t)mad,
			.length = strange[i].length,
			.lkey = pd->local_dma_lkey,
		};
		struct ib_ud_wr wr = {
			.wr.opcode = IB_WR_SEND,
			.wr.sg_list = &sge,
			.wr.num_sge = 1,
			.ah = ah,
			.remote_qpn = strange[i].qpn,
			.remote_qkey = IB_QP1_QKEY,
		};
		long before = krdma_mad_read(recvs.b, 1, strange[i].counter);
		struct ib_wc wc;
		int polled = 0;

		mad[1] = strange[i].mgmt_class;
		KT_EXPECT_EQ(t, ib_post_send(qp, &wr.wr, NULL), 0);
		KT_WAIT(t, krdma_mad_read(recvs.b, 1, strange[i].counter) == before + 1);
		KT_WAIT(t, polled || (polled = ib_poll_cq(qp->send_cq, 1, &wc)) == 1);
	}
	KMD_COUNTS(t, recvs.b, RECEIVED, ARRAY_SIZE(strange));
	KT_EXPECT_EQ(t, recvs.to.nr, 0);
out:
	if (!IS_ERR(ah))
		rdma_destroy_ah(ah, 0);
	if (!IS_ERR(qp))
		ib_destroy_qp(qp);
	ib_free_cq(init.send_cq);
	ib_dealloc_pd(pd);
	kmd_end(&recvs);
}

/* Answers of the device that cannot be sent are dropped, and later ones are sent. */
static void test_answers_fail(struct ktap *t)
{
	struct ib_mad_send_buf *buf;

	if (!kmd_start(t, &recvs, &kmd_plain))
		return;
	buf = kmd_new(t, &recvs.from, memdev_lid(recvs.b, 1), IB_MGMT_METHOD_GET, 0);
	if (!buf)
		goto out;
	kmd_hdr(buf)->mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
	buf->timeout_ms = KMD_SHORT;
	fakedev_fail(recvs.fb, FAKEDEV_POST_SEND, 1, -ENOMEM);
	kmd_post(t, buf);
	KMD_ENDS(t, &recvs.from, buf, IB_WC_RESP_TIMEOUT_ERR);
	fakedev_fail(recvs.fb, FAKEDEV_CREATE_AH, 1, -ENOMEM);
	kmd_post(t, buf);
	KMD_ENDS(t, &recvs.from, buf, IB_WC_RESP_TIMEOUT_ERR);
	KMD_COUNTS(t, recvs.b, REPLIES_DROPPED, 2);
	buf->timeout_ms = KMD_LONG;
	kmd_post(t, buf);
	KT_EXPECT_EQ(t, kmd_wait(t, &recvs.from, 2).status, IB_WC_SUCCESS);
	KMD_COUNTS(t, recvs.b, REPLIES, 1);
	/* A receive that cannot be posted again is made up for by the next one. */
	kmd_forget(&recvs.from);
	fakedev_fail(recvs.fb, FAKEDEV_POST_RECV, 1, -ENOMEM);
	kmd_post(t, buf);
	KT_EXPECT_EQ(t, kmd_wait(t, &recvs.from, 2).status, IB_WC_SUCCESS);
	kmd_free(buf);
out:
	kmd_end(&recvs);
}

/* What the provider says of a request, and the status of its answer; negative: there is none. */
static const struct {
	const char *what;
	bool no_op;
	int result;
	bool processed;
	int status;
} told[] = {
	{ "processes nothing", true, 0, false, 0x000c },
	{ "failure", false, IB_MAD_RESULT_FAILURE, false, 0x000c },
	{ "failure with an answer", false, IB_MAD_RESULT_REPLY, false, 0x000c },
	{ "no answer", false, IB_MAD_RESULT_SUCCESS, false, 0x000c },
	{ "an answer", false, IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY, true, 0 },
	{ "taken", false, IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED, true, -1 },
	{ "taken, with an answer", false,
	  IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED | IB_MAD_RESULT_REPLY, true, -1 },
};

static int told_result;
static bool had_other_data;

static int process_as_told(struct ib_device *dev, int flags, u32 port, const struct ib_wc *wc,
			   const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
			   size_t *out_size, u16 *out_pkey_index)
{
	/* A provider need not set all of its answer. */
	had_other_data |= !!memchr_inv(out, 0, sizeof(*out));
	*out = *in;
	out->mad_hdr.method |= IB_MGMT_METHOD_RESP;
	return told_result;
}

static void test_provider(struct ktap *t)
{
	struct ib_mad_send_buf *buf;
	struct ib_mad_recv_wc *recv;
	long processed = 0;
	size_t i;

	if (!kmd_start(t, &recvs, &kmd_plain))
		return;
	had_other_data = false;
	for (i = 0; i < ARRAY_SIZE(told); i++) {
		buf = kmd_new(t, &recvs.from, memdev_lid(recvs.b, 1), IB_MGMT_METHOD_GET, 0);
		if (!buf)
			break;
		/* A class of no agent */
		kmd_hdr(buf)->mgmt_class = KMD_PLAIN + 1;
		told_result = told[i].result;
		recvs.b->ops.process_mad = told[i].no_op ? NULL : process_as_told;
		buf->timeout_ms = told[i].status < 0 ? KMD_SHORT : KMD_LONG;
		kmd_post(t, buf);
		if (told[i].status < 0) {
			KMD_ENDS(t, &recvs.from, buf, IB_WC_RESP_TIMEOUT_ERR);
		} else {
			KT_EXPECT_EQ(t, kmd_wait(t, &recvs.from, 2).status, IB_WC_SUCCESS);
			recv = recvs.from.events[0].recv;
			if (!KT_EXPECT(t, recv && be16_to_cpu(recv->recv_buf.mad->mad_hdr.status) ==
				       told[i].status))
				ktap_note(t, "%s", told[i].what);
			kmd_forget(&recvs.from);
		}
		processed += told[i].processed;
		KMD_COUNTS(t, recvs.b, PROCESSED, processed);
		kmd_free(buf);
	}
	KT_EXPECT(t, !had_other_data);
	kmd_end(&recvs);
}

static const struct ktap_case recv_cases[] = {
	{ "requests of any kind", test_odd },
	{ "datagrams that are no MADs", test_strange },
	{ "answers that cannot be sent", test_answers_fail },
	{ "what the provider says of a request", test_provider },
};

KTAP_SUITE(kmd_recv_suite, "mad receives", recv_cases);
