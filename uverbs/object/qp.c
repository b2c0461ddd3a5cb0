// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs of processes.
 */
#include "uverbs/object/qp.h"

#include <linux/capability.h>
#include <rdma/ib_mad.h>
#include <rdma/rdma_netlink.h>

#include "uverbs/frame/event_object.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/object/cq.h"
#include "uverbs/object/mcast.h"
#include "uverbs/object/pd.h"
#include "uverbs/object/srq.h"
#include "uverbs/object/wq.h"
#include "uverbs/object/xrcd.h"

/**
 * struct uverbs_qp - handle of a process's QP
 * @event_object: the handle, and the QP's asynchronous events
 * @mcast: the multicast groups of the QP
 * @xrcd: for an XRC target QP: handle of its XRC domain; otherwise NULL
 */
struct uverbs_qp {
	struct uverbs_event_object	event_object;
	struct uverbs_mcast		mcast;
	struct uverbs_xrcd		*xrcd;
};

static struct uverbs_qp *to_uqp(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_qp, event_object.uobj);
}

/* Returns the lock that keeps the QP from being freed while a command polls its completions. */
static struct rw_semaphore *lock_of_pollers(struct ib_uobject *uobj)
{
	struct ib_uverbs_file *file = uobj->ufile;

	return to_uqp(uobj)->xrcd ? &file->device->xrc_poll_lock : &file->poll_lock;
}

/*
 * Destroys a QP. Fails while the QP is attached to a multicast group, because detaching the QP is
 * up to the process as long as the file is in use.
 */
static int qp_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	struct rw_semaphore *lock = lock_of_pollers(uobj);
	int ret;

	down_write(lock);
	ret = ib_destroy_qp_user(uobj->object, udata);
	up_write(lock);
	return ret;
}

static void qp_abandon(struct ib_uobject *uobj)
{
	uverbs_mcast_detach_all(&to_uqp(uobj)->mcast, uobj->object);
}

static void qp_release(struct ib_uobject *uobj)
{
	uverbs_xrcd_unuse(to_uqp(uobj)->xrcd);
	uverbs_event_object_release(uobj);
}

const struct uverbs_object_type uverbs_qp_type = {
	.id = UVERBS_OBJECT_QP,
	.size = sizeof(struct uverbs_qp),
	.destroy = qp_destroy,
	.abandon = qp_abandon,
	.release = qp_release,
};

static struct uverbs_qp *new_uqp(struct uverbs_attr_bundle *call, u64 user_handle,
				 struct uverbs_channel *async)
{
	struct uverbs_event_object *event_object;
	struct uverbs_qp *uqp;

	event_object = uverbs_event_object_new(call, &uverbs_qp_type, user_handle, async);
	if (IS_ERR(event_object))
		return ERR_CAST(event_object);
	uqp = to_uqp(&event_object->uobj);
	uverbs_mcast_init(&uqp->mcast);
	return uqp;
}

/* Stores @qp in its handle @uqp. @uxrcd: handle of the XRC domain that the QP is in, or NULL. */
static void set_qp(struct uverbs_qp *uqp, struct ib_qp *qp, struct uverbs_xrcd *uxrcd)
{
	uqp->event_object.uobj.object = qp;
	if (uxrcd)
		uverbs_xrcd_use(uxrcd);
	uqp->xrcd = uxrcd;
}

/*
 * Checks that processes may create QPs of the type. The provider refuses types that it does not
 * support.
 */
static int check_type(const struct ib_device *dev, u32 type)
{
	switch (type) {
	case IB_UVERBS_QPT_RC:
	case IB_UVERBS_QPT_UC:
	case IB_UVERBS_QPT_UD:
	case IB_UVERBS_QPT_DRIVER:
		return 0;
	case IB_UVERBS_QPT_RAW_PACKET:
		return capable(CAP_NET_RAW) ? 0 : -EPERM;
	case IB_UVERBS_QPT_XRC_INI:
	case IB_UVERBS_QPT_XRC_TGT:
		return dev->ops.alloc_xrcd ? 0 : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

/*
 * Looks up the objects that a new QP uses: its PD, its CQs, and its SRQ or indirection table. An
 * XRC initiator QP has no receive queue. Not called for an XRC target QP, which has only its XRC
 * domain.
 */
static int get_qp_parents(struct uverbs_attr_bundle *call, const struct uverbs_qp_args *args,
			  struct ib_qp_init_attr *attr, struct ib_pd **pd)
{
	*pd = uverbs_get(call, pd, args->pd);
	if (IS_ERR(*pd))
		return PTR_ERR(*pd);
	if (!args->has_table || args->cap.max_send_wr)
		attr->send_cq = uverbs_get(call, cq, args->send_cq);
	if (IS_ERR(attr->send_cq))
		return PTR_ERR(attr->send_cq);
	if (args->has_table && args->has_srq)
		return -EINVAL;
	if (args->has_table) {
		attr->rwq_ind_tbl = uverbs_get(call, rwq_ind_table, args->table);
		return PTR_ERR_OR_ZERO(attr->rwq_ind_tbl);
	}
	if (args->type == IB_UVERBS_QPT_XRC_INI) {
		attr->cap.max_recv_wr = 0;
		attr->cap.max_recv_sge = 0;
		return 0;
	}
	attr->recv_cq = uverbs_get(call, cq, args->recv_cq);
	if (IS_ERR(attr->recv_cq))
		return PTR_ERR(attr->recv_cq);
	if (args->has_srq)
		attr->srq = uverbs_get(call, srq, args->srq);
	return IS_ERR(attr->srq) ? PTR_ERR(attr->srq) : 0;
}

int uverbs_create_qp(struct uverbs_attr_bundle *call, struct uverbs_qp_args *args,
		     struct ib_qp **qp)
{
	struct ib_qp_init_attr attr = {
		.event_handler = uverbs_event_object_handler,
		.sq_sig_type = args->signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = args->type,
		.create_flags = args->flags,
		.source_qpn = args->source_qpn,
	};
	struct ib_device *dev = call->context->device;
	struct uverbs_xrcd *uxrcd = NULL;
	struct ib_pd *pd = NULL;
	struct uverbs_qp *uqp;
	int ret;

	uqp = new_uqp(call, args->user_handle, args->async);
	if (IS_ERR(uqp))
		return PTR_ERR(uqp);
	ret = check_type(dev, args->type);
	if (ret)
		return ret;
	if ((args->flags & IB_QP_CREATE_SOURCE_QPN) && !capable(CAP_NET_RAW))
		return -EPERM;
	attr.qp_context = &uqp->event_object;
	IB_USER_COPY_QP_CAP(&attr.cap, &args->cap);
	if (args->type == IB_UVERBS_QPT_XRC_TGT) {
		uxrcd = uverbs_xrcd_get(call, args->pd, &attr.xrcd);
		ret = PTR_ERR_OR_ZERO(uxrcd);
	} else {
		ret = get_qp_parents(call, args, &attr, &pd);
	}
	if (ret)
		return ret;
	*qp = ib_create_qp_user(dev, pd, &attr, &call->driver_udata, &uqp->event_object.uobj, NULL);
	if (IS_ERR(*qp))
		return PTR_ERR(*qp);
	IB_USER_COPY_QP_CAP(&args->cap, &attr.cap);
	set_qp(uqp, *qp, uxrcd);
	return 0;
}

int uverbs_open_qp(struct uverbs_attr_bundle *call, const struct uverbs_open_qp_args *args,
		   struct ib_qp **qp)
{
	struct ib_qp_open_attr attr = {
		.event_handler = uverbs_event_object_handler,
		.qp_num = args->number,
		.qp_type = args->type,
	};
	struct uverbs_xrcd *uxrcd;
	struct uverbs_qp *uqp;
	struct ib_xrcd *xrcd;

	if (!call->ibdev->ops.alloc_xrcd)
		return -EOPNOTSUPP;
	uqp = new_uqp(call, args->user_handle, NULL);
	if (IS_ERR(uqp))
		return PTR_ERR(uqp);
	uxrcd = uverbs_xrcd_get(call, args->xrcd, &xrcd);
	if (IS_ERR(uxrcd))
		return PTR_ERR(uxrcd);
	attr.qp_context = &uqp->event_object;
	*qp = ib_open_qp(xrcd, &attr);
	if (IS_ERR(*qp))
		return PTR_ERR(*qp);
	(*qp)->uobject = &uqp->event_object.uobj;
	set_qp(uqp, *qp, uxrcd);
	return 0;
}

/*
 * Returns @mask without the attributes that a QP of type @type lacks, if @type is an XRC type.
 * Programs set all attributes of an RC QP, even those that only the other side of XRC has.
 */
static int mask_of_side(enum ib_qp_type type, int mask)
{
	switch (type) {
	case IB_QPT_XRC_INI:
		return mask & ~(IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	case IB_QPT_XRC_TGT:
		return mask & ~(IB_QP_MAX_QP_RD_ATOMIC | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY);
	default:
		return mask;
	}
}

/*
 * Checks that a path leaves by the port of the QP, because the port decides which P_Keys and
 * counters the QP uses. A QP that is moved to RTR already has a port. A path that is set in state
 * SQD moves the QP to the port of the path, so this port is added to @attr and @mask if @mask has
 * no port.
 */
static int check_path_ports(const struct ib_qp *qp, struct ib_qp_attr *attr, int *mask)
{
	u32 port = attr->ah_attr.port_num;

	if ((*mask & IB_QP_ALT_PATH) && attr->alt_port_num != attr->alt_ah_attr.port_num)
		return -EINVAL;
	if (!(*mask & IB_QP_AV))
		return 0;
	if ((*mask & IB_QP_STATE) && attr->qp_state == IB_QPS_RTR)
		return port == READ_ONCE(qp->real_qp->port) ? 0 : -EINVAL;
	if (!(*mask & IB_QP_PORT)) {
		*mask |= IB_QP_PORT;
		attr->port_num = port;
	}
	return port == attr->port_num ? 0 : -EINVAL;
}

/*
 * Refuses a controlled Q_Key (with IB_QP_SET_QKEY) if the process has no right to use it. A
 * controlled Q_Key lets datagrams reach the QPs of subnet management, which nothing else protects.
 */
static int check_qkey(const struct ib_qp_attr *attr, int mask)
{
	if (!(mask & IB_QP_QKEY) || !(attr->qkey & IB_QP_SET_QKEY))
		return 0;
	return rdma_nl_get_privileged_qkey() ? 0 : -EPERM;
}

int uverbs_modify_qp(struct uverbs_attr_bundle *call, u32 handle, struct ib_qp_attr *attr, int mask)
{
	struct ib_qp *qp = uverbs_get(call, qp, handle);
	int ret;

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = check_path_ports(qp, attr, &mask);
	if (ret)
		return ret;
	ret = check_qkey(attr, mask) ?: uverbs_udata_prepare(call);
	if (ret)
		return ret;
	return ib_modify_qp_with_udata(qp, attr, mask_of_side(qp->qp_type, mask),
				       &call->driver_udata);
}

int uverbs_query_qp(struct uverbs_attr_bundle *call, u32 handle, int mask, struct ib_qp_attr *attr,
		    struct ib_qp_init_attr *init)
{
	struct ib_qp *qp = uverbs_get(call, qp, handle);

	return IS_ERR(qp) ? PTR_ERR(qp) : ib_query_qp(qp, attr, mask, init);
}

/*
 * Looks up a QP that is to be attached to a multicast group, or detached from one. A device has
 * both operations or none.
 */
static struct ib_uobject *get_mcast_qp(struct uverbs_attr_bundle *call, u32 handle)
{
	if (!call->ibdev->ops.attach_mcast)
		return ERR_PTR(-EOPNOTSUPP);
	return uverbs_object_get(call, &uverbs_qp_type, handle);
}

int uverbs_attach_mcast(struct uverbs_attr_bundle *call, u32 handle, union ib_gid *gid, u16 lid)
{
	struct ib_uobject *uobj = get_mcast_qp(call, handle);

	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	return uverbs_mcast_attach(&to_uqp(uobj)->mcast, uobj->object, gid, lid);
}

int uverbs_detach_mcast(struct uverbs_attr_bundle *call, u32 handle, union ib_gid *gid, u16 lid)
{
	struct ib_uobject *uobj = get_mcast_qp(call, handle);

	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	return uverbs_mcast_detach(&to_uqp(uobj)->mcast, uobj->object, gid, lid);
}

int uverbs_destroy_qp(struct uverbs_attr_bundle *call, u32 handle, u32 *events_reported)
{
	return uverbs_event_object_destroy(call, &uverbs_qp_type, handle, events_reported);
}

void uverbs_qps_fail(struct ib_uverbs_file *file)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct ib_uobject *uobj;

	lockdep_assert_held(&file->empty_lock);
	/* Ignore errors: a QP that cannot be moved is destroyed in its present state. */
	list_for_each_entry(uobj, &file->list, entry)
		if (uobj->type == &uverbs_qp_type)
			ib_modify_qp(uobj->object, &attr, IB_QP_STATE);
}
