// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_dmabuf.ko: a driver for processes that registers DMA-BUFs, and an exporter that takes as long
 * as the test wants. selftests/rdma/uverbs/dmabuf.sh loads it.
 *
 * A process that reads the parameter "fd" gets a new DMA-BUF of one page, and the number of its
 * file descriptor. All DMA-BUFs share one reservation. Words written to the parameter "state"
 * change it: "move" begins to move the memory, "move_pinned" does so whenever the memory is pinned,
 * as an exporter that moves unpinned memory back, until "stay"; importers are told of these moves.
 * "done" ends a move; "lock" and "unlock" have a thread hold the reservation's lock; "remove"
 * removes the device. The parameter "uses" shows what is in use.
 *
 * With the access right IB_ACCESS_REMOTE_READ, the driver maps the DMA-BUF itself, as mlx5 does.
 */
#include <linux/completion.h>
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/fcntl.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/ib_umem.h>
#include <rdma/krdma.h>

#include "../support/fakedev.h"

KRDMA_NEEDS_IB_CORE;
/* What MODULE_IMPORT_NS() is in all kernels; newer ones give it a string. */
MODULE_INFO(import_ns, "DMA_BUF");

#define DMA_ADDR	0x40000000ULL

/*
 * Numbers of registrations that were begun, of attachments, mappings and pins, and of attachments
 * that were ever made.
 */
static atomic_t runs, attached, mapped, pinned, ever_attached;

/* --- the exporter --- */

static struct dma_resv resv;
/* The fence that is not signalled yet: set with resv locked, cleared at any time. */
static struct dma_fence *fence;
/* Each pin makes a fence. Protected by resv. */
static bool move_when_pinned;
static DEFINE_SPINLOCK(fence_lock); /* the lock inside each fence */

static const char *fence_name(struct dma_fence *f)
{
	return "kt_dmabuf";
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_name,
	.get_timeline_name = fence_name,
};

/* Begins to move the memory: until the fence is signalled, nobody may use it. */
static int begin_move(void)
{
	static u64 seqno;
	struct dma_fence *new;
	int ret;

	dma_resv_assert_held(&resv);
	if (fence)
		return -EBUSY;
	ret = dma_resv_reserve_fences(&resv, 1);
	if (ret)
		return ret;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	dma_fence_init(new, &fence_ops, &fence_lock, dma_fence_context_alloc(1), ++seqno);
	dma_resv_add_fence(&resv, new, DMA_RESV_USAGE_KERNEL);
	WRITE_ONCE(fence, new);
	return 0;
}

/* As with exporters of devices, the reservation need not be locked. */
static void end_move(void)
{
	struct dma_fence *old = xchg(&fence, NULL);

	if (!old)
		return;
	dma_fence_signal(old);
	dma_fence_put(old);
}

static int exp_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	atomic_inc(&attached);
	atomic_inc(&ever_attached);
	return 0;
}

static void exp_detach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	atomic_dec(&attached);
}

/* Moves the memory to where it can be pinned, or back, and tells the importers before. */
static int move_for_pin(struct dma_buf *dmabuf)
{
	if (!move_when_pinned || READ_ONCE(fence))
		return 0;
	dma_buf_invalidate_mappings(dmabuf);
	return begin_move();
}

static int exp_pin(struct dma_buf_attachment *attach)
{
	int ret = 0;

	/* Without CONFIG_DMABUF_MOVE_NOTIFY, to map the memory pins it once more. */
	if (!atomic_read(&pinned))
		ret = move_for_pin(attach->dmabuf);
	if (!ret)
		atomic_inc(&pinned);
	return ret;
}

static void exp_unpin(struct dma_buf_attachment *attach)
{
	if (atomic_dec_and_test(&pinned) && move_when_pinned)
		dma_buf_invalidate_mappings(attach->dmabuf);
}

static struct sg_table *exp_map(struct dma_buf_attachment *attach,
				enum dma_data_direction direction)
{
	struct sg_table *table = kzalloc(sizeof(*table), GFP_KERNEL);

	if (!table)
		return ERR_PTR(-ENOMEM);
	if (sg_alloc_table(table, 1, GFP_KERNEL)) {
		kfree(table);
		return ERR_PTR(-ENOMEM);
	}
	sg_dma_address(table->sgl) = DMA_ADDR;
	sg_dma_len(table->sgl) = PAGE_SIZE;
	atomic_inc(&mapped);
	return table;
}

static void exp_unmap(struct dma_buf_attachment *attach, struct sg_table *table,
		      enum dma_data_direction direction)
{
	atomic_dec(&mapped);
	sg_free_table(table);
	kfree(table);
}

static void exp_release(struct dma_buf *dmabuf)
{
}

static const struct dma_buf_ops exp_ops = {
	.attach = exp_attach,
	.detach = exp_detach,
	.pin = exp_pin,
	.unpin = exp_unpin,
	.map_dma_buf = exp_map,
	.unmap_dma_buf = exp_unmap,
	.release = exp_release,
};

/* Returns a file descriptor of a new DMA-BUF, in the calling process, or an errno. */
static int export(void)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;
	int fd;

	info.ops = &exp_ops;
	info.size = PAGE_SIZE;
	info.flags = O_RDWR | O_CLOEXEC;
	info.resv = &resv;
	info.priv = &resv;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(dmabuf);
	return fd;
}

/* --- the thread that holds the lock --- */

static DECLARE_COMPLETION(locked);
static DECLARE_COMPLETION(unlock);

static void hold_lock(struct work_struct *work)
{
	dma_resv_lock(&resv, NULL);
	complete(&locked);
	wait_for_completion(&unlock);
	dma_resv_unlock(&resv);
}

static DECLARE_WORK(holder, hold_lock);
static bool is_held;

static int begin_hold(void)
{
	if (is_held)
		return -EBUSY;
	is_held = true;
	schedule_work(&holder);
	wait_for_completion(&locked);
	return 0;
}

static void end_hold(void)
{
	if (!is_held)
		return;
	complete(&unlock);
	flush_work(&holder);
	is_held = false;
}

/* --- the driver --- */

static struct fakedev *fake;

struct kt_context {
	struct ib_ucontext ibuc;
};

struct kt_mr {
	struct ib_mr ibmr;
	struct ib_umem_dmabuf *umem;
};

static int alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	return 0;
}

static void dealloc_ucontext(struct ib_ucontext *ibuc)
{
}

static void ignore_move(struct dma_buf_attachment *attach)
{
}

/* Does by single steps what ib_umem_dmabuf_get_pinned() does, but does not pin the memory. */
static struct ib_umem_dmabuf *map_in_steps(struct ib_device *device, u64 offset, u64 length, int fd,
					   int access)
{
	static const struct dma_buf_attach_ops ops = { .invalidate_mappings = ignore_move };
	struct ib_umem_dmabuf *umem;
	int ret;

	umem = ib_umem_dmabuf_get(device, offset, length, fd, access, &ops);
	if (IS_ERR(umem))
		return umem;
	dma_resv_lock(umem->attach->dmabuf->resv, NULL);
	ret = ib_umem_dmabuf_map_pages(umem);
	dma_resv_unlock(umem->attach->dmabuf->resv);
	if (!ret)
		return umem;
	ib_umem_dmabuf_release(umem);
	/* Some drivers hide the reason. */
	return ERR_PTR(-EINVAL);
}

static struct ib_mr *reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 virt_addr,
					int fd, int access, struct ib_udata *udata)
{
	struct kt_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	struct ib_umem_dmabuf *umem;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	atomic_inc(&runs);
	if (access & IB_ACCESS_REMOTE_READ)
		umem = map_in_steps(pd->device, offset, length, fd, access);
	else
		umem = ib_umem_dmabuf_get_pinned(pd->device, offset, length, fd, access);
	if (IS_ERR(umem)) {
		kfree(mr);
		return ERR_CAST(umem);
	}
	mr->umem = umem;
	return &mr->ibmr;
}

static int dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct kt_mr *mr = container_of(ibmr, struct kt_mr, ibmr);

	ib_umem_release(&mr->umem->umem);
	kfree(mr);
	return 0;
}

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.uverbs_abi_ver = 1,

	.alloc_ucontext = alloc_ucontext,
	.dealloc_ucontext = dealloc_ucontext,
	.dereg_mr = dereg_mr,
	.reg_user_mr_dmabuf = reg_user_mr_dmabuf,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, kt_context, ibuc),
};

/* --- parameters --- */

static int get_fd(char *buf, const struct kernel_param *kp)
{
	int fd = export();

	return fd < 0 ? fd : sysfs_emit(buf, "%d\n", fd);
}

static const struct kernel_param_ops fd_ops = { .get = get_fd };
module_param_cb(fd, &fd_ops, NULL, 0400);
MODULE_PARM_DESC(fd, "file descriptor of a new DMA-BUF, in the process that reads this");

static int get_uses(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "runs %d attached %d mapped %d pinned %d ever_attached %d\n",
			  atomic_read(&runs), atomic_read(&attached), atomic_read(&mapped),
			  atomic_read(&pinned), atomic_read(&ever_attached));
}

static const struct kernel_param_ops uses_ops = { .get = get_uses };
module_param_cb(uses, &uses_ops, NULL, 0400);
MODULE_PARM_DESC(uses, "numbers of registrations begun, of attachments now and ever, and others");

static int remove_device(void)
{
	struct fakedev *fd = xchg(&fake, NULL);

	if (!fd)
		return -ENODEV;
	fakedev_destroy(fd);
	return 0;
}

static int change_move(const char *text)
{
	int ret = 0;

	if (sysfs_streq(text, "done")) {
		end_move();
		return 0;
	}
	dma_resv_lock(&resv, NULL);
	if (sysfs_streq(text, "move"))
		ret = begin_move();
	else if (sysfs_streq(text, "move_pinned"))
		move_when_pinned = true;
	else if (sysfs_streq(text, "stay"))
		move_when_pinned = false;
	else
		ret = -EINVAL;
	dma_resv_unlock(&resv);
	return ret;
}

/* The lock of the parameters is released while the device is removed: that might have to wait. */
static int set_state(const char *text, const struct kernel_param *kp)
{
	int ret;

	if (sysfs_streq(text, "lock"))
		return begin_hold();
	if (sysfs_streq(text, "unlock")) {
		end_hold();
		return 0;
	}
	if (!sysfs_streq(text, "remove"))
		return change_move(text);
	kernel_param_unlock(THIS_MODULE);
	ret = remove_device();
	kernel_param_lock(THIS_MODULE);
	return ret;
}

static const struct kernel_param_ops state_ops = { .set = set_state };
module_param_cb(state, &state_ops, NULL, 0200);
MODULE_PARM_DESC(state, "written: move, move_pinned, stay, done, lock, unlock, or remove");

static int __init kt_dmabuf_init(void)
{
	const struct fakedev_config config = {
		.name = "ktdmabuf", .more_ops = &ops, .real_dma = true,
	};

	dma_resv_init(&resv);
	fake = fakedev_create(&config);
	if (!IS_ERR(fake))
		return 0;
	dma_resv_fini(&resv);
	return PTR_ERR(fake);
}
module_init(kt_dmabuf_init);

static void __exit kt_dmabuf_exit(void)
{
	end_hold();
	end_move();
	remove_device();
	dma_resv_fini(&resv);
}
module_exit(kt_dmabuf_exit);

MODULE_DESCRIPTION("krdma test driver and exporter of DMA-BUFs");
MODULE_LICENSE("Dual BSD/GPL");
