// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of requests, their responses, and sends without a response.
 */
#include "kt_mad.h"

/* The pairs are too long for the stack, and tests run one after the other. */
static struct kmd_pair sends;

static void test_request(struct ktap *t)
{
	struct ib_mad_send_buf *buf;
	struct kmd_event event;

	if (!kmd_start(t, &sends, &kmd_plain))
		return;
	sends.to.answers = true;
	buf = kmd_new(t, &sends.from, memdev_lid(sends.b, 1), IB_MGMT_METHOD_SET, 0);
	if (!buf)
		goto out;
	buf->timeout_ms = KMD_LONG;
	kmd_post(t, buf);
	/* The response comes before the completion of the request. */
	event = kmd_wait(t, &sends.from, 2);
	KT_EXPECT(t, !event.recv && event.send == buf && event.status == IB_WC_SUCCESS);
	event = sends.from.events[0];
	if (KT_EXPECT(t, event.recv && event.send == buf)) {
		const struct ib_mad_hdr *hdr = &event.recv->recv_buf.mad->mad_hdr;

		KT_EXPECT_EQ(t, event.recv->wc->slid, memdev_lid(sends.b, 1));
		KT_EXPECT(t, event.recv->wc->src_qp == 1 && event.recv->wc->port_num == 1);
		KT_EXPECT(t, event.recv->mad_len == 256 && event.recv->mad_seg_size == 256);
		KT_EXPECT(t, hdr->tid == kmd_hdr(buf)->tid && hdr->method == 0x82);
		KT_EXPECT(t, kmd_is_whole(event.recv, 232));
		KT_EXPECT(t, list_is_singular(&event.recv->rmpp_list));
	}
	event = kmd_wait(t, &sends.to, 1);
	if (KT_EXPECT(t, event.recv && !event.send)) {
		KT_EXPECT_EQ(t, event.recv->wc->slid, memdev_lid(sends.a, 1));
		KT_EXPECT(t, !memcmp(event.recv->recv_buf.mad, buf->mad, 256));
	}
	KMD_COUNTS(t, sends.a, SENT, 1);
	KMD_COUNTS(t, sends.a, RECEIVED, 1);
	KMD_COUNTS(t, sends.b, RECEIVED, 1);
	KMD_COUNTS(t, sends.a, UNMATCHED, 0);
	kmd_free(buf);
out:
	kmd_end(&sends);
}

/* A list of sends without responses, more than the QP takes at a time. */
static void test_many(struct ktap *t)
{
	struct ib_mad_send_buf *first = NULL, *buf, *next;
	static u8 completed[300];
	unsigned int i;

	if (!kmd_start(t, &sends, &kmd_plain))
		return;
	memset(completed, 0, sizeof(completed));
	sends.to.silent = true;
	for (i = 0; i < ARRAY_SIZE(completed); i++) {
		buf = kmd_new(t, &sends.from, memdev_lid(sends.b, 1), IB_MGMT_METHOD_SEND, 0);
		if (!buf)
			break;
		buf->context[1] = &completed[i];
		buf->next = first;
		first = buf;
	}
	kmd_post(t, first);
	kmd_wait(t, &sends.from, ARRAY_SIZE(completed));
	for (i = 0; i < sends.from.nr; i++) {
		KT_EXPECT_EQ(t, sends.from.events[i].status, IB_WC_SUCCESS);
		++*(u8 *)sends.from.events[i].send->context[1];
	}
	for (i = 0; i < ARRAY_SIZE(completed); i++)
		KT_EXPECT_EQ(t, completed[i], 1);
	for (buf = first; buf; buf = next) {
		next = buf->next;
		kmd_free(buf);
	}
	KMD_COUNTS(t, sends.a, SENT, ARRAY_SIZE(completed));
	kmd_forget(&sends.from);
	/* What was too much for the receives is lost, and what comes later is received. */
	sends.to.answers = true;
	KT_WAIT(t, krdma_mad_read(sends.b, 1, KRDMA_MAD_RECEIVED) >= 64);
	buf = kmd_new(t, &sends.from, memdev_lid(sends.b, 1), IB_MGMT_METHOD_GET, 0);
	if (buf) {
		buf->timeout_ms = 100;
		buf->retries = 50;
		kmd_post(t, buf);
		KT_EXPECT_EQ(t, kmd_wait(t, &sends.from, 2).status, IB_WC_SUCCESS);
		kmd_free(buf);
	}
	kmd_end(&sends);
}

static void test_post_refusals(struct ktap *t)
{
	struct ib_mad_send_buf *buf, *second, *bad = NULL;
	struct ib_mad_agent *agent;
	struct ib_ah *ah;
	int posts;

	if (!kmd_start(t, &sends, &kmd_plain))
		return;
	buf = kmd_new(t, &sends.from, memdev_lid(sends.b, 1), IB_MGMT_METHOD_GET, 0);
	second = kmd_new(t, &sends.from, memdev_lid(sends.b, 1), IB_MGMT_METHOD_GET, 0);
	if (!buf || !second)
		goto out;
	buf->timeout_ms = -1;
	KT_EXPECT_EQ(t, ib_post_send_mad(buf, &bad), -EINVAL);
	KT_EXPECT(t, bad == buf);
	buf->timeout_ms = 0;
	buf->retries = -1;
	KT_EXPECT_EQ(t, ib_post_send_mad(buf, NULL), -EINVAL);
	buf->retries = 0;
	fakedev_fail(sends.fa, FAKEDEV_POST_SEND, 1, -ENOMEM);
	KT_EXPECT_EQ(t, ib_post_send_mad(buf, NULL), -ENOMEM);
	/* Neither was taken, so both can be changed, and posted again. */
	KT_EXPECT_EQ(t, ib_modify_mad(buf, 0), -EINVAL);
	ah = second->ah;
	second->ah = NULL;
	buf->next = second;
	posts = fakedev_calls(sends.fa, FAKEDEV_POST_SEND);
	KT_EXPECT_EQ(t, ib_post_send_mad(buf, &bad), -EINVAL);
	KT_EXPECT(t, bad == second);
	KT_EXPECT_EQ(t, fakedev_calls(sends.fa, FAKEDEV_POST_SEND), posts + 1);
	second->ah = ah;
	KMD_ENDS(t, &sends.from, buf, IB_WC_SUCCESS);

	second->timeout_ms = KMD_LONG;
	kmd_post(t, second);
	KT_EXPECT_EQ(t, ib_post_send_mad(second, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ib_modify_mad(second, 0), 0);
	KMD_ENDS(t, &sends.from, second, IB_WC_WR_FLUSH_ERR);

	/* An agent without a handler of what the MAD needs */
	agent = ib_register_mad_agent(sends.a, 1, IB_QPT_GSI, NULL, 0,
				      sends.from.agent->send_handler, NULL, &sends.from, 0);
	if (KT_EXPECT_ERR(t, agent, 0)) {
		struct ib_mad_send_buf *other;

		other = ib_create_send_mad(agent, 1, 0, 0, 24, 232, GFP_KERNEL, 1);
		if (KT_EXPECT_ERR(t, other, 0)) {
			memcpy(other->mad, buf->mad, 256);
			other->ah = buf->ah;
			other->timeout_ms = 1;
			KT_EXPECT_EQ(t, ib_post_send_mad(other, NULL), -EINVAL);
			other->timeout_ms = 0;
			kmd_post(t, other);
			KMD_ENDS(t, &sends.from, other, IB_WC_SUCCESS);
			ib_free_send_mad(other);
		}
		ib_unregister_mad_agent(agent);
	}
out:
	if (buf)
		kmd_free(buf);
	if (second)
		kmd_free(second);
	kmd_end(&sends);
}

/* An error moves the QP to SQE. What was posted behind is sent nevertheless. */
static void test_qp_error(struct ktap *t)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1 };
	struct memdev_config two = { .nr_ports = 2 };
	struct ib_mad_send_buf *bufs[10] = {};
	struct fakedev *fd = memdev_create(&two);
	static struct kmd_agent a;
	unsigned int i;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	if (!kmd_register(t, &a, &fd->ibdev, &kmd_plain))
		goto out;
	for (i = 0; i < ARRAY_SIZE(bufs); i++) {
		bufs[i] = kmd_new(t, &a, memdev_lid(&fd->ibdev, 2), IB_MGMT_METHOD_SEND, 0);
		if (!bufs[i])
			goto out_free;
		if (i)
			bufs[i - 1]->next = bufs[i];
	}
	/* The handle of another port is an error of the third one. */
	rdma_destroy_ah(bufs[2]->ah, 0);
	attr.port_num = 2;
	rdma_ah_set_dlid(&attr, memdev_lid(&fd->ibdev, 2));
	bufs[2]->ah = rdma_create_ah(a.agent->qp->pd, &attr, 0);
	if (!KT_EXPECT_ERR(t, bufs[2]->ah, 0)) {
		bufs[2]->ah = NULL;
		goto out_free;
	}
	kmd_post(t, bufs[0]);
	kmd_wait(t, &a, ARRAY_SIZE(bufs));
	for (i = 0; i < a.nr; i++)
		KT_EXPECT_EQ(t, a.events[i].status,
			     a.events[i].send == bufs[2] ? IB_WC_LOC_QP_OP_ERR : IB_WC_SUCCESS);
	kmd_forget(&a);
out_free:
	for (i = 0; i < ARRAY_SIZE(bufs); i++)
		if (bufs[i])
			kmd_free(bufs[i]);
	kmd_unregister(&a);
out:
	memdev_destroy(fd);
}

/*
 * What a request and its response have for addresses: whether they match. @group: the request goes
 * to a LID of a group; @no_query: the provider does not say where the request goes to.
 */
static const struct {
	bool request_grh, response_grh, third, matches, group, no_query;
} peers[] = {
	{ false, false, false, true },
	/* Only its LID differs, which the peer may have changed. */
	{ false, false, true, true },
	{ false, true, false, false },
	{ true, false, false, false },
	{ true, true, false, true },
	{ true, true, true, false },
	{ true, true, true, true, .no_query = true },
	{ false, true, false, true, .group = true },
};

/* Sends a request from the first device, and a response to it from the second or @third one. */
static void exchange(struct ktap *t, size_t nr, struct kmd_agent *third)
{
	struct kmd_agent *peer = peers[nr].third ? third : &sends.to;
	union ib_gid a = memdev_gid(sends.a, 1, 0), b = memdev_gid(sends.b, 1, 0);
	long unmatched = krdma_mad_read(sends.a, 1, KRDMA_MAD_UNMATCHED);
	u32 lid = peers[nr].group ? be16_to_cpu(IB_MULTICAST_LID_BASE) : memdev_lid(sends.b, 1);
	struct ib_mad_send_buf *buf, *response;

	buf = kmd_new(t, &sends.from, lid, IB_MGMT_METHOD_GET, 0);
	response = kmd_new(t, peer, memdev_lid(sends.a, 1), IB_MGMT_METHOD_GET_RESP, 0);
	if (!buf || !response)
		goto out;
	if ((peers[nr].request_grh && !kmd_use_gid(t, buf, b)) ||
	    (peers[nr].response_grh && !kmd_use_gid(t, response, a)))
		goto out;
	kmd_hdr(response)->tid = kmd_hdr(buf)->tid;
	buf->timeout_ms = KMD_LONG;
	if (peers[nr].no_query)
		fakedev_fail(sends.fa, FAKEDEV_QUERY_AH, 1, -EIO);
	kmd_post(t, buf);
	if (!peers[nr].group)
		kmd_wait(t, &sends.to, 1);
	kmd_forget(&sends.to);
	kmd_post(t, response);
	KMD_ENDS(t, peer, response, IB_WC_SUCCESS);
	if (peers[nr].matches) {
		KT_EXPECT_EQ(t, kmd_wait(t, &sends.from, 2).status, IB_WC_SUCCESS);
		kmd_forget(&sends.from);
	} else {
		KMD_COUNTS(t, sends.a, UNMATCHED, unmatched + 1);
		KT_EXPECT_EQ(t, ib_modify_mad(buf, 0), 0);
		KMD_ENDS(t, &sends.from, buf, IB_WC_WR_FLUSH_ERR);
	}
out:
	if (buf)
		kmd_free(buf);
	if (response)
		kmd_free(response);
}

/* A response has to come from where the request went to, as far as addresses tell. */
static void test_peers(struct ktap *t)
{
	static struct kmd_agent third;
	struct fakedev *fd;
	size_t i;

	if (!kmd_start(t, &sends, &kmd_plain))
		return;
	fd = memdev_create(NULL);
	if (!KT_EXPECT_ERR(t, fd, 0))
		goto out;
	if (kmd_register(t, &third, &fd->ibdev, &kmd_plain)) {
		for (i = 0; i < ARRAY_SIZE(peers); i++)
			exchange(t, i, &third);
		kmd_unregister(&third);
	}
	memdev_destroy(fd);
out:
	kmd_end(&sends);
}

/* A response is one of the same transaction and class. */
static void test_transactions(struct ktap *t)
{
	struct ib_mad_send_buf *buf, *other;
	__be64 tid;

	if (!kmd_start(t, &sends, &kmd_plain))
		return;
	buf = kmd_new(t, &sends.from, memdev_lid(sends.b, 1), IB_MGMT_METHOD_GET, 0);
	other = kmd_new(t, &sends.to, memdev_lid(sends.a, 1), IB_MGMT_METHOD_GET_RESP, 0);
	if (!buf || !other)
		goto out;
	buf->timeout_ms = KMD_LONG;
	kmd_post(t, buf);
	kmd_wait(t, &sends.to, 1);
	kmd_forget(&sends.to);
	tid = kmd_hdr(buf)->tid;
	/* Another transaction of the agent, one of no agent, and another class */
	kmd_hdr(other)->tid = tid ^ cpu_to_be64(1U << 31);
	kmd_post(t, other);
	KMD_ENDS(t, &sends.to, other, IB_WC_SUCCESS);
	kmd_hdr(other)->tid = cpu_to_be64(0xffffffffffffffff);
	kmd_post(t, other);
	KMD_ENDS(t, &sends.to, other, IB_WC_SUCCESS);
	kmd_hdr(other)->tid = tid;
	kmd_hdr(other)->mgmt_class++;
	kmd_post(t, other);
	KMD_ENDS(t, &sends.to, other, IB_WC_SUCCESS);
	KMD_COUNTS(t, sends.a, UNMATCHED, 3);
	KT_EXPECT_EQ(t, sends.from.nr, 0);
	ib_cancel_mad(buf);
	KMD_ENDS(t, &sends.from, buf, IB_WC_WR_FLUSH_ERR);
out:
	if (buf)
		kmd_free(buf);
	if (other)
		kmd_free(other);
	kmd_end(&sends);
}

/* Sends a response from the second device to an agent of the first one. */
static void respond_to(struct ktap *t, const struct ib_mad_agent *agent)
{
	struct ib_mad_send_buf *buf;

	buf = kmd_new(t, &sends.to, memdev_lid(sends.a, 1), IB_MGMT_METHOD_GET_RESP, 0);
	if (!buf)
		return;
	kmd_hdr(buf)->tid = cpu_to_be64((u64)agent->hi_tid << 32);
	kmd_post(t, buf);
	KMD_ENDS(t, &sends.to, buf, IB_WC_SUCCESS);
	kmd_free(buf);
}

/* What comes for an agent that receives nothing is dropped, by its own QP or another one. */
static void test_deaf(struct ktap *t)
{
	static const enum ib_qp_type types[] = { IB_QPT_GSI, IB_QPT_SMI };
	struct ib_mad_agent *agent;
	int i;

	if (!kmd_start(t, &sends, &kmd_plain))
		return;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		agent = ib_register_mad_agent(sends.a, 1, types[i], NULL, 0,
					      sends.from.agent->send_handler, NULL, NULL, 0);
		if (!KT_EXPECT_ERR(t, agent, 0))
			continue;
		respond_to(t, agent);
		KMD_COUNTS(t, sends.a, UNWANTED, 1);
		KMD_COUNTS(t, sends.a, UNMATCHED, i);
		ib_unregister_mad_agent(agent);
	}
	kmd_end(&sends);
}

/* An agent that is not told of completions sends nothing. */
static void test_mute(struct ktap *t)
{
	struct ib_mad_reg_req req = { .mgmt_class = KMD_PLAIN, .mgmt_class_version = 1 };
	struct ib_mad_send_buf *buf, *other;
	struct ib_mad_agent *agent;

	if (!kmd_start(t, &sends, &kmd_plain))
		return;
	set_bit(IB_MGMT_METHOD_GET, req.method_mask);
	agent = ib_register_mad_agent(sends.a, 1, IB_QPT_GSI, &req, 0, NULL,
				      sends.from.agent->recv_handler, &sends.from, 0);
	buf = kmd_new(t, &sends.from, memdev_lid(sends.b, 1), IB_MGMT_METHOD_SEND, 0);
	if (!KT_EXPECT_ERR(t, agent, 0) || !buf)
		goto out;
	other = ib_create_send_mad(agent, 1, 0, 0, 24, 232, GFP_KERNEL, 1);
	if (KT_EXPECT_ERR(t, other, 0)) {
		memcpy(other->mad, buf->mad, 256);
		other->ah = buf->ah;
		KT_EXPECT_EQ(t, ib_post_send_mad(other, NULL), -EINVAL);
		ib_free_send_mad(other);
	}
out:
	if (buf)
		kmd_free(buf);
	if (!IS_ERR(agent))
		ib_unregister_mad_agent(agent);
	KMD_COUNTS(t, sends.a, SENT, 0);
	kmd_end(&sends);
}

static const struct ktap_case send_cases[] = {
	{ "a request and its response", test_request },
	{ "more sends than the QP takes", test_many },
	{ "sends that are refused", test_post_refusals },
	{ "an error of one send ends no other one", test_qp_error },
	{ "a response from elsewhere is dropped", test_peers },
	{ "a response of another transaction is dropped", test_transactions },
	{ "an agent that receives nothing", test_deaf },
	{ "an agent that sends nothing", test_mute },
};

KTAP_SUITE(kmd_send_suite, "mad sends", send_cases);
