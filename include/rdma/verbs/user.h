/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Processes that use verbs: their contexts and objects, the memory that they share with a provider,
 * and the data that they exchange with a provider in a command.
 */
#ifndef _RDMA_VERBS_USER_H_
#define _RDMA_VERBS_USER_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/pfn.h>
#include <linux/string.h>
#include <linux/xarray.h>
#include <rdma/restrack.h>
#include <rdma/verbs/cgroup.h>
#include <rdma/verbs/types.h>

struct ib_uverbs_file;
struct uverbs_object_type;
struct vm_area_struct;

/**
 * struct ib_ucontext - an open verbs device of a process; begins the provider's own structure
 * @device: the device, which outlives the context
 * @ufile: the open file
 * @cg_obj: charge of the context to a cgroup
 * @res: core: entry in the resource table
 * @mmap_lock: protects @mmap_ranges, and @mmap_entries while an entry is inserted
 * @mmap_entries: struct rdma_user_mmap_entry by the offset (in pages) that the process knows
 * @mmap_ranges: the provider has chosen offsets, see rdma_user_mmap_entry_insert_range()
 */
struct ib_ucontext {
	struct ib_device	*device;
	struct ib_uverbs_file	*ufile;
	struct ib_rdmacg_object	cg_obj;
	struct rdma_restrack_entry res;
	struct mutex		mmap_lock;	/* protects @mmap_ranges, inserting */
	struct xarray		mmap_entries;
	bool			mmap_ranges;
};

/**
 * struct ib_uobject - a process's handle of an object
 * @user_handle: value that the process chose for the object; events to the process carry it
 * @ufile: file that the handle belongs to
 * @context: context that the object was made in
 * @object: the object: struct ib_pd, ib_cq, ib_qp ...
 * @id: number by which the process names the object
 * @type: ib_uverbs: kind of the object
 * @entry: ib_uverbs: entry in the list of the file's objects, the youngest first
 * @cg_obj: ib_uverbs: charge of the object to a cgroup
 * @ref: ib_uverbs: references to this structure; @object may be destroyed before they are dropped
 * @users: ib_uverbs: number of commands that use the object; -1: one command uses it exclusively
 * @rcu: ib_uverbs: frees this structure after look-ups under RCU
 * @made: ib_uverbs: a driver's method has created the object, although @object may be NULL
 */
struct ib_uobject {
	u64			user_handle;
	struct ib_uverbs_file	*ufile;
	struct ib_ucontext	*context;
	void			*object;
	u32			id;

	const struct uverbs_object_type *type;
	struct list_head	entry;
	struct ib_rdmacg_object	cg_obj;
	struct kref		ref;
	atomic_t		users;
	struct rcu_head		rcu;
	bool			made;
};

/**
 * ib_copy_from_udata - copy data that a process passes to the provider
 * @dest: out: the data
 * @udata: data of the command
 * @len: number of bytes; if the process passed fewer, the rest of @dest is filled with zeros,
 *	because drivers do not look how much a process has passed
 *
 * Return: 0.
 */
static inline int ib_copy_from_udata(void *dest, struct ib_udata *udata, size_t len)
{
	size_t given = min(len, udata->inlen);

	memcpy(dest, udata->in, given);
	memset(dest + given, 0, len - given);
	return 0;
}

/**
 * ib_copy_to_udata - pass a provider's response to a process
 * @udata: data of the command
 * @src: the response
 * @len: number of its bytes; bytes for which the process has no room are not copied
 *
 * The process gets the response if the command succeeds, and zeros in the room that is left. If the
 * provider never calls this function, the process's memory for the response is not changed.
 *
 * Return: 0.
 */
static inline int ib_copy_to_udata(struct ib_udata *udata, const void *src, size_t len)
{
	memcpy(udata->out, src, min(len, udata->outlen));
	udata->answered = true;
	return 0;
}

/**
 * ib_is_udata_cleared - is a part of the input all zero?
 * @udata: data of the command
 * @offset: offset of the part's first byte
 * @len: number of bytes; those that the process did not pass count as zero
 */
static inline bool ib_is_udata_cleared(struct ib_udata *udata, size_t offset, size_t len)
{
	size_t left = udata->inlen - min(offset, udata->inlen);

	return !memchr_inv(udata->in + offset, 0, min(len, left));
}

/**
 * struct rdma_user_mmap_entry - memory that a process may map; part of a provider's structure
 * @ref: references: the provider holds one until rdma_user_mmap_entry_remove(); each mapping holds
 *	one
 * @ucontext: context that the entry belongs to
 * @start_pgoff: offset, in pages, that the process passes to mmap()
 * @npages: number of pages
 * @driver_removed: rdma_user_mmap_entry_remove() was called: the entry cannot be mapped any more
 * @kaddr: memory from vmalloc() that ib_uverbs maps page by page; NULL if &ib_device_ops.mmap maps
 *	the memory. Set by the provider before it inserts the entry
 */
struct rdma_user_mmap_entry {
	struct kref		ref;
	struct ib_ucontext	*ucontext;
	unsigned long		start_pgoff;
	size_t			npages;
	bool			driver_removed;
	void			*kaddr;
};

/**
 * rdma_user_mmap_entry_insert - let a process map memory
 * @ucontext: context of the process
 * @entry: entry, allocated by the provider; zeroed, except for kaddr
 * @length: number of bytes, > 0; rounded up to pages
 *
 * Process context. &ib_device_ops.mmap_free frees the entry once rdma_user_mmap_entry_remove() has
 * been called and the last mapping has ended. An entry that was not removed is freed when the
 * context is destroyed, after &ib_device_ops.dealloc_ucontext.
 *
 * Return: 0; -EINVAL if @length is 0; -ENOMEM.
 */
int rdma_user_mmap_entry_insert(struct ib_ucontext *ucontext, struct rdma_user_mmap_entry *entry,
				size_t length);

/**
 * rdma_user_mmap_entry_insert_range - let a process map memory, at one of certain offsets
 * @ucontext: context of the process
 * @entry: entry, as for rdma_user_mmap_entry_insert()
 * @length: number of bytes, > 0; rounded up to pages
 * @min_pgoff: lowest offset of a page, in pages
 * @max_pgoff: highest offset of a page, in pages
 *
 * Process context. The time that the call takes grows with the number of the context's entries, as
 * does that of rdma_user_mmap_entry_insert() for the same context afterwards.
 *
 * Return: 0; -EINVAL if @length is 0; -ENOMEM if there is no memory, or not enough adjacent offsets
 * are free in the range.
 */
int rdma_user_mmap_entry_insert_range(struct ib_ucontext *ucontext,
				      struct rdma_user_mmap_entry *entry, size_t length,
				      u32 min_pgoff, u32 max_pgoff);

/**
 * rdma_user_mmap_entry_insert_exact - let a process map memory, at a certain offset
 * @ucontext: context of the process
 * @entry: entry, as for rdma_user_mmap_entry_insert()
 * @length: number of bytes, > 0; rounded up to pages
 * @pgoff: offset in pages
 *
 * Process context.
 *
 * Return: as rdma_user_mmap_entry_insert_range(); -ENOMEM also if @pgoff + the number of pages is
 * more than 2^32.
 */
static inline int rdma_user_mmap_entry_insert_exact(struct ib_ucontext *ucontext,
						    struct rdma_user_mmap_entry *entry,
						    size_t length, u32 pgoff)
{
	u64 last = pgoff + PFN_UP((u64)length) - 1;

	if (length && last > U32_MAX)
		return -ENOMEM;
	return rdma_user_mmap_entry_insert_range(ucontext, entry, length, pgoff, last);
}

/**
 * rdma_user_mmap_io - map registers of a device
 * @ucontext: context of the process
 * @vma: area of the process, as given to &ib_device_ops.mmap
 * @pfn: number of the first page of the registers, PFN_DOWN() of their physical address
 * @size: their length in bytes, a multiple of PAGE_SIZE
 * @prot: how they are accessed, such as pgprot_noncached(vma->vm_page_prot)
 * @entry: entry that is mapped, or NULL; the mapping takes a reference of its own
 *
 * Called by &ib_device_ops.mmap. When the context is destroyed because the device is removed, the
 * registers are unmapped, and the process sees zero-filled memory instead. The function sets the
 * operations and the private data of @vma. They must stay: without them, the mapping is not freed.
 *
 * Return: 0; -EINVAL if @vma is not shared or is not @size bytes long; -ENOMEM; or the error of
 * remap_pfn_range(). After an error nothing is mapped.
 */
int rdma_user_mmap_io(struct ib_ucontext *ucontext, struct vm_area_struct *vma, unsigned long pfn,
		      unsigned long size, pgprot_t prot, struct rdma_user_mmap_entry *entry);

/**
 * rdma_user_mmap_entry_remove - forbid further mappings of an entry
 * @entry: an entry, or NULL
 *
 * Process context. Existing mappings stay. The entry may have been freed on return. Nothing happens
 * to an entry that is removed a second time while a mapping still keeps it allocated, that could
 * not be inserted, or that is zeroed because it was never inserted.
 */
void rdma_user_mmap_entry_remove(struct rdma_user_mmap_entry *entry);

/**
 * rdma_user_mmap_entry_get_pgoff - find an entry
 * @ucontext: context of the process
 * @pgoff: start_pgoff of the entry
 *
 * Process context.
 *
 * Return: the entry with a reference, to be dropped with rdma_user_mmap_entry_put(); NULL if there
 * is no such entry.
 */
struct rdma_user_mmap_entry *rdma_user_mmap_entry_get_pgoff(struct ib_ucontext *ucontext,
							    unsigned long pgoff);

/**
 * rdma_user_mmap_entry_get - find the entry that a process wants to map
 * @ucontext: context of the process
 * @vma: as given to &ib_device_ops.mmap
 *
 * Process context.
 *
 * Return: the entry with a reference, to be dropped with rdma_user_mmap_entry_put(); NULL if there
 * is no such entry, or @vma is not shared or has another length than the entry.
 */
struct rdma_user_mmap_entry *rdma_user_mmap_entry_get(struct ib_ucontext *ucontext,
						      struct vm_area_struct *vma);

/**
 * rdma_user_mmap_entry_put - drop a reference to an entry
 * @entry: entry from rdma_user_mmap_entry_get() or rdma_user_mmap_entry_get_pgoff(); may be freed
 *	on return
 */
void rdma_user_mmap_entry_put(struct rdma_user_mmap_entry *entry);

/**
 * rdma_user_mmap_get_offset - get the offset that the process passes to mmap()
 * @entry: entry that was inserted
 *
 * Return: the offset in bytes.
 */
static inline u64 rdma_user_mmap_get_offset(const struct rdma_user_mmap_entry *entry)
{
	return (u64)entry->start_pgoff << PAGE_SHIFT;
}

/*
 * Copies the QP attributes that struct ib_qp_attr and the structures of the user ABI have under the
 * same name. Their remaining attributes differ.
 */
#define IB_USER_COPY_QP_ATTR(to, from) do {					\
	typeof(to) __to = (to);							\
	typeof(from) __from = (from);						\
										\
	__to->qp_state = __from->qp_state;					\
	__to->cur_qp_state = __from->cur_qp_state;				\
	__to->path_mtu = __from->path_mtu;					\
	__to->path_mig_state = __from->path_mig_state;				\
	__to->qkey = __from->qkey;						\
	__to->rq_psn = __from->rq_psn;						\
	__to->sq_psn = __from->sq_psn;						\
	__to->dest_qp_num = __from->dest_qp_num;				\
	__to->qp_access_flags = __from->qp_access_flags;			\
	__to->pkey_index = __from->pkey_index;					\
	__to->alt_pkey_index = __from->alt_pkey_index;				\
	__to->max_rd_atomic = __from->max_rd_atomic;				\
	__to->max_dest_rd_atomic = __from->max_dest_rd_atomic;			\
	__to->min_rnr_timer = __from->min_rnr_timer;				\
	__to->port_num = __from->port_num;					\
	__to->timeout = __from->timeout;					\
	__to->retry_cnt = __from->retry_cnt;					\
	__to->rnr_retry = __from->rnr_retry;					\
	__to->alt_port_num = __from->alt_port_num;				\
	__to->alt_timeout = __from->alt_timeout;				\
} while (0)

/* Copies the capacity of a QP between struct ib_qp_cap and the structures of the user ABI. */
#define IB_USER_COPY_QP_CAP(to, from) do {					\
	typeof(to) __to = (to);							\
	typeof(from) __from = (from);						\
										\
	__to->max_send_wr = __from->max_send_wr;				\
	__to->max_recv_wr = __from->max_recv_wr;				\
	__to->max_send_sge = __from->max_send_sge;				\
	__to->max_recv_sge = __from->max_recv_sge;				\
	__to->max_inline_data = __from->max_inline_data;			\
} while (0)

#endif /* _RDMA_VERBS_USER_H_ */
