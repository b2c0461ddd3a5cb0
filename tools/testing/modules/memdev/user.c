// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Processes: their contexts, and regions of their memory. Requests and completions are passed by
 * the commands of ib_uverbs, so that nothing is mapped.
 */
#include <rdma/ib_umem.h>
#include <rdma/iter.h>

#include "internal.h"

/* The ABI of libhfi1verbs and libipathverbs whose version is 1 passes requests by commands. */
#define ABI_VERSION	1

struct memdev_ucontext {
	struct ib_ucontext base;
};

static int alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	return 0;
}

static void dealloc_ucontext(struct ib_ucontext *context)
{
}

/* Nothing of the device is mapped, so that processes may outlive it. */
static void disassociate_ucontext(struct ib_ucontext *context)
{
}

/* The device has no DMA, so the addresses of the blocks are the kernel's. */
static struct memdev_mr *make_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
				      int access)
{
	struct ib_block_iter block;
	struct ib_umem *umem;
	struct memdev_mr *mr;
	u32 i = 0;

	umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(umem))
		return ERR_CAST(umem);
	mr = memdev_make_mr(pd, ib_umem_num_pages(umem));
	if (IS_ERR(mr)) {
		ib_umem_release(umem);
		return mr;
	}
	rdma_umem_for_each_dma_block(umem, &block, PAGE_SIZE)
		mr->pages[i++] = rdma_block_iter_dma_address(&block);
	mutex_lock(&memdev_fabric.mutex);
	mr->umem = umem;
	mr->iova = virt_addr;
	mr->length = length;
	mr->page_size = PAGE_SIZE;
	mr->access = access;
	mr->valid = true;
	mutex_unlock(&memdev_fabric.mutex);
	return mr;
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
				 struct ib_udata *udata)
{
	struct memdev_mr *mr;
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_REG_USER_MR);
	if (ret)
		return ERR_PTR(ret);
	mr = make_user_mr(pd, start, length, virt_addr, access);
	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ibmr;
}

/*
 * Other memory, or memory that has to be pinned anew, becomes a new region; the core destroys the
 * old one. Otherwise the region changes.
 */
static struct ib_mr *rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				   u64 virt_addr, int access, struct ib_pd *pd,
				   struct ib_udata *udata)
{
	struct memdev_mr *mr = to_memdev_mr(ibmr), *made;
	int ret;

	ret = fakedev_count_call(ibmr->device, FAKEDEV_REREG_USER_MR);
	if (ret)
		return ERR_PTR(ret);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (flags & IB_MR_REREG_TRANS) {
		made = make_user_mr(pd, start, length, virt_addr, access);
		return IS_ERR(made) ? ERR_CAST(made) : &made->ibmr;
	}
	/* Rights to write need memory that is pinned so. */
	if (!mr->umem->writable && ib_access_writable(access))
		return ERR_PTR(-EOPNOTSUPP);
	mutex_lock(&memdev_fabric.mutex);
	if (mr->nr_windows) {
		ret = -EBUSY;
	} else {
		mr->pd = pd;
		mr->access = access;
	}
	mutex_unlock(&memdev_fabric.mutex);
	return ERR_PTR(ret);
}

const struct ib_device_ops memdev_user_mr_ops = {
	.reg_user_mr = reg_user_mr,
	.rereg_user_mr = rereg_user_mr,
};

const struct ib_device_ops memdev_hfi1_ops = {
	.alloc_ucontext = alloc_ucontext,
	.dealloc_ucontext = dealloc_ucontext,
	.disassociate_ucontext = disassociate_ucontext,
	.driver_id = RDMA_DRIVER_HFI1,
	.uverbs_abi_ver = ABI_VERSION,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, memdev_ucontext, base),
};

const struct ib_device_ops memdev_qib_ops = {
	.alloc_ucontext = alloc_ucontext,
	.dealloc_ucontext = dealloc_ucontext,
	.disassociate_ucontext = disassociate_ucontext,
	.driver_id = RDMA_DRIVER_QIB,
	.uverbs_abi_ver = ABI_VERSION,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, memdev_ucontext, base),
};

void memdev_offer_commands(struct ib_device *ibdev)
{
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				  BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
				  BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV) |
				  BIT_ULL(IB_USER_VERBS_CMD_POLL_CQ) |
				  BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
}
