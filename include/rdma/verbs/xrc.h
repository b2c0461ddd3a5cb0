/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Extended reliable connections (XRC): domains, and the target QPs that several users share.
 *
 * In a domain, a message to a target QP names the SRQ that its receive request is taken from. So
 * the target QP has neither a PD nor CQs nor an SRQ of its own, and one QP serves every process of
 * a host. Each user has a handle of it: ib_create_qp() returns the first one, ib_open_qp() further
 * ones.
 */
#ifndef _RDMA_VERBS_XRC_H_
#define _RDMA_VERBS_XRC_H_

#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <rdma/verbs/qp.h>
#include <rdma/verbs/types.h>

struct inode;

/**
 * struct ib_xrcd - an XRC domain
 * @device: device of the domain
 * @usecnt: number of handles of target QPs, and of SRQs in the domain
 * @inode: file by which processes find the domain; NULL if they do not share it
 * @tgt_qps_rwsem: held for reading to look up @tgt_qps, for writing to change it; also held while a
 *	target QP is destroyed. @open_lock is taken inside
 * @tgt_qps: the target QPs by their numbers
 * @open_lock: core: protects the lists of handles of all target QPs, and the handles' ib_qp.open_*;
 *	taken with interrupts off. Event handlers are called without the lock
 */
struct ib_xrcd {
	struct ib_device       *device;
	atomic_t		usecnt;
	struct inode	       *inode;
	struct rw_semaphore	tgt_qps_rwsem; /* protects @tgt_qps */
	struct xarray		tgt_qps;
	spinlock_t		open_lock; /* protects open_* of all QPs in @tgt_qps */
};

/**
 * ib_alloc_xrcd_user - make an XRC domain
 * @device: device to make it on
 * @inode: file by which processes find the domain; NULL if they do not share it. The caller holds a
 *	reference to it until the domain is destroyed
 * @udata: the process's data for the provider; NULL for a kernel domain
 *
 * Process context, may sleep.
 *
 * Return: the domain, to be destroyed with ib_dealloc_xrcd_user(); or an ERR_PTR: -EOPNOTSUPP if
 * the device has no XRC domains; -ENODEV if the device is being unregistered; -ENOMEM; or the
 * provider's error.
 */
struct ib_xrcd *ib_alloc_xrcd_user(struct ib_device *device, struct inode *inode,
				   struct ib_udata *udata);

/**
 * ib_alloc_xrcd - make an XRC domain for the kernel
 * @device: device to make it on
 *
 * See ib_alloc_xrcd_user().
 */
static inline struct ib_xrcd *ib_alloc_xrcd(struct ib_device *device)
{
	return ib_alloc_xrcd_user(device, NULL, NULL);
}

/**
 * ib_dealloc_xrcd_user - destroy an XRC domain
 * @xrcd: the domain
 * @udata: the process's data for the provider; NULL for a kernel domain
 *
 * Process context, may sleep.
 *
 * Return: 0; -EBUSY if QPs or SRQs are in the domain; or the provider's error. After an error the
 * domain is as before.
 */
int ib_dealloc_xrcd_user(struct ib_xrcd *xrcd, struct ib_udata *udata);

/**
 * ib_dealloc_xrcd - destroy an XRC domain of the kernel
 * @xrcd: the domain
 *
 * See ib_dealloc_xrcd_user().
 */
static inline int ib_dealloc_xrcd(struct ib_xrcd *xrcd)
{
	return ib_dealloc_xrcd_user(xrcd, NULL);
}

/**
 * struct ib_qp_open_attr - attributes of a further handle of a target QP
 * @event_handler: called on asynchronous events of the QP; may be NULL
 * @qp_context: passed to @event_handler
 * @qp_num: number of the QP
 * @qp_type: must be %IB_QPT_XRC_TGT
 */
struct ib_qp_open_attr {
	void		      (*event_handler)(struct ib_event *event, void *context);
	void		       *qp_context;
	u32			qp_num;
	enum ib_qp_type		qp_type;
};

/**
 * ib_open_qp - get a further handle of a target QP
 * @xrcd: domain of the QP
 * @qp_open_attr: which QP, and who gets its events
 *
 * Process context, may sleep. The handle is used as the QP itself in ib_modify_qp(), ib_query_qp()
 * and ib_destroy_qp(). An event of the QP is reported to every handle, as an event of that handle;
 * the event handlers must not open, close or destroy a QP of the domain.
 *
 * Return: the handle, to be closed with ib_close_qp(); or an ERR_PTR: -EINVAL if the type is wrong,
 * or the domain has no QP of that number; -ENOMEM.
 */
struct ib_qp *ib_open_qp(struct ib_xrcd *xrcd, struct ib_qp_open_attr *qp_open_attr);

/**
 * ib_close_qp - close a handle of a target QP
 * @qp: handle from ib_open_qp() or, for a target QP, from ib_create_qp()
 *
 * Process context, may sleep. When the last handle is closed, the QP is destroyed. On return the
 * event handler of the handle is not running and will not run again. ib_destroy_qp() of a handle
 * does the same.
 *
 * Return: 0; -EINVAL if @qp is not a handle; or, of the last handle, the errors of ib_destroy_qp().
 * After an error the handle is as before, but may have missed events.
 */
int ib_close_qp(struct ib_qp *qp);

#endif /* _RDMA_VERBS_XRC_H_ */
