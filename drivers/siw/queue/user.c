// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Processes: their contexts, the memory that they share with the kernel, and creation and
 * destruction of the rings in that memory.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/uverbs_ioctl.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/queue/user.h"
#include "drivers/siw/queue/cq.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/srq.h"
#include "drivers/siw/queue/user_cq.h"
#include "drivers/siw/queue/user_rq.h"
#include "drivers/siw/queue/user_sq.h"
#include "soft/mem.h"
#include "soft/mr.h"
#include "soft/user_mr.h"

int siw_respond(struct ib_udata *udata, const void *resp, size_t size)
{
	might_sleep();
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

/* Called when neither siw nor a mapping of the process uses the memory any more. */
void siw_mmap_free(struct rdma_user_mmap_entry *entry)
{
	vfree(entry->kaddr);
	kfree(entry);
}

/* Allocates zeroed memory that the process may map until rdma_user_mmap_entry_remove(). */
static struct rdma_user_mmap_entry *user_mmap_alloc(struct ib_udata *udata, size_t size)
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

int siw_user_cq_create(struct siw_cq *cq, struct ib_udata *udata)
{
	struct siw_user_cq *user = &cq->user;
	size_t size = cq->soft.size * sizeof(*user->ring);
	struct siw_uresp_create_cq resp = { .cq_id = user->id, .num_cqe = cq->soft.size };
	struct rdma_user_mmap_entry *entry;
	int ret;

	entry = user_mmap_alloc(udata, size + sizeof(*user->ctrl));
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	user->entry = entry;
	user->ring = entry->kaddr;
	user->ctrl = entry->kaddr + size;
	resp.cq_key = rdma_user_mmap_get_offset(entry);
	ret = siw_respond(udata, &resp, sizeof(resp));
	if (ret)
		siw_user_cq_destroy(cq);
	return ret;
}

void siw_user_cq_destroy(struct siw_cq *cq)
{
	rdma_user_mmap_entry_remove(cq->user.entry);
}

static int user_rq_create(struct siw_user_rq *user, u32 size, struct ib_udata *udata)
{
	struct rdma_user_mmap_entry *entry = user_mmap_alloc(udata, size * sizeof(*user->ring));

	if (IS_ERR(entry))
		return PTR_ERR(entry);
	user->entry = entry;
	user->ring = entry->kaddr;
	user->mask = size - 1;
	return 0;
}

int siw_user_srq_create(struct siw_srq *srq, struct ib_udata *udata)
{
	struct siw_uresp_create_srq resp = { .num_rqe = srq->soft.ring.mask + 1 };
	int ret;

	ret = user_rq_create(&srq->user, srq->soft.ring.mask + 1, udata);
	if (ret)
		return ret;
	resp.srq_key = rdma_user_mmap_get_offset(srq->user.entry);
	ret = siw_respond(udata, &resp, sizeof(resp));
	if (ret)
		siw_user_srq_destroy(srq);
	return ret;
}

void siw_user_srq_destroy(struct siw_srq *srq)
{
	rdma_user_mmap_entry_remove(srq->user.entry);
}

int siw_user_qp_create(struct siw_qp *qp, struct ib_udata *udata)
{
	struct siw_user_sq *user = &qp->user_sq;
	struct rdma_user_mmap_entry *entry;

	entry = user_mmap_alloc(udata, qp->attr.cap.max_send_wr * sizeof(*user->ring));
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	user->entry = entry;
	user->ring = entry->kaddr;
	user->mask = qp->attr.cap.max_send_wr - 1;
	if (qp->soft.base.srq)
		return 0;
	return user_rq_create(&qp->user_rq, qp->soft.rq.ring.mask + 1, udata);
}

int siw_user_qp_respond(const struct siw_qp *qp, struct ib_udata *udata)
{
	const struct rdma_user_mmap_entry *rq = qp->user_rq.entry;
	/* Without an RQ, rq_key is 0, because libsiw takes SIW_INVAL_UOBJ_KEY for a failure. */
	const struct siw_uresp_create_qp resp = {
		.qp_id = qp->soft.base.qp_num,
		.num_sqe = qp->user_sq.mask + 1,
		.num_rqe = rq ? qp->user_rq.mask + 1 : 0,
		.sq_key = rdma_user_mmap_get_offset(qp->user_sq.entry),
		.rq_key = rq ? rdma_user_mmap_get_offset(rq) : 0,
	};

	return siw_respond(udata, &resp, sizeof(resp));
}

void siw_user_qp_destroy(struct siw_qp *qp)
{
	rdma_user_mmap_entry_remove(qp->user_sq.entry);
	rdma_user_mmap_entry_remove(qp->user_rq.entry);
}

struct ib_mr *siw_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			      struct ib_udata *udata)
{
	struct siw_uresp_reg_mr resp = {};
	struct soft_mr *mr;
	int ret;

	mr = soft_mr_create_user(pd, start, length, virt_addr, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	resp.stag = mr->mem->stag;
	/* Without udata, the caller is a ULP (ib_reg_user_mr()), which gets no response. */
	ret = udata ? siw_respond(udata, &resp, sizeof(resp)) : 0;
	if (ret) {
		soft_dereg_mr(&mr->base, udata);
		return ERR_PTR(ret);
	}
	soft_mem_set_valid(mr->mem);
	return &mr->base;
}
