/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of ib_uverbs.ko share: devices, open files, objects, events, and the operations
 * that both ABIs stand on.
 *
 * A call enters its device (SRCU) for as long as it runs. When the device goes, it is marked as
 * gone, calls that are inside end, and then each open file is emptied: from there on its calls fail
 * with -EIO.
 */
#ifndef _KRDMA_UVERBS_UVERBS_H_
#define _KRDMA_UVERBS_UVERBS_H_

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <uapi/rdma/ib_user_ioctl_cmds.h>
#include <uapi/rdma/ib_user_ioctl_verbs.h>
#include <uapi/rdma/ib_user_verbs.h>

/**
 * struct uverbs_device - a device node; stays as long as it is open somewhere
 * @dev: of class "infiniband_verbs"
 * @cdev: the node
 * @number: N of uverbsN
 * @srcu: calls that use @ibdev
 * @ibdev: the device; NULL: it has gone
 * @lock: guards @files; inside of @srcu, and nothing enters that with it held
 * @files: open files
 */
struct uverbs_device {
	struct device		dev;
	struct cdev		cdev;
	int			number;
	struct srcu_struct	srcu;
	struct ib_device __rcu	*ibdev;
	struct mutex		lock; /* files */
	struct list_head	files;
};

/**
 * struct ib_uverbs_file - an open file of a device node
 * @ref: of the file, its event channels
 * @device: whose node it is
 * @entry: in uverbs_device.files
 * @mapping: what the process maps by the file
 * @context_lock: only one of the process's threads makes a context
 * @context: the process's context, or NULL; entered last
 * @objects: by number
 * @list_lock: guards @list
 * @list: objects, the youngest first
 * @async: event channel of the context, or NULL; referenced. Set once, under @context_lock
 * @channels_lock: guards @channels and @ended; interrupts off, outside of uverbs_channel.lock
 * @channels: event channels
 * @ended: the device has gone
 * @maps_lock: guards @maps; inside of the process's mmap_lock
 * @maps: mappings
 * @port_events: tells of what happens at ports
 */
struct ib_uverbs_file {
	struct kref		ref;
	struct uverbs_device	*device;
	struct list_head	entry;
	struct address_space	*mapping;
	struct mutex		context_lock; /* context and async are set once */
	struct ib_ucontext	*context;
	struct xarray		objects;
	spinlock_t		list_lock; /* list */
	struct list_head	list;
	struct uverbs_channel	*async;
	spinlock_t		channels_lock; /* queues, ended */
	struct list_head	channels;
	bool			ended;
	struct mutex		maps_lock; /* maps */
	struct list_head	maps;
	struct ib_event_handler	port_events;
};

/* main.c */
/* The device, for one that has entered uverbs_device.srcu; NULL: gone. */
struct ib_device *uverbs_ibdev(struct uverbs_device *udev);

/* file.c */
extern const struct file_operations uverbs_fops;
void uverbs_file_put(struct ib_uverbs_file *file);
/* Ends all that was made by the file, if that is not done. Nobody calls by it any more. */
void uverbs_file_empty(struct ib_uverbs_file *file);

/* What a call does; a result that is negative undoes what it has made. */
typedef int uverbs_call_fn(struct uverbs_attr_bundle *call, void *arg);

/*
 * call.c: every call runs inside of uverbs_call(), which makes known what it has made, or undoes
 * that. What @run returned, or -EIO: the device has gone.
 */
int uverbs_call(struct ib_uverbs_file *file, struct uverbs_attr_bundle *call, uverbs_call_fn *run,
		void *arg);
/* For calls that need a context: 0 or -EINVAL. */
int uverbs_call_needs_context(const struct uverbs_attr_bundle *call);

/**
 * struct uverbs_object_type - a kind of object
 * @id: of enum uverbs_default_objects
 * @size: of the structure that begins with the struct ib_uobject
 * @destroy: ends the object; on an error it is as before
 * @release: gives back what the handle has besides, when there is no object any more; or NULL
 */
struct uverbs_object_type {
	u16			id;
	size_t			size;
	int			(*destroy)(struct ib_uobject *uobj, struct ib_udata *udata);
	void			(*release)(struct ib_uobject *uobj);
};

extern const struct uverbs_object_type uverbs_pd_type, uverbs_cq_type, uverbs_qp_type;
extern const struct uverbs_object_type uverbs_srq_type, uverbs_mr_type;

/*
 * object.c. A new object is the call's own (call->uobject), until the call ends. An object that is
 * got is held until the call ends: ERR_PTR(-ENOENT) no such number; -EINVAL of another kind; -EBUSY
 * it is being destroyed. uverbs_object_remove() returns it with a reference, for
 * uverbs_object_put(), when the object itself has gone; or ERR_PTR, -EBUSY also while it is used.
 * uverbs_object_destroy() is for those of which nothing is left to be told.
 */
struct ib_uobject *uverbs_object_new(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type);
void uverbs_object_commit(struct ib_uobject *uobj);
void uverbs_object_abort(struct ib_uobject *uobj, struct ib_udata *udata);
struct ib_uobject *uverbs_object_get(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type, u32 id);
void uverbs_objects_release(struct uverbs_attr_bundle *call);
int uverbs_object_destroy(struct uverbs_attr_bundle *call, const struct uverbs_object_type *type,
			  u32 id);
struct ib_uobject *uverbs_object_remove(struct uverbs_attr_bundle *call,
					const struct uverbs_object_type *type, u32 id);
void uverbs_object_put(struct ib_uobject *uobj);
/* All that the file has, the youngest first. Nobody uses them any more. */
void uverbs_objects_destroy_all(struct ib_uverbs_file *file, struct ib_ucontext *context);
/* The numbers of those of a kind: how many there are; fills at most @room of them. */
u32 uverbs_objects_list(struct ib_uverbs_file *file, u16 type, u32 *ids, u32 room);

/* What uverbs_object_get() found, as the object that it is; or its ERR_PTR. */
#define uverbs_get(call, kind, id) ({						\
	struct ib_uobject *__uobj = uverbs_object_get((call), &uverbs_##kind##_type, (id));	\
	IS_ERR(__uobj) ? ERR_CAST(__uobj) : (struct ib_##kind *)__uobj->object;	\
})

/**
 * struct uverbs_event_source - where events of an object come from
 * @channel: the channel that they go to, or NULL; referenced
 * @entry: in uverbs_channel.sources while events wait
 * @element: how the process calls the object
 * @pending: of a channel for completions: how many wait; of another one: a bit each for which do
 * @reported: events that the process has read
 *
 * What follows @channel is guarded by uverbs_channel.lock. There is nothing to allocate when an
 * event comes: none is lost for want of memory.
 */
struct uverbs_event_source {
	struct uverbs_channel	*channel;
	struct list_head	entry;
	u64			element;
	unsigned int		pending;
	u32			reported;
};

/**
 * struct uverbs_channel - an event channel
 * @ref: of its file and its sources
 * @ufile: whose channel it is; referenced
 * @completions: it tells of completions, else of asynchronous events
 * @entry: in ib_uverbs_file.channels
 * @lock: guards what follows; interrupts off
 * @sources: that have an event
 * @port_event_list: events of ports and the device, struct other_event
 * @num_others: how many
 * @fatal: IB_EVENT_DEVICE_FATAL is to be read
 * @ended: the device has gone
 * @wait: who waits for an event
 * @fasync: who wants a signal
 */
struct uverbs_channel {
	struct kref		ref;
	struct ib_uverbs_file	*ufile;
	bool			completions;
	struct list_head	entry;
	spinlock_t		lock; /* what follows, but for wait */
	struct list_head	sources;
	struct list_head	port_event_list;
	unsigned int		num_others;
	bool			fatal;
	bool			ended;
	wait_queue_head_t	wait;
	struct fasync_struct	*fasync;
};

/* channel.c: channels. A new one is call->new_file, until the call ends; its number or an errno. */
int uverbs_channel_new(struct uverbs_attr_bundle *call, bool completions,
		       struct uverbs_channel **channel);
/* That of a descriptor of the process, referenced; ERR_PTR(-EBADF), or -EINVAL: not of @file. */
struct uverbs_channel *uverbs_channel_get(struct ib_uverbs_file *file, int fd, bool completions);
void uverbs_channel_put(struct uverbs_channel *channel);
/* Takes over the reference to @channel, which may be NULL. */
void uverbs_event_source_init(struct uverbs_event_source *source, struct uverbs_channel *channel,
			      u64 element);
/* Forgets what was not read. How many were, is in reported. */
void uverbs_event_source_end(struct uverbs_event_source *source);
/* Any context. */
void uverbs_event_source_completed(struct uverbs_event_source *source);
void uverbs_event_source_event(struct uverbs_event_source *source, enum ib_event_type event);
/* Process context. */
void uverbs_channel_event(struct uverbs_channel *channel, enum ib_event_type event, u32 element);
void uverbs_channels_end(struct ib_uverbs_file *file);

/* mmap.c */
int uverbs_mmap(struct ib_uverbs_file *file, struct vm_area_struct *vma);
/* The context goes: the process sees blank memory, and entries are given back. */
void uverbs_mmap_end(struct ib_uverbs_file *file, struct ib_ucontext *context);

/* context.c */
int uverbs_context_create(struct uverbs_attr_bundle *call);
void uverbs_context_destroy(struct ib_uverbs_file *file, struct ib_ucontext *context);
/* A channel for asynchronous events: its number or an errno. */
int uverbs_async_new(struct uverbs_attr_bundle *call);
/* The call has succeeded: the first such channel is the context's own. */
void uverbs_set_default_async(struct ib_uverbs_file *file, struct uverbs_channel *channel);
/* The channel for an object's events: @given, or that of the context; referenced, or NULL. */
struct uverbs_channel *uverbs_async_of(struct uverbs_attr_bundle *call,
				       struct uverbs_channel *given);

/* write.c */
ssize_t uverbs_write(struct file *filp, const char __user *buf, size_t count, loff_t *pos);
/* One command of write(), also by ioctl(). */
int uverbs_write_command(struct uverbs_attr_bundle *call, u32 command, bool extended);
/* What the process passed: at least @min bytes of it, the rest of @cmd becomes 0. */
int uverbs_request(struct uverbs_attr_bundle *call, void *cmd, size_t min, size_t size);
/* As much of the answer as there is room for, which is at least @min bytes. */
int uverbs_respond(struct uverbs_attr_bundle *call, const void *resp, size_t size);

/* ioctl.c */
long uverbs_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);

/* The operations, which both ABIs decode their commands to. */

/* device.c */
int uverbs_query_device(struct uverbs_attr_bundle *call, struct ib_uverbs_query_device_resp *resp);
int uverbs_query_device_ex(struct uverbs_attr_bundle *call,
			   struct ib_uverbs_ex_query_device_resp *resp);
int uverbs_query_port(struct uverbs_attr_bundle *call, u8 port,
		      struct ib_uverbs_query_port_resp_ex *resp);

/* pd.c */
int uverbs_alloc_pd(struct uverbs_attr_bundle *call, u32 *handle);
int uverbs_dealloc_pd(struct uverbs_attr_bundle *call, u32 handle);

/* mr.c */
/**
 * struct uverbs_mr_args - a region of the process's memory
 * @pd: handle of the protection domain
 * @start: first address in the process; in a DMA-BUF: first byte
 * @length: bytes
 * @iova: first address as work requests name it
 * @access: &enum ib_access_flags
 * @fd: of a DMA-BUF, or -1
 */
struct uverbs_mr_args {
	u32			pd;
	u64			start;
	u64			length;
	u64			iova;
	u32			access;
	int			fd;
};

int uverbs_reg_mr(struct uverbs_attr_bundle *call, const struct uverbs_mr_args *args,
		  struct ib_mr **mr);
int uverbs_rereg_mr(struct uverbs_attr_bundle *call, u32 handle, u32 flags,
		    const struct uverbs_mr_args *args, struct ib_mr **mr);
int uverbs_dereg_mr(struct uverbs_attr_bundle *call, u32 handle);

/* event_object.c */
/**
 * struct uverbs_event_object - an object that has asynchronous events
 * @uobj: its handle
 * @events: where they come from
 */
struct uverbs_event_object {
	struct ib_uobject	uobj;
	struct uverbs_event_source	events;
};

/*
 * A new one without an object, which is call->uobject; or an ERR_PTR. Events go to @async, of which
 * the reference is taken over in any case; NULL: to the context's channel.
 */
struct uverbs_event_object *
uverbs_event_object_new(struct uverbs_attr_bundle *call, const struct uverbs_object_type *type,
			u64 user_handle, struct uverbs_channel *async);
/* As uverbs_object_type.release. */
void uverbs_event_object_release(struct ib_uobject *uobj);
/* As event handler of the object, whose context is the struct uverbs_event_object. Any context. */
void uverbs_event_object_handler(struct ib_event *event, void *context);
/* As uverbs_object_destroy(); says how many events the process has read. */
int uverbs_event_object_destroy(struct uverbs_attr_bundle *call,
				const struct uverbs_object_type *type,
				u32 handle, u32 *events_reported);

/* cq.c */
/**
 * struct uverbs_cq - a process's CQ
 * @event_object: its handle and asynchronous events
 * @completions: of the channel that it was made with
 */
struct uverbs_cq {
	struct uverbs_event_object	event_object;
	struct uverbs_event_source	completions;
};

/**
 * struct uverbs_cq_args - what a CQ is made with
 * @user_handle: how the process calls it
 * @cqe: entries
 * @comp_vector: completion vector
 * @channel: file descriptor for events of completions, or negative
 * @flags: &enum ib_uverbs_ex_create_cq_flags
 * @async: the channel for other events, referenced, or NULL: that of the context. Taken over
 */
struct uverbs_cq_args {
	u64			user_handle;
	u32			cqe;
	u32			comp_vector;
	int			channel;
	u32			flags;
	struct uverbs_channel	*async;
};

int uverbs_create_cq(struct uverbs_attr_bundle *call, const struct uverbs_cq_args *args,
		     struct ib_cq **cq);
int uverbs_resize_cq(struct uverbs_attr_bundle *call, u32 handle, u32 cqe, u32 *got);
int uverbs_modify_cq(struct uverbs_attr_bundle *call, u32 handle, u16 count, u16 period);
int uverbs_destroy_cq(struct uverbs_attr_bundle *call, u32 handle,
		      struct ib_uverbs_destroy_cq_resp *resp);

/* qp.c */
/**
 * struct uverbs_qp_args - what a QP is made with
 * @user_handle: how the process calls it
 * @pd: handle of the protection domain
 * @send_cq: handle
 * @recv_cq: handle
 * @srq: handle, if @has_srq
 * @has_srq: it receives from an SRQ
 * @type: &enum ib_uverbs_qp_type
 * @flags: those of &enum ib_qp_create_flags that are not the kernel's own
 * @signal_all: every request of the send queue is signalled
 * @cap: what it is to hold
 * @async: as of a CQ
 */
struct uverbs_qp_args {
	u64			user_handle;
	u32			pd;
	u32			send_cq;
	u32			recv_cq;
	u32			srq;
	bool			has_srq;
	u32			type;
	u32			flags;
	bool			signal_all;
	struct ib_uverbs_qp_cap	cap;
	struct uverbs_channel	*async;
};

/* @args->cap becomes what the QP really holds. */
int uverbs_create_qp(struct uverbs_attr_bundle *call, struct uverbs_qp_args *args,
		     struct ib_qp **qp);
int uverbs_modify_qp(struct uverbs_attr_bundle *call, u32 handle, struct ib_qp_attr *attr,
		     int mask);
int uverbs_query_qp(struct uverbs_attr_bundle *call, u32 handle, int mask, struct ib_qp_attr *attr,
		    struct ib_qp_init_attr *init);
int uverbs_destroy_qp(struct uverbs_attr_bundle *call, u32 handle, u32 *events_reported);
/* Begins the end of all that the file has. Nobody uses them any more. */
void uverbs_qps_fail(struct ib_uverbs_file *file);

/* srq.c */
/**
 * struct uverbs_srq_args - what an SRQ is made with; becomes what it really holds
 * @user_handle: how the process calls it
 * @pd: handle of the protection domain
 * @max_wr: requests
 * @max_sge: elements of one
 * @limit: when to tell that few are left; 0: do not
 * @type: &enum ib_uverbs_srq_type
 * @async: as of a CQ
 */
struct uverbs_srq_args {
	u64			user_handle;
	u32			pd;
	u32			max_wr;
	u32			max_sge;
	u32			limit;
	u32			type;
	struct uverbs_channel	*async;
};

int uverbs_create_srq(struct uverbs_attr_bundle *call, struct uverbs_srq_args *args,
		      struct ib_srq **srq);
int uverbs_modify_srq(struct uverbs_attr_bundle *call, u32 handle, u32 mask, u32 max_wr, u32 limit);
int uverbs_query_srq(struct uverbs_attr_bundle *call, u32 handle, struct ib_srq_attr *attr);
int uverbs_destroy_srq(struct uverbs_attr_bundle *call, u32 handle, u32 *events_reported);

#endif /* _KRDMA_UVERBS_UVERBS_H_ */
