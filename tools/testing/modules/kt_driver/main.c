// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_driver.ko: a driver that does for processes what drivers of real devices do: it maps
 * registers, and walks through pinned memory in blocks. selftests/rdma/uverbs/driver.sh loads it.
 *
 * The "registers" are two pages of memory. A process maps them at the offset PGOFF of an entry, or,
 * as with older drivers, at offset 0 without an entry. At the offsets OWN and OWN + 1 the driver
 * maps them itself, by number and as pages. The parameter "register" is their first word.
 *
 * At the offset COUNTED the driver maps two pages of new memory. It counts the users of the memory
 * by vm_ops of its own, as rxe does, and looks at the context when the last user has gone. At the
 * offset FAULTED, the vm_ops also have fault(). The parameter "areas" shows how that went. At the
 * offset FAILED the driver fails after it has mapped the registers.
 *
 * A region's memory begins with a page, and the first word of each page is the page's number in
 * the region. The L_Key is the number of blocks, the R_Key the number of blocks with the right
 * word. The size of blocks is the largest, or that of a page if the access rights have
 * IB_ACCESS_REMOTE_READ.
 *
 * rereg_user_mr() gives up the old memory before it gets the new one, as hns_roce does, and then
 * writes an answer to the process's memory itself. The parameters "regs" and "reregs" count the
 * runs of reg_user_mr() and rereg_user_mr(). What a process passes for the driver is read without a
 * look at its length, as bnxt_re does.
 *
 * The entry is memory of its own. The driver removes it in dealloc_ucontext(), as drivers of Linux
 * 6.1 do, or leaves it to ib_uverbs if the parameter "leave" was set when the context was made.
 *
 * The process may pass a number when it makes a PD, and gets its complement.
 */
#include <linux/completion.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <rdma/ib_umem.h>
#include <rdma/iter.h>
#include <rdma/krdma.h>

#include "../support/fakedev.h"

KRDMA_NEEDS_IB_CORE;

#define PGOFF		5
#define OWN		10
#define COUNTED		12
#define FAULTED		14
#define FAILED		16
#define REG_ORDER	1

static struct page *registers;
static struct fakedev *fake;
/* Longest region, in bytes. */
#define MAX_MR		SZ_1G

/* Runs of reg_user_mr() and rereg_user_mr(), ordered by the process that causes them. */
static unsigned int regs, reregs;
module_param(regs, uint, 0600);
MODULE_PARM_DESC(regs, "number of runs of reg_user_mr()");
module_param(reregs, uint, 0600);
MODULE_PARM_DESC(reregs, "number of runs of rereg_user_mr()");
/* Number of contexts that exist, of entries that were freed, and of those that were inserted. */
static atomic_t contexts, freed, inserted;

/* The contexts that exist. Protected by lives_lock, which is innermost. */
static LIST_HEAD(lives);
static DEFINE_SPINLOCK(lives_lock);

struct kt_context {
	struct ib_ucontext ibuc;
	struct rdma_user_mmap_entry *entry;	/* NULL: left to ib_uverbs */
	struct list_head live;			/* in lives */
};

static bool leave_entries;
module_param_named(leave, leave_entries, bool, 0600);
MODULE_PARM_DESC(leave, "new contexts leave their entries to ib_uverbs");

static int alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct kt_context *context = container_of(ibuc, struct kt_context, ibuc);
	struct rdma_user_mmap_entry *entry;
	int ret;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	/* As in a driver's error path that undoes what was not done. */
	rdma_user_mmap_entry_remove(entry);
	ret = rdma_user_mmap_entry_insert_exact(ibuc, entry, PAGE_SIZE << REG_ORDER, PGOFF);
	if (ret) {
		kfree(entry);
		return ret;
	}
	atomic_inc(&inserted);
	if (!leave_entries)
		context->entry = entry;
	spin_lock(&lives_lock);
	list_add(&context->live, &lives);
	spin_unlock(&lives_lock);
	atomic_inc(&contexts);
	return 0;
}

static void dealloc_ucontext(struct ib_ucontext *ibuc)
{
	struct kt_context *context = container_of(ibuc, struct kt_context, ibuc);

	rdma_user_mmap_entry_remove(context->entry);
	spin_lock(&lives_lock);
	list_del(&context->live);
	spin_unlock(&lives_lock);
	atomic_dec(&contexts);
}

static void disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

static void mmap_free(struct rdma_user_mmap_entry *entry)
{
	kfree(entry);
	atomic_inc(&freed);
}

/*
 * Numbers of memories that are in use, of those that were given up, of those that were given up
 * when the context was gone, and of areas that were not closed as they were mapped.
 */
static atomic_t areas_used, areas_closed, areas_late, areas_wrong;

struct kt_area {
	struct kref ref;
	struct kt_context *context;	/* compared only */
	void *memory;
	unsigned long start;
};

static void release_area(struct kref *ref)
{
	struct kt_area *area = container_of(ref, struct kt_area, ref);
	struct kt_context *context;
	bool found = false;

	spin_lock(&lives_lock);
	list_for_each_entry(context, &lives, live)
		found |= context == area->context;
	spin_unlock(&lives_lock);
	if (!found)
		atomic_inc(&areas_late);
	atomic_inc(&areas_closed);
	atomic_dec(&areas_used);
	vfree(area->memory);
	kfree(area);
}

static void area_open(struct vm_area_struct *vma)
{
	struct kt_area *area = vma->vm_private_data;

	kref_get(&area->ref);
}

static void area_close(struct vm_area_struct *vma)
{
	struct kt_area *area = vma->vm_private_data;

	if (vma->vm_start != area->start || vma->vm_end != area->start + 2 * PAGE_SIZE ||
	    !(vma->vm_flags & VM_MIXEDMAP))
		atomic_inc(&areas_wrong);
	kref_put(&area->ref, release_area);
}

static vm_fault_t area_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

static int map_counted(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	static const struct vm_operations_struct counting = {
		.open = area_open, .close = area_close,
	};
	static const struct vm_operations_struct faulting = {
		.open = area_open, .close = area_close, .fault = area_fault,
	};
	struct kt_area *area = kzalloc(sizeof(*area), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!area)
		return -ENOMEM;
	kref_init(&area->ref);
	area->context = container_of(ibuc, struct kt_context, ibuc);
	area->start = vma->vm_start;
	area->memory = vmalloc_user(2 * PAGE_SIZE);
	if (area->memory)
		ret = remap_vmalloc_range(vma, area->memory, 0);
	if (ret) {
		vfree(area->memory);
		kfree(area);
		return ret;
	}
	atomic_inc(&areas_used);
	vma->vm_ops = vma->vm_pgoff == FAULTED ? &faulting : &counting;
	vma->vm_private_data = area;
	return 0;
}

static int map_registers(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	pgprot_t prot = vm_get_page_prot(vma->vm_flags);
	struct rdma_user_mmap_entry *entry;
	int ret;

	if (!vma->vm_pgoff)
		return rdma_user_mmap_io(ibuc, vma, page_to_pfn(registers), PAGE_SIZE, prot, NULL);
	if (vma->vm_pgoff == OWN)
		return remap_pfn_range(vma, vma->vm_start, page_to_pfn(registers), PAGE_SIZE, prot);
	if (vma->vm_pgoff == OWN + 1)
		return vm_insert_page(vma, vma->vm_start, registers);
	if (vma->vm_pgoff == FAILED)
		return rdma_user_mmap_io(ibuc, vma, page_to_pfn(registers), PAGE_SIZE, prot,
					 NULL) ?: -EIO;
	if (vma->vm_pgoff == COUNTED || vma->vm_pgoff == FAULTED)
		return map_counted(ibuc, vma);
	entry = rdma_user_mmap_entry_get(ibuc, vma);
	if (!entry)
		return -EINVAL;
	ret = rdma_user_mmap_io(ibuc, vma, page_to_pfn(registers), entry->npages << PAGE_SHIFT,
				prot, entry);
	rdma_user_mmap_entry_put(entry);
	return ret;
}

/* Accesses the memory of the process, as some drivers do, instead of ib_uverbs's copies. */
static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	u64 number;

	if (!udata || udata->inlen != sizeof(number) || udata->outlen != sizeof(number))
		return 0;
	if (copy_from_user(&number, udata->inbuf, sizeof(number)))
		return -EFAULT;
	number = ~number;
	return copy_to_user(udata->outbuf, &number, sizeof(number)) ? -EFAULT : 0;
}

/*
 * Notes whether pages that the driver has mapped itself are mapped when an object is destroyed
 * because the device is removed: other drivers free such pages with the object.
 */
static bool mapped_late;
module_param(mapped_late, bool, 0400);
MODULE_PARM_DESC(mapped_late, "a mapping has outlived an object on removal");

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	if (!fake && page_count(registers) > 1)
		mapped_late = true;
	return 0;
}

struct kt_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	int access;
};

/*
 * Counts the blocks, and those whose first page in the memory has the right word. The device has no
 * DMA: addresses are the kernel's.
 */
static u32 count_right(struct ib_umem *umem, unsigned long pgsz, u32 *blocks)
{
	u64 block = ALIGN_DOWN(umem->iova, (u64)pgsz);
	struct ib_block_iter biter;
	u32 right = 0;
	u64 first;

	*blocks = 0;
	rdma_umem_for_each_dma_block(umem, &biter, pgsz) {
		first = max(block, umem->iova);
		right += *(u64 *)(uintptr_t)(rdma_block_iter_dma_address(&biter) + first - block) ==
			 (first - umem->iova) / PAGE_SIZE;
		block += pgsz;
		++*blocks;
	}
	return right;
}

static void free_mr(struct kt_mr *mr)
{
	if (!IS_ERR(mr->umem))
		ib_umem_release(mr->umem);
	kfree(mr);
}

/* Returns 0, or -EINVAL if no size is possible, or the numbers of blocks differ. */
static int fill_keys(struct kt_mr *mr, unsigned long sizes, u64 virt_addr)
{
	unsigned long pgsz = ib_umem_find_best_pgsz(mr->umem, sizes, virt_addr);

	if (!pgsz)
		return -EINVAL;
	mr->ibmr.rkey = count_right(mr->umem, pgsz, &mr->ibmr.lkey);
	return mr->ibmr.lkey == ib_umem_num_dma_blocks(mr->umem, pgsz) ? 0 : -EINVAL;
}

/* Returns whether the part of a command that the process did not pass reads as zeros. */
static bool rest_is_zero(struct ib_udata *udata)
{
	u64 words[8];
	size_t given;

	if (!udata)
		return true;
	given = min(udata->inlen, sizeof(words));
	memset(words, 0xa5, sizeof(words));
	return !ib_copy_from_udata(words, udata, sizeof(words)) &&
	       !memchr_inv((void *)words + given, 0, sizeof(words) - given) &&
	       ib_is_udata_cleared(udata, udata->inlen, sizeof(words)) &&
	       ib_is_udata_cleared(udata, sizeof(words), udata->inlen - sizeof(words));
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
				 struct ib_udata *udata)
{
	unsigned long sizes = access & IB_ACCESS_REMOTE_READ ? PAGE_SIZE : PAGE_MASK;
	struct kt_mr *mr;
	int ret;

	regs++;
	if (!rest_is_zero(udata))
		return ERR_PTR(-EPROTO);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->access = access;
	mr->umem = ib_umem_get(pd->device, start, length, access);
	ret = PTR_ERR_OR_ZERO(mr->umem) ?: fill_keys(mr, sizes, virt_addr);
	if (!ret)
		return &mr->ibmr;
	free_mr(mr);
	return ERR_PTR(ret);
}

static struct ib_mr *rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				   u64 virt_addr, int access, struct ib_pd *pd,
				   struct ib_udata *udata)
{
	struct kt_mr *mr = container_of(ibmr, struct kt_mr, ibmr);
	u64 run = ++reregs;
	int ret;

	/* A region without memory is out of use, so that a second run fails. */
	if (IS_ERR(mr->umem))
		return ERR_PTR(-EINVAL);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (!(flags & IB_MR_REREG_TRANS)) {
		start = mr->umem->address;
		length = mr->umem->length;
		if (ib_access_writable(access) <= mr->umem->writable) {
			mr->access = access;
			return NULL;
		}
	}
	ib_umem_release(mr->umem);
	mr->umem = ERR_PTR(-ENOENT);
	if (udata->outlen == sizeof(run) && copy_to_user(udata->outbuf, &run, sizeof(run)))
		return ERR_PTR(-EFAULT);
	mr->umem = ib_umem_get(ibmr->device, start, length, access);
	ret = PTR_ERR_OR_ZERO(mr->umem) ?: fill_keys(mr, PAGE_SIZE, virt_addr);
	if (ret)
		return ERR_PTR(ret);
	mr->access = access;
	return NULL;
}

static int dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	free_mr(container_of(ibmr, struct kt_mr, ibmr));
	return 0;
}

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.uverbs_abi_ver = 1,

	.alloc_pd = alloc_pd,
	.alloc_ucontext = alloc_ucontext,
	.dealloc_pd = dealloc_pd,
	.dealloc_ucontext = dealloc_ucontext,
	.dereg_mr = dereg_mr,
	.disassociate_ucontext = disassociate_ucontext,
	.mmap = map_registers,
	.mmap_free = mmap_free,
	.reg_user_mr = reg_user_mr,
	.rereg_user_mr = rereg_user_mr,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, kt_context, ibuc),
};

/* --- parameters --- */

static int get_register(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(*(u32 *)page_address(registers)));
}

static int set_register(const char *text, const struct kernel_param *kp)
{
	u32 value;
	int ret = kstrtou32(text, 0, &value);

	if (!ret)
		WRITE_ONCE(*(u32 *)page_address(registers), value);
	return ret;
}

static const struct kernel_param_ops register_ops = { .get = get_register, .set = set_register };
module_param_cb(register, &register_ops, NULL, 0600);
MODULE_PARM_DESC(register, "first word of the registers");

static int get_state(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "contexts %d freed %d inserted %d\n", atomic_read(&contexts),
			  atomic_read(&freed), atomic_read(&inserted));
}

static int get_areas(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "used %d closed %d late %d wrong %d\n", atomic_read(&areas_used),
			  atomic_read(&areas_closed), atomic_read(&areas_late),
			  atomic_read(&areas_wrong));
}

static const struct kernel_param_ops areas_ops = { .get = get_areas };
module_param_cb(areas, &areas_ops, NULL, 0400);
MODULE_PARM_DESC(areas, "numbers of areas whose users the driver counts");

/* A handler of the device's events that does not return before the parameter "state" says so. */
static struct ib_event_handler slow_handler;
static DECLARE_COMPLETION(slow_begins);
static DECLARE_COMPLETION(slow_ends);

static void wait_for_end(struct ib_event_handler *handler, struct ib_event *event)
{
	complete(&slow_begins);
	wait_for_completion(&slow_ends);
}

static int begin_slow_handler(void)
{
	struct ib_event event = {
		.device = &fake->ibdev, .event = IB_EVENT_PORT_ACTIVE, .element.port_num = 1,
	};

	if (slow_handler.device)
		return -EBUSY;
	reinit_completion(&slow_begins);
	reinit_completion(&slow_ends);
	INIT_IB_EVENT_HANDLER(&slow_handler, &fake->ibdev, wait_for_end);
	ib_register_event_handler(&slow_handler);
	ib_dispatch_event(&event);
	wait_for_completion(&slow_begins);
	return 0;
}

static void end_slow_handler(void)
{
	if (!slow_handler.device)
		return;
	complete(&slow_ends);
	ib_unregister_event_handler(&slow_handler);
	slow_handler.device = NULL;
}

static int set_state(const char *text, const struct kernel_param *kp)
{
	struct fakedev *fd;

	if (sysfs_streq(text, "slow") && fake)
		return begin_slow_handler();
	end_slow_handler();
	if (sysfs_streq(text, "fast"))
		return 0;
	fd = xchg(&fake, NULL);

	if (!sysfs_streq(text, "remove") || !fd)
		return -EINVAL;
	fakedev_destroy(fd);
	return 0;
}

static const struct kernel_param_ops state_ops = { .get = get_state, .set = set_state };
module_param_cb(state, &state_ops, NULL, 0600);
MODULE_PARM_DESC(state, "numbers of contexts and entries; written: remove, slow, or fast");

static int __init kt_driver_init(void)
{
	const struct fakedev_config config = { .name = "ktdriver", .more_ops = &ops };

	registers = alloc_pages(GFP_KERNEL | __GFP_ZERO, REG_ORDER);
	if (!registers)
		return -ENOMEM;
	fake = fakedev_create(&config);
	if (IS_ERR(fake)) {
		__free_pages(registers, REG_ORDER);
		return PTR_ERR(fake);
	}
	fake->ibdev.attrs.max_mr_size = MAX_MR;
	return 0;
}
module_init(kt_driver_init);

static void __exit kt_driver_exit(void)
{
	end_slow_handler();
	if (fake)
		fakedev_destroy(fake);
	__free_pages(registers, REG_ORDER);
}
module_exit(kt_driver_exit);

MODULE_DESCRIPTION("krdma test driver for processes");
MODULE_LICENSE("Dual BSD/GPL");
