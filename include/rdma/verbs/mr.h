/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory regions: allocation, fast registration, DMA regions, keys.
 */
#ifndef _RDMA_VERBS_MR_H_
#define _RDMA_VERBS_MR_H_

#include <rdma/restrack.h>
#include <rdma/verbs/types.h>

/**
 * enum ib_mr_type - kinds of memory region
 * @IB_MR_TYPE_MEM_REG: for normal registration with ib_map_mr_sg() and %IB_WR_REG_MR
 * @IB_MR_TYPE_SG_GAPS: the same, for scatter/gather lists of any shape
 * @IB_MR_TYPE_DM: memory of the device
 * @IB_MR_TYPE_USER: pages of a user process
 * @IB_MR_TYPE_DMA: all memory, made by the core for the keys of a PD
 * @IB_MR_TYPE_INTEGRITY: carries protection information for data integrity operations
 */
enum ib_mr_type {
	IB_MR_TYPE_MEM_REG,
	IB_MR_TYPE_SG_GAPS,
	IB_MR_TYPE_DM,
	IB_MR_TYPE_USER,
	IB_MR_TYPE_DMA,
	IB_MR_TYPE_INTEGRITY,
};

/* The name of IB_MR_TYPE_INTEGRITY in older callers. */
#define IB_MR_TYPE_SIGNATURE IB_MR_TYPE_INTEGRITY

/**
 * enum ib_access_flags - what may be done with a region's memory; local reading always may
 * @IB_ACCESS_LOCAL_WRITE: the local device writes (receives, read responses)
 * @IB_ACCESS_REMOTE_WRITE: peers write; asks for @IB_ACCESS_LOCAL_WRITE too
 * @IB_ACCESS_REMOTE_READ: peers read
 * @IB_ACCESS_REMOTE_ATOMIC: peers use atomic operations; asks for @IB_ACCESS_LOCAL_WRITE too
 * @IB_ACCESS_MW_BIND: memory windows may be bound to it
 * @IB_ZERO_BASED: addresses in it count from 0
 * @IB_ACCESS_ON_DEMAND: pages are made present when they are touched
 * @IB_ACCESS_HUGETLB: all of it is huge pages
 * @IB_ACCESS_RELAXED_ORDERING: the device may reorder its accesses
 * @IB_ACCESS_OPTIONAL: range of flags that a provider may ignore
 * @IB_ACCESS_SUPPORTED: every flag there is
 */
enum ib_access_flags {
	IB_ACCESS_LOCAL_WRITE = IB_UVERBS_ACCESS_LOCAL_WRITE,
	IB_ACCESS_REMOTE_WRITE = IB_UVERBS_ACCESS_REMOTE_WRITE,
	IB_ACCESS_REMOTE_READ = IB_UVERBS_ACCESS_REMOTE_READ,
	IB_ACCESS_REMOTE_ATOMIC = IB_UVERBS_ACCESS_REMOTE_ATOMIC,
	IB_ACCESS_MW_BIND = IB_UVERBS_ACCESS_MW_BIND,
	IB_ZERO_BASED = IB_UVERBS_ACCESS_ZERO_BASED,
	IB_ACCESS_ON_DEMAND = IB_UVERBS_ACCESS_ON_DEMAND,
	IB_ACCESS_HUGETLB = IB_UVERBS_ACCESS_HUGETLB,
	IB_ACCESS_RELAXED_ORDERING = IB_UVERBS_ACCESS_RELAXED_ORDERING,
	IB_ACCESS_OPTIONAL = IB_UVERBS_ACCESS_OPTIONAL_RANGE,
	IB_ACCESS_SUPPORTED =
		((IB_ACCESS_HUGETLB << 1) - 1) | IB_ACCESS_OPTIONAL,
};

/**
 * enum ib_mr_rereg_flags - what ib_rereg_mr_user() changes
 * @IB_MR_REREG_TRANS: the memory behind the region, and its addresses
 * @IB_MR_REREG_PD: the protection domain
 * @IB_MR_REREG_ACCESS: the rights
 * @IB_MR_REREG_SUPPORTED: every flag there is
 */
enum ib_mr_rereg_flags {
	IB_MR_REREG_TRANS	= 1 << 0,
	IB_MR_REREG_PD		= 1 << 1,
	IB_MR_REREG_ACCESS	= 1 << 2,
	IB_MR_REREG_SUPPORTED	= IB_MR_REREG_TRANS | IB_MR_REREG_PD | IB_MR_REREG_ACCESS,
};

struct ib_sig_attrs;

/**
 * struct ib_mr - a memory region; the provider allocates and frees it
 * @device: device it lives on
 * @pd: protection domain it belongs to
 * @lkey: key for local access
 * @rkey: key for peers
 * @iova: address of its first byte as work requests name it
 * @length: bytes it covers
 * @page_size: size of its pages, as last given to ib_map_mr_sg()
 * @type: kind
 * @need_inval: ULP: the key has been handed out and must be invalidated before it is used anew
 * @uobject: handle of a user process, for regions of user memory
 * @qp_entry: place in a QP's MR pool, guarded by &ib_qp.mr_lock; or the ULP's own, for others
 * @sig_attrs: what an %IB_MR_TYPE_INTEGRITY region checks, otherwise NULL
 * @res: core: entry in the resource table
 */
struct ib_mr {
	struct ib_device  *device;
	struct ib_pd	  *pd;
	u32		   lkey;
	u32		   rkey;
	u64		   iova;
	u64		   length;
	unsigned int	   page_size;
	enum ib_mr_type	   type;
	bool		   need_inval;
	union {
		struct ib_uobject	*uobject;
		struct list_head	qp_entry;
	};
	struct ib_sig_attrs *sig_attrs;
	struct rdma_restrack_entry res;
};

/**
 * ib_alloc_mr - make a memory region for fast registration
 * @pd: protection domain
 * @mr_type: %IB_MR_TYPE_MEM_REG or %IB_MR_TYPE_SG_GAPS
 * @max_num_sg: pages, or with gaps elements, it has to hold at least
 *
 * Process context, may sleep. The region maps nothing yet: ib_map_mr_sg() and an %IB_WR_REG_MR
 * request do that.
 *
 * Return: the region, or ERR_PTR: -EINVAL @max_num_sg is 0 or beyond the device's
 * max_fast_reg_page_list_len, or the kind is not made by this call; -EOPNOTSUPP the device
 * registers no memory this way, or none with gaps; -ENODEV the device is being unregistered;
 * -ENOMEM; or what the provider answered.
 */
struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg);

/**
 * ib_reg_mr_user - make a region of the calling process's memory
 * @pd: protection domain
 * @start: first address in the process
 * @length: bytes
 * @virt_addr: first address as work requests name it; with the same offset in its page as @start
 * @access: &enum ib_access_flags
 * @uobject: handle of the process
 * @udata: its channel to the provider
 *
 * Process context, may sleep. Owner in the resource table is the calling process. Ended with
 * ib_dereg_mr_user().
 *
 * Return: the region, or ERR_PTR: -EINVAL @start and @virt_addr have different offsets in their
 * pages; as ib_check_mr_access(); -EOPNOTSUPP the device registers no memory of processes; -ENODEV
 * the device is being unregistered; -ENOMEM; or what the provider answered.
 */
struct ib_mr *ib_reg_mr_user(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			     struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_reg_mr_dmabuf_user - make a region of a DMA-BUF that the calling process has
 * @pd: protection domain
 * @offset: first byte of the buffer
 * @length: bytes
 * @virt_addr: first address as work requests name it; with the same offset in its page as @offset
 * @fd: the process's file descriptor of the buffer
 * @access: &enum ib_access_flags
 * @uobject: handle of the process
 * @udata: its channel to the provider
 *
 * See ib_reg_mr_user().
 *
 * Return: as ib_reg_mr_user(); -EOPNOTSUPP the device registers no DMA-BUF.
 */
struct ib_mr *ib_reg_mr_dmabuf_user(struct ib_pd *pd, u64 offset, u64 length, u64 virt_addr, int fd,
				    int access, struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_rereg_mr_user - change a region of a process
 * @mr: in: the region, of ib_reg_mr_user(); out, on success: the region with the changes, which may
 *	be a new one
 * @flags: &enum ib_mr_rereg_flags: what to change
 * @start: new first address in the process
 * @length: new length, bytes
 * @virt_addr: new first address as work requests name it; with the same offset in its page as
 *	@start
 * @access: new rights, &enum ib_access_flags
 * @pd: new protection domain
 * @udata: user's channel to the provider
 *
 * Process context, may sleep. Arguments that @flags does not select are ignored. The caller ensures
 * that nobody else changes or destroys the region meanwhile, and that @pd stays. The resource table
 * does not list the region while it changes. A new region has the handle of the old one, which is
 * then destroyed, and keys of its own.
 *
 * Return: 0; -EINVAL nothing to change, different offsets of @start and @virt_addr in their pages,
 * or a PD of another device; as ib_check_mr_access(); -EOPNOTSUPP flags that do not exist, or the
 * provider cannot; -ENOMEM; or what the provider answered. On failure the region is as before.
 */
int ib_rereg_mr_user(struct ib_mr **mr, int flags, u64 start, u64 length, u64 virt_addr, int access,
		     struct ib_pd *pd, struct ib_udata *udata);

/**
 * ib_dereg_mr_user - end a memory region
 * @mr: the region
 * @udata: user's channel to the provider, NULL from the kernel
 *
 * Process context, may sleep. Neither the device nor a peer touches the memory once it has returned
 * 0.
 *
 * Return: 0, and @mr is gone; or what the provider answered, -EBUSY when memory windows are bound
 * to it, and @mr is as before.
 * @mr is as before.
 */
int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata);

/**
 * ib_dereg_mr - end a kernel memory region
 * @mr: the region
 *
 * See ib_dereg_mr_user().
 *
 * Return: as ib_dereg_mr_user().
 */
int ib_dereg_mr(struct ib_mr *mr);

/**
 * ib_map_mr_sg - map a DMA-mapped scatter/gather list into a region
 * @mr: the region, of ib_alloc_mr()
 * @sg: list, mapped with ib_dma_map_sg()
 * @sg_nents: mapped elements, > 0
 * @sg_offset: in: bytes to skip in the first element; out: offset at which the mapping ends in the
 *	first element that is not mapped completely. NULL for 0.
 * @page_size: size of the region's pages, a power of two
 *
 * Any context. Unless the region takes gaps, a list fits whole only if every element but the first
 * begins on a page and every element but the last ends on one, or follows its predecessor without a
 * break; the mapping ends in front of the first element that does not, or where the region is full.
 * The region is used once an %IB_WR_REG_MR request for it has been posted.
 *
 * Return: elements mapped (a caller that wants all compares with @sg_nents); -EINVAL no elements, a
 * page size that is none, or an offset beyond the first element; -EOPNOTSUPP the provider cannot;
 * or what it answered.
 */
int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		 unsigned int *sg_offset, unsigned int page_size);

/**
 * ib_map_mr_sg_zbva - as ib_map_mr_sg(), with addresses that count from the start of the first page
 * @mr: the region
 * @sg: list, mapped with ib_dma_map_sg()
 * @sg_nents: mapped elements, > 0
 * @sg_offset: as for ib_map_mr_sg()
 * @page_size: size of the region's pages, a power of two
 *
 * Any context. &ib_mr.iova becomes the offset of the first byte in its page.
 *
 * Return: as ib_map_mr_sg().
 */
int ib_map_mr_sg_zbva(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		      unsigned int *sg_offset, unsigned int page_size);

/**
 * ib_sg_to_pages - provider's helper: cut a scatter/gather list into the pages of a region
 * @mr: the region; its page_size is set, its iova and length are written
 * @sgl: list, mapped for DMA
 * @sg_nents: mapped elements
 * @sg_offset: as for ib_map_mr_sg()
 * @set_page: keeps one page address; a negative errno, -ENOMEM say, means that no more fit
 *
 * Any context that @set_page is fit for. Follows the rule of ib_map_mr_sg() for regions without
 * gaps.
 *
 * Return: elements wholly mapped; 0 also when only a part of the first one fitted; -EINVAL no
 * elements or an offset beyond the first one; or what @set_page answered when not a single byte
 * could be mapped.
 */
int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int sg_nents,
		   unsigned int *sg_offset, int (*set_page)(struct ib_mr *, u64));

/**
 * ib_update_fast_reg_key - give a region's keys a new key portion
 * @mr: the region
 * @newkey: the low eight bits from now on
 *
 * The caller ensures that no request with the old keys is in flight.
 */
static inline void ib_update_fast_reg_key(struct ib_mr *mr, u8 newkey)
{
	u32 index = mr->rkey & ~0xffU;

	mr->rkey = index | newkey;
	mr->lkey = (mr->lkey & ~0xffU) | newkey;
}

/**
 * ib_inc_rkey - the next value of a key
 * @rkey: a key
 *
 * Return: @rkey with its key portion, the low eight bits, one up, wrapping around.
 */
static inline u32 ib_inc_rkey(u32 rkey)
{
	return (rkey & ~0xffU) | ((rkey + 1) & 0xff);
}

/**
 * ib_access_writable - do these rights let anyone write?
 * @access_flags: &enum ib_access_flags
 *
 * Return: true when the memory behind them must be writable: for local and remote writes, for
 * atomics, and for windows, whose rights are not known yet.
 */
static inline bool ib_access_writable(int access_flags)
{
	return access_flags & (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
			       IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND);
}

/**
 * ib_check_mr_access - can a region have these rights?
 * @ib_dev: device it is to live on
 * @flags: &enum ib_access_flags
 *
 * Any context.
 *
 * Return: 0; -EINVAL remote writes or atomics without local writes, or flags that do not exist;
 * -EOPNOTSUPP on-demand paging where the device has none.
 */
int ib_check_mr_access(struct ib_device *ib_dev, unsigned int flags);

#endif /* _RDMA_VERBS_MR_H_ */
