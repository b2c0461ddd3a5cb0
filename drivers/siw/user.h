/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Processes: their contexts, and the memory in which their queues are. The layout of that memory,
 * and of what passes with a command, is <uapi/rdma/siw-abi.h>.
 *
 * A process writes to its queues whenever it likes, and need not mean well. So each value is read
 * once, into memory of the kernel's, and looked at there; where in a ring we are is known by
 * numbers of our own; and nobody takes more than SIW_FLUSH_BATCH entries with a lock held.
 */
#ifndef SIW_USER_H
#define SIW_USER_H

#include <rdma/ib_verbs.h>

struct siw_cq;
struct siw_qp;
struct siw_srq;

/* What the core allocates for the context of a process; there is nothing of ours in it. */
struct siw_ucontext {
	struct ib_ucontext base;
};

/* verbs */
int siw_alloc_ucontext(struct ib_ucontext *base, struct ib_udata *udata);
void siw_dealloc_ucontext(struct ib_ucontext *base);
void siw_mmap_free(struct rdma_user_mmap_entry *entry);

/* The answer to a process. 0, -EINVAL no room for all of it, -EFAULT. Process context. */
int siw_respond(struct ib_udata *udata, const void *resp, size_t size);

/*
 * The part of a queue that is its process's: made when the queue has its size, and ended when
 * nobody uses it any more; without such a part, ending does nothing. A QP's process is answered
 * separately, when the QP has its number. 0, -ENOMEM, or the errno of siw_respond(). On failure
 * nothing is left of a CQ's or an SRQ's part; that of a QP has to be ended. Process context.
 */
int siw_user_cq_make(struct siw_cq *cq, struct ib_udata *udata);
void siw_user_cq_end(struct siw_cq *cq);
int siw_user_srq_make(struct siw_srq *srq, struct ib_udata *udata);
void siw_user_srq_end(struct siw_srq *srq);
int siw_user_qp_make(struct siw_qp *qp, struct ib_udata *udata);
int siw_user_qp_respond(const struct siw_qp *qp, struct ib_udata *udata);
void siw_user_qp_end(struct siw_qp *qp);

#endif /* SIW_USER_H */
