/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers of the tests of the verbs objects.
 */
#ifndef _KRDMA_TESTING_KT_VERBS_H_
#define _KRDMA_TESTING_KT_VERBS_H_

#include "../support/fakedev.h"
#include "../support/ktap.h"

extern const struct ktap_suite kt_pd_suite, kt_cq_suite, kt_cq_ulp_suite, kt_cq_pool_suite;
extern const struct ktap_suite kt_cq_fair_suite;
extern const struct ktap_suite kt_qp_suite, kt_qp_state_suite, kt_drain_suite, kt_mr_suite;
extern const struct ktap_suite kt_srq_suite, kt_mr_map_suite, kt_dma_suite, kt_table_suite;
extern const struct ktap_suite kt_hdr_suite;
extern const struct ktap_suite kt_ah_suite, kt_ah_roce_suite, kt_ah_wc_suite, kt_qp_path_suite;
extern const struct ktap_suite kt_xrc_suite, kt_mcast_suite, kt_mw_suite, kt_fmr_suite;
extern const struct ktap_suite kt_netdev_suite, kt_fmr_pool_suite, kt_objects_suite;
extern const struct ktap_suite kt_mr_integrity_suite, kt_mr_user_suite, kt_mr_reg_suite;
extern const struct ktap_suite kt_addr_suite, kt_ud_suite, kt_driver_suite, kt_flow_suite;
extern const struct ktap_suite kt_older_suite, kt_rw_suite, kt_unregistering_suite;
extern const struct ktap_suite kt_nldev_suite;

/* A device with a PD and a CQ on it. */
struct kt_env {
	struct fakedev *fd;
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
};

/* Create a device, a PD and a CQ. On error, fail the test and return false. */
bool kt_start(struct ktap *t, struct kt_env *env);
bool kt_start_with(struct ktap *t, struct kt_env *env, const struct fakedev_config *config);
/* Destroys the environment. Fails the test if other objects of the device are left. */
void kt_end(struct ktap *t, struct kt_env *env);
/*
 * Destroys the environment of a test of CQ pools. Pools keep their CQs until the device is
 * unregistered, so the test fails only if objects other than CQs are left.
 */
void kt_end_pooled(struct ktap *t, struct kt_env *env);

int kt_count(struct kt_env *env, enum rdma_restrack_type type);
struct ib_qp_init_attr kt_qp_attr(struct ib_cq *cq);
struct ib_qp *kt_qp(struct kt_env *env, struct ib_cq *cq);

/* Sets the operation @op of the device to NULL while @action runs. */
#define KT_WITHOUT(env, op, action)						\
do {										\
	typeof((env)->dev->ops.op) __op = (env)->dev->ops.op;			\
										\
	(env)->dev->ops.op = NULL;						\
	action;									\
	(env)->dev->ops.op = __op;						\
} while (0)

#endif /* _KRDMA_TESTING_KT_VERBS_H_ */
