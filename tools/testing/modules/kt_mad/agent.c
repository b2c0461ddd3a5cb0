// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of agents: who may register, what MADs are made for them, and questions about classes.
 */
#include "kt_mad.h"

static void ignore_send(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
}

static void ignore_recv(struct ib_mad_agent *agent, struct ib_mad_send_buf *send,
			struct ib_mad_recv_wc *wc)
{
	ib_free_recv_mad(wc);
}

/*
 * Arguments of ib_register_mad_agent(), and what it returns. @mgmt_class 0: no requests, but with
 * @class_0.
 */
struct refusal {
	const char *what;
	int errno;
	u32 port;
	enum ib_qp_type qp;
	u8 mgmt_class;
	u8 oui;
	u8 rmpp;
	u32 flags;
	bool no_send, no_recv, class_0;
};

static const struct refusal refusals[] = {
	{ "responses only", 0, 1, IB_QPT_GSI },
	{ "RC", -EINVAL, 1, IB_QPT_RC, KMD_PLAIN },
	{ "port 0", -ENODEV, 0, IB_QPT_GSI, KMD_PLAIN },
	{ "port 2", -ENODEV, 2, IB_QPT_GSI, KMD_PLAIN },
	{ "RMPP 2", -EINVAL, 1, IB_QPT_GSI, KMD_VENDOR, 1, 2 },
	{ "RMPP", 0, 1, IB_QPT_GSI, KMD_VENDOR, 1, 1 },
	{ "class without RMPP", -EINVAL, 1, IB_QPT_GSI, KMD_PLAIN, 0, 1 },
	{ "own RMPP", 0, 1, IB_QPT_GSI, KMD_PLAIN, 0, 1, IB_MAD_USER_RMPP },
	{ "own RMPP without requests", -EINVAL, 1, IB_QPT_GSI, 0, 0, 1, IB_MAD_USER_RMPP },
	{ "unknown flag", -EINVAL, 1, IB_QPT_GSI, KMD_PLAIN, 0, 0, 0x80 },
	{ "SMP on QP 1", -EINVAL, 1, IB_QPT_GSI, IB_MGMT_CLASS_SUBN_LID_ROUTED },
	{ "directed SMP on QP 1", -EINVAL, 1, IB_QPT_GSI, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE },
	{ "SMP on QP 0", 0, 1, IB_QPT_SMI, IB_MGMT_CLASS_SUBN_LID_ROUTED },
	{ "class of QP 1 on QP 0", -EINVAL, 1, IB_QPT_SMI, KMD_PLAIN },
	{ "no OUI", -EINVAL, 1, IB_QPT_GSI, KMD_VENDOR },
	{ "class 0", -EINVAL, 1, IB_QPT_GSI, .class_0 = true },
	{ "requests, and no handler", -EINVAL, 1, IB_QPT_GSI, KMD_PLAIN, .no_recv = true },
	{ "requests, and nothing to send", 0, 1, IB_QPT_GSI, KMD_PLAIN, .no_send = true },
	{ "no handler at all", -EINVAL, 1, IB_QPT_GSI, .no_send = true, .no_recv = true },
};

static void test_refusals(struct ktap *t)
{
	struct fakedev_config iwarp = { .name = "iw%d" };
	struct fakedev *fd = memdev_create(NULL), *other;
	struct ib_mad_agent *agent;
	const struct refusal *r;
	int ret;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	for (r = refusals; r < refusals + ARRAY_SIZE(refusals); r++) {
		struct ib_mad_reg_req req = {
			.mgmt_class = r->mgmt_class,
			.mgmt_class_version = 1,
			.oui = { r->oui },
			.method_mask = { KMD_GET },
		};

		agent = ib_register_mad_agent(&fd->ibdev, r->port, r->qp,
					      r->mgmt_class || r->class_0 ? &req : NULL, r->rmpp,
					      r->no_send ? NULL : ignore_send,
					      r->no_recv ? NULL : ignore_recv, t, r->flags);
		ret = PTR_ERR_OR_ZERO(agent);
		if (ret != r->errno)
			ktap_fail(t, "%s: %d instead of %d", r->what, ret, r->errno);
		if (ret)
			continue;
		KT_EXPECT(t, agent->device == &fd->ibdev && agent->port_num == r->port);
		KT_EXPECT(t, agent->qp->qp_type == r->qp && agent->context == t);
		KT_EXPECT(t, agent->hi_tid && !(agent->hi_tid >> 24));
		ib_unregister_mad_agent(agent);
	}
	other = fakedev_create(&iwarp);
	if (KT_EXPECT_ERR(t, other, 0)) {
		agent = ib_register_mad_agent(&other->ibdev, 1, IB_QPT_GSI, NULL, 0, ignore_send,
					      ignore_recv, NULL, 0);
		KT_EXPECT_ERR(t, agent, -ENODEV);
		KT_EXPECT_EQ(t, krdma_mad_read(&other->ibdev, 1, 0), -EINVAL);
		fakedev_destroy(other);
	}
	KT_EXPECT_EQ(t, krdma_mad_read(&fd->ibdev, 1, KRDMA_MAD_NR_COUNTERS), -EINVAL);
	KT_EXPECT_EQ(t, krdma_mad_read(&fd->ibdev, 1, KRDMA_MAD_SENT), 0);
	memdev_destroy(fd);
}

/* Each request has one agent: that of its class, version, OUI and method. */
static void test_overlap(struct ktap *t)
{
	struct ib_mad_reg_req req = { .mgmt_class = KMD_VENDOR, .mgmt_class_version = 1 };
	struct ib_mad_agent *first, *second;
	struct fakedev *fd = memdev_create(NULL);
	int i;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	req.oui[2] = 1;
	set_bit(IB_MGMT_METHOD_GET, req.method_mask);
	set_bit(127, req.method_mask);
	first = ib_register_mad_agent(&fd->ibdev, 1, IB_QPT_GSI, &req, 0, ignore_send, ignore_recv,
				      NULL, 0);
	if (!KT_EXPECT_ERR(t, first, 0))
		goto out;
	clear_bit(IB_MGMT_METHOD_GET, req.method_mask);
	for (i = 0; i < 6; i++) {
		struct ib_mad_reg_req other = req;
		static const int results[] = { -EBUSY, 0, 0, 0, 0, 0 };

		if (i == 1)
			other.mgmt_class_version = 2;
		if (i == 2)
			other.oui[2] = 2;
		if (i == 3)
			other.mgmt_class++;
		if (i == 4)
			bitmap_zero(other.method_mask, IB_MGMT_MAX_METHODS);
		/* A class that is kept with the first one's */
		if (i == 5)
			other.mgmt_class += 32;
		second = ib_register_mad_agent(&fd->ibdev, 1, IB_QPT_GSI, &other, 0, ignore_send,
					       ignore_recv, NULL, 0);
		if (!KT_EXPECT_ERR(t, second, results[i]) || IS_ERR(second)) {
			if (results[i])
				continue;
			break;
		}
		KT_EXPECT(t, second->hi_tid != first->hi_tid);
		ib_unregister_mad_agent(second);
	}
	ib_unregister_mad_agent(first);
	/* The methods are free again. */
	first = ib_register_mad_agent(&fd->ibdev, 1, IB_QPT_GSI, &req, 0, ignore_send, ignore_recv,
				      NULL, 0);
	if (KT_EXPECT_ERR(t, first, 0))
		ib_unregister_mad_agent(first);
out:
	memdev_destroy(fd);
}

/* Arguments of ib_create_send_mad(), and what it returns. */
struct made {
	int rmpp, hdr_len, data_len, version;
	int errno;
	int seg_count, seg_size;
};

static const struct made made_mads[] = {
	{ 0, 24, 232, 1 },
	{ 0, 24, 0, 1 },
	{ 0, 256, 0, 1 },
	{ 0, 24, 233, 1, -EINVAL },
	{ 0, 257, 0, 1, -EINVAL },
	{ 0, 23, 10, 1, -EINVAL },
	{ 0, 24, -1, 1, -EINVAL },
	{ 0, 24, 232, OPA_MGMT_BASE_VERSION, -EINVAL },
	{ 0, 24, 232, 0, -EINVAL },
	{ 1, 56, 200, 1, 0, 1, 200 },
	{ 1, 56, 0, 1, 0, 1, 200 },
	{ 1, 56, 201, 1, 0, 2, 200 },
	{ 1, 40, 2160, 1, 0, 10, 216 },
	{ 1, 36, 221, 1, 0, 2, 220 },
	{ 1, 35, 221, 1, -EINVAL },
	{ 1, 256, 0, 1, -EINVAL },
	{ 1, 40, (16 << 20) + 1, 1, -EINVAL },
	{ 1, 40, -1, 1, -EINVAL },
};

static void test_make(struct ktap *t)
{
	static const struct kmd_reg rmpp = { IB_QPT_GSI, KMD_VENDOR, .rmpp = 1 };
	static const struct kmd_reg own = {
		IB_QPT_GSI, KMD_VENDOR, .rmpp = 1, .flags = IB_MAD_USER_RMPP
	};
	static struct kmd_agent a, plain;
	struct fakedev *fd = memdev_create(NULL);
	struct ib_mad_send_buf *buf;
	const struct made *m;
	int i;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	if (!kmd_register(t, &a, &fd->ibdev, &rmpp))
		goto out;
	for (m = made_mads; m < made_mads + ARRAY_SIZE(made_mads); m++) {
		buf = ib_create_send_mad(a.agent, 1, 0, m->rmpp, m->hdr_len, m->data_len,
					 GFP_KERNEL, m->version);
		if (!KT_EXPECT_ERR(t, buf, m->errno))
			ktap_note(t, "case %zd", m - made_mads);
		if (IS_ERR(buf))
			continue;
		KT_EXPECT(t, buf->mad_agent == a.agent && !buf->timeout_ms && !buf->retries);
		KT_EXPECT(t, buf->hdr_len == m->hdr_len && buf->data_len == m->data_len);
		KT_EXPECT(t, buf->seg_count == m->seg_count && buf->seg_size == m->seg_size);
		KT_EXPECT_EQ(t, buf->seg_rmpp_size, m->rmpp ? 220 : 0);
		KT_EXPECT(t, !ib_get_rmpp_segment(buf, 0));
		KT_EXPECT(t, !ib_get_rmpp_segment(buf, m->seg_count + 1));
		for (i = 1; i <= m->seg_count; i++)
			memset(ib_get_rmpp_segment(buf, i), i, m->seg_size);
		if (m->rmpp)
			KT_EXPECT(t, ib_get_rmpp_segment(buf, 1) == buf->mad + m->hdr_len);
		ib_free_send_mad(buf);
	}
	KT_EXPECT_EQ(t, ib_mad_kernel_rmpp_agent(a.agent), 1);
	kmd_unregister(&a);
	if (kmd_register(t, &plain, &fd->ibdev, &own)) {
		buf = ib_create_send_mad(plain.agent, 1, 0, 1, 40, 100, GFP_KERNEL, 1);
		KT_EXPECT_ERR(t, buf, -EINVAL);
		KT_EXPECT_EQ(t, ib_mad_kernel_rmpp_agent(plain.agent), 0);
		kmd_unregister(&plain);
	}
out:
	memdev_destroy(fd);
}

/* Values of IBTA 13.4 and 13.6. */
static void test_classes(struct ktap *t)
{
	static const struct { u8 mgmt_class, offset; bool rmpp; } classes[] = {
		{ 0x01, 24 }, { 0x81, 24 }, { 0x03, 56, true }, { 0x04, 24 }, { 0x05, 24 },
		{ 0x06, 64, true }, { 0x07, 24 }, { 0x09, 24 }, { 0x10, 64, true },
		{ 0x12, 64, true }, { 0x2f, 24 }, { 0x30, 40, true }, { 0x4f, 40, true },
		{ 0x50, 24 },
	};
	static const struct { u8 mgmt_class, method; u32 attr_mod; bool response; } headers[] = {
		{ 0x03, 0x01, 0, false }, { 0x03, 0x81, 0, true }, { 0x03, 0x92, 0, true },
		{ 0x01, 0x05, 0, false }, { 0x01, 0x07, 0, true }, { 0x05, 0x03, 0, false },
		{ 0x05, 0x03, 1, true }, { 0x06, 0x03, 1, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		KT_EXPECT_EQ(t, ib_get_mad_data_offset(classes[i].mgmt_class), classes[i].offset);
		KT_EXPECT_EQ(t, ib_is_mad_class_rmpp(classes[i].mgmt_class), classes[i].rmpp);
	}
	for (i = 0; i < ARRAY_SIZE(headers); i++) {
		struct ib_mad_hdr hdr = {
			.mgmt_class = headers[i].mgmt_class,
			.method = headers[i].method,
			.attr_mod = cpu_to_be32(headers[i].attr_mod),
		};

		KT_EXPECT_EQ(t, ib_response_mad(&hdr), headers[i].response);
	}
}

static const struct ktap_case agent_cases[] = {
	{ "who may register", test_refusals },
	{ "a request has one agent", test_overlap },
	{ "lengths and segments of MADs", test_make },
	{ "classes and responses", test_classes },
};

KTAP_SUITE(kmd_agent_suite, "mad agents", agent_cases);
