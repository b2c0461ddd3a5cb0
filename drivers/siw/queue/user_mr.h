/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory regions of processes.
 */
#ifndef SIW_USER_MR_H
#define SIW_USER_MR_H

#include <rdma/ib_verbs.h>

/* verbs */
struct ib_mr *siw_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			      struct ib_udata *udata);
struct ib_mr *siw_rereg_user_mr(struct ib_mr *base, int flags, u64 start, u64 length, u64 virt_addr,
				int access, struct ib_pd *pd, struct ib_udata *udata);

#endif /* SIW_USER_MR_H */
