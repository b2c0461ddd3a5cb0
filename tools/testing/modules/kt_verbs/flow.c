// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of flows, and of QPs that spread packets over work queues.
 */
#include <linux/slab.h>

#include "kt_verbs.h"

/* What the provider's next operation returns, and how many of its objects there are. */
static int fail;
static int flows, wqs, tables;

static struct ib_flow *create_flow(struct ib_qp *qp, struct ib_flow_attr *attr,
				   struct ib_udata *udata)
{
	struct ib_flow *flow;

	if (fail)
		return ERR_PTR(fail);
	flow = kzalloc(sizeof(*flow), GFP_KERNEL);
	flows += !!flow;
	return flow ?: ERR_PTR(-ENOMEM);
}

static int destroy_flow(struct ib_flow *flow)
{
	if (fail)
		return fail;
	kfree(flow);
	flows--;
	return 0;
}

static struct ib_wq *create_flow_wq(struct ib_pd *pd, struct ib_wq_init_attr *attr,
				    struct ib_udata *udata)
{
	struct ib_wq *wq = kzalloc(sizeof(*wq), GFP_KERNEL);

	wqs += !!wq;
	return wq ?: ERR_PTR(-ENOMEM);
}

static int destroy_flow_wq(struct ib_wq *wq, struct ib_udata *udata)
{
	kfree(wq);
	wqs--;
	return 0;
}

static int create_flow_rwq_ind_table(struct ib_rwq_ind_table *table,
				     struct ib_rwq_ind_table_init_attr *attr,
				     struct ib_udata *udata)
{
	tables++;
	return 0;
}

static int destroy_flow_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	tables--;
	return 0;
}

struct kt_table {
	struct ib_rwq_ind_table base;
};

static const struct ib_device_ops flow_ops = {
	.create_flow = create_flow,
	.destroy_flow = destroy_flow,
	.create_wq = create_flow_wq,
	.destroy_wq = destroy_flow_wq,
	.create_rwq_ind_table = create_flow_rwq_ind_table,
	.destroy_rwq_ind_table = destroy_flow_rwq_ind_table,
	INIT_RDMA_OBJ_SIZE(ib_rwq_ind_table, kt_table, base),
};

static bool start_flow(struct ktap *t, struct kt_env *env)
{
	fail = 0;
	return kt_start_with(t, env, &(struct fakedev_config) {
		.node_type = RDMA_NODE_IB_CA, .more_ops = &flow_ops });
}

static struct ib_qp *make_flow_qp(struct kt_env *env, enum ib_qp_type type)
{
	struct ib_qp_init_attr attr = kt_qp_attr(env->cq);

	attr.qp_type = type;
	return ib_create_qp(env->pd, &attr);
}

static void test_flow(struct ktap *t)
{
	static const enum ib_qp_type types[] = { IB_QPT_UD, IB_QPT_RAW_PACKET };
	struct ib_flow_attr attr = { .type = IB_FLOW_ATTR_NORMAL, .port = 1 };
	struct ib_uobject *handle = (struct ib_uobject *)&attr;
	struct ib_flow *flow;
	struct kt_env env;
	struct ib_qp *qp;
	int i;

	if (!start_flow(t, &env))
		return;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		qp = make_flow_qp(&env, types[i]);
		if (!KT_EXPECT_ERR(t, qp, 0))
			continue;
		flow = ib_create_flow_user(qp, &attr, handle, NULL);
		if (KT_EXPECT_ERR(t, flow, 0)) {
			KT_EXPECT(t, flow->qp == qp && flow->device == env.dev);
			KT_EXPECT(t, flow->uobject == handle);
			KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EBUSY);
			fail = -EIO;
			KT_EXPECT_EQ(t, ib_destroy_flow(flow), -EIO);
			fail = 0;
			KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EBUSY);
			KT_EXPECT_EQ(t, ib_destroy_flow(flow), 0);
		}
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	KT_EXPECT_EQ(t, flows, 0);
	kt_end(t, &env);
}

static void test_flow_refused(struct ktap *t)
{
	struct ib_flow_attr attr = { .type = IB_FLOW_ATTR_NORMAL, .port = 1 };
	struct ib_qp *qp, *rc;
	struct ib_flow *flow;
	struct kt_env env;

	if (!start_flow(t, &env))
		return;
	qp = make_flow_qp(&env, IB_QPT_UD);
	rc = make_flow_qp(&env, IB_QPT_RC);
	if (!KT_EXPECT_ERR(t, qp, 0) || !KT_EXPECT_ERR(t, rc, 0))
		goto end;
	KT_EXPECT_ERR(t, ib_create_flow_user(rc, &attr, NULL, NULL), -EINVAL);
	attr.port = 2;
	KT_EXPECT_ERR(t, ib_create_flow_user(qp, &attr, NULL, NULL), -EINVAL);
	attr.port = 0;
	KT_EXPECT_ERR(t, ib_create_flow_user(qp, &attr, NULL, NULL), -EINVAL);
	attr.port = 1;
	attr.flags = IB_FLOW_ATTR_FLAGS_DONT_TRAP;
	attr.type = IB_FLOW_ATTR_ALL_DEFAULT;
	KT_EXPECT_ERR(t, ib_create_flow_user(qp, &attr, NULL, NULL), -EINVAL);
	attr.type = IB_FLOW_ATTR_MC_DEFAULT;
	KT_EXPECT_ERR(t, ib_create_flow_user(qp, &attr, NULL, NULL), -EINVAL);
	KT_WITHOUT(&env, create_flow,
		   KT_EXPECT_ERR(t, ib_create_flow_user(qp, &attr, NULL, NULL), -EOPNOTSUPP));
	attr.flags = 0;
	attr.type = IB_FLOW_ATTR_NORMAL;
	KT_WITHOUT(&env, destroy_flow,
		   KT_EXPECT_ERR(t, ib_create_flow_user(qp, &attr, NULL, NULL), -EOPNOTSUPP));
	/* Of the flags, only that one does not go with a default. */
	attr.type = IB_FLOW_ATTR_ALL_DEFAULT;
	for (attr.flags = 0; attr.flags <= IB_FLOW_ATTR_FLAGS_EGRESS;
	     attr.flags += IB_FLOW_ATTR_FLAGS_EGRESS) {
		flow = ib_create_flow_user(qp, &attr, NULL, NULL);
		if (KT_EXPECT_ERR(t, flow, 0))
			KT_EXPECT_EQ(t, ib_destroy_flow(flow), 0);
	}
	fail = -ENOSPC;
	KT_EXPECT_ERR(t, ib_create_flow_user(qp, &attr, NULL, NULL), -ENOSPC);
	fail = 0;
	KT_EXPECT_EQ(t, flows, 0);
	KT_EXPECT_EQ(t, atomic_read(&qp->usecnt), 0);
end:
	if (!IS_ERR(qp))
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	if (!IS_ERR(rc))
		KT_EXPECT_EQ(t, ib_destroy_qp(rc), 0);
	kt_end(t, &env);
}

/* Makes a table with one WQ. Returns an ERR_PTR after a failure. */
static struct ib_rwq_ind_table *make_flow_table(struct kt_env *env, struct ib_wq **wq)
{
	struct ib_wq_init_attr wq_attr = { .wq_type = IB_WQT_RQ, .cq = env->cq };
	struct ib_rwq_ind_table_init_attr attr = {};
	struct ib_rwq_ind_table *table;

	*wq = ib_create_wq(env->pd, &wq_attr);
	if (IS_ERR(*wq))
		return ERR_CAST(*wq);
	attr.ind_tbl = kvcalloc(1, sizeof(*attr.ind_tbl), GFP_KERNEL);
	if (attr.ind_tbl) {
		attr.ind_tbl[0] = *wq;
		table = ib_create_rwq_ind_table_user(env->dev, &attr, NULL, NULL);
	} else {
		table = ERR_PTR(-ENOMEM);
	}
	if (IS_ERR(table)) {
		kvfree(attr.ind_tbl);
		ib_destroy_wq_user(*wq, NULL);
	}
	return table;
}

static void test_flow_table(struct ktap *t)
{
	struct ib_rwq_ind_table *table;
	struct ib_qp_init_attr attr;
	struct kt_env env, other;
	struct ib_wq *wq;
	struct ib_qp *qp;

	if (!start_flow(t, &env))
		return;
	table = make_flow_table(&env, &wq);
	if (!KT_EXPECT_ERR(t, table, 0)) {
		kt_end(t, &env);
		return;
	}
	attr = (struct ib_qp_init_attr) {
		.qp_type = IB_QPT_RAW_PACKET, .rwq_ind_tbl = table,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
	};
	qp = ib_create_qp(env.pd, &attr);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT(t, qp->rwq_ind_tbl == table);
		KT_EXPECT_EQ(t, atomic_read(&table->usecnt), 1);
		KT_EXPECT_EQ(t, ib_destroy_rwq_ind_table(table), -EBUSY);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
		KT_EXPECT_EQ(t, atomic_read(&table->usecnt), 0);
	}
	/* The work queues are the QP's only receive queues. */
	attr.recv_cq = env.cq;
	KT_EXPECT_ERR(t, ib_create_qp(env.pd, &attr), -EINVAL);
	attr.recv_cq = NULL;
	attr.cap.max_recv_wr = 1;
	KT_EXPECT_ERR(t, ib_create_qp(env.pd, &attr), -EINVAL);
	attr.cap.max_recv_wr = 0;
	attr.cap.max_recv_sge = 1;
	KT_EXPECT_ERR(t, ib_create_qp(env.pd, &attr), -EINVAL);
	attr.cap.max_recv_sge = 0;
	if (start_flow(t, &other)) {
		KT_EXPECT_ERR(t, ib_create_qp(other.pd, &attr), -EINVAL);
		kt_end(t, &other);
	}
	if (kt_start(t, &other)) {
		KT_EXPECT_ERR(t, ib_create_qp(other.pd, &attr), -EOPNOTSUPP);
		kt_end(t, &other);
	}
	fakedev_fail(env.fd, FAKEDEV_CREATE_QP, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_create_qp(env.pd, &attr), -ENOSPC);
	KT_EXPECT_EQ(t, ib_destroy_rwq_ind_table(table), 0);
	KT_EXPECT_EQ(t, ib_destroy_wq_user(wq, NULL), 0);
	KT_EXPECT_EQ(t, wqs + tables, 0);
	kt_end(t, &env);
}

static const struct ktap_case flow_cases[] = {
	{ "flows of both types of QP", test_flow },
	{ "flows that are refused", test_flow_refused },
	{ "a QP with an indirection table", test_flow_table },
};

KTAP_SUITE(kt_flow_suite, "flow", flow_cases);
