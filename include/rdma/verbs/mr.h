/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory regions: allocation, fast registration, DMA regions, keys.
 */
#ifndef _RDMA_VERBS_MR_H_
#define _RDMA_VERBS_MR_H_

#include <rdma/restrack.h>
#include <rdma/signature.h>
#include <rdma/verbs/types.h>

struct ib_sge;

/**
 * enum ib_mr_type - kinds of memory region
 * @IB_MR_TYPE_MEM_REG: for normal registration with ib_map_mr_sg() and %IB_WR_REG_MR
 * @IB_MR_TYPE_SG_GAPS: like %IB_MR_TYPE_MEM_REG, but for scatter/gather lists of any shape
 * @IB_MR_TYPE_DM: memory of the device
 * @IB_MR_TYPE_USER: pages of a user process
 * @IB_MR_TYPE_DMA: all memory; made by the core as &ib_pd.__internal_mr
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

/* Older callers use this name. */
#define IB_MR_TYPE_SIGNATURE IB_MR_TYPE_INTEGRITY

/**
 * enum ib_access_flags - rights to access a region's memory; local reads are always allowed
 * @IB_ACCESS_LOCAL_WRITE: the local device may write (received messages, data of RDMA reads)
 * @IB_ACCESS_REMOTE_WRITE: peers may write; requires @IB_ACCESS_LOCAL_WRITE
 * @IB_ACCESS_REMOTE_READ: peers may read
 * @IB_ACCESS_REMOTE_ATOMIC: peers may use atomic operations; requires @IB_ACCESS_LOCAL_WRITE
 * @IB_ACCESS_MW_BIND: memory windows may be bound to the region
 * @IB_ZERO_BASED: addresses in the region count from 0
 * @IB_ACCESS_ON_DEMAND: pages need not be present: the device faults them in when it accesses them
 * @IB_ACCESS_HUGETLB: all memory of the region is in huge pages
 * @IB_ACCESS_RELAXED_ORDERING: the device may reorder its accesses
 * @IB_ACCESS_OPTIONAL: mask of the flags that a provider may ignore
 * @IB_ACCESS_SUPPORTED: mask of all flags
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
 * @IB_MR_REREG_SUPPORTED: mask of all flags
 */
enum ib_mr_rereg_flags {
	IB_MR_REREG_TRANS	= 1 << 0,
	IB_MR_REREG_PD		= 1 << 1,
	IB_MR_REREG_ACCESS	= 1 << 2,
	IB_MR_REREG_SUPPORTED	= IB_MR_REREG_TRANS | IB_MR_REREG_PD | IB_MR_REREG_ACCESS,
};

/* Bits of a check with ib_check_mr_status(). */
enum ib_mr_status_check {
	IB_MR_CHECK_SIG_STATUS = 1,
};

/**
 * struct ib_mr_status - result of ib_check_mr_status()
 * @fail_status: &enum ib_mr_status_check: the checks that failed
 * @sig_err: the error, if the check %IB_MR_CHECK_SIG_STATUS failed
 */
struct ib_mr_status {
	u32			fail_status;
	struct ib_sig_err	sig_err;
};

/**
 * struct ib_mr - a memory region; the provider allocates and frees it
 * @device: device it lives on
 * @pd: protection domain it belongs to
 * @lkey: key for local access
 * @rkey: key for peers
 * @iova: address of the region's first byte in work requests
 * @length: length of the region in bytes
 * @page_size: size of its pages in bytes, as last given to ib_map_mr_sg()
 * @type: kind
 * @need_inval: used by ULPs only: a peer knows @rkey, which must be invalidated before its next use
 * @uobject: handle of the process, for regions of user memory
 * @qp_entry: entry in a QP's MR pool, protected by &ib_qp.mr_lock; free for the ULP's use if the
 *	region is in no pool
 * @dm: memory of the device that an %IB_MR_TYPE_DM region is in; otherwise NULL
 * @sig_attrs: of an %IB_MR_TYPE_INTEGRITY region: what the next registration does with protection
 *	information; written by the ULP, allocated and freed by the core. Otherwise NULL
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
	struct ib_dm	  *dm;
	struct ib_sig_attrs *sig_attrs;
	struct rdma_restrack_entry res;
};

/**
 * ib_alloc_mr - make a memory region for fast registration
 * @pd: protection domain
 * @mr_type: %IB_MR_TYPE_MEM_REG or %IB_MR_TYPE_SG_GAPS
 * @max_num_sg: least number of pages that the region must hold; with %IB_MR_TYPE_SG_GAPS, of
 *	elements
 *
 * Process context, may sleep. The region maps no memory until ib_map_mr_sg() has been called and
 * an %IB_WR_REG_MR request been posted.
 *
 * Return: the region; or an ERR_PTR: -EINVAL if @max_num_sg is 0 or above the device's
 * max_fast_reg_page_list_len, or for another @mr_type; -EOPNOTSUPP if the device has no fast
 * registration, or none with gaps; -ENODEV if the device is being unregistered; -ENOMEM; or the
 * provider's error.
 */
struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg);

/**
 * ib_alloc_mr_integrity - make a memory region for data with protection information
 * @pd: protection domain
 * @max_num_data_sg: least number of pages of data that the region must hold
 * @max_num_meta_sg: least number of pages of protection information that the region must hold
 *
 * Process context, may sleep. To use the region, fill in &ib_mr.sig_attrs, call ib_map_mr_sg_pi(),
 * and post an %IB_WR_REG_MR_INTEGRITY request. The region is destroyed with ib_dereg_mr().
 *
 * Return: the region; or an ERR_PTR: -EOPNOTSUPP if the device has no such regions or lacks
 * %IBK_INTEGRITY_HANDOVER; -EINVAL if a number is 0, or above the device's
 * max_pi_fast_reg_page_list_len; -ENODEV if the device is being unregistered; -ENOMEM; or the
 * provider's error.
 */
struct ib_mr *ib_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg, u32 max_num_meta_sg);

/**
 * ib_reg_mr_user - make a region of the calling process's memory
 * @pd: protection domain
 * @start: first address in the process
 * @length: length in bytes
 * @virt_addr: first address in work requests; has the same offset in its page as @start
 * @access: &enum ib_access_flags
 * @uobject: handle of the process
 * @udata: the process's data for the provider
 *
 * Process context, may sleep. The calling process is the region's owner in the resource table. The
 * region is destroyed with ib_dereg_mr_user().
 *
 * Return: the region; or an ERR_PTR: -EINVAL if @start and @virt_addr have different offsets in
 * their pages; the error of ib_check_mr_access(); -EOPNOTSUPP if the device cannot register the
 * memory of processes; -ENODEV if the device is being unregistered; -ENOMEM; or the provider's
 * error.
 */
struct ib_mr *ib_reg_mr_user(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			     struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_reg_user_mr - make a region of the calling process's memory, for a kernel user
 * @pd: protection domain
 * @start: first address in the process
 * @length: length in bytes
 * @virt_addr: first address in work requests; has the same offset in its page as @start
 * @mr_access_flags: &enum ib_access_flags
 *
 * Process context, may sleep. The owner of @pd is the region's owner in the resource table. The
 * region is destroyed with ib_dereg_mr(). It may outlive the process: its memory stays pinned.
 *
 * Return: as ib_reg_mr_user().
 */
struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
			     int mr_access_flags);

/**
 * ib_advise_mr - tell the device which memory of regions will be used soon
 * @pd: protection domain of the regions
 * @advice: what the device is to do
 * @flags: &enum ib_uverbs_advise_mr_flag
 * @sg_list: ranges of memory, each with the L_Key of its region
 * @num_sge: number of elements of @sg_list
 *
 * Process context, may sleep. Only devices with on-demand paging use advice.
 *
 * Return: 0, also if @num_sge is 0; -EOPNOTSUPP if the device takes no advice; or the provider's
 * error.
 */
int ib_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		 struct ib_sge *sg_list, u32 num_sge);

/**
 * ib_reg_mr_dmabuf_user - make a region of a DMA-BUF that the calling process has
 * @pd: protection domain
 * @offset: offset of the region's first byte in the buffer
 * @length: length in bytes
 * @virt_addr: first address in work requests; has the same offset in its page as @offset
 * @fd: the process's file descriptor of the buffer
 * @access: &enum ib_access_flags
 * @uobject: handle of the process
 * @udata: the process's data for the provider
 *
 * See ib_reg_mr_user().
 *
 * Return: as ib_reg_mr_user(); -EOPNOTSUPP if the device cannot register a DMA-BUF.
 */
struct ib_mr *ib_reg_mr_dmabuf_user(struct ib_pd *pd, u64 offset, u64 length, u64 virt_addr, int fd,
				    int access, struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_check_reg_mr - check a registration before memory is pinned for it
 * @dev: device
 * @start: first address in the process
 * @length: length in bytes
 * @virt_addr: first address in work requests
 * @access: &enum ib_access_flags
 *
 * Any context. ib_reg_mr_user() and ib_reg_mr_dmabuf_user() check the same.
 *
 * Return: 0; -EINVAL if @start and @virt_addr have different offsets in their pages, @length is
 * larger than &ib_device_attr.max_mr_size, or the end of the memory wraps; or the error of
 * ib_check_mr_access().
 */
int ib_check_reg_mr(struct ib_device *dev, u64 start, u64 length, u64 virt_addr, int access);

/**
 * ib_check_rereg_mr - check a change of a region before memory is pinned for it
 * @mr: the region
 * @flags: &enum ib_mr_rereg_flags: what to change
 * @start: new first address in the process
 * @length: new length in bytes
 * @virt_addr: new first address in work requests
 * @access: new rights, &enum ib_access_flags
 * @pd: new protection domain
 *
 * Any context. ib_rereg_mr_user() checks the same.
 *
 * Return: 0, or the error with which ib_rereg_mr_user() refuses these arguments.
 */
int ib_check_rereg_mr(const struct ib_mr *mr, int flags, u64 start, u64 length, u64 virt_addr,
		      int access, const struct ib_pd *pd);

/**
 * ib_rereg_mr_user - change a region of a process
 * @mr: in: the region, of ib_reg_mr_user(); out, on success: the region with the changes, which may
 *	be a new one
 * @flags: &enum ib_mr_rereg_flags: what to change
 * @start: new first address in the process
 * @length: new length in bytes
 * @virt_addr: new first address in work requests; has the same offset in its page as @start
 * @access: new rights, &enum ib_access_flags
 * @pd: new protection domain
 * @udata: the process's data for the provider
 *
 * Process context, may sleep. Arguments that @flags does not select are ignored. The caller ensures
 * that during the call @pd is not destroyed, and no other thread changes or destroys the region.
 * The resource table does not list the region while it is changed. If the provider makes a new
 * region, that region has the handle of the old one, but its own L_Key and R_Key; the old region is
 * destroyed.
 *
 * Return: 0; -EINVAL if @flags is 0, if @start and @virt_addr have different offsets in their
 * pages, if @length is 0 or larger than &ib_device_attr.max_mr_size, if the end of the memory
 * wraps, or if @pd is of another device; the error of ib_check_mr_access(); -EOPNOTSUPP if @flags
 * has unknown bits or the provider cannot change regions; -ENOMEM; or the provider's error. After
 * an error the region is as before.
 */
int ib_rereg_mr_user(struct ib_mr **mr, int flags, u64 start, u64 length, u64 virt_addr, int access,
		     struct ib_pd *pd, struct ib_udata *udata);

/**
 * ib_dereg_mr_user - destroy a memory region
 * @mr: the region
 * @udata: the process's data for the provider; NULL for a kernel region
 *
 * Process context, may sleep. After success neither the device nor a peer accesses the memory.
 *
 * Return: 0 if @mr was destroyed; or the provider's error, -EBUSY for example if memory windows are
 * bound to @mr. After an error @mr is as before.
 */
int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata);

/**
 * ib_dereg_mr - destroy a kernel memory region
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
 * @sg_nents: number of mapped elements, > 0
 * @sg_offset: in: bytes to skip in the first element; out: number of bytes mapped of the first
 *	element that is not mapped completely. NULL: skip nothing
 * @page_size: size of the region's pages in bytes, a power of two
 *
 * Any context. In a region that is not of type %IB_MR_TYPE_SG_GAPS, two adjacent elements must
 * either be contiguous, or meet at a page boundary: the first one ends and the second one begins at
 * a boundary. The mapping ends before the first element that breaks this rule, or where the region
 * is full. The mapping takes effect when an %IB_WR_REG_MR request for the region is carried out. A
 * region that is valid may be mapped: its registration stays as it is until it is invalidated. The
 * caller ensures that no %IB_WR_REG_MR request for the region is queued.
 *
 * Return: the number of elements that were mapped completely, which may be less than @sg_nents;
 * -EINVAL if there are no elements, @page_size is not a power of two, or the offset is beyond the
 * first element; -EOPNOTSUPP if the provider has no such regions; or the provider's error.
 */
int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		 unsigned int *sg_offset, unsigned int page_size);

/**
 * ib_map_mr_sg_zbva - map a list into a region; address 0 is the start of the first page
 * @mr: the region
 * @sg: list, mapped with ib_dma_map_sg()
 * @sg_nents: number of mapped elements, > 0
 * @sg_offset: as for ib_map_mr_sg()
 * @page_size: size of the region's pages in bytes, a power of two
 *
 * Any context. Does what ib_map_mr_sg() does, but &ib_mr.iova becomes the offset of the first byte
 * in its page.
 *
 * Return: as ib_map_mr_sg().
 */
int ib_map_mr_sg_zbva(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		      unsigned int *sg_offset, unsigned int page_size);

/**
 * ib_map_mr_sg_pi - map data and protection information into a region
 * @mr: the region, of ib_alloc_mr_integrity()
 * @data_sg: data, mapped with ib_dma_map_sg()
 * @data_sg_nents: number of mapped elements of @data_sg, > 0
 * @data_sg_offset: bytes to skip in the first element of @data_sg. NULL: skip nothing
 * @meta_sg: protection information, mapped with ib_dma_map_sg(); NULL if the memory has none
 * @meta_sg_nents: number of mapped elements of @meta_sg, which is 0 if the memory has none
 * @meta_sg_offset: bytes to skip in the first element of @meta_sg. NULL: skip nothing
 * @page_size: size of the region's pages in bytes, a power of two
 *
 * Any context. Does what ib_map_mr_sg() does for both lists, but never maps a part of them only.
 * &ib_mr.sig_attrs is filled in before, because &ib_mr.length becomes the length on the wire: that
 * of the data, and of the protection information if it is on the wire.
 *
 * Return: 0; -EINVAL if @mr is another kind of region, a number of elements is not valid, or
 * @page_size is not a power of two; -EOPNOTSUPP if the device has no such regions; or the
 * provider's error, which is -EINVAL if the region cannot hold all elements, or if &ib_mr.sig_attrs
 * are not valid.
 */
int ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
		    unsigned int *data_sg_offset, struct scatterlist *meta_sg, int meta_sg_nents,
		    unsigned int *meta_sg_offset, unsigned int page_size);

/**
 * ib_check_mr_status - ask a region for errors of the last transfer
 * @mr: the region, of ib_alloc_mr_integrity()
 * @check_mask: &enum ib_mr_status_check: what to check
 * @mr_status: out: the checks that failed, and details
 *
 * Any context. Called after the transfer has completed, once for a transfer: the provider may
 * forget an error that it has reported.
 *
 * Return: 0, also if a check failed; -EOPNOTSUPP if the device cannot check, or lacks
 * %IBK_INTEGRITY_HANDOVER; -EINVAL if @check_mask is 0 or has unknown bits, or if @mr is another
 * kind of region; or the provider's error. After an error of the provider @mr_status is undefined;
 * after another error it is as before.
 */
int ib_check_mr_status(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *mr_status);

/**
 * ib_sg_to_pages - helper for map_mr_sg(): cut a scatter/gather list into the pages of a region
 * @mr: the region; page_size is read, iova and length are set
 * @sgl: list, mapped for DMA
 * @sg_nents: number of mapped elements
 * @sg_offset: as for ib_map_mr_sg()
 * @set_page: stores the address of one page; returns 0, or a negative errno, for example -ENOMEM,
 *	if the region has no room for it
 *
 * Any context in which @set_page may be called. Elements must meet as ib_map_mr_sg() requires of
 * regions without gaps.
 *
 * Return: the number of elements that were mapped completely, which is 0 if only a part of the
 * first one was mapped; -EINVAL if there are no elements or the offset is beyond the first one; or
 * the error of @set_page if no byte was mapped.
 */
int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int sg_nents,
		   unsigned int *sg_offset, int (*set_page)(struct ib_mr *, u64));

/**
 * ib_update_fast_reg_key - change the key portion of a region's keys
 * @mr: the region
 * @newkey: new low eight bits of both keys
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
 * ib_inc_rkey - get the next value of a key
 * @rkey: a key
 *
 * Return: @rkey with its key portion, the low eight bits, incremented modulo 256.
 */
static inline u32 ib_inc_rkey(u32 rkey)
{
	return (rkey & ~0xffU) | ((rkey + 1) & 0xff);
}

/**
 * ib_access_writable - does a region with these rights need writable memory?
 * @access_flags: &enum ib_access_flags
 *
 * Return: true if the rights include local or remote writes, atomics, or memory windows, because
 * the rights of a window are not known yet.
 */
static inline bool ib_access_writable(int access_flags)
{
	return access_flags & (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
			       IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND);
}

/**
 * ib_check_mr_access - can a region have these rights?
 * @ib_dev: device of the region
 * @flags: &enum ib_access_flags
 *
 * Any context.
 *
 * Return: 0; -EINVAL for remote writes or atomics without local writes, and for unknown flags;
 * -EOPNOTSUPP for on-demand paging if the device has none.
 */
int ib_check_mr_access(struct ib_device *ib_dev, unsigned int flags);

#endif /* _RDMA_VERBS_MR_H_ */
