/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kt_user.ko: operations on objects that only processes have.
 */
#ifndef _KRDMA_TESTING_KT_USER_H_
#define _KRDMA_TESTING_KT_USER_H_

#include <linux/moduleparam.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

/* Length of the device's memory, in bytes. */
#define KTU_MEMORY	4096

/* An L_Key that no region has. */
#define KTU_BAD_LKEY	0xbad

/* Number of all these objects that exist. */
extern atomic_t ktu_objects;

struct ktu_counters {
	struct ib_counters base;
};

struct ktu_rwq_ind_table {
	struct ib_rwq_ind_table base;
};

struct ib_wq *ktu_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *attr,
			    struct ib_udata *udata);
int ktu_modify_wq(struct ib_wq *wq, struct ib_wq_attr *attr, u32 mask, struct ib_udata *udata);
int ktu_destroy_wq(struct ib_wq *wq, struct ib_udata *udata);
int ktu_create_rwq_ind_table(struct ib_rwq_ind_table *table,
			     struct ib_rwq_ind_table_init_attr *attr, struct ib_udata *udata);
int ktu_destroy_rwq_ind_table(struct ib_rwq_ind_table *table);
/* Fails with -ENOMEM if more than KTU_MEMORY bytes are asked for. */
struct ib_dm *ktu_alloc_dm(struct ib_device *dev, struct ib_ucontext *context,
			   struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs);
int ktu_dealloc_dm(struct ib_dm *dm, struct uverbs_attr_bundle *attrs);
struct ib_mr *ktu_reg_dm_mr(struct ib_pd *pd, struct ib_dm *dm, struct ib_dm_mr_attr *attr,
			    struct uverbs_attr_bundle *attrs);
/*
 * Checks that the specifications are complete, and computes ktu_flow_sum: the sum of their types,
 * of the tags, of the values of actions, and of the product of value and mask of the first byte of
 * Ethernet addresses.
 */
struct ib_flow *ktu_create_flow(struct ib_qp *qp, struct ib_flow_attr *attr,
				struct ib_udata *udata);
int ktu_destroy_flow(struct ib_flow *flow);
extern atomic_t ktu_flow_sum;

/* A method that makes flow actions with a value, see action.h. */
extern const struct uapi_definition ktu_definitions[];
u32 ktu_action_value(struct ib_flow_action *action);
int ktu_destroy_flow_action(struct ib_flow_action *action);

/* Fails with -ENOENT if a range has the L_Key KTU_BAD_LKEY. */
int ktu_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		  struct ib_sge *ranges, u32 num, struct uverbs_attr_bundle *attrs);
/* The value of counter i is 100 + i. */
int ktu_create_counters(struct ib_counters *counters, struct uverbs_attr_bundle *attrs);
int ktu_destroy_counters(struct ib_counters *counters);
int ktu_read_counters(struct ib_counters *counters, struct ib_counters_read_attr *attr,
		      struct uverbs_attr_bundle *attrs);

/* Sets the number of objects that the newest counters are attached to. */
int ktu_attach_counters(const char *value, const struct kernel_param *param);

#endif /* _KRDMA_TESTING_KT_USER_H_ */
