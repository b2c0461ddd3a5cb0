// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the paths of QPs: source GIDs and MAC addresses in ib_modify_qp().
 */
#include "ah.h"

static struct ib_qp *start_qp_path(struct ktap *t, struct kt_env *env)
{
	struct ib_qp *qp;

	if (!kt_start_ib(t, env))
		return NULL;
	qp = kt_qp(env, env->cq);
	if (KT_EXPECT_ERR(t, qp, 0))
		return qp;
	kt_end(t, env);
	return NULL;
}

static void test_paths(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .alt_port_num = 1 };
	struct ib_qp_init_attr init;
	struct kt_env env;
	struct ib_qp *qp;

	qp = start_qp_path(t, &env);
	if (!qp)
		return;
	attr.ah_attr = kt_ah_attr_global(1);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV), 0);
	KT_EXPECT(t, qp->av_sgid_attr && qp->av_sgid_attr->index == 1 && !qp->alt_path_sgid_attr);
	KT_EXPECT(t, to_fakedev_qp(qp)->attr.ah_attr.grh.sgid_attr == qp->av_sgid_attr);
	KT_EXPECT(t, !attr.ah_attr.grh.sgid_attr);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 1);

	/* Both paths at once; the former primary path loses its reference. */
	attr.ah_attr = kt_ah_attr_global(0);
	attr.alt_ah_attr = kt_ah_attr_global(2);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_ALT_PATH), 0);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 0), 1);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 0);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 1);
	KT_EXPECT(t, qp->alt_path_sgid_attr && qp->alt_path_sgid_attr->index == 2);
	KT_EXPECT_EQ(t, ib_query_qp(qp, &attr, IB_QP_AV, &init), 0);
	KT_EXPECT(t, !attr.ah_attr.grh.sgid_attr && !attr.alt_ah_attr.grh.sgid_attr);

	/* A path without a global route; a change that sets no path. */
	attr.ah_attr = kt_ah_attr();
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV), 0);
	KT_EXPECT(t, !qp->av_sgid_attr);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 0), 0);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE), 0);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 1);
	fakedev_fail(env.fd, FAKEDEV_DESTROY_QP, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EAGAIN);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 1);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 0);
	kt_end(t, &env);
}

static void test_qp_path_errors(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .alt_port_num = 1 };
	int both = IB_QP_STATE | IB_QP_AV | IB_QP_ALT_PATH;
	struct kt_env env;
	struct ib_qp *qp;

	qp = start_qp_path(t, &env);
	if (!qp)
		return;
	attr.ah_attr = kt_ah_attr_global(3);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV), -EINVAL);
	attr.ah_attr = kt_ah_attr_global(1);
	attr.alt_ah_attr = kt_ah_attr_global(2);
	attr.alt_ah_attr.port_num = 3;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, both), -EINVAL);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 0);
	KT_EXPECT(t, !attr.ah_attr.grh.sgid_attr);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MODIFY_QP), 0);

	attr.alt_ah_attr.port_num = 1;
	fakedev_fail(env.fd, FAKEDEV_MODIFY_QP, 1, -EIO);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, both), -EIO);
	KT_EXPECT(t, !qp->av_sgid_attr && !qp->alt_path_sgid_attr);
	KT_EXPECT(t, !attr.ah_attr.grh.sgid_attr && !attr.alt_ah_attr.grh.sgid_attr);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 0);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	kt_end(t, &env);
}

/* An alternate path of InfiniBand ends at a port of InfiniBand. */
static void test_alternate_roce(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .alt_port_num = 1 };
	struct ib_port_immutable *second;
	struct kt_env env;
	struct ib_qp *qp;
	u32 caps;

	qp = start_qp_path(t, &env);
	if (!qp)
		return;
	second = &env.fd->ibdev.port_data[2].immutable;
	caps = second->core_cap_flags;
	second->core_cap_flags = RDMA_CORE_CAP_PROT_ROCE;
	attr.alt_ah_attr = kt_ah_attr_global(1);
	attr.alt_ah_attr.port_num = 2;
	attr.alt_ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	attr.alt_ah_attr.roce.dmac[5] = 1;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_ALT_PATH), -EINVAL);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MODIFY_QP), 0);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 2, 1), 0);
	second->core_cap_flags = caps;
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	kt_end(t, &env);
}

static void test_qp_path_roce(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .alt_port_num = 1 };
	struct ib_udata udata = {};
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev kta"), 0);
	qp = kt_qp(&env, env.cq);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto out;
	attr.ah_attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.9", IB_GID_TYPE_ROCE_UDP_ENCAP);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV), 0);
	KT_EXPECT_EQ(t, to_fakedev_qp(qp)->attr.ah_attr.roce.dmac[5], 9);
	KT_EXPECT(t, is_zero_ether_addr(attr.ah_attr.roce.dmac));
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, attr.ah_attr.grh.sgid_index), 1);

	/* A ULP's MAC address is kept, a process's is not. */
	attr.ah_attr.roce.dmac[5] = 7;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV), 0);
	KT_EXPECT_EQ(t, to_fakedev_qp(qp)->attr.ah_attr.roce.dmac[5], 7);
	KT_EXPECT_EQ(t, ib_modify_qp_with_udata(qp, &attr, IB_QP_STATE | IB_QP_AV, &udata), 0);
	KT_EXPECT_EQ(t, to_fakedev_qp(qp)->attr.ah_attr.roce.dmac[5], 9);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, attr.ah_attr.grh.sgid_index), 1);

	/* RoCE has no alternate paths. */
	attr.alt_ah_attr = attr.ah_attr;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_ALT_PATH), -EINVAL);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, attr.ah_attr.grh.sgid_index), 1);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
out:
	kt_end_roce(t, &env);
}

/* On iWARP, where QPs have no paths, the provider gets them as they are. */
static void test_iwarp(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .ah_attr.sl = 7 };
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start(t, &env))
		return;
	qp = kt_qp(&env, env.cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV), 0);
		KT_EXPECT_EQ(t, to_fakedev_qp(qp)->attr.ah_attr.sl, 7);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	kt_end(t, &env);
}

static const struct ktap_case qp_path_cases[] = {
	{ "paths hold their source GIDs until they are replaced", test_paths,
	  COVERS(ib_modify_qp ib_qp_attr) },
	{ "after an error the paths and the attributes are as before", test_qp_path_errors },
	{ "an alternate path to a RoCE port", test_alternate_roce },
	{ "RoCE: MAC addresses; no alternate path", test_qp_path_roce },
	{ "iWARP: the provider gets what the caller has set", test_iwarp },
};

KTAP_SUITE(kt_qp_path_suite, "qp path", qp_path_cases);
