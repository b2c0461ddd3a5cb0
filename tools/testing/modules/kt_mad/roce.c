// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of MADs between RoCE devices, which have QP 1 alone, on dummy interfaces.
 */
#include <linux/netdevice.h>

#include "kt_mad.h"

/* Makes a device on a new interface with an address. */
static struct fakedev *new_device(struct ktap *t, const char *ifname, const char *address)
{
	struct memdev_config config = {};
	struct fakedev *fd;
	char line[200];

	snprintf(line, sizeof(line), "ip link del %s 2>/dev/null; ip link add %s type dummy &&\n"
		 "ip link set %s up && ip address add %s dev %s", ifname, ifname, ifname, address,
		 ifname);
	if (!KT_EXPECT_EQ(t, kt_sh(line), 0))
		return NULL;
	config.ndev = dev_get_by_name(&init_net, ifname);
	if (!KT_EXPECT(t, config.ndev))
		return NULL;
	fd = memdev_create(&config);
	dev_put(config.ndev);
	return KT_EXPECT_ERR(t, fd, 0) ? fd : NULL;
}

/* Returns the index of a GID, or a negative errno. */
static int find_gid(struct fakedev *fd, const char *address)
{
	const struct ib_gid_attr *attr;
	union ib_gid gid = kt_gid_of(address);
	int index;

	attr = rdma_find_gid_by_port(&fd->ibdev, &gid, IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	index = attr->index;
	rdma_put_gid_attr(attr);
	return index;
}

static int (*poll_of_provider)(struct ib_cq *cq, int num_entries, struct ib_wc *wc);

/* Polls, and says of what has come that its header is of a kind that does not exist. */
static int poll_strange(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	int got = poll_of_provider(cq, num_entries, wc), i;

	for (i = 0; i < got; i++)
		if (wc[i].opcode == IB_WC_RECV)
			wc[i].network_hdr_type = 77;
	return got;
}

/* A response whose sender cannot be told is no response. */
static void get_strange(struct ktap *t, struct kmd_agent *from, struct ib_mad_send_buf *buf)
{
	struct ib_device *dev = from->agent->device;

	poll_of_provider = dev->ops.poll_cq;
	dev->ops.poll_cq = poll_strange;
	kmd_post(t, buf);
	KMD_COUNTS(t, dev, UNMATCHED, 1);
	dev->ops.poll_cq = poll_of_provider;
	KT_EXPECT_EQ(t, ib_modify_mad(buf, 0), 0);
	KMD_ENDS(t, from, buf, IB_WC_WR_FLUSH_ERR);
}

/* A request over IPv4. The response is found by the address in its IPv4 header. */
static void test_ipv4(struct ktap *t)
{
	static const char * const addresses[] = { "10.78.0.1", "10.78.0.2" };
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 1 };
	static struct kmd_agent from, to;
	struct ib_mad_send_buf *buf;
	struct ib_mad_agent *agent;
	struct fakedev *a, *b;

	a = new_device(t, "kmda", "10.78.0.1/24");
	b = new_device(t, "kmdb", "10.78.0.2/24");
	if (!a || !b)
		goto out;
	KT_WAIT(t, find_gid(a, addresses[0]) >= 0 && find_gid(b, addresses[1]) >= 0);
	if (!kmd_register(t, &from, &a->ibdev, &kmd_plain))
		goto out;
	if (!kmd_register(t, &to, &b->ibdev, &kmd_plain))
		goto out_from;
	to.answers = true;
	agent = ib_register_mad_agent(&a->ibdev, 1, IB_QPT_SMI, NULL, 0, from.agent->send_handler,
				      NULL, NULL, 0);
	KT_EXPECT_ERR(t, agent, -EPROTONOSUPPORT);
	buf = ib_create_send_mad(from.agent, 1, 0, 0, 24, 232, GFP_KERNEL, 1);
	if (!KT_EXPECT_ERR(t, buf, 0))
		goto out_to;
	attr.ah_flags = IB_AH_GRH;
	attr.grh.sgid_index = find_gid(a, addresses[0]);
	attr.grh.hop_limit = 8;
	attr.grh.dgid = kt_gid_of(addresses[1]);
	memset(attr.roce.dmac, 2, sizeof(attr.roce.dmac));
	buf->ah = rdma_create_ah(from.agent->qp->pd, &attr, 0);
	if (KT_EXPECT_ERR(t, buf->ah, 0)) {
		*kmd_hdr(buf) = (struct ib_mad_hdr) {
			.base_version = 1,
			.mgmt_class = KMD_PLAIN,
			.class_version = 1,
			.method = IB_MGMT_METHOD_GET,
			.tid = cpu_to_be64((u64)from.agent->hi_tid << 32),
		};
		buf->timeout_ms = 5000;
		kmd_post(t, buf);
		KT_EXPECT_EQ(t, kmd_wait(t, &from, 2).status, IB_WC_SUCCESS);
		KT_EXPECT(t, from.events[0].recv && from.events[0].send == buf);
		kmd_forget(&from);
		buf->timeout_ms = KMD_LONG;
		get_strange(t, &from, buf);
		rdma_destroy_ah(buf->ah, 0);
	}
	ib_free_send_mad(buf);
out_to:
	kmd_unregister(&to);
out_from:
	kmd_unregister(&from);
out:
	if (a)
		memdev_destroy(a);
	if (b)
		memdev_destroy(b);
	KT_EXPECT_EQ(t, kt_sh("ip link del kmda; ip link del kmdb"), 0);
}

static const struct ktap_case roce_cases[] = {
	{ "a request over IPv4", test_ipv4 },
};

KTAP_SUITE(kmd_roce_suite, "mad RoCE", roce_cases);
