/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared receive queues: one stock of receive requests for many QPs.
 */
#ifndef _RDMA_VERBS_SRQ_H_
#define _RDMA_VERBS_SRQ_H_

#include <rdma/restrack.h>
#include <rdma/verbs/types.h>

struct ib_cq;
struct ib_event;
struct ib_pd;
struct ib_udata;
struct ib_xrcd;

/**
 * enum ib_srq_type - kinds of SRQ
 * @IB_SRQT_BASIC: requests go to the QPs in the order in which messages come
 * @IB_SRQT_XRC: of an XRC domain, with a CQ of its own
 * @IB_SRQT_TM: matches tags, with a CQ of its own
 */
enum ib_srq_type {
	IB_SRQT_BASIC = IB_UVERBS_SRQT_BASIC,
	IB_SRQT_XRC = IB_UVERBS_SRQT_XRC,
	IB_SRQT_TM = IB_UVERBS_SRQT_TM,
};

/**
 * ib_srq_has_cq - does an SRQ of this kind complete into a CQ of its own?
 * @srq_type: the kind
 *
 * Return: true if so; false when requests complete into the CQ of the QP that took them.
 */
static inline bool ib_srq_has_cq(enum ib_srq_type srq_type)
{
	return srq_type == IB_SRQT_XRC || srq_type == IB_SRQT_TM;
}

/**
 * enum ib_srq_attr_mask - which attributes ib_modify_srq() sets
 * @IB_SRQ_MAX_WR: &ib_srq_attr.max_wr: resize the queue
 * @IB_SRQ_LIMIT: &ib_srq_attr.srq_limit: ask for an event
 */
enum ib_srq_attr_mask {
	IB_SRQ_MAX_WR	= 1 << 0,
	IB_SRQ_LIMIT	= 1 << 1,
};

/**
 * struct ib_srq_attr - attributes of an SRQ
 * @max_wr: requests it holds
 * @max_sge: elements of a request's sg_list
 * @srq_limit: raise %IB_EVENT_SRQ_LIMIT_REACHED once, when fewer requests than this are left; 0: no
 *	event is due. Ignored at creation
 */
struct ib_srq_attr {
	u32	max_wr;
	u32	max_sge;
	u32	srq_limit;
};

/**
 * struct ib_srq_init_attr - what an SRQ is made with
 * @event_handler: called on asynchronous events of the SRQ, may be NULL
 * @srq_context: handed to it
 * @attr: in: what it has to hold at least; out: what it holds
 * @srq_type: kind
 * @ext: for kinds that have more
 * @ext.cq: of XRC and TM: CQ that requests complete into
 * @ext.xrc.xrcd: XRC domain
 * @ext.tag_matching.max_num_tags: tags it has to hold at least
 */
struct ib_srq_init_attr {
	void			(*event_handler)(struct ib_event *event, void *context);
	void		       *srq_context;
	struct ib_srq_attr	attr;
	enum ib_srq_type	srq_type;

	struct {
		struct ib_cq   *cq;
		union {
			struct {
				struct ib_xrcd *xrcd;
			} xrc;
			struct {
				u32 max_num_tags;
			} tag_matching;
		};
	} ext;
};

/**
 * struct ib_srq - a shared receive queue
 * @device: device it lives on
 * @pd: protection domain, which the L_Keys of its requests belong to
 * @uobject: handle of a user process, NULL for a kernel SRQ
 * @event_handler: what the provider calls on an asynchronous event of the SRQ, may be NULL
 * @srq_context: handed to it
 * @srq_type: kind
 * @usecnt: QPs that receive from it
 * @ext: for kinds that have more
 * @ext.cq: of XRC and TM: CQ that requests complete into
 * @ext.xrc.xrcd: XRC domain
 * @ext.xrc.srq_num: number by which peers name it
 * @res: core: entry in the resource table
 */
struct ib_srq {
	struct ib_device       *device;
	struct ib_pd	       *pd;
	struct ib_uobject      *uobject;
	void			(*event_handler)(struct ib_event *event, void *context);
	void		       *srq_context;
	enum ib_srq_type	srq_type;
	atomic_t		usecnt;

	struct {
		struct ib_cq   *cq;
		union {
			struct {
				struct ib_xrcd *xrcd;
				u32		srq_num;
			} xrc;
		};
	} ext;

	struct rdma_restrack_entry res;
};

/**
 * ib_create_srq_user - make an SRQ
 * @pd: protection domain
 * @srq_init_attr: what it is made with; on success attr has the actual sizes, which are not less
 *	than those asked for
 * @uobject: handle of a user process, NULL from the kernel
 * @udata: user's channel to the provider, NULL from the kernel
 *
 * Process context, may sleep. Owner in the resource table is the owner of @pd. The event handler
 * runs in any context and must not sleep; not after ib_destroy_srq() has returned.
 *
 * Return: the SRQ, or ERR_PTR: -EINVAL no requests asked for, or more than the device has;
 * -EOPNOTSUPP the device makes no SRQs, or the kind is not %IB_SRQT_BASIC; -ENODEV the device is
 * being unregistered; -ENOMEM; or what the provider answered. On failure @srq_init_attr is as
 * before.
 */
struct ib_srq *ib_create_srq_user(struct ib_pd *pd, struct ib_srq_init_attr *srq_init_attr,
				  struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_create_srq - make a kernel SRQ
 * @pd: protection domain
 * @srq_init_attr: what it is made with
 *
 * See ib_create_srq_user().
 *
 * Return: as ib_create_srq_user().
 */
static inline struct ib_srq *ib_create_srq(struct ib_pd *pd, struct ib_srq_init_attr *srq_init_attr)
{
	return ib_create_srq_user(pd, srq_init_attr, NULL, NULL);
}

/**
 * ib_modify_srq_user - resize an SRQ, or ask for an event when it runs low
 * @srq: the SRQ
 * @attr: new values of what the mask selects; on success their current values
 * @mask: &enum ib_srq_attr_mask, both bits together if wanted
 * @udata: user's channel to the provider, NULL from the kernel
 *
 * Process context, may sleep. A limit counts once: after %IB_EVENT_SRQ_LIMIT_REACHED it is 0. With
 * fewer requests in the queue than the new limit the event comes at once.
 *
 * Return: 0; -EINVAL bits that do not exist, a size that is 0 or beyond the device's, too small for
 * what is queued, or a limit above the size; -EOPNOTSUPP the provider cannot; or what it answered.
 * On failure nothing has changed.
 */
int ib_modify_srq_user(struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		       struct ib_udata *udata);

/**
 * ib_modify_srq - resize a kernel SRQ, or ask for an event when it runs low
 * @srq: the SRQ
 * @srq_attr: new values of what the mask selects; on success their current values
 * @srq_attr_mask: &enum ib_srq_attr_mask, both bits together if wanted
 *
 * See ib_modify_srq_user().
 *
 * Return: as ib_modify_srq_user().
 */
int ib_modify_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr,
		  enum ib_srq_attr_mask srq_attr_mask);

/**
 * ib_query_srq - read the attributes of an SRQ
 * @srq: the SRQ
 * @srq_attr: they are written here; the limit is 0 when no event is due
 *
 * Process context, may sleep.
 *
 * Return: 0; -EOPNOTSUPP the provider cannot; or what it answered.
 */
int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr);

/**
 * ib_destroy_srq_user - end an SRQ
 * @srq: the SRQ
 * @udata: user's channel to the provider, NULL from the kernel
 *
 * Process context, may sleep. Requests that are still queued are dropped without a completion.
 *
 * Return: 0, and @srq is gone; -EBUSY QPs receive from it; or what the provider answered. On
 * failure @srq is as before.
 */
int ib_destroy_srq_user(struct ib_srq *srq, struct ib_udata *udata);

/**
 * ib_destroy_srq - end a kernel SRQ
 * @srq: the SRQ
 *
 * See ib_destroy_srq_user(). The result may be ignored by a caller that knows the SRQ to be idle.
 *
 * Return: as ib_destroy_srq_user().
 */
static inline int ib_destroy_srq(struct ib_srq *srq)
{
	return ib_destroy_srq_user(srq, NULL);
}

#endif /* _RDMA_VERBS_SRQ_H_ */
