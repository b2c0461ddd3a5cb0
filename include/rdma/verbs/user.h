/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What represents a process: its context, its objects, the memory that it shares with a provider,
 * and the data that it exchanges with a provider in a command.
 */
#ifndef _RDMA_VERBS_USER_H_
#define _RDMA_VERBS_USER_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/uaccess.h>
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
 * @cg_obj: what it is charged to
 * @res: core: entry in the resource table
 * @mmap_entries: struct rdma_user_mmap_entry by the offset (in pages) that the process knows
 */
struct ib_ucontext {
	struct ib_device	*device;
	struct ib_uverbs_file	*ufile;
	struct ib_rdmacg_object	cg_obj;
	struct rdma_restrack_entry res;
	struct xarray		mmap_entries;
};

/**
 * struct ib_uobject - a process's handle of an object
 * @user_handle: how the process calls the object
 * @ufile: file that the handle belongs to
 * @context: context that the object was made in
 * @object: the object: struct ib_pd, ib_cq, ib_qp ...
 * @id: number by which the process names it
 * @type: ib_uverbs: its kind
 * @entry: ib_uverbs: in the list of the file's objects, the youngest first
 * @cg_obj: ib_uverbs: what it is charged to
 * @ref: ib_uverbs: keeps this structure, not @object
 * @users: ib_uverbs: commands that use it; -1: one command uses it exclusively
 * @rcu: ib_uverbs: frees it after look-ups under RCU
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
};

/**
 * ib_copy_from_udata - read what a process passes to the provider
 * @dest: gets it
 * @udata: the channel
 * @len: bytes; what the process did not pass is left as it is
 *
 * Process context.
 *
 * Return: 0 or -EFAULT.
 */
static inline int ib_copy_from_udata(void *dest, struct ib_udata *udata, size_t len)
{
	return copy_from_user(dest, udata->inbuf, min(len, udata->inlen)) ? -EFAULT : 0;
}

/**
 * ib_copy_to_udata - copy a provider's response to a process
 * @udata: the channel
 * @src: the response
 * @len: its bytes; those for which the process has no room are left out
 *
 * Process context.
 *
 * Return: 0 or -EFAULT.
 */
static inline int ib_copy_to_udata(struct ib_udata *udata, const void *src, size_t len)
{
	return copy_to_user(udata->outbuf, src, min(len, udata->outlen)) ? -EFAULT : 0;
}

/**
 * ib_is_udata_cleared - is a part of the input all zero?
 * @udata: the channel
 * @offset: first byte
 * @len: bytes, all of which the process has passed
 *
 * Process context.
 */
static inline bool ib_is_udata_cleared(struct ib_udata *udata, size_t offset, size_t len)
{
	return check_zeroed_user(udata->inbuf + offset, len) > 0;
}

/**
 * struct rdma_user_mmap_entry - memory that a process may map; part of a provider's structure
 * @ref: of the provider until rdma_user_mmap_entry_remove(), and of mappings
 * @ucontext: context that it belongs to
 * @start_pgoff: offset in pages by which it is mapped
 * @npages: pages
 * @driver_removed: rdma_user_mmap_entry_remove() was called: no new mapping
 * @kaddr: memory of vmalloc() that ib_uverbs maps by itself, page by page; NULL:
 *	&ib_device_ops.mmap does it. Set by the provider before it inserts the entry
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
 * rdma_user_mmap_entry_insert - let a process map something
 * @ucontext: its context
 * @entry: of the provider; zeroed but for @kaddr
 * @length: bytes, > 0; rounded up to pages
 *
 * Process context. &ib_device_ops.mmap_free frees the entry once rdma_user_mmap_entry_remove() has
 * been called and the last mapping has ended, or with the context.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int rdma_user_mmap_entry_insert(struct ib_ucontext *ucontext, struct rdma_user_mmap_entry *entry,
				size_t length);

/**
 * rdma_user_mmap_entry_remove - forbid further mappings of an entry
 * @entry: an entry, or NULL
 *
 * Process context. Existing mappings stay. The entry may be freed on return.
 */
void rdma_user_mmap_entry_remove(struct rdma_user_mmap_entry *entry);

/**
 * rdma_user_mmap_entry_get_pgoff - find an entry
 * @ucontext: context of the process
 * @pgoff: its first page
 *
 * Process context.
 *
 * Return: the entry with a reference, for rdma_user_mmap_entry_put(), or NULL.
 */
struct rdma_user_mmap_entry *rdma_user_mmap_entry_get_pgoff(struct ib_ucontext *ucontext,
							    unsigned long pgoff);

/**
 * rdma_user_mmap_entry_get - find the entry that a process wants to map
 * @ucontext: context of the process
 * @vma: what &ib_device_ops.mmap was given; as long as the entry, or the entry is not found
 *
 * Process context.
 *
 * Return: as rdma_user_mmap_entry_get_pgoff().
 */
struct rdma_user_mmap_entry *rdma_user_mmap_entry_get(struct ib_ucontext *ucontext,
						      struct vm_area_struct *vma);

/**
 * rdma_user_mmap_entry_put - release a reference
 * @entry: of one of the functions above; may be gone on return
 */
void rdma_user_mmap_entry_put(struct rdma_user_mmap_entry *entry);

/**
 * rdma_user_mmap_get_offset - what the process gives mmap() as an offset
 * @entry: an entry that is inserted
 *
 * Return: bytes.
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

/* Likewise copies the sizes of a QP between struct ib_qp_cap and the structures of the user ABI. */
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
