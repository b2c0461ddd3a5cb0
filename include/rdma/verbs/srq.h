/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared receive queues: queues of receive requests that several QPs take requests from.
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
 * @IB_SRQT_BASIC: a QP takes the next request when a message arrives
 * @IB_SRQT_XRC: belongs to an XRC domain and has a CQ of its own
 * @IB_SRQT_TM: matches tags and has a CQ of its own
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
 * Return: true if it does; false if requests complete into the CQ of the QP that took them.
 */
static inline bool ib_srq_has_cq(enum ib_srq_type srq_type)
{
	return srq_type == IB_SRQT_XRC || srq_type == IB_SRQT_TM;
}

/**
 * enum ib_srq_attr_mask - which attributes ib_modify_srq() sets
 * @IB_SRQ_MAX_WR: &ib_srq_attr.max_wr, which resizes the queue
 * @IB_SRQ_LIMIT: &ib_srq_attr.srq_limit, which arms or disarms the limit event
 */
enum ib_srq_attr_mask {
	IB_SRQ_MAX_WR	= 1 << 0,
	IB_SRQ_LIMIT	= 1 << 1,
};

/**
 * struct ib_srq_attr - attributes of an SRQ
 * @max_wr: largest number of requests
 * @max_sge: largest number of elements in a request's sg_list
 * @srq_limit: raise %IB_EVENT_SRQ_LIMIT_REACHED once, when fewer requests than this are left; 0:
 *	raise no event. Ignored at creation
 */
struct ib_srq_attr {
	u32	max_wr;
	u32	max_sge;
	u32	srq_limit;
};

/**
 * struct ib_srq_init_attr - attributes of an SRQ to be created
 * @event_handler: called on asynchronous events of the SRQ; may be NULL
 * @srq_context: passed to @event_handler
 * @attr: in: least sizes; out: actual sizes
 * @srq_type: kind
 * @ext: attributes of the kinds XRC and TM
 * @ext.cq: XRC and TM: CQ that requests complete into
 * @ext.xrc.xrcd: XRC: XRC domain
 * @ext.tag_matching.max_num_tags: TM: least number of tags that the SRQ must hold
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
 * @device: device of the SRQ
 * @pd: protection domain of the L_Keys in its requests
 * @uobject: handle of a user process, NULL for a kernel SRQ
 * @event_handler: called by the provider on an asynchronous event of the SRQ; may be NULL
 * @srq_context: passed to @event_handler
 * @srq_type: kind
 * @usecnt: number of QPs that take requests from it
 * @ext: attributes of the kinds XRC and TM
 * @ext.cq: XRC and TM: CQ that requests complete into
 * @ext.xrc.xrcd: XRC: XRC domain
 * @ext.xrc.srq_num: XRC: number by which peers name the SRQ
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
 * @srq_init_attr: its attributes; on success attr has the actual sizes, which are not less than
 *	those asked for
 * @uobject: handle of a user process; NULL for a kernel SRQ
 * @udata: the process's data for the provider; NULL for a kernel SRQ
 *
 * Process context, may sleep. In the resource table, a kernel SRQ has the owner of @pd; any other
 * SRQ is owned by the calling process. The event handler is called in any context and must not
 * sleep; it is not called after ib_destroy_srq() has returned.
 *
 * Return: the SRQ; or an ERR_PTR: -EINVAL if max_wr is 0, a size is above the device's limit, or an
 * XRC SRQ has no XRC domain and CQ of the device; -EOPNOTSUPP if the device has no SRQs, or none of
 * that kind, or the kind is %IB_SRQT_TM; -ENODEV if the device is being unregistered; -ENOMEM; or
 * the provider's error. After an error @srq_init_attr is as before.
 */
struct ib_srq *ib_create_srq_user(struct ib_pd *pd, struct ib_srq_init_attr *srq_init_attr,
				  struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_create_srq - make a kernel SRQ
 * @pd: protection domain
 * @srq_init_attr: its attributes
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
 * ib_modify_srq_user - resize an SRQ, or arm its limit event
 * @srq: the SRQ
 * @attr: in: new values of the attributes in @mask; out, on success: their actual values
 * @mask: one or both bits of &enum ib_srq_attr_mask
 * @udata: the process's data for the provider; NULL for a kernel SRQ
 *
 * Process context, may sleep. After %IB_EVENT_SRQ_LIMIT_REACHED was raised, the limit is 0. If the
 * queue has fewer requests than a new limit, the event is raised at once.
 *
 * Return: 0; -EINVAL if @mask has unknown bits, if the new size is 0, above the device's limit or
 * too small for the queued requests, or if the new limit is above the size; -EOPNOTSUPP if the
 * provider cannot change SRQs; or the provider's error. After an error nothing has changed.
 */
int ib_modify_srq_user(struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		       struct ib_udata *udata);

/**
 * ib_modify_srq - resize a kernel SRQ, or arm its limit event
 * @srq: the SRQ
 * @srq_attr: in: new values of the attributes in the mask; out, on success: their actual values
 * @srq_attr_mask: one or both bits of &enum ib_srq_attr_mask
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
 * @srq_attr: out: the attributes; the limit is 0 if the limit event is not armed
 *
 * Process context, may sleep.
 *
 * Return: 0; -EOPNOTSUPP if the provider cannot read attributes; or the provider's error.
 */
int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr);

/**
 * ib_destroy_srq_user - destroy an SRQ
 * @srq: the SRQ
 * @udata: the process's data for the provider; NULL for a kernel SRQ
 *
 * Process context, may sleep. Requests that are still queued are dropped without a completion.
 *
 * Return: 0 if @srq was destroyed; -EBUSY if QPs take requests from it; or the provider's error.
 * After an error @srq is as before.
 */
int ib_destroy_srq_user(struct ib_srq *srq, struct ib_udata *udata);

/**
 * ib_destroy_srq - destroy a kernel SRQ
 * @srq: the SRQ
 *
 * See ib_destroy_srq_user(). A caller that knows that no QP uses the SRQ may ignore the result.
 *
 * Return: as ib_destroy_srq_user().
 */
static inline int ib_destroy_srq(struct ib_srq *srq)
{
	return ib_destroy_srq_user(srq, NULL);
}

#endif /* _RDMA_VERBS_SRQ_H_ */
