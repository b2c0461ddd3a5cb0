// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of SMPs: to the port itself, over a link by a directed route, and by LIDs.
 */
#include "kt_mad.h"

#define DIRECTED	IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE
#define TO_ALL		be16_to_cpu(IB_LID_PERMISSIVE)

static const struct kmd_reg directed = {
	IB_QPT_SMI, DIRECTED, .methods = KMD_GET | KMD_SET | KMD_TRAP
};

static struct kmd_pair smps;

/* Makes an SMP with a directed route of @hops hops, all by port 1. */
static struct ib_mad_send_buf *new_smp(struct ktap *t, __be16 attribute, u8 hops)
{
	struct ib_mad_send_buf *buf = kmd_new(t, &smps.from, TO_ALL, IB_MGMT_METHOD_GET, 0);
	struct ib_smp *smp;

	if (!buf)
		return NULL;
	smp = buf->mad;
	memset(&smp->mkey, 0, sizeof(*smp) - offsetof(struct ib_smp, mkey));
	smp->mgmt_class = DIRECTED;
	smp->attr_id = attribute;
	smp->hop_cnt = hops;
	smp->dr_slid = IB_LID_PERMISSIVE;
	smp->dr_dlid = IB_LID_PERMISSIVE;
	memset(smp->initial_path + 1, 1, hops > 62 ? 62 : hops);
	buf->timeout_ms = KMD_LONG;
	return buf;
}

/* Waits for the response to an SMP, and for its completion. Returns the response. */
static const struct ib_smp *get_response(struct ktap *t, struct ib_mad_send_buf *buf)
{
	const struct ib_smp *smp;

	KT_EXPECT_EQ(t, kmd_wait(t, &smps.from, 2).status, IB_WC_SUCCESS);
	if (!KT_EXPECT(t, smps.from.events[0].recv && smps.from.events[0].send == buf))
		return NULL;
	smp = (const struct ib_smp *)smps.from.events[0].recv->recv_buf.mad;
	KT_EXPECT(t, smp->tid == kmd_hdr(buf)->tid && smp->method == IB_MGMT_METHOD_GET_RESP);
	return smp;
}

/* The port itself answers, and the device does not see the SMPs. */
static void test_own_port(struct ktap *t)
{
	struct ib_mad_send_buf *buf;
	const struct ib_smp *smp;
	const struct ib_node_info *info;

	if (!kmd_start(t, &smps, &directed))
		return;
	buf = new_smp(t, IB_SMP_ATTR_NODE_INFO, 0);
	if (!buf)
		goto out;
	fakedev_fail(smps.fa, FAKEDEV_POST_SEND, 1, -EIO);
	kmd_post(t, buf);
	smp = get_response(t, buf);
	if (smp) {
		info = (const struct ib_node_info *)smp->data;
		KT_EXPECT(t, smp->status == IB_SMP_DIRECTION && !smp->hop_cnt);
		KT_EXPECT(t, info->node_guid == smps.a->node_guid && info->local_port_num == 1);
		KT_EXPECT(t, smps.from.events[0].recv->wc->slid == TO_ALL);
	}
	kmd_forget(&smps.from);
	/* An attribute that the port does not have */
	kmd_hdr(buf)->attr_id = cpu_to_be16(0xff90);
	kmd_post(t, buf);
	smp = get_response(t, buf);
	if (smp)
		KT_EXPECT_EQ(t, be16_to_cpu(smp->status), 0x8000 | 0x000c);
	kmd_forget(&smps.from);
	/* A request of no agent is refused, and a Send is not answered. */
	kmd_hdr(buf)->attr_id = IB_SMP_ATTR_SM_INFO;
	kmd_post(t, buf);
	smp = get_response(t, buf);
	if (smp)
		KT_EXPECT_EQ(t, be16_to_cpu(smp->status), 0x8000 | 0x000c);
	kmd_forget(&smps.from);
	kmd_hdr(buf)->method = IB_MGMT_METHOD_SEND;
	buf->timeout_ms = KMD_SHORT;
	buf->retries = 2;
	kmd_post(t, buf);
	KMD_ENDS(t, &smps.from, buf, IB_WC_RESP_TIMEOUT_ERR);
	kmd_post(t, buf);
	ib_cancel_mad(buf);
	KMD_ENDS(t, &smps.from, buf, IB_WC_WR_FLUSH_ERR);
	buf->timeout_ms = 0;
	kmd_post(t, buf);
	KMD_ENDS(t, &smps.from, buf, IB_WC_SUCCESS);
	/* The answer to a transaction of no agent is dropped. */
	kmd_hdr(buf)->method = IB_MGMT_METHOD_GET;
	kmd_hdr(buf)->attr_id = IB_SMP_ATTR_NODE_INFO;
	kmd_hdr(buf)->tid = cpu_to_be64(U64_MAX);
	kmd_post(t, buf);
	KMD_ENDS(t, &smps.from, buf, IB_WC_SUCCESS);
	KMD_COUNTS(t, smps.a, UNMATCHED, 1);
	KMD_COUNTS(t, smps.a, LOCAL, 7);
	KMD_COUNTS(t, smps.a, RESENT, 2);
	KMD_COUNTS(t, smps.a, RECEIVED, 0);
	KMD_COUNTS(t, smps.a, SENT, 0);
	KMD_COUNTS(t, smps.a, PROCESSED, 3);
	fakedev_fail(smps.fa, FAKEDEV_POST_SEND, 0, 0);
	kmd_free(buf);
out:
	kmd_end(&smps);
}

/* Two agents of one port: what a subnet manager asks its own host. */
static void test_own_agent(struct ktap *t)
{
	struct ib_mad_send_buf *buf;
	static struct kmd_agent manager;
	const struct ib_smp *smp;

	if (!kmd_start(t, &smps, &directed))
		return;
	if (!kmd_register(t, &manager, smps.a, &directed))
		goto out;
	manager.answers = true;
	buf = new_smp(t, IB_SMP_ATTR_SM_INFO, 0);
	if (buf) {
		kmd_post(t, buf);
		smp = get_response(t, buf);
		if (smp)
			KT_EXPECT(t, smp->status == IB_SMP_DIRECTION);
		KT_EXPECT(t, kmd_wait(t, &manager, 1).recv);
		kmd_forget(&smps.from);
		kmd_free(buf);
	}
	kmd_unregister(&manager);
out:
	kmd_end(&smps);
}

static void test_directed(struct ktap *t)
{
	struct ib_mad_send_buf *buf;
	const struct ib_smp *smp;
	int i;

	if (!kmd_start(t, &smps, &directed))
		return;
	smps.to.answers = true;
	buf = new_smp(t, IB_SMP_ATTR_NODE_INFO, 1);
	if (!buf)
		goto out;
	/* First the other end's device answers, and then its agent. */
	for (i = 0; i < 2; i++) {
		((struct ib_smp *)buf->mad)->hop_ptr = 0;
		kmd_post(t, buf);
		smp = get_response(t, buf);
		if (smp) {
			const struct ib_node_info *info = (const struct ib_node_info *)smp->data;

			KT_EXPECT(t, smp->hop_cnt == 1 && smp->return_path[1] == 1);
			KT_EXPECT_EQ(t, smp->hop_ptr, 0);
			KT_EXPECT(t, smp->status == IB_SMP_DIRECTION);
			if (!i)
				KT_EXPECT(t, info->node_guid == smps.b->node_guid);
		}
		kmd_forget(&smps.from);
		kmd_hdr(buf)->attr_id = IB_SMP_ATTR_SM_INFO;
	}
	kmd_wait(t, &smps.to, 1);
	kmd_forget(&smps.to);
	KMD_COUNTS(t, smps.b, REPLIES, 1);
	KMD_COUNTS(t, smps.b, PROCESSED, 1);
	/* A second hop needs a switch. */
	((struct ib_smp *)buf->mad)->hop_ptr = 0;
	((struct ib_smp *)buf->mad)->hop_cnt = 2;
	buf->timeout_ms = KMD_SHORT;
	kmd_post(t, buf);
	KMD_ENDS(t, &smps.from, buf, IB_WC_RESP_TIMEOUT_ERR);
	KMD_COUNTS(t, smps.b, BAD_ROUTE, 1);
	kmd_free(buf);
out:
	kmd_end(&smps);
}

/* A lost SMP is sent again with the same hop pointer. */
static bool lose_first(void *context, const u8 *data, u32 length)
{
	int *left = context;

	return *left && (*left)--;
}

static void test_routes(struct ktap *t)
{
	static const struct { u8 hops, pointer, port; __be16 status; } bad[] = {
		{ 64, 0, 1 }, { 1, 1, 1 }, { 1, 0, 0 }, { 1, 0, 2 }, { 1, 0, 1, IB_SMP_DIRECTION },
		{ 0, 1, 0 },
	};
	struct ib_mad_send_buf *buf;
	int losses = 2;
	size_t i;

	if (!kmd_start(t, &smps, &directed))
		return;
	buf = new_smp(t, IB_SMP_ATTR_NODE_INFO, 1);
	if (!buf)
		goto out;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct ib_smp *smp = buf->mad;

		smp->hop_cnt = bad[i].hops;
		smp->hop_ptr = bad[i].pointer;
		smp->initial_path[1] = bad[i].port;
		smp->status = bad[i].status;
		if (!KT_EXPECT_EQ(t, ib_post_send_mad(buf, NULL), -EINVAL))
			ktap_note(t, "case %zu", i);
	}
	kmd_free(buf);
	buf = new_smp(t, IB_SMP_ATTR_NODE_INFO, 1);
	if (!buf)
		goto out;
	memdev_lose(lose_first, &losses);
	buf->timeout_ms = KMD_SHORT;
	buf->retries = 50;
	kmd_post(t, buf);
	get_response(t, buf);
	KT_EXPECT(t, krdma_mad_read(smps.a, 1, KRDMA_MAD_RESENT) >= 2);
	kmd_free(buf);
out:
	kmd_end(&smps);
}

static void test_by_lid(struct ktap *t)
{
	static const struct kmd_reg by_lid = {
		IB_QPT_SMI, IB_MGMT_CLASS_SUBN_LID_ROUTED,
		.methods = KMD_GET | KMD_TRAP | BIT(IB_MGMT_METHOD_TRAP_REPRESS)
	};
	struct ib_device *asked[2];
	struct ib_mad_send_buf *buf;
	const struct ib_smp *smp;
	int i;

	if (!kmd_start(t, &smps, &by_lid))
		return;
	asked[0] = smps.b;
	asked[1] = smps.a;
	for (i = 0; i < 2; i++) {
		buf = kmd_new(t, &smps.from, memdev_lid(asked[i], 1), IB_MGMT_METHOD_GET, 0);
		if (!buf)
			break;
		kmd_hdr(buf)->attr_id = IB_SMP_ATTR_PORT_INFO;
		buf->timeout_ms = KMD_LONG;
		kmd_post(t, buf);
		smp = get_response(t, buf);
		if (smp) {
			const struct ib_port_info *info = (const struct ib_port_info *)smp->data;

			KT_EXPECT_EQ(t, be16_to_cpu(info->lid), memdev_lid(asked[i], 1));
			KT_EXPECT_EQ(t, be16_to_cpu(smp->status), 0);
		}
		kmd_forget(&smps.from);
		kmd_free(buf);
	}
	/* A trap is for the agent that wants traps, and its repression for the one that sent it. */
	buf = kmd_new(t, &smps.from, memdev_lid(smps.b, 1), IB_MGMT_METHOD_TRAP, 0);
	if (buf) {
		struct ib_mad_send_buf *repress;

		buf->timeout_ms = KMD_LONG;
		kmd_post(t, buf);
		kmd_wait(t, &smps.to, 1);
		repress = kmd_new(t, &smps.to, memdev_lid(smps.a, 1), IB_MGMT_METHOD_TRAP_REPRESS,
				  0);
		if (repress) {
			kmd_hdr(repress)->tid = kmd_hdr(buf)->tid;
			kmd_post(t, repress);
			KT_EXPECT_EQ(t, kmd_wait(t, &smps.from, 2).status, IB_WC_SUCCESS);
			KT_EXPECT(t, smps.from.events[0].send == buf && smps.from.events[0].recv);
			kmd_wait(t, &smps.to, 2);
			kmd_free(repress);
		}
		kmd_forget(&smps.from);
		kmd_forget(&smps.to);
		kmd_free(buf);
	}
	/* A repression of no agent's trap is for the agent that wants such. */
	buf = kmd_new(t, &smps.from, memdev_lid(smps.b, 1), IB_MGMT_METHOD_TRAP_REPRESS, 0);
	if (buf) {
		kmd_post(t, buf);
		KMD_ENDS(t, &smps.from, buf, IB_WC_SUCCESS);
		KT_EXPECT(t, kmd_wait(t, &smps.to, 1).recv);
		kmd_free(buf);
	}
	kmd_end(&smps);
}

/* Answers a request, and leaves its route as it is. */
static int answer_by_no_route(struct ib_device *dev, int flags, u32 port, const struct ib_wc *wc,
			      const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
			      size_t *out_size, u16 *out_pkey_index)
{
	*out = *in;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

/* An answer of the provider that does not say that it is on the way back is dropped. */
static void test_no_way_back(struct ktap *t)
{
	struct ib_mad_send_buf *buf;

	if (!kmd_start(t, &smps, &directed))
		return;
	smps.b->ops.process_mad = answer_by_no_route;
	buf = new_smp(t, IB_SMP_ATTR_NODE_INFO, 1);
	if (buf) {
		buf->timeout_ms = KMD_SHORT;
		kmd_post(t, buf);
		KMD_ENDS(t, &smps.from, buf, IB_WC_RESP_TIMEOUT_ERR);
		KMD_COUNTS(t, smps.b, PROCESSED, 1);
		KMD_COUNTS(t, smps.b, BAD_ROUTE, 1);
		KMD_COUNTS(t, smps.b, REPLIES, 0);
		kmd_free(buf);
	}
	kmd_end(&smps);
}

/* Starts a switch, whose port 1 is linked to the first device, with an agent. */
static struct fakedev *start_switch(struct ktap *t)
{
	const struct memdev_config config = { .node_type = RDMA_NODE_IB_SWITCH, .nr_ports = 1 };
	struct fakedev *sw;

	memset(&smps, 0, sizeof(smps));
	sw = memdev_create(&config);
	if (!KT_EXPECT_ERR(t, sw, 0))
		return NULL;
	smps.fa = memdev_create(NULL);
	if (!KT_EXPECT_ERR(t, smps.fa, 0))
		goto err_switch;
	smps.a = &smps.fa->ibdev;
	memdev_link(smps.a, 1, &sw->ibdev, 0);
	if (kmd_register(t, &smps.from, smps.a, &directed))
		return sw;
	memdev_destroy(smps.fa);
err_switch:
	memdev_destroy(sw);
	return NULL;
}

/* Posts an SMP anew, and waits until the switch has it. */
static void to_switch(struct ktap *t, struct ib_mad_send_buf *buf, struct ib_device *sw)
{
	long received = krdma_mad_read(sw, 0, KRDMA_MAD_RECEIVED);

	((struct ib_smp *)buf->mad)->hop_ptr = 0;
	buf->timeout_ms = 0;
	kmd_post(t, buf);
	KMD_ENDS(t, &smps.from, buf, IB_WC_SUCCESS);
	KMD_COUNTS(t, sw, RECEIVED, received + 1);
}

/* An SMP whose path leads through a switch, and back by the same link; the response likewise. */
static void test_switch(struct ktap *t)
{
	struct fakedev *sw = start_switch(t);
	struct ib_mad_send_buf *buf;
	const struct ib_smp *smp;
	int i;

	if (!sw)
		return;
	buf = new_smp(t, IB_SMP_ATTR_NODE_INFO, 2);
	if (!buf)
		goto out;
	kmd_post(t, buf);
	smp = get_response(t, buf);
	if (smp) {
		const struct ib_node_info *info = (const struct ib_node_info *)smp->data;

		KT_EXPECT(t, info->node_guid == smps.a->node_guid && !smp->hop_ptr);
		KT_EXPECT(t, smp->return_path[1] == 1 && smp->return_path[2] == 1);
	}
	kmd_forget(&smps.from);
	KMD_COUNTS(t, &sw->ibdev, FORWARDED, 2);
	/* One that cannot be sent on */
	fakedev_fail(sw, FAKEDEV_CREATE_AH, 1, -ENOMEM);
	to_switch(t, buf, &sw->ibdev);
	KMD_COUNTS(t, &sw->ibdev, REPLIES_DROPPED, 1);
	/* The switch can send nothing, and keeps 256 of them. */
	memdev_hold(&sw->ibdev, 0, 0, true);
	for (i = 0; i < 260; i++)
		to_switch(t, buf, &sw->ibdev);
	KMD_COUNTS(t, &sw->ibdev, FORWARDED, 2 + 256);
	KMD_COUNTS(t, &sw->ibdev, REPLIES_DROPPED, 1 + 4);
	kmd_free(buf);
out:
	kmd_unregister(&smps.from);
	memdev_destroy(smps.fa);
	memdev_destroy(sw);
}

static const struct ktap_case smp_cases[] = {
	{ "SMPs to the port itself", test_own_port },
	{ "an SMP to another agent of the port", test_own_agent },
	{ "a directed route over a link", test_directed },
	{ "routes that do not begin here, and a lost SMP", test_routes },
	{ "SMPs by LID, and a trap", test_by_lid },
	{ "an answer without a way back", test_no_way_back },
	{ "a directed route through a switch", test_switch },
};

KTAP_SUITE(kmd_smp_suite, "mad SMPs", smp_cases);
