// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of multicast groups.
 */
#include "ah.h"

static union ib_gid group = { { 0xff, 0x12, 0x40, 0x1b, [15] = 1 } };
static union ib_gid ipv4_group = { { [10] = 0xff, 0xff, 239, 1, 2, 3 } };
static union ib_gid no_group = { { 0xfe, 0x80, [15] = 1 } };

static struct ib_qp *make_mcast_qp(struct kt_env *env, enum ib_qp_type type)
{
	struct ib_qp_init_attr attr = kt_qp_attr(env->cq);

	attr.qp_type = type;
	return ib_create_qp(env->pd, &attr);
}

static void test_attach(struct ktap *t)
{
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start_ib(t, &env))
		return;
	qp = make_mcast_qp(&env, IB_QPT_UD);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto out;
	KT_EXPECT_EQ(t, ib_attach_mcast(qp, &group, 0xc000), 0);
	KT_EXPECT(t, !memcmp(&to_fakedev_qp(qp)->groups[0], &group, sizeof(group)));
	KT_EXPECT_EQ(t, ib_attach_mcast(qp, &ipv4_group, 0xfffe), 0);
	KT_EXPECT_EQ(t, atomic_read(&qp->usecnt), 2);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EBUSY);
	KT_EXPECT_EQ(t, ib_detach_mcast(qp, &group, 0xc000), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EBUSY);

	/* The provider knows that the QP is not attached any more. */
	KT_EXPECT_EQ(t, ib_detach_mcast(qp, &group, 0xc000), -EINVAL);
	fakedev_fail(env.fd, FAKEDEV_ATTACH_MCAST, 1, -ENOMEM);
	KT_EXPECT_EQ(t, ib_attach_mcast(qp, &group, 0xc000), -ENOMEM);
	fakedev_fail(env.fd, FAKEDEV_DETACH_MCAST, 1, -EIO);
	KT_EXPECT_EQ(t, ib_detach_mcast(qp, &ipv4_group, 0xfffe), -EIO);
	KT_EXPECT_EQ(t, atomic_read(&qp->usecnt), 1);
	KT_EXPECT_EQ(t, ib_detach_mcast(qp, &ipv4_group, 0xfffe), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
out:
	kt_end(t, &env);
}

/* Expects that neither call reaches the provider. */
static void refuse_mcast(struct ktap *t, struct kt_env *env, struct ib_qp *qp, union ib_gid *gid,
			 u16 lid, int error)
{
	if (!KT_EXPECT_EQ(t, ib_attach_mcast(qp, gid, lid), error) ||
	    !KT_EXPECT_EQ(t, ib_detach_mcast(qp, gid, lid), error))
		ktap_note(t, "GID %pI6, LID 0x%x", gid, lid);
	KT_EXPECT_EQ(t, fakedev_calls(env->fd, FAKEDEV_ATTACH_MCAST), 0);
	KT_EXPECT_EQ(t, fakedev_calls(env->fd, FAKEDEV_DETACH_MCAST), 0);
	KT_EXPECT_EQ(t, atomic_read(&qp->usecnt), 0);
}

static void test_mcast_refused(struct ktap *t)
{
	struct ib_qp *ud, *rc;
	struct kt_env env;

	if (!kt_start_ib(t, &env))
		return;
	ud = make_mcast_qp(&env, IB_QPT_UD);
	rc = make_mcast_qp(&env, IB_QPT_RC);
	if (KT_EXPECT_ERR(t, ud, 0)) {
		refuse_mcast(t, &env, ud, &no_group, 0xc000, -EINVAL);
		refuse_mcast(t, &env, ud, &group, 0, -EINVAL);
		refuse_mcast(t, &env, ud, &group, 0xbfff, -EINVAL);
		refuse_mcast(t, &env, ud, &group, 0xffff, -EINVAL);
		ud->port = 2;
		refuse_mcast(t, &env, ud, &group, 0xbfff, -EINVAL);
		/* Without the operation, nothing is looked at. */
		KT_WITHOUT(&env, attach_mcast,
			   KT_EXPECT_EQ(t, ib_attach_mcast(ud, NULL, 0), -EOPNOTSUPP));
		KT_WITHOUT(&env, detach_mcast,
			   KT_EXPECT_EQ(t, ib_detach_mcast(ud, NULL, 0), -EOPNOTSUPP));
		KT_EXPECT_EQ(t, ib_destroy_qp(ud), 0);
	}
	if (KT_EXPECT_ERR(t, rc, 0)) {
		refuse_mcast(t, &env, rc, &group, 0xc000, -EINVAL);
		KT_EXPECT_EQ(t, ib_destroy_qp(rc), 0);
	}
	kt_end(t, &env);
}

/* RoCE has no LIDs. */
static void test_mcast_roce(struct ktap *t)
{
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start_roce(t, &env))
		return;
	qp = make_mcast_qp(&env, IB_QPT_UD);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, ib_attach_mcast(qp, &ipv4_group, 0), 0);
		KT_EXPECT_EQ(t, ib_detach_mcast(qp, &ipv4_group, 0), 0);
		qp->port = 1;
		KT_EXPECT_EQ(t, ib_attach_mcast(qp, &group, 7), 0);
		KT_EXPECT_EQ(t, ib_detach_mcast(qp, &group, 7), 0);
		qp->port = 0;
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	kt_end_roce(t, &env);
}

/* The QP is attached while it has no port, and gets a port on which the LID is not valid. */
static void test_mixed(struct ktap *t)
{
	struct ib_port_immutable *second;
	struct kt_env env;
	struct ib_qp *qp;
	u32 caps;

	if (!kt_start_ib(t, &env))
		return;
	second = &env.fd->ibdev.port_data[2].immutable;
	caps = second->core_cap_flags;
	second->core_cap_flags = RDMA_CORE_CAP_PROT_ROCE;
	qp = make_mcast_qp(&env, IB_QPT_UD);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, ib_attach_mcast(qp, &group, 0), 0);
		qp->port = 1;
		KT_EXPECT_EQ(t, ib_attach_mcast(qp, &ipv4_group, 0), -EINVAL);
		KT_EXPECT_EQ(t, ib_detach_mcast(qp, &group, 0), 0);
		qp->port = 0;
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	second->core_cap_flags = caps;
	kt_end(t, &env);
}

static const struct ktap_case mcast_cases[] = {
	{ "a QP is counted once for each group", test_attach,
	  COVERS(ib_attach_mcast ib_detach_mcast) },
	{ "wrong QPs, GIDs and LIDs do not reach the provider", test_mcast_refused,
	  COVERS(ib_attach_mcast ib_detach_mcast ib_gid IB_QPT_UD) },
	{ "a QP is detached by the LID that it was attached by", test_mixed,
	  COVERS(ib_attach_mcast ib_detach_mcast) },
	{ "RoCE: the LID does not matter", test_mcast_roce,
	  COVERS(ib_attach_mcast ib_detach_mcast) },
};

KTAP_SUITE(kt_mcast_suite, "mcast", mcast_cases);
