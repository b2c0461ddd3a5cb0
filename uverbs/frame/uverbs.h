/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Device nodes and open files, which all parts of ib_uverbs.ko use.
 *
 * A call holds the SRCU read lock of its device while it uses the device. The removal of the device
 * sets uverbs_device.ibdev to NULL, waits for the holders of the lock, and then empties each open
 * file. Calls that take the lock after uverbs_device.ibdev was set to NULL fail with -EIO. A call
 * accesses memory of the process before it takes the lock and after it has released the lock, but
 * not in between (see call.h).
 */
#ifndef _KRDMA_UVERBS_FRAME_UVERBS_H_
#define _KRDMA_UVERBS_FRAME_UVERBS_H_

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <uapi/rdma/ib_user_ioctl_cmds.h>
#include <uapi/rdma/ib_user_ioctl_verbs.h>
#include <uapi/rdma/ib_user_verbs.h>

struct uverbs_api;
struct uverbs_channel;

/**
 * struct uverbs_device - a device node; freed when the device was removed and no file is open
 * @dev: the node's device of class "infiniband_verbs", with the reference count
 * @cdev: the character device
 * @number: N of uverbsN
 * @api: methods that the device's driver defines; NULL: it defines none. Never changes
 * @srcu: held for reading by calls that use @ibdev
 * @ibdev: the device; NULL: it was removed. Protected by @srcu
 * @lock: protects @files and ib_uverbs_file.entry; may be taken while @srcu is held for reading, so
 *	@srcu is never taken while @lock is held
 * @files: open files
 * @xrc_lock: protects @xrc_domains and each domain's number of handles; held while the provider
 *	makes or destroys a domain that processes share
 * @xrc_domains: XRC domains that processes share, each for one inode; a process opens a domain by
 *	the descriptor of a file with that inode
 * @xrc_poll_lock: held for reading while a command polls completions, and for writing while an XRC
 *	target QP is destroyed. One lock serves all files, because a target QP's completions go to
 *	the CQs of SRQs, which may belong to any process that has opened the domain
 * @port_events: handler of the device's port events, shared by all files. A handler for each file
 *	would not do: registering a handler waits until the handlers of other clients have returned,
 *	and open() and close() must not wait for them
 */
struct uverbs_device {
	struct device		dev;
	struct cdev		cdev;
	int			number;
	struct uverbs_api	*api;
	struct srcu_struct	srcu;
	struct ib_device __rcu	*ibdev;
	struct mutex		lock; /* protects @files, and ib_uverbs_file.entry */
	struct list_head	files;
	struct mutex		xrc_lock; /* protects @xrc_domains */
	struct list_head	xrc_domains;
	struct rw_semaphore	xrc_poll_lock; /* keeps XRC target QPs from being freed */
	struct ib_event_handler	port_events;
};

/**
 * struct ib_uverbs_file - an open file of a device node
 * @ref: held by the file itself and by its event channels
 * @device: the node that was opened
 * @entry: in uverbs_device.files, or in a list of end_files()
 * @mapping: address space of the node, for unmap_mapping_range()
 * @empty_lock: held while the file is emptied without the device's SRCU held: by the removal of the
 *	device, or by a close during the removal. The removal takes the lock of each file, and so
 *	waits for a file that is being closed
 * @context_lock: serializes the threads that create @context or set @async
 * @context: the process's context, or NULL
 * @context_ready: calls may use @context, because the call that has created it was answered
 * @objects: the process's objects by handle
 * @list_lock: protects @list
 * @list: objects, the youngest first
 * @files_lock: held while all objects in @list are destroyed, and while a driver's object is
 *	destroyed because the object is a file that is closed. Taken with the device's SRCU or
 *	@empty_lock held
 * @async: default channel for asynchronous events, or NULL; referenced. Set once
 * @poll_lock: held for reading while a command polls completions, and for writing while a QP other
 *	than an XRC target QP is destroyed, because a completion points to its QP
 * @channels_lock: protects @channels and @ended; taken with interrupts off
 * @channels: event channels
 * @ended: uverbs_channels_end() was called; new channels start with their member @ended set
 * @maps_lock: protects @maps and the struct uverbs_map in it
 * @maps: mappings, each a struct uverbs_map
 */
struct ib_uverbs_file {
	struct kref		ref;
	struct uverbs_device	*device;
	struct list_head	entry;
	struct address_space	*mapping;
	struct mutex		empty_lock; /* held while the file is emptied (device removed) */
	struct mutex		context_lock; /* serializes creating @context and setting @async */
	struct ib_ucontext	*context;
	bool			context_ready;
	struct xarray		objects;
	spinlock_t		list_lock; /* protects @list */
	struct list_head	list;
	struct mutex		files_lock; /* serializes an object's close with emptying @list */
	struct uverbs_channel	*async;
	struct rw_semaphore	poll_lock; /* keeps QPs from being freed */
	spinlock_t		channels_lock; /* protects @channels and @ended */
	struct list_head	channels;
	bool			ended;
	struct mutex		maps_lock; /* protects @maps and its entries */
	struct list_head	maps;
};

/**
 * uverbs_ibdev - the device of a node
 * @udev: the node
 *
 * Called with uverbs_device.srcu held for reading, and at most once in a read-side section. The
 * removal of the device first clears the pointer, and then waits for the end of the section. So the
 * device stays until the end of the section, but a second call in the section could return NULL.
 *
 * Return: the device; NULL: it was removed.
 */
static inline struct ib_device *uverbs_ibdev(struct uverbs_device *udev)
{
	return srcu_dereference(udev->ibdev, &udev->srcu);
}

/**
 * lockdep_assert_uverbs_device - assert that the device of a file cannot be removed now
 * @file: the file
 *
 * A call holds uverbs_device.srcu for reading. A file is emptied with uverbs_device.srcu held for
 * reading, or with ib_uverbs_file.empty_lock held.
 */
static inline void lockdep_assert_uverbs_device(struct ib_uverbs_file *file)
{
	lockdep_assert(srcu_read_lock_held(&file->device->srcu) ||
		       lockdep_is_held(&file->empty_lock));
}

#endif /* _KRDMA_UVERBS_FRAME_UVERBS_H_ */
