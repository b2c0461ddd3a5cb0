// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of devices: those that lack something when they come, and those that go while MADs are
 * under way.
 */
#include "kt_mad.h"

static struct kmd_pair devs;

/* --- devices that come --- */

/* The call that fails while ib_mad opens a device, and the device's limits. */
static enum fakedev_op failing_op;
static int failing_nth;
static int max_qp_wr, max_cqe;
static bool no_limits, no_resize;
/* Capabilities that port 2 does not have, and others that it has in addition. */
static u32 less_caps, more_caps;

static void prepare(struct fakedev *fd)
{
	if (failing_nth)
		fakedev_fail(fd, failing_op, failing_nth, -ENOMEM);
	if (max_qp_wr)
		fd->ibdev.attrs.max_qp_wr = max_qp_wr;
	if (max_cqe)
		fd->ibdev.attrs.max_cqe = max_cqe;
	if (no_limits) {
		fd->ibdev.attrs.max_qp_wr = 0;
		fd->ibdev.attrs.max_cqe = 0;
	}
	if (no_resize)
		fd->ibdev.ops.resize_cq = NULL;
	if (less_caps || more_caps) {
		fd->ibdev.port_data[2].immutable.core_cap_flags &= ~less_caps;
		fd->ibdev.port_data[2].immutable.core_cap_flags |= more_caps;
	}
}

static struct fakedev *new_memdev(struct ktap *t, u32 ports, enum fakedev_op op, int nth)
{
	struct memdev_config config = { .nr_ports = ports, .prepare = prepare };
	struct fakedev *fd;

	failing_op = op;
	failing_nth = nth;
	fd = memdev_create(&config);
	failing_nth = 0;
	return KT_EXPECT_ERR(t, fd, 0) ? fd : NULL;
}

static void drop_send(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
}

/* A port that cannot be opened leaves the device without MADs, and nothing else. */
static void test_not_opened(struct ktap *t)
{
	static const struct { enum fakedev_op op; int calls; } ops[] = {
		{ FAKEDEV_ALLOC_PD, 2 }, { FAKEDEV_CREATE_CQ, 2 }, { FAKEDEV_CREATE_QP, 4 },
		{ FAKEDEV_MODIFY_QP, 12 },
	};
	struct ib_mad_agent *agent;
	struct fakedev *fd;
	int i, nth;
	u32 port;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		for (nth = 1; nth <= ops[i].calls; nth++) {
			fd = new_memdev(t, 2, ops[i].op, nth);
			if (!fd)
				return;
			for (port = 1; port <= 2; port++) {
				agent = ib_register_mad_agent(&fd->ibdev, port, IB_QPT_GSI, NULL,
							      0, drop_send, NULL, NULL, 0);
				if (!KT_EXPECT_ERR(t, agent, -ENODEV)) {
					ktap_note(t, "operation %d, call %d", ops[i].op, nth);
					if (!IS_ERR(agent))
						ib_unregister_mad_agent(agent);
				}
				KT_EXPECT_EQ(t, krdma_mad_read(&fd->ibdev, port, 0), -EINVAL);
			}
			memdev_destroy(fd);
		}
}

/* A device of which one port has no MADs, or those of Omni-Path */
static void test_other_ports(struct ktap *t)
{
	struct ib_mad_agent *agent;
	struct fakedev *fd;
	int i;

	for (i = 0; i < 2; i++) {
		less_caps = i ? 0 : RDMA_CORE_CAP_IB_MAD;
		more_caps = i ? RDMA_CORE_CAP_OPA_MAD : 0;
		fd = new_memdev(t, 2, 0, 0);
		less_caps = 0;
		more_caps = 0;
		if (!fd)
			return;
		agent = ib_register_mad_agent(&fd->ibdev, 2, IB_QPT_GSI, NULL, 0, drop_send, NULL,
					      NULL, 0);
		if (!KT_EXPECT_ERR(t, agent, -ENODEV) && !IS_ERR(agent))
			ib_unregister_mad_agent(agent);
		KT_EXPECT_EQ(t, krdma_mad_read(&fd->ibdev, 2, 0), -EINVAL);
		agent = ib_register_mad_agent(&fd->ibdev, 1, IB_QPT_GSI, NULL, 0, drop_send, NULL,
					      NULL, 0);
		if (KT_EXPECT_ERR(t, agent, 0))
			ib_unregister_mad_agent(agent);
		memdev_destroy(fd);
	}
}

/* QP 0 gets no receive at first, and all later. */
static void test_no_receives(struct ktap *t)
{
	struct fakedev *fd = new_memdev(t, 1, FAKEDEV_POST_RECV, 1);

	if (!fd)
		return;
	KT_WAIT(t, fakedev_calls(fd, FAKEDEV_POST_RECV) == 1 + 8 + 32);
	memdev_destroy(fd);
	/* The device goes before they are tried again. */
	fd = new_memdev(t, 1, FAKEDEV_POST_RECV, 1);
	if (fd)
		memdev_destroy(fd);
}

/* Requests at a device whose queues are short, or whose CQ is, or that names no limits. */
static void test_small(struct ktap *t)
{
	static const struct { int max_qp_wr, max_cqe, receives; bool no_limits; } sizes[] = {
		{ 16, 0, 24 }, { 1, 0, 2 }, { 0, 40, 18 }, { 0, 4, 2 }, { 0, 0, 40, true },
	};
	struct ib_mad_send_buf *buf;
	static struct kmd_agent a;
	struct fakedev *fd;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		max_qp_wr = sizes[i].max_qp_wr;
		max_cqe = sizes[i].max_cqe;
		no_limits = sizes[i].no_limits;
		fd = new_memdev(t, 1, 0, 0);
		max_qp_wr = 0;
		max_cqe = 0;
		no_limits = false;
		if (!fd)
			return;
		KT_EXPECT_EQ(t, fakedev_calls(fd, FAKEDEV_POST_RECV), sizes[i].receives);
		if (kmd_register(t, &a, &fd->ibdev, &kmd_plain)) {
			buf = kmd_new(t, &a, memdev_lid(&fd->ibdev, 1), IB_MGMT_METHOD_GET, 0);
			if (buf) {
				kmd_hdr(buf)->mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
				buf->timeout_ms = 200;
				buf->retries = 10;
				kmd_post(t, buf);
				KT_EXPECT_EQ(t, kmd_wait(t, &a, 2).status, IB_WC_SUCCESS);
				kmd_forget(&a);
				kmd_free(buf);
			}
			kmd_unregister(&a);
		}
		memdev_destroy(fd);
	}
}

/* Fails the test unless the CQ of a device's port has room for @cqe completions. */
static void expect_cqe(struct ktap *t, struct ib_device *dev, int cqe)
{
	struct ib_mad_agent *agent = ib_register_mad_agent(dev, 1, IB_QPT_GSI, NULL, 0, drop_send,
							   NULL, NULL, 0);

	if (!KT_EXPECT_ERR(t, agent, 0))
		return;
	KT_EXPECT_EQ(t, agent->qp->recv_cq->cqe, cqe);
	ib_unregister_mad_agent(agent);
}

/*
 * The CQ of a device in software is small at first. One that cannot be resized has room for all at
 * once, and so has that of an adapter.
 */
static void test_cqe(struct ktap *t)
{
	const struct fakedev_config adapter = {
		.node_type = RDMA_NODE_IB_CA,
		.real_dma = true,
	};
	struct fakedev *fd;

	fd = new_memdev(t, 1, 0, 0);
	if (fd) {
		expect_cqe(t, &fd->ibdev, 128);
		memdev_destroy(fd);
	}
	no_resize = true;
	fd = new_memdev(t, 1, 0, 0);
	no_resize = false;
	if (fd) {
		expect_cqe(t, &fd->ibdev, 1024);
		memdev_destroy(fd);
	}
	fd = fakedev_create(&adapter);
	if (KT_EXPECT_ERR(t, fd, 0)) {
		expect_cqe(t, &fd->ibdev, 1024);
		/* What cannot be mapped is not posted. */
		if (!IS_ENABLED(CONFIG_HAS_DMA))
			KT_EXPECT_EQ(t, fakedev_calls(fd, FAKEDEV_POST_RECV), 0);
		fakedev_destroy(fd);
	}
}

/* --- devices that go --- */

static const struct kmd_reg of_rmpp = {
	IB_QPT_GSI, KMD_VENDOR, .rmpp = 1, .methods = KMD_GET | KMD_SEND
};

static const struct kmd_reg of_smi = { IB_QPT_SMI, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE };

/* Agents of the first device, and what they have sent when it goes. */
static struct kmd_agent long_ones, local_ones, peer_long;
static struct ib_mad_send_buf *waiting[20], *under_way[5], *held[200], *local[5], *coming;
static bool consumer_unregisters;
static DECLARE_COMPLETION(let_go);

static bool lose_acks(void *context, const u8 *data, u32 length)
{
	const struct ib_rmpp_mad *mad = (const struct ib_rmpp_mad *)data;

	return mad->mad_hdr.mgmt_class == KMD_VENDOR &&
	       mad->rmpp_hdr.rmpp_type == IB_MGMT_RMPP_TYPE_ACK;
}

static void make(struct ktap *t, struct kmd_agent *a, struct ib_mad_send_buf **bufs, size_t nr,
		 unsigned int len)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		bufs[i] = kmd_new(t, a, memdev_lid(a->agent->device == devs.a ? devs.b : devs.a, 1),
				  IB_MGMT_METHOD_SEND, len);
		if (bufs[i])
			bufs[i]->timeout_ms = KMD_LONG;
	}
}

static void post_each(struct ktap *t, struct ib_mad_send_buf **bufs, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (bufs[i])
			kmd_post(t, bufs[i]);
}

/* An SMP to the port itself */
static void make_local(struct ib_mad_send_buf *buf)
{
	struct ib_smp *smp = buf->mad;

	memset(&smp->mkey, 0, sizeof(*smp) - offsetof(struct ib_smp, mkey));
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->method = IB_MGMT_METHOD_GET;
	smp->attr_id = IB_SMP_ATTR_NODE_INFO;
	smp->dr_slid = IB_LID_PERMISSIVE;
	smp->dr_dlid = IB_LID_PERMISSIVE;
}

/*
 * Has the first device's agents send: MADs that wait for a response, messages of which no segment
 * is acknowledged, MADs that the QP holds, and SMPs that have to wait for a handler to return. A
 * message from the second device is coming, too.
 */
static void send_all(struct ktap *t)
{
	struct ib_mad_send_buf *one = NULL;
	int i;

	devs.from.ends_ahs = true;
	long_ones.ends_ahs = true;
	local_ones.ends_ahs = true;
	devs.to.silent = true;
	make(t, &devs.from, waiting, ARRAY_SIZE(waiting), 0);
	make(t, &long_ones, under_way, ARRAY_SIZE(under_way), 3000);
	make(t, &devs.from, held, ARRAY_SIZE(held), 0);
	make(t, &local_ones, local, ARRAY_SIZE(local), 0);
	make(t, &peer_long, &coming, 1, 3000);
	make(t, &peer_long, &one, 1, 0);
	for (i = 0; i < ARRAY_SIZE(local); i++)
		if (local[i])
			make_local(local[i]);
	memdev_lose(lose_acks, NULL);
	post_each(t, waiting, ARRAY_SIZE(waiting));
	post_each(t, under_way, ARRAY_SIZE(under_way));
	post_each(t, &coming, 1);
	/* Each has been sent once. */
	KMD_COUNTS(t, devs.b, RECEIVED, ARRAY_SIZE(waiting) + ARRAY_SIZE(under_way));
	KMD_COUNTS(t, devs.a, RECEIVED, 1);
	memdev_hold(devs.a, 1, 1, true);
	post_each(t, held, ARRAY_SIZE(held));
	/* A handler does not return until the device has begun to go. */
	reinit_completion(&let_go);
	long_ones.gate = &let_go;
	if (one) {
		one->timeout_ms = 0;
		kmd_post(t, one);
		KT_WAIT(t, kmd_is_held(&long_ones));
		KMD_ENDS(t, &peer_long, one, IB_WC_SUCCESS);
		kmd_free(one);
	}
	post_each(t, local, ARRAY_SIZE(local));
	KT_EXPECT(t, !devs.from.nr && !long_ones.nr && !local_ones.nr);
}

/* Agents end when the QP has completed their sends, and the QP only ends with the device. */
static void let_it_go(struct work_struct *work)
{
	if (consumer_unregisters)
		memdev_hold(devs.a, 1, 1, false);
	complete_all(&let_go);
}

static DECLARE_DELAYED_WORK(letting_go, let_it_go);

static int consumer_add(struct ib_device *dev)
{
	return 0;
}

static void consumer_remove(struct ib_device *dev, void *data)
{
	if (dev != devs.a)
		return;
	queue_delayed_work(system_wq, &letting_go, msecs_to_jiffies(50));
	if (!consumer_unregisters)
		return;
	/* First the one whose sends would not fail once the handler has returned */
	ib_unregister_mad_agent(local_ones.agent);
	ib_unregister_mad_agent(devs.from.agent);
	ib_unregister_mad_agent(long_ones.agent);
}

static struct ib_client consumer = {
	.name = "kt_mad",
	.add = consumer_add,
	.remove = consumer_remove,
};

/* Expects that each MAD has completed once, and has been flushed. */
static void expect_flushed(struct ktap *t, struct kmd_agent *a, struct ib_mad_send_buf **bufs,
			   size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (bufs[i])
			KT_EXPECT_EQ(t, kmd_completions(a, bufs[i]), 1);
	for (i = 0; i < a->nr; i++)
		if (!a->events[i].recv)
			KT_EXPECT_EQ(t, a->events[i].status, IB_WC_WR_FLUSH_ERR);
}

static void free_each(struct ib_mad_send_buf **bufs, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (bufs[i])
			ib_free_send_mad(bufs[i]);
}

static void expect_all_flushed(struct ktap *t)
{
	expect_flushed(t, &devs.from, waiting, ARRAY_SIZE(waiting));
	expect_flushed(t, &devs.from, held, ARRAY_SIZE(held));
	expect_flushed(t, &long_ones, under_way, ARRAY_SIZE(under_way));
	expect_flushed(t, &local_ones, local, ARRAY_SIZE(local));
}

/* An agent whose device is gone can send nothing. */
static void expect_useless(struct ktap *t, struct ib_mad_send_buf *buf)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1 };

	rdma_ah_set_dlid(&attr, memdev_lid(devs.b, 1));
	buf->ah = rdma_create_ah(devs.to.agent->qp->pd, &attr, 0);
	if (!KT_EXPECT_ERR(t, buf->ah, 0))
		return;
	KT_EXPECT_EQ(t, ib_post_send_mad(buf, NULL), -ENODEV);
	KT_EXPECT_EQ(t, ib_modify_mad(buf, 0), -EINVAL);
	rdma_destroy_ah(buf->ah, 0);
	buf->ah = NULL;
}

static void remove_device(struct ktap *t, bool unregisters)
{
	consumer_unregisters = unregisters;
	if (!kmd_start(t, &devs, &kmd_plain))
		return;
	if (!kmd_register(t, &long_ones, devs.a, &of_rmpp) ||
	    !kmd_register(t, &local_ones, devs.a, &of_smi) ||
	    !kmd_register(t, &peer_long, devs.b, &of_rmpp) ||
	    !KT_EXPECT_EQ(t, ib_register_client(&consumer), 0))
		return;
	send_all(t);
	memdev_destroy(devs.fa);
	flush_delayed_work(&letting_go);
	memdev_lose(NULL, NULL);
	expect_all_flushed(t);
	if (!unregisters) {
		if (waiting[0])
			expect_useless(t, waiting[0]);
		ib_unregister_mad_agent(local_ones.agent);
		ib_unregister_mad_agent(long_ones.agent);
		ib_unregister_mad_agent(devs.from.agent);
	}
	kmd_forget(&devs.from);
	kmd_forget(&long_ones);
	kmd_forget(&local_ones);
	free_each(waiting, ARRAY_SIZE(waiting));
	free_each(held, ARRAY_SIZE(held));
	free_each(under_way, ARRAY_SIZE(under_way));
	free_each(local, ARRAY_SIZE(local));
	ib_unregister_client(&consumer);
	/* The other device's message has nobody left who would acknowledge it. */
	if (coming) {
		KT_EXPECT_EQ(t, ib_modify_mad(coming, 0), 0);
		KMD_ENDS(t, &peer_long, coming, IB_WC_WR_FLUSH_ERR);
		kmd_free(coming);
	}
	kmd_unregister(&peer_long);
	kmd_unregister(&devs.to);
	memdev_destroy(devs.fb);
}

/* The consumer ends its agents when it loses the device. */
static void test_removal(struct ktap *t)
{
	remove_device(t, true);
}

/* The consumer is late, and its agents are left without a device. */
static void test_left(struct ktap *t)
{
	remove_device(t, false);
}

static const struct ktap_case devices_cases[] = {
	{ "ports that cannot be opened", test_not_opened },
	{ "ports without MADs", test_other_ports },
	{ "a QP without receives gets them later", test_no_receives },
	{ "short queues", test_small },
	{ "room for completions", test_cqe },
	{ "a device goes, with its agents", test_removal },
	{ "agents are left after their device", test_left },
};

KTAP_SUITE(kmd_devices_suite, "mad devices", devices_cases);
