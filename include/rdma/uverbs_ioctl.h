/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A call of a process, as ib_uverbs and providers see it.
 */
#ifndef _RDMA_UVERBS_IOCTL_H_
#define _RDMA_UVERBS_IOCTL_H_

#ifdef _UVERBS_IOCTL_
#error "the kernel's <rdma/uverbs_ioctl.h> was included before krdma's"
#endif
#define _UVERBS_IOCTL_

#include <linux/container_of.h>
#include <linux/err.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_types.h>
#include <rdma/verbs/attribute.h>
#include <rdma/verbs/definition.h>
#include <rdma/verbs/user.h>

struct dma_buf;
struct file;
struct ib_umem;
struct task_struct;
struct uverbs_attrs;
struct uverbs_memory;

/*
 * Greatest number of objects that a call uses, unless it has called uverbs_objects_reserve(). The
 * creation of a QP uses the most: four, namely a PD, an SRQ and two CQs. The other two places are
 * spare.
 */
#define UVERBS_MAX_HELD	6

/* A call whose data is no longer than this, in bytes, needs no allocation. */
#define UVERBS_SMALL_CALL	256

/* Largest number of ranges of the process's memory that a call can have pinned. */
#define UVERBS_MAX_PINS		3

/**
 * struct uverbs_pin_range - memory of a process
 * @addr: first address
 * @size: length in bytes
 * @writable: the device may write to the memory
 */
struct uverbs_pin_range {
	unsigned long		addr;
	size_t			size;
	bool			writable;
};

/**
 * struct uverbs_pin - memory of the process that a call needs to be pinned
 * @entry: entry in the table of calls, in which ib_umem_get() and others look for the call of their
 *	task
 * @task: the calling task
 * @wanted: memory is to be pinned before the call is run again: ib_umem_get() was called for memory
 *	that is not in @umem, or uverbs_umem_prepare() asks for it
 * @required: the call fails if the memory cannot be pinned
 * @error: why @range could not be pinned, which ib_umem_get() returns for that memory; or 0
 * @max_segment: longest DMA segment of the device, in bytes
 * @range: the memory that is to be pinned, or was the last to be pinned
 * @prepared: the last memory that uverbs_umem_prepare() has asked for; of size 0 before
 * @umem: pinned memory that ib_umem_get() has not returned yet, or NULL
 * @dmabuf: DMA-BUF, referenced, for which the call has to wait before it is run again, or NULL
 */
struct uverbs_pin {
	struct hlist_node	entry;
	struct task_struct	*task;
	bool			wanted;
	bool			required;
	int			error;
	unsigned int		max_segment;
	struct uverbs_pin_range	range;
	struct uverbs_pin_range	prepared;
	struct ib_umem		*umem[UVERBS_MAX_PINS];
	struct dma_buf		*dmabuf;
};

/**
 * struct uverbs_attr_bundle - one call
 * @driver_udata: data that the process and the provider exchange
 * @ucore: data that the process and ib_uverbs exchange; for commands of write()
 * @ufile: the file by which the process calls
 * @ibdev: the device, which is not removed while the call runs; NULL before and after
 * @context: the process's context; NULL: the process has none yet
 * @uobject: handle of the object that the call creates, referenced, or NULL. The handle is
 *	published to the process if the call succeeds; otherwise the object and the handle are
 *	destroyed
 * @new_context: the call creates the process's context, which is published if the call succeeds,
 *	and otherwise destroyed
 * @held: handles of the objects that the call uses; they are released when the call ends:
 *	@few_held, or memory of uverbs_objects_reserve()
 * @num_held: number of handles in @held
 * @max_held: number of handles that fit into @held; 0 before the first one
 * @few_held: for UVERBS_MAX_HELD handles
 * @new_file: event channel that the call creates, or NULL. The channel is published to the process
 *	if the call succeeds, and otherwise closed
 * @new_fd: file descriptor for @new_file
 * @attrs: the attributes passed to ioctl()
 * @posts: the call only posts work requests: it never calls ib_umem_get(), and @pin is left out of
 *	the table of calls, which saves time
 * @answers_errors: the call has failed, and the process gets the answers nevertheless
 * @udata_wanted: the memory of @driver_udata is to be faulted in before the call is run again
 * @udata_present: the memory of @driver_udata was faulted in for the call
 * @why: why the provider destroys an object for the call
 * @allocated: memory of uverbs_alloc()
 * @pin: memory of the process that the call needs to be pinned
 * @mem: copies of the process's data, and the answers before they are copied to the process:
 *	@small_mem, allocated memory, or NULL
 * @small_mem: for data of UVERBS_SMALL_CALL bytes at most
 */
struct uverbs_attr_bundle {
	struct ib_udata		driver_udata;
	struct ib_udata		ucore;
	struct ib_uverbs_file	*ufile;
	struct ib_device	*ibdev;
	struct ib_ucontext	*context;
	struct ib_uobject	*uobject;
	bool			new_context;
	struct ib_uobject	**held;
	unsigned int		num_held;
	unsigned int		max_held;
	struct ib_uobject	*few_held[UVERBS_MAX_HELD];
	struct file		*new_file;
	int			new_fd;
	struct uverbs_attrs	*attrs;
	bool			posts;
	bool			answers_errors;
	bool			udata_wanted;
	bool			udata_present;
	enum rdma_remove_reason	why;
	struct uverbs_memory	*allocated;
	struct uverbs_pin	pin;
	void			*mem;
	u64			small_mem[UVERBS_SMALL_CALL / sizeof(u64)];
};

/**
 * rdma_udata_to_uverbs_attr_bundle - the call that a provider's method is part of
 * @udata: the udata that was passed to the method; not NULL
 */
static inline struct uverbs_attr_bundle *rdma_udata_to_uverbs_attr_bundle(struct ib_udata *udata)
{
	return container_of(udata, struct uverbs_attr_bundle, driver_udata);
}

/**
 * ib_uverbs_get_ucontext - the context of the calling process
 * @attrs: the call
 *
 * Return: the context; ERR_PTR: -EINVAL: the process has none.
 */
static inline struct ib_ucontext *ib_uverbs_get_ucontext(const struct uverbs_attr_bundle *attrs)
{
	return attrs->context ?: ERR_PTR(-EINVAL);
}

/**
 * rdma_udata_to_drv_context - the provider's context of the calling process
 * @udata: the udata that was passed to the method; NULL: the caller is not a process
 * @drv_dev_struct: type of the context
 * @member: the member of @drv_dev_struct that is the struct ib_ucontext
 *
 * Return: the context; NULL: the caller is not a process.
 */
#define rdma_udata_to_drv_context(udata, drv_dev_struct, member)		\
	((udata) ? container_of(rdma_udata_to_uverbs_attr_bundle(udata)->context,	\
				drv_dev_struct, member) : (drv_dev_struct *)NULL)

#endif /* _RDMA_UVERBS_IOCTL_H_ */
