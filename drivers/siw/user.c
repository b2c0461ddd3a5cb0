// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Processes: their contexts, the memory that they share with us, and the queues in it as they come
 * and go.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/uverbs_ioctl.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/user.h"
#include "drivers/siw/cq.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/srq.h"
#include "drivers/siw/user_cq.h"
#include "drivers/siw/user_rq.h"
#include "drivers/siw/user_sq.h"

int siw_respond(struct ib_udata *udata, const void *resp, size_t size)
{
	return udata->outlen < size ? -EINVAL : ib_copy_to_udata(udata, resp, size);
}

int siw_alloc_ucontext(struct ib_ucontext *base, struct ib_udata *udata)
{
	const struct siw_uresp_alloc_ctx resp = { .dev_id = base->device->index };

	return siw_respond(udata, &resp, sizeof(resp));
}

void siw_dealloc_ucontext(struct ib_ucontext *base)
{
}

/* Neither we nor the process have it any more. */
void siw_mmap_free(struct rdma_user_mmap_entry *entry)
{
	vfree(entry->kaddr);
	kfree(entry);
}

/* Zeroed memory that the process may map. rdma_user_mmap_entry_remove() ends our use of it. */
static struct rdma_user_mmap_entry *share(struct ib_udata *udata, size_t size)
{
	struct siw_ucontext *context = rdma_udata_to_drv_context(udata, struct siw_ucontext, base);
	struct rdma_user_mmap_entry *entry;
	int ret = -ENOMEM;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return ERR_PTR(-ENOMEM);
	entry->kaddr = __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (entry->kaddr)
		ret = rdma_user_mmap_entry_insert(&context->base, entry, size);
	if (ret) {
		siw_mmap_free(entry);
		return ERR_PTR(ret);
	}
	return entry;
}

/* Completion queues */

static int respond_cq(const struct siw_cq *cq, struct ib_udata *udata)
{
	const struct siw_uresp_create_cq resp = {
		.num_cqe = cq->size,
		.cq_key = rdma_user_mmap_get_offset(cq->user.entry),
	};

	return siw_respond(udata, &resp, sizeof(resp));
}

int siw_user_cq_make(struct siw_cq *cq, struct ib_udata *udata)
{
	struct siw_user_cq *user = &cq->user;
	size_t size = cq->size * sizeof(*user->ring);
	struct rdma_user_mmap_entry *entry;
	int ret;

	entry = share(udata, size + sizeof(*user->ctrl));
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	user->entry = entry;
	user->ring = entry->kaddr;
	user->ctrl = entry->kaddr + size;
	ret = respond_cq(cq, udata);
	if (ret)
		siw_user_cq_end(cq);
	return ret;
}

void siw_user_cq_end(struct siw_cq *cq)
{
	rdma_user_mmap_entry_remove(cq->user.entry);
}

/* Receives */

static int make_rq(struct siw_user_rq *user, u32 size, struct ib_udata *udata)
{
	struct rdma_user_mmap_entry *entry = share(udata, size * sizeof(*user->ring));

	if (IS_ERR(entry))
		return PTR_ERR(entry);
	user->entry = entry;
	user->ring = entry->kaddr;
	user->mask = size - 1;
	return 0;
}

static void end_rq(struct siw_user_rq *user)
{
	rdma_user_mmap_entry_remove(user->entry);
}

static int respond_srq(const struct siw_srq *srq, struct ib_udata *udata)
{
	const struct siw_uresp_create_srq resp = {
		.num_rqe = srq->user.mask + 1,
		.srq_key = rdma_user_mmap_get_offset(srq->user.entry),
	};

	return siw_respond(udata, &resp, sizeof(resp));
}

int siw_user_srq_make(struct siw_srq *srq, struct ib_udata *udata)
{
	int ret;

	ret = make_rq(&srq->user, srq->mask + 1, udata);
	if (ret)
		return ret;
	ret = respond_srq(srq, udata);
	if (ret)
		end_rq(&srq->user);
	return ret;
}

void siw_user_srq_end(struct siw_srq *srq)
{
	end_rq(&srq->user);
}

/* Queue pairs */

int siw_user_qp_make(struct siw_qp *qp, struct ib_udata *udata)
{
	struct siw_user_sq *user = &qp->sq.user;
	struct rdma_user_mmap_entry *entry;

	entry = share(udata, (qp->sq.mask + 1) * sizeof(*user->ring));
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	user->entry = entry;
	user->ring = entry->kaddr;
	qp->sq.shared = true;
	return qp->base.srq ? 0 : make_rq(&qp->rq.user, qp->rq.mask + 1, udata);
}

int siw_user_qp_respond(const struct siw_qp *qp, struct ib_udata *udata)
{
	const struct rdma_user_mmap_entry *rq = qp->rq.user.entry;
	/* Without an RQ, too, SIW_INVAL_UOBJ_KEY would mean that we have failed. */
	const struct siw_uresp_create_qp resp = {
		.qp_id = qp->base.qp_num,
		.num_sqe = qp->sq.mask + 1,
		.num_rqe = rq ? qp->rq.user.mask + 1 : 0,
		.sq_key = rdma_user_mmap_get_offset(qp->sq.user.entry),
		.rq_key = rq ? rdma_user_mmap_get_offset(rq) : 0,
	};

	return siw_respond(udata, &resp, sizeof(resp));
}

void siw_user_qp_end(struct siw_qp *qp)
{
	if (!siw_qp_is_user(qp))
		return;
	rdma_user_mmap_entry_remove(qp->sq.user.entry);
	end_rq(&qp->rq.user);
}
