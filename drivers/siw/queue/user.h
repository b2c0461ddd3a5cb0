/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Processes: their contexts, and the memory that holds their queues. <uapi/rdma/siw-abi.h> has the
 * layout of that memory, and of the structs that commands exchange.
 *
 * A process may write to its queues at any time, and may be malicious. So each value is read once,
 * into kernel memory, and checked there; positions in a ring are kept in kernel memory; and at most
 * SOFT_FLUSH_BATCH entries are taken while a lock is held.
 */
#ifndef SIW_USER_H
#define SIW_USER_H

#include <rdma/ib_verbs.h>

struct siw_cq;
struct siw_qp;
struct siw_srq;

/* The core allocates this struct for the context of a process. siw adds no members. */
struct siw_ucontext {
	struct ib_ucontext base;
};

/* verbs */
int siw_alloc_ucontext(struct ib_ucontext *base, struct ib_udata *udata);
void siw_dealloc_ucontext(struct ib_ucontext *base);
void siw_mmap_free(struct rdma_user_mmap_entry *entry);
struct ib_mr *siw_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			      struct ib_udata *udata);

/*
 * Copies the response of a command to the process. Returns 0, -EINVAL if the process has no room
 * for all of it, or -EFAULT. Process context.
 */
int siw_respond(struct ib_udata *udata, const void *resp, size_t size);

/*
 * Create and destroy the ring of a queue; the process of the queue maps the ring. A ring is created
 * when the size of the queue is known, and destroyed when nothing uses the queue any more. The
 * functions for CQ and SRQ also send the response of the command; siw_user_qp_respond() does that
 * for a QP, when the QP has its number. All return 0; -ENOMEM if memory is short; or the errno of
 * siw_respond(). After a failure, the caller still has to destroy the rings of a QP, but not the
 * ring of a CQ or SRQ. For a queue of the kernel, the functions that destroy do nothing. Process
 * context.
 */
int siw_user_cq_create(struct siw_cq *cq, struct ib_udata *udata);
void siw_user_cq_destroy(struct siw_cq *cq);
int siw_user_srq_create(struct siw_srq *srq, struct ib_udata *udata);
void siw_user_srq_destroy(struct siw_srq *srq);
int siw_user_qp_create(struct siw_qp *qp, struct ib_udata *udata);
int siw_user_qp_respond(const struct siw_qp *qp, struct ib_udata *udata);
void siw_user_qp_destroy(struct siw_qp *qp);

#endif /* SIW_USER_H */
