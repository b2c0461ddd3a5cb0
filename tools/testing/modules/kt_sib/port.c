// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of what a CA and its port say about themselves. */
#include <rdma/ib_cache.h>

#include "ibwire/portinfo.h"
#include "kt_sib.h"

static void test_device(struct ktap *t, struct ksb_pair *p)
{
	const struct ib_device_attr *attrs = &p->a.dev->attrs;
	struct ib_device *dev = p->a.dev;

	KT_EXPECT(t, dev->phys_port_cnt == 1 && dev->node_type == RDMA_NODE_IB_CA);
	KT_EXPECT(t, dev->node_guid && dev->node_guid != p->b.dev->node_guid);
	KT_EXPECT(t, attrs->max_qp > 0 && attrs->max_qp_wr > 0 && attrs->max_ah > 0);
	KT_EXPECT_EQ(t, attrs->max_pkeys, 64);
	KT_EXPECT(t, attrs->kernel_cap_flags & IBK_LOCAL_DMA_LKEY);
	KT_EXPECT_EQ(t, attrs->atomic_cap, IB_ATOMIC_NONE);
	KT_EXPECT(t, rdma_protocol_ib(dev, 1) && !rdma_cap_opa_mad(dev, 1));
	KT_EXPECT(t, rdma_cap_ib_mad(dev, 1) && rdma_cap_ib_smi(dev, 1));
	KT_EXPECT(t, rdma_cap_ib_sa(dev, 1) && rdma_cap_ib_mcast(dev, 1));
	KT_EXPECT_EQ(t, rdma_max_mad_size(dev, 1), 256);
}

static void test_port(struct ktap *t, struct ksb_pair *p)
{
	struct ib_port_attr a = ksb_port(t, &p->a), b = ksb_port(t, &p->b);

	KT_EXPECT(t, a.state == IB_PORT_ACTIVE && a.phys_state == IB_PORT_PHYS_STATE_LINK_UP);
	KT_EXPECT(t, a.max_mtu == IB_MTU_4096 && a.active_mtu == IB_MTU_4096);
	KT_EXPECT_EQ(t, a.max_msg_sz, KSB_MTU);
	KT_EXPECT(t, a.lid && b.lid && a.lid != b.lid && !a.lmc);
	KT_EXPECT(t, a.active_width == IB_WIDTH_4X && a.active_speed == IB_SPEED_QDR);
	KT_EXPECT(t, a.gid_tbl_len == 32 && a.pkey_tbl_len == 64);
	KT_EXPECT(t, a.port_cap_flags & PORT_CAP_TRAP && !(a.port_cap_flags & PORT_CAP_SM));
	KT_EXPECT_EQ(t, ib_query_port(p->a.dev, 0, &a), -EINVAL);
	KT_EXPECT_EQ(t, ib_query_port(p->a.dev, 2, &a), -EINVAL);
}

static void test_tables(struct ktap *t, struct ksb_pair *p)
{
	struct ib_device *dev = p->a.dev;
	union ib_gid gid;
	u16 pkey;
	int i;

	KT_EXPECT_EQ(t, dev->ops.query_gid(dev, 1, 0, &gid), 0);
	KT_EXPECT_EQ(t, be64_to_cpu(gid.global.subnet_prefix), 0xfe80000000000000ULL);
	KT_EXPECT_EQ(t, be64_to_cpu(gid.global.interface_id), be64_to_cpu(dev->node_guid) + 1);
	for (i = 1; i < 32; i++) {
		KT_EXPECT_EQ(t, dev->ops.query_gid(dev, 1, i, &gid), 0);
		KT_EXPECT(t, !memchr_inv(&gid, 0, sizeof(gid)));
	}
	KT_EXPECT_EQ(t, dev->ops.query_gid(dev, 1, 32, &gid), -EINVAL);
	KT_EXPECT_EQ(t, dev->ops.query_gid(dev, 1, -1, &gid), -EINVAL);
	for (i = 0; i < 64; i++) {
		KT_EXPECT_EQ(t, ib_query_pkey(dev, 1, i, &pkey), 0);
		KT_EXPECT_EQ(t, pkey, i ? 0 : 0xffff);
	}
	KT_EXPECT_EQ(t, ib_query_pkey(dev, 1, 64, &pkey), -EINVAL);
}

/* Has the host say whether it has a communication manager, and expects that the port shows it. */
static void say_cm(struct ktap *t, struct ksb_host *h, bool has)
{
	struct ib_port_modify caps = {};

	*(has ? &caps.set_port_cap_mask : &caps.clr_port_cap_mask) = PORT_CAP_CM;
	KT_EXPECT_EQ(t, ib_modify_port(h->dev, 1, 0, &caps), 0);
	KT_EXPECT_EQ(t, !!(ksb_port(t, h).port_cap_flags & PORT_CAP_CM), has);
}

static void test_modify(struct ktap *t, struct ksb_pair *p)
{
	bool before = ksb_port(t, &p->a).port_cap_flags & PORT_CAP_CM;
	struct ib_port_modify caps = { .clr_port_cap_mask = PORT_CAP_TRAP };
	struct ib_device_modify change = {};

	say_cm(t, &p->a, true);
	say_cm(t, &p->a, false);
	say_cm(t, &p->a, before);
	/* What the node itself is able to do is not the host's to change. */
	KT_EXPECT_EQ(t, ib_modify_port(p->a.dev, 1, 0, &caps), -EOPNOTSUPP);
	caps = (struct ib_port_modify) {};
	KT_EXPECT_EQ(t, ib_modify_port(p->a.dev, 1, IB_PORT_SHUTDOWN, &caps), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_modify_device(p->a.dev, IB_DEVICE_MODIFY_SYS_IMAGE_GUID, &change),
		     -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_modify_port(p->a.dev, 1, IB_PORT_RESET_QKEY_CNTR, &caps), 0);
	KT_EXPECT_EQ(t, ksb_port(t, &p->a).qkey_viol_cntr, 0);
}

static const struct ktap_case port_cases[] = {
	KSB_CASE("the device", test_device),
	KSB_CASE("the port", test_port),
	KSB_CASE("GIDs and P_Keys", test_tables),
	KSB_CASE("changes by the host", test_modify),
};

KTAP_SUITE(ksb_port_suite, "sib ports", port_cases);
