// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of queue pairs: creation, destruction, attributes, posting.
 */
#include <rdma/mr_pool.h>

#include "kt_verbs.h"

static void test_qp_create(struct ktap *t)
{
	struct ib_qp_init_attr attr;
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start(t, &env))
		return;
	attr = kt_qp_attr(env.cq);
	attr.qp_context = &env;
	qp = ib_create_qp(env.pd, &attr);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT(t, qp->device == env.dev && qp->pd == env.pd && qp->real_qp == qp);
		KT_EXPECT(t, qp->send_cq == env.cq && qp->recv_cq == env.cq);
		KT_EXPECT(t, qp->qp_context == &env && qp->qp_type == IB_QPT_RC);
		/* The provider has rounded up the requested capabilities. */
		KT_EXPECT_EQ(t, attr.cap.max_send_sge, 2);
		KT_EXPECT_EQ(t, qp->max_write_sge, 2);
		KT_EXPECT_EQ(t, qp->max_read_sge, 1);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 2);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_QP), 1);
		KT_EXPECT_EQ(t, qp->res.id, qp->qp_num);
		KT_EXPECT_EQ(t, ib_dealloc_pd_user(env.pd, NULL), -EBUSY);
		KT_EXPECT_EQ(t, ib_destroy_qp_user(qp, NULL), 0);
	}
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 0);
	kt_end(t, &env);
}

/* Creates a QP with one attribute changed. Expects that the creation returns @errno. */
#define QP_REFUSED(t, env, errno, change)						\
do {										\
	struct ib_qp_init_attr attr = kt_qp_attr((env)->cq);			\
										\
	attr.change;								\
	KT_EXPECT_ERR(t, ib_create_qp((env)->pd, &attr), errno);		\
} while (0)

static void test_qp_create_errors(struct ktap *t)
{
	struct kt_env env, foreign;
	struct ib_qp_init_attr attr;
	void *something = &env;
	int created;

	if (!kt_start(t, &env))
		return;
	if (!kt_start(t, &foreign))
		goto out;
	created = fakedev_calls(env.fd, FAKEDEV_CREATE_QP);
	QP_REFUSED(t, &env, -EINVAL, send_cq = NULL);
	QP_REFUSED(t, &env, -EINVAL, recv_cq = NULL);
	QP_REFUSED(t, &env, -EINVAL, send_cq = foreign.cq);
	QP_REFUSED(t, &env, -EINVAL, recv_cq = foreign.cq);
	attr = kt_qp_attr(env.cq);
	KT_EXPECT_ERR(t, ib_create_qp_user(env.dev, foreign.pd, &attr, NULL, NULL, "kt"), -EINVAL);
	KT_EXPECT_EQ(t, atomic_read(&foreign.pd->usecnt), 0);
	QP_REFUSED(t, &env, -EINVAL, cap.max_send_wr = FAKEDEV_QUEUE + 1);
	QP_REFUSED(t, &env, -EINVAL, cap.max_recv_wr = FAKEDEV_QUEUE + 1);
	QP_REFUSED(t, &env, -EINVAL, cap.max_send_sge = 9);
	QP_REFUSED(t, &env, -EINVAL, cap.max_recv_sge = 9);
	QP_REFUSED(t, &env, -EINVAL, qp_type = IB_QPT_GSI);
	KT_WITHOUT(&env, alloc_xrcd, QP_REFUSED(t, &env, -EOPNOTSUPP, xrcd = something));
	KT_WITHOUT(&env, alloc_xrcd, QP_REFUSED(t, &env, -EOPNOTSUPP, qp_type = IB_QPT_XRC_TGT));
	QP_REFUSED(t, &env, -EOPNOTSUPP, rwq_ind_tbl = something);
	QP_REFUSED(t, &env, -EINVAL, cap.max_rdma_ctxs = 1);	/* on no port */
	QP_REFUSED(t, &env, -EOPNOTSUPP, create_flags = IB_QP_CREATE_INTEGRITY_EN);
	KT_WITHOUT(&env, create_qp, QP_REFUSED(t, &env, -EOPNOTSUPP, port_num = 1));
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_CREATE_QP), created);

	fakedev_fail(env.fd, FAKEDEV_CREATE_QP, 1, -ENOMEM);
	QP_REFUSED(t, &env, -ENOMEM, port_num = 1);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 0);

	/*
	 * Expects that the resource table refuses a QP whose number is in use, and that the core
	 * destroys the QP.
	 */
	if (KT_EXPECT_ERR(t, kt_qp(&foreign, foreign.cq), 0)) {
		struct rdma_restrack_entry *res;
		u32 id = 0;

		atomic_dec(&foreign.fd->next_qpn);
		KT_EXPECT_ERR(t, kt_qp(&foreign, foreign.cq), -EBUSY);
		KT_EXPECT_EQ(t, fakedev_calls(foreign.fd, FAKEDEV_DESTROY_QP), 1);
		res = rdma_restrack_get_next(foreign.dev, RDMA_RESTRACK_QP, &id);
		if (KT_EXPECT(t, res)) {
			rdma_restrack_put(res);
			ib_destroy_qp(container_of(res, struct ib_qp, res));
		}
	}
	kt_end(t, &foreign);
out:
	kt_end(t, &env);
}

static void test_qp_destroy_errors(struct ktap *t)
{
	struct kt_env env;
	struct ib_qp *qp;
	struct ib_mr *mr;

	if (!kt_start(t, &env))
		return;
	qp = kt_qp(&env, env.cq);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto out;
	atomic_inc(&qp->usecnt);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EBUSY);
	atomic_dec(&qp->usecnt);

	KT_EXPECT_EQ(t, ib_mr_pool_init(qp, &qp->rdma_mrs, 2, IB_MR_TYPE_MEM_REG, 4, 0), 0);
	mr = ib_mr_pool_get(qp, &qp->rdma_mrs);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EBUSY);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_QP), 0);
	ib_mr_pool_put(qp, &qp->rdma_mrs, mr);
	ib_mr_pool_destroy(qp, &qp->rdma_mrs);

	fakedev_fail(env.fd, FAKEDEV_DESTROY_QP, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EAGAIN);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_QP), 1);
	KT_EXPECT_EQ(t, qp->res.id, qp->qp_num);
	KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 2);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
out:
	kt_end(t, &env);
}

/* Expects that the core refuses a modification with -EINVAL and does not call the provider. */
static void refuse_qp(struct ktap *t, struct kt_env *env, struct ib_qp *qp,
		      const struct ib_qp_attr *wrong, int mask)
{
	struct ib_qp_attr attr = *wrong;
	int calls = fakedev_calls(env->fd, FAKEDEV_MODIFY_QP);

	if (!KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, mask), -EINVAL))
		ktap_note(t, "mask 0x%x, state %d", mask, attr.qp_state);
	KT_EXPECT_EQ(t, fakedev_calls(env->fd, FAKEDEV_MODIFY_QP), calls);
}

static void test_qp_modify(struct ktap *t)
{
	static const struct {
		struct ib_qp_attr attr;
		int mask;
	} wrong[] = {
		{ { .qp_state = IB_QPS_ERR + 1 }, IB_QP_STATE },
		{ { .cur_qp_state = -1 }, IB_QP_CUR_STATE },
		{ { .port_num = 2 }, IB_QP_PORT },
		{ { .port_num = 0 }, IB_QP_PORT },
		{ { .alt_port_num = 9 }, IB_QP_ALT_PATH },
		{ { .path_mtu = 0 }, IB_QP_PATH_MTU },
		{ { .path_mtu = 6 }, IB_QP_PATH_MTU },
		{ { .dest_qp_num = BIT(24) }, IB_QP_DEST_QPN },
	};
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1,
				   .qp_access_flags = IB_ACCESS_REMOTE_READ };
	struct kt_env env;
	struct ib_qp *qp;
	int i;

	if (!kt_start(t, &env))
		return;
	qp = kt_qp(&env, env.cq);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto out;
	KT_EXPECT_EQ(t, qp->port, 0);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT | IB_QP_ACCESS_FLAGS), 0);
	KT_EXPECT_EQ(t, qp->port, 1);
	KT_EXPECT_EQ(t, to_fakedev_qp(qp)->last_mask,
		     IB_QP_STATE | IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	/*
	 * iWARP allows the transition from INIT straight to RTS, here with an attribute that
	 * InfiniBand allows only in other transitions.
	 */
	attr.qp_state = IB_QPS_RTS;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_MAX_DEST_RD_ATOMIC), 0);
	/* The largest values. */
	attr.cur_qp_state = IB_QPS_ERR;
	attr.dest_qp_num = BIT(24) - 1;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_CUR_STATE | IB_QP_DEST_QPN), 0);

	refuse_qp(t, &env, qp, &attr, BIT(26));
	refuse_qp(t, &env, qp, &attr, BIT(31));
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		refuse_qp(t, &env, qp, &wrong[i].attr, wrong[i].mask);

	KT_WITHOUT(&env, modify_qp,
		   KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE), -EOPNOTSUPP));
	attr.port_num = 1;
	qp->port = 0;
	fakedev_fail(env.fd, FAKEDEV_MODIFY_QP, 1, -EIO);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_PORT), -EIO);
	KT_EXPECT_EQ(t, qp->port, 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
out:
	kt_end(t, &env);
}

static void test_modify_infiniband(struct ktap *t)
{
	const struct fakedev_config config = { .node_type = RDMA_NODE_IB_CA, .nr_ports = 2 };
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .port_num = 2 };
	struct ib_qp_init_attr gsi;
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start_with(t, &env, &config))
		return;
	gsi = kt_qp_attr(env.cq);
	gsi.qp_type = IB_QPT_GSI;
	gsi.port_num = 2;
	qp = ib_create_qp(env.pd, &gsi);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, qp->port, 2);
		/*
		 * Expects that these attributes are refused, because no transition of a datagram QP
		 * allows them.
		 */
		refuse_qp(t, &env, qp, &attr, IB_QP_STATE | IB_QP_RETRY_CNT);
		refuse_qp(t, &env, qp, &attr, IB_QP_ACCESS_FLAGS);
		/*
		 * Expects that PKEY_INDEX is refused: the transition to INIT allows PKEY_INDEX, but
		 * the transition to RTS does not.
		 */
		refuse_qp(t, &env, qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX);
		KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	qp = kt_qp(&env, env.cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		refuse_qp(t, &env, qp, &attr, IB_QP_STATE | IB_QP_QKEY);
		KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_RETRY_CNT), 0);
		/* Expects that attributes that the specification lacks are left to the provider. */
		KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_RATE_LIMIT), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	kt_end(t, &env);
}

static void test_query(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .max_rd_atomic = 7 };
	struct ib_qp_init_attr init_attr;
	struct kt_env env;
	struct ib_qp *qp;
	int mask = IB_QP_STATE | IB_QP_MAX_QP_RD_ATOMIC;

	if (!kt_start(t, &env))
		return;
	qp = kt_qp(&env, env.cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, mask), 0);
		memset(&attr, 0, sizeof(attr));
		KT_EXPECT_EQ(t, ib_query_qp(qp, &attr, mask, &init_attr), 0);
		KT_EXPECT_EQ(t, attr.qp_state, IB_QPS_RTS);
		KT_EXPECT_EQ(t, attr.max_rd_atomic, 7);
		KT_EXPECT_EQ(t, init_attr.cap.max_send_wr, 8);
		KT_WITHOUT(&env, query_qp,
			   KT_EXPECT_EQ(t, ib_query_qp(qp, &attr, mask, &init_attr), -EOPNOTSUPP));
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	kt_end(t, &env);
}

static void test_qp_post(struct ktap *t)
{
	struct ib_send_wr send[3] = { { .wr_id = 1, .next = &send[1] },
				      { .wr_id = 2, .next = &send[2] }, { .wr_id = 3 } };
	struct ib_recv_wr recv[2] = { { .wr_id = 11, .next = &recv[1] }, { .wr_id = 12 } };
	const struct ib_send_wr *bad_send = NULL;
	const struct ib_recv_wr *bad_recv = NULL;
	struct ib_wc wc[8];
	struct kt_env env;
	struct ib_qp *qp;
	int i;

	if (!kt_start(t, &env))
		return;
	for (i = 0; i < ARRAY_SIZE(send); i++)
		send[i].send_flags = IB_SEND_SIGNALED;
	qp = kt_qp(&env, env.cq);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto out;
	/* Expects that the requests in front of the bad request are queued. */
	fakedev_fail(env.fd, FAKEDEV_POST_SEND, 3, -ENOMEM);
	KT_EXPECT_EQ(t, ib_post_send(qp, send, &bad_send), -ENOMEM);
	KT_EXPECT(t, bad_send == &send[2]);
	fakedev_fail(env.fd, FAKEDEV_POST_RECV, 2, -EINVAL);
	KT_EXPECT_EQ(t, ib_post_recv(qp, recv, &bad_recv), -EINVAL);
	KT_EXPECT(t, bad_recv == &recv[1]);
	KT_EXPECT_EQ(t, ib_post_send(qp, &send[2], NULL), 0);
	KT_EXPECT_EQ(t, ib_post_recv(qp, &recv[1], NULL), 0);

	KT_EXPECT_EQ(t, fakedev_complete_sends(qp, 100, IB_WC_SUCCESS), 3);
	KT_EXPECT_EQ(t, fakedev_complete_recvs(qp, 100, IB_WC_SUCCESS), 2);
	KT_EXPECT_EQ(t, ib_poll_cq(env.cq, ARRAY_SIZE(wc), wc), 5);
	KT_EXPECT_EQ(t, wc[2].wr_id, 3);
	KT_EXPECT_EQ(t, wc[4].wr_id, 12);
	KT_EXPECT(t, wc[4].qp == qp && wc[4].opcode == IB_WC_RECV);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
out:
	kt_end(t, &env);
}

static const struct ktap_case qp_cases[] = {
	{ "a QP is counted on its PD and CQs; the provider sets its capabilities", test_qp_create,
	  COVERS(ib_create_qp ib_qp ib_qp_init_attr) },
	{ "creation: each error, nothing left behind", test_qp_create_errors,
	  COVERS(ib_create_qp) },
	{ "destruction: each error, nothing changed", test_qp_destroy_errors,
	  COVERS(ib_destroy_qp) },
	{ "modification: invalid values do not reach the provider", test_qp_modify,
	  COVERS(ib_modify_qp ib_qp_attr ib_qp_attr_mask modify_qp) },
	{ "modification: attributes without a transition are refused", test_modify_infiniband,
	  COVERS(ib_modify_qp) },
	{ "a query returns the attributes", test_query, COVERS(ib_query_qp) },
	{ "posting: requests in front of a bad one are queued", test_qp_post,
	  COVERS(ib_post_send ib_post_recv ib_send_wr ib_recv_wr) },
};

KTAP_SUITE(kt_qp_suite, "qp", qp_cases);
