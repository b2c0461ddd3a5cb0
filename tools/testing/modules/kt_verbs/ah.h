/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers of the tests of address handles and paths.
 */
#ifndef _KRDMA_TESTING_KT_VERBS_AH_H_
#define _KRDMA_TESTING_KT_VERBS_AH_H_

#include "kt_verbs.h"

/* Starts an InfiniBand device with two ports, each with three GIDs, see fakedev_gid(). */
bool kt_start_ib(struct ktap *t, struct kt_env *env);

/*
 * Starts a RoCE device on the dummy interface kta with the MAC address 00:11:22:33:44:55, which is
 * up and has the addresses 10.77.0.1/24 and fd77::1/64. kt_end_roce() ends it, and deletes the
 * interface.
 */
bool kt_start_roce(struct ktap *t, struct kt_env *env);
void kt_end_roce(struct ktap *t, struct kt_env *env);

/* Returns the index of a GID in the table of port 1, or a negative errno. */
int kt_gid_index(struct kt_env *env, const char *text, enum ib_gid_type type);
/* Returns a RoCE address on port 1, from one GID to another, without a MAC address. */
struct rdma_ah_attr kt_roce_attr(struct kt_env *env, const char *from, const char *to,
				 enum ib_gid_type type);

/*
 * Returns the number of references to a GID, without that of the table; a negative errno if there
 * is no such GID.
 */
int kt_gid_refs(struct kt_env *env, u32 port, int index);

/* Returns an InfiniBand address without a global route, on port 1. */
struct rdma_ah_attr kt_ah_attr(void);
/* Returns an InfiniBand address with a global route from a GID of port 1. */
struct rdma_ah_attr kt_ah_attr_global(u8 sgid_index);

#endif /* _KRDMA_TESTING_KT_VERBS_AH_H_ */
