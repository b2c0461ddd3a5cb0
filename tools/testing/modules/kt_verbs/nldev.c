// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of what `rdma` shows of InfiniBand devices and their objects, which siw does not have, and
 * of counters of QPs whose operations fail. The device is kt_nldev.
 */
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>

#include "kt_verbs.h"

#define DEVICE	"kt_nldev"

/* Runs a line of shell commands that is printed first, and returns its wait status. */
static __printf(1, 2) int sh(const char *format, ...)
{
	char line[160];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	return kt_sh(line);
}

static int query_nldev_port(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	attr->pkey_tbl_len = 1;
	attr->subnet_prefix = 0xfe80000000000007;
	attr->lid = 5;
	attr->sm_lid = 6;
	attr->lmc = 2;
	attr->port_cap_flags2 = BIT(1);
	return 0;
}

static int query_nldev_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			  struct ib_qp_init_attr *init_attr)
{
	attr->qp_state = IB_QPS_RTS;
	attr->port_num = 1;
	attr->dest_qp_num = 77;
	attr->rq_psn = 88;
	attr->sq_psn = 99;
	attr->path_mig_state = IB_MIG_ARMED;
	return 0;
}

static const struct rdma_stat_desc nldev_descs[] = { { .name = "counted" } };

/* What the next operations of counters do. */
static struct {
	bool no_stats;
	int bind, unbind, update;	/* results */
	u32 id;	/* number of a counter that a QP is bound to, or 0 */
} counting;

static struct rdma_hw_stats *counter_alloc_stats(struct rdma_counter *counter)
{
	return counting.no_stats ? NULL :
	       rdma_alloc_hw_stats_struct(nldev_descs, ARRAY_SIZE(nldev_descs), 10);
}

static int counter_bind_qp(struct rdma_counter *counter, struct ib_qp *qp)
{
	if (!counting.bind && counting.id)
		counter->id = counting.id;
	return counting.bind;
}

static int counter_unbind_qp(struct ib_qp *qp)
{
	return counting.unbind;
}

static int counter_update_stats(struct rdma_counter *counter)
{
	return counting.update;
}

static const struct ib_device_ops nldev_ops = {
	.counter_alloc_stats = counter_alloc_stats,
	.counter_bind_qp = counter_bind_qp,
	.counter_unbind_qp = counter_unbind_qp,
	.counter_update_stats = counter_update_stats,
	.query_port = query_nldev_port,
	.query_qp = query_nldev_qp,
};

static bool start_nldev(struct ktap *t, struct kt_env *env, u8 node_type, u32 nr_ports)
{
	struct fakedev_config config = {
		.name = DEVICE, .node_type = node_type, .nr_ports = nr_ports,
		.more_ops = &nldev_ops,
	};

	memset(&counting, 0, sizeof(counting));
	return kt_start_with(t, env, &config);
}

static void test_shown_port(struct ktap *t)
{
	struct kt_env env;

	if (!start_nldev(t, &env, RDMA_NODE_IB_CA, 1))
		return;
	KT_EXPECT_EQ(t, kt_sh("rdma link show " DEVICE "/1 |\n"
			      "grep -q 'subnet_prefix fe80:0000:0000:0007 lid 5 sm_lid 6 lmc 2 '"),
		     0);
	/* The only capability is one of CapabilityMask2. */
	KT_EXPECT_EQ(t, kt_sh("rdma -d link show " DEVICE "/1 | grep -q 'caps: <[A-Z]'"), 0);
	kt_end(t, &env);
}

/* The QP of the peer is shown for the two types that have one. */
static void test_shown_qps(struct ktap *t)
{
	static const enum ib_qp_type types[] = { IB_QPT_RC, IB_QPT_UC, IB_QPT_UD };
	struct ib_qp *qps[ARRAY_SIZE(types)];
	struct ib_qp_init_attr attr;
	struct kt_env env;
	int i;

	if (!start_nldev(t, &env, RDMA_NODE_IB_CA, 1))
		return;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		attr = kt_qp_attr(env.cq);
		attr.qp_type = types[i];
		qps[i] = ib_create_qp(env.pd, &attr);
		KT_EXPECT_ERR(t, qps[i], 0);
	}
	KT_EXPECT_EQ(t, kt_sh("test $(rdma resource show qp link " DEVICE "/1 | wc -l) = 3"), 0);
	KT_EXPECT_EQ(t, kt_sh("test $(rdma resource show qp link " DEVICE "/1 |\n"
			      "grep ' rqpn 77 ' | grep ' rq-psn 88 ' |\n"
			      "grep -c ' path-mig-state ARMED') = 2"), 0);
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!IS_ERR(qps[i]))
			ib_destroy_qp(qps[i]);
	kt_end(t, &env);
}

/* Of two PDs, one has a key for all memory. */
static void test_shown_keys(struct ktap *t)
{
	struct kt_env env;
	struct ib_pd *pd;

	if (!start_nldev(t, &env, RDMA_NODE_RNIC, 1))
		return;
	pd = ib_alloc_pd(env.dev, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (KT_EXPECT_ERR(t, pd, 0)) {
		KT_EXPECT_EQ(t, kt_sh("test $(rdma -d resource show pd dev " DEVICE " |\n"
				      "grep -c 'unsafe_global_rkey 0x') = 1"), 0);
		ib_dealloc_pd(pd);
	}
	kt_end(t, &env);
}

/* The CQ of an SRQ is shown only for an SRQ of XRC, which has one. */
static void test_shown_srqs(struct ktap *t)
{
	struct ib_srq_init_attr attr = {
		.srq_type = IB_SRQT_BASIC, .attr = { .max_wr = 4, .max_sge = 1 },
	};
	struct ib_srq *basic, *xrc = NULL;
	struct ib_xrcd *xrcd;
	struct kt_env env;

	if (!start_nldev(t, &env, RDMA_NODE_IB_CA, 1))
		return;
	basic = ib_create_srq(env.pd, &attr);
	KT_EXPECT_ERR(t, basic, 0);
	xrcd = ib_alloc_xrcd(env.dev);
	if (KT_EXPECT_ERR(t, xrcd, 0)) {
		attr.srq_type = IB_SRQT_XRC;
		attr.ext.cq = env.cq;
		attr.ext.xrc.xrcd = xrcd;
		xrc = ib_create_srq(env.pd, &attr);
		KT_EXPECT_ERR(t, xrc, 0);
	}
	KT_EXPECT_EQ(t, kt_sh("test $(rdma resource show srq dev " DEVICE " | wc -l) = 2"), 0);
	KT_EXPECT_EQ(t, sh("test $(rdma resource show srq dev " DEVICE " |\n"
			   "grep -c 'type XRC.* cqn %u ') = 1", env.cq->res.id), 0);
	KT_EXPECT_EQ(t, kt_sh("test $(rdma resource show srq dev " DEVICE " |\n"
			      "grep -c ' cqn ') = 1"), 0);
	if (!IS_ERR_OR_NULL(xrc))
		ib_destroy_srq(xrc);
	if (!IS_ERR(xrcd))
		ib_dealloc_xrcd(xrcd);
	if (!IS_ERR(basic))
		ib_destroy_srq(basic);
	kt_end(t, &env);
}

/* Returns 0 if `rdma` has bound the QP to a new counter of the port. */
static int bind_by_hand(u32 port, const struct ib_qp *qp)
{
	return sh("rdma statistic qp bind link " DEVICE "/%u lqpn %u", port, qp->qp_num);
}

static int unbind_by_hand(u32 port, u32 counter, const struct ib_qp *qp)
{
	return sh("rdma statistic qp unbind link " DEVICE "/%u cntn %u lqpn %u", port, counter,
		  qp->qp_num);
}

static bool no_counters_left(u32 port)
{
	return !sh("test -z \"$(rdma statistic qp show link " DEVICE "/%u)\"", port);
}

/* Each operation is needed, and may fail. Expects that nothing is left then. */
static void fail_counters(struct ktap *t, struct kt_env *env, const struct ib_qp *qp)
{
	KT_WITHOUT(env, counter_alloc_stats, KT_EXPECT(t, bind_by_hand(1, qp)));
	KT_WITHOUT(env, counter_bind_qp, KT_EXPECT(t, bind_by_hand(1, qp)));
	KT_WITHOUT(env, counter_unbind_qp, KT_EXPECT(t, bind_by_hand(1, qp)));
	KT_WITHOUT(env, counter_update_stats, KT_EXPECT(t, bind_by_hand(1, qp)));
	counting.no_stats = true;
	KT_EXPECT(t, bind_by_hand(1, qp));
	counting.no_stats = false;
	counting.bind = -ENOSPC;
	KT_EXPECT(t, bind_by_hand(1, qp));
	counting.bind = 0;
	KT_EXPECT(t, no_counters_left(1));
	KT_EXPECT(t, !qp->counter);
	KT_EXPECT_EQ(t, kt_count(env, RDMA_RESTRACK_COUNTER), 0);
}

/* A provider gives its counter a number. */
static void test_counter_errors(struct ktap *t)
{
	struct kt_env env;
	struct ib_qp *qp;

	if (!start_nldev(t, &env, RDMA_NODE_RNIC, 1))
		return;
	qp = kt_qp(&env, env.cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		fail_counters(t, &env, qp);
		counting.id = 4711;
		KT_EXPECT_EQ(t, bind_by_hand(1, qp), 0);
		KT_EXPECT_EQ(t, kt_sh("rdma statistic qp show link " DEVICE "/1 |\n"
				      "grep -q ' cntn 4711 '"), 0);
		/* A counter that cannot be read is left out. */
		counting.update = -EIO;
		KT_EXPECT(t, no_counters_left(1));
		counting.update = 0;
		KT_EXPECT(t, !no_counters_left(1));
		counting.unbind = -EIO;
		KT_EXPECT(t, unbind_by_hand(1, 4711, qp));
		KT_EXPECT(t, qp->counter);
		counting.unbind = 0;
		KT_EXPECT_EQ(t, unbind_by_hand(1, 4711, qp), 0);
		KT_EXPECT(t, no_counters_left(1));
		ib_destroy_qp(qp);
	}
	kt_end(t, &env);
}

/* A QP that has got a port is counted there only. */
static void test_counter_ports(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 2 };
	struct kt_env env;
	struct ib_qp *qp;

	if (!start_nldev(t, &env, RDMA_NODE_RNIC, 2))
		return;
	qp = kt_qp(&env, env.cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT), 0);
		counting.id = 4711;
		KT_EXPECT(t, bind_by_hand(1, qp));
		KT_EXPECT(t, !qp->counter);
		KT_EXPECT_EQ(t, bind_by_hand(2, qp), 0);
		KT_EXPECT(t, no_counters_left(1));
		KT_EXPECT_EQ(t, unbind_by_hand(2, 4711, qp), 0);
		ib_destroy_qp(qp);
	}
	kt_end(t, &env);
}

/* --- lists that are longer than a message --- */

/* Programs of these tests. */
#define NLPROBE		"/krdma/bin/nlprobe"
#define MANY_PORTS	60
#define MANY		120

/* Objects of each kind that only InfiniBand has, or of which siw shows less. */
struct many_objects {
	struct ib_pd *pds[MANY];
	struct ib_qp *qps[MANY];
	struct ib_srq *srqs[MANY];
	struct ib_xrcd *xrcd;
};

/* Every other PD has a key for all memory. */
static void make_many(struct ktap *t, struct kt_env *env, struct many_objects *many)
{
	struct ib_srq_init_attr srq_attr = {
		.srq_type = IB_SRQT_XRC, .attr = { .max_wr = 4, .max_sge = 1 },
		.ext = { .cq = env->cq, .xrc.xrcd = many->xrcd },
	};
	struct ib_qp_init_attr qp_attr;
	int i;

	for (i = 0; i < MANY; i++) {
		many->pds[i] = ib_alloc_pd(env->dev, i % 2 ? IB_PD_UNSAFE_GLOBAL_RKEY : 0);
		KT_EXPECT_ERR(t, many->pds[i], 0);
		qp_attr = kt_qp_attr(env->cq);
		qp_attr.qp_type = IB_QPT_RC;
		many->qps[i] = ib_create_qp(env->pd, &qp_attr);
		KT_EXPECT_ERR(t, many->qps[i], 0);
		many->srqs[i] = ib_create_srq(env->pd, &srq_attr);
		KT_EXPECT_ERR(t, many->srqs[i], 0);
	}
}

static void destroy_many(struct many_objects *many)
{
	int i;

	for (i = 0; i < MANY; i++) {
		if (!IS_ERR(many->srqs[i]))
			ib_destroy_srq(many->srqs[i]);
		if (!IS_ERR(many->qps[i]))
			ib_destroy_qp(many->qps[i]);
		if (!IS_ERR(many->pds[i]))
			ib_dealloc_pd(many->pds[i]);
	}
}

/* Each attribute comes to the end of a message, and must not get lost there. */
static void test_long_lists(struct ktap *t)
{
	struct many_objects *many;
	struct kt_env env;

	if (kt_sh("test -x " NLPROBE)) {
		ktap_skip(t, "no " NLPROBE);
		return;
	}
	many = kvzalloc(sizeof(*many), GFP_KERNEL);
	if (!KT_EXPECT(t, many))
		return;
	if (!start_nldev(t, &env, RDMA_NODE_IB_CA, MANY_PORTS))
		goto free;
	many->xrcd = ib_alloc_xrcd(env.dev);
	if (KT_EXPECT_ERR(t, many->xrcd, 0)) {
		make_many(t, &env, many);
		KT_EXPECT_EQ(t, kt_sh(NLPROBE " sizes"), 0);
		destroy_many(many);
		ib_dealloc_xrcd(many->xrcd);
	}
	kt_end(t, &env);
free:
	kvfree(many);
}

/* --- counters of ports that are longer than a message --- */

#define TOO_MANY	1200	/* with long names, more than the largest reply has room for */
#define FEW		122	/* more than the first attempt takes, less than rdma has room for */

static struct rdma_stat_desc optional_descs[TOO_MANY];
static char optional_names[TOO_MANY][48];
static int nr_optional;

static struct rdma_hw_stats *alloc_optional(struct ib_device *dev, u32 port)
{
	return rdma_alloc_hw_stats_struct(optional_descs, nr_optional, 10);
}

static int get_optional(struct ib_device *dev, struct rdma_hw_stats *stats, u32 port, int index)
{
	return stats->num_counters;
}

static int modify_optional(struct ib_device *dev, u32 port, unsigned int index, bool enable)
{
	return 0;
}

static const struct ib_device_ops optional_ops = {
	.alloc_hw_port_stats = alloc_optional,
	.get_hw_stats = get_optional,
	.modify_hw_stat = modify_optional,
};

/*
 * Starts a device with optional counters. The name of the first one has @longer more bytes; those
 * of the others, too, if there are TOO_MANY.
 */
static bool start_optional(struct ktap *t, struct kt_env *env, int nr, int longer)
{
	struct fakedev_config config = { .name = DEVICE, .more_ops = &optional_ops };
	int i;

	nr_optional = nr;
	for (i = 0; i < nr; i++) {
		snprintf(optional_names[i], sizeof(optional_names[i]), "kt_%04d%.*s", i,
			 i && nr != TOO_MANY ? 0 : longer, "abcdefghijklmnopqrstuvwxyzabcdef");
		optional_descs[i].name = optional_names[i];
		optional_descs[i].flags = IB_STAT_FLAG_OPTIONAL;
	}
	return kt_start_with(t, env, &config);
}

/* Each attribute of a counter comes to the end of a reply, which is made again with more room. */
static void test_long_replies(struct ktap *t)
{
	struct kt_env env;
	int longer;

	for (longer = 0; longer < 32; longer += 4) {
		if (!start_optional(t, &env, FEW, longer))
			return;
		KT_EXPECT_EQ(t, sh("test $(rdma statistic mode supported link " DEVICE "/1 |\n"
				   "grep -o 'kt_[0-9][0-9]*' | sort -u | wc -l) = %d", FEW), 0);
		kt_end(t, &env);
	}
	if (!start_optional(t, &env, TOO_MANY, 32))
		return;
	KT_EXPECT_EQ(t, kt_sh("rdma statistic mode supported link " DEVICE "/1 2>&1 |\n"
			      "grep -q 'essage too long'"), 0);
	kt_end(t, &env);
}

/* A message that an attribute does not fit into is taken back. */
static void test_put_attr(struct ktap *t)
{
	struct sk_buff *skb = alloc_skb(NLMSG_HDRLEN + 64, GFP_KERNEL);
	struct nlmsghdr *nlh;
	u32 data = 0;

	if (!KT_EXPECT(t, skb))
		return;
	if (KT_EXPECT(t, ibnl_put_msg(skb, &nlh, 1, 0, RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET, 0))) {
		KT_EXPECT_EQ(t, ibnl_put_attr(skb, nlh, sizeof(data), &data, 1), 0);
		KT_EXPECT_EQ(t, skb->len, NLMSG_HDRLEN + nla_total_size(sizeof(data)));
		KT_EXPECT_EQ(t, ibnl_put_attr(skb, nlh, skb_tailroom(skb), &data, 2), -EMSGSIZE);
		KT_EXPECT_EQ(t, skb->len, 0);
	}
	kfree_skb(skb);
}

static const struct ktap_case nldev_cases[] = {
	{ "the LIDs and the subnet of a port", test_shown_port },
	{ "QPs of each type", test_shown_qps },
	{ "a PD with a key for all memory", test_shown_keys },
	{ "the CQ of an SRQ of XRC", test_shown_srqs },
	{ "counters of QPs whose operations fail", test_counter_errors },
	{ "counters of QPs of two ports", test_counter_ports },
	{ "lists that are longer than a message", test_long_lists },
	{ "replies that are longer than a message", test_long_replies },
	{ "an attribute that does not fit", test_put_attr },
};

KTAP_SUITE(kt_nldev_suite, "netlink", nldev_cases);
