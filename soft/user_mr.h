/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory regions of processes.
 */
#ifndef SOFT_USER_MR_H
#define SOFT_USER_MR_H

#include <rdma/ib_verbs.h>

struct soft_mr;

/*
 * Returns a region, not valid yet, for memory of the calling process, or an ERR_PTR with the errno
 * of soft_mr_check_access(), soft_mr_create() or ib_umem_get(); -EOPNOTSUPP for memory without an
 * address in the kernel. Process context.
 */
struct soft_mr *soft_mr_create_user(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
				    int access);

/*
 * Verb: changes a region, or replaces it by a new one. A provider that adds data to the response,
 * for its library in user space, calls this function from its own verb.
 */
struct ib_mr *soft_rereg_user_mr(struct ib_mr *base, int flags, u64 start, u64 length,
				 u64 virt_addr, int access, struct ib_pd *pd,
				 struct ib_udata *udata);

#endif /* SOFT_USER_MR_H */
