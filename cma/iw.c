// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The transport of iWARP devices: connections by iw_cm.
 *
 * iw_cm delivers the events of a connection one after the other. iw_destroy_cm_id() waits for the
 * event that is being delivered. Therefore the identifier exists while report_event() runs.
 */
#include "cma/transport.h"

#include <linux/export.h>
#include <rdma/iw_cm.h>

#include "cma/device.h"
#include "cma/handler.h"
#include "cma/id.h"
#include "cma/listen.h"

/* Largest length that fits into rdma_conn_param.private_data_len. */
#define MAX_PRIVATE_DATA 255

/*
 * Returns whether identifiers of the port space can connect. RDMA_PS_UDP is accepted although iWARP
 * has no datagrams: a program that needs datagrams fails later, when it creates its QP.
 */
static bool iw_serves(enum rdma_ucm_port_space ps)
{
	return ps == RDMA_PS_TCP || ps == RDMA_PS_UDP;
}

static int iw_init_qp_attr(struct cma_id *id, struct ib_qp_attr *attr, int *mask)
{
	if (id->conn)
		return iw_cm_init_qp_attr(id->conn, attr, mask);
	/* Return the same attributes that iw_cm_init_qp_attr() returns when a connection exists. */
	if (attr->qp_state != IB_QPS_INIT)
		return -EINVAL;
	*mask = IB_QP_STATE | IB_QP_ACCESS_FLAGS;
	attr->qp_access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				IB_ACCESS_REMOTE_READ;
	return 0;
}

static void set_tos(struct cma_id *id, struct iw_cm_id *iw)
{
	iw->tos = id->tos;
	iw->tos_set = id->tos_set;
}

static struct iw_cm_conn_param iw_param(const struct rdma_conn_param *param)
{
	return (struct iw_cm_conn_param) {
		.private_data = param->private_data,
		.private_data_len = param->private_data_len,
		.ord = param->initiator_depth,
		.ird = param->responder_resources,
		.qpn = param->qp_num,
	};
}

static void set_conn_param(struct rdma_cm_event *to, const struct iw_cm_event *from)
{
	to->param.conn.initiator_depth = min_t(u16, from->ord, U8_MAX);
	to->param.conn.responder_resources = min_t(u16, from->ird, U8_MAX);
	to->param.conn.private_data = from->private_data;
	to->param.conn.private_data_len = min_t(u16, from->private_data_len, MAX_PRIVATE_DATA);
}

/* Returns the event for a connection that the active side could not establish. */
static enum rdma_cm_event_type connect_failure(int status)
{
	switch (status) {
	case -ECONNREFUSED:
	case -ECONNRESET:
		return RDMA_CM_EVENT_REJECTED;
	case -ETIMEDOUT:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
		return RDMA_CM_EVENT_UNREACHABLE;
	default:
		return RDMA_CM_EVENT_CONNECT_ERROR;
	}
}

/*
 * Fills in @to with the outcome of connect or accept: ESTABLISHED or, if iw_cm reports an error,
 * the event @failed. After an error also sets the state @failed_state.
 */
static void conn_outcome(struct cma_id *id, const struct iw_cm_event *from,
			 struct rdma_cm_event *to,
			 enum rdma_cm_event_type failed, enum rdma_cm_state failed_state)
{
	set_conn_param(to, from);
	if (from->status) {
		to->event = failed;
		cma_cmpxchg_state(id, RDMA_CM_CONNECT, failed_state);
	} else {
		to->event = RDMA_CM_EVENT_ESTABLISHED;
		WRITE_ONCE(id->connected, true);
	}
}

/* Translates an event of iw_cm. Returns false if the consumer gets no event. */
static bool translate(struct cma_id *id, const struct iw_cm_event *from, struct rdma_cm_event *to)
{
	enum rdma_cm_state state = cma_state(id);

	lockdep_assert_held(&id->handler);
	if (state != RDMA_CM_CONNECT && state != RDMA_CM_DISCONNECT)
		return false;
	to->status = from->status;
	switch (from->event) {
	case IW_CM_EVENT_CONNECT_REPLY:
		if (!from->status) {
			*cma_src(id) = from->local_addr;
			*cma_dst(id) = from->remote_addr;
		}
		conn_outcome(id, from, to, connect_failure(from->status), RDMA_CM_ROUTE_RESOLVED);
		return true;
	case IW_CM_EVENT_ESTABLISHED:
		conn_outcome(id, from, to, RDMA_CM_EVENT_CONNECT_ERROR, RDMA_CM_DISCONNECT);
		return true;
	case IW_CM_EVENT_DISCONNECT:
	case IW_CM_EVENT_CLOSE:
		/*
		 * DISCONNECT and CLOSE together give the consumer one event. The event is
		 * delivered when the first of the two is reported.
		 */
		cma_cmpxchg_state(id, RDMA_CM_CONNECT, RDMA_CM_DISCONNECT);
		if (id->end_delivered)
			return false;
		id->end_delivered = true;
		if (id->connected) {
			to->event = RDMA_CM_EVENT_DISCONNECTED;
		} else {
			to->event = RDMA_CM_EVENT_CONNECT_ERROR;
			to->status = to->status ?: -ECONNRESET;
		}
		return true;
	default:
		return false;
	}
}

static int report_event(struct iw_cm_id *iw, struct iw_cm_event *event)
{
	struct cma_id *id = iw->context;
	struct rdma_cm_event to = {};
	bool due;

	mutex_lock(&id->handler);
	due = translate(id, event, &to);
	if (cma_deliver_unlock(id, due ? &to : NULL))
		return 0;
	/*
	 * The peer has closed its side of the connection. Closing our side sends the requests that
	 * are in the send queue, and flushes the other requests.
	 */
	if (event->event == IW_CM_EVENT_DISCONNECT)
		iw_cm_disconnect(iw, 0);
	return 0;
}

static int report_request(struct iw_cm_id *iw, struct iw_cm_event *from)
{
	struct rdma_cm_event to = { .event = RDMA_CM_EVENT_CONNECT_REQUEST };
	struct cma_id *listener = iw->context;
	struct cma_id *id;

	id = cma_request_lock(listener, iw->device, &from->local_addr, &from->remote_addr);
	if (IS_ERR(id))
		return PTR_ERR(id);
	id->conn = iw;
	iw->context = id;
	iw->cm_handler = report_event;
	set_conn_param(&to, from);
	/* If this function returns an error, iw_cm destroys @iw. */
	return cma_request_deliver_unlock(listener, id, &to) ? -ECONNABORTED : 0;
}

static int iw_prepare_listen(struct cma_listener *listener)
{
	struct cma_id *id = listener->id;
	struct iw_cm_id *iw;

	iw = __iw_create_cm_id(listener->dev->ibdev, report_request, id, NULL);
	if (IS_ERR(iw))
		return PTR_ERR(iw);
	iw->local_addr = *cma_src(id);
	iw->afonly = id->afonly;
	iw->memcg = id->memcg;
	set_tos(id, iw);
	listener->conn = iw;
	return 0;
}

static int iw_listen(struct cma_listener *listener, int backlog)
{
	return iw_cm_listen(listener->conn, backlog);
}

static void iw_cancel_listen(struct cma_listener *listener)
{
	iw_cm_cancel(listener->conn);
}

static void iw_unlisten(struct cma_listener *listener)
{
	iw_destroy_cm_id(listener->conn);
}

/*
 * Creates the iw_cm_id of the active side if the identifier has none. After a failure to resolve
 * the route or to connect, the identifier still has its iw_cm_id, which can be used again.
 */
static int create_active(struct cma_id *id)
{
	struct iw_cm_id *iw;

	lockdep_assert_held(&id->handler);
	if (id->conn)
		return 0;
	iw = __iw_create_cm_id(id->base.device, report_event, id, NULL);
	if (IS_ERR(iw))
		return PTR_ERR(iw);
	iw->local_addr = *cma_src(id);
	iw->remote_addr = *cma_dst(id);
	/* iw_connect() runs with the handler lock held, so it must not wait for the port mapper. */
	iw->map_first = true;
	id->conn = iw;
	return 0;
}

static bool iw_map_waits(const struct ib_device *ibdev)
{
	return iw_cm_uses_port_mapper(ibdev);
}

static int iw_map(struct cma_id *id)
{
	int ret = -ECANCELED;

	/*
	 * A thread that destroys the identifier sets DESTROYING with the handler lock held, and
	 * calls iw_cancel_map() later. If create_active() is called before, iw_cancel_map() finds
	 * id->conn. If DESTROYING is set before, create_active() is not called.
	 */
	mutex_lock(&id->handler);
	if (cma_state(id) == RDMA_CM_ROUTE_QUERY)
		ret = create_active(id);
	mutex_unlock(&id->handler);
	return ret ?: iw_cm_map(id->conn);
}

static void iw_cancel_map(struct cma_id *id)
{
	if (id->conn)
		iw_cm_cancel(id->conn);
}

static int iw_connect(struct cma_id *id, const struct rdma_conn_param *param)
{
	struct iw_cm_conn_param conn = iw_param(param);
	int ret = create_active(id);

	lockdep_assert_held(&id->handler);
	if (ret)
		return ret;
	id->end_delivered = false;
	WRITE_ONCE(id->connected, false);
	set_tos(id, id->conn);
	return iw_cm_connect(id->conn, &conn);
}

static int iw_accept(struct cma_id *id, const struct rdma_conn_param *param)
{
	struct iw_cm_conn_param conn = iw_param(param);

	lockdep_assert_held(&id->handler);
	set_tos(id, id->conn);
	return iw_cm_accept(id->conn, &conn);
}

static int iw_reject(struct cma_id *id, const void *private_data, u8 len, u8 reason)
{
	return iw_cm_reject(id->conn, private_data, len);
}

static int iw_disconnect(struct cma_id *id)
{
	return iw_cm_disconnect(id->conn, 0);
}

static void iw_release(struct cma_id *id)
{
	iw_destroy_cm_id(id->conn);
}

static bool iw_is_consumer_reject(int reason)
{
	return reason == -ECONNREFUSED;
}

const struct cma_transport cma_iw = {
	.serves = iw_serves,
	.prepare_listen = iw_prepare_listen,
	.listen = iw_listen,
	.cancel_listen = iw_cancel_listen,
	.unlisten = iw_unlisten,
	.map_waits = iw_map_waits,
	.map = iw_map,
	.cancel_map = iw_cancel_map,
	.connect = iw_connect,
	.accept = iw_accept,
	.reject = iw_reject,
	.disconnect = iw_disconnect,
	.release = iw_release,
	.init_qp_attr = iw_init_qp_attr,
	.reject_msg = iwcm_reject_msg,
	.is_consumer_reject = iw_is_consumer_reject,
};

struct iw_cm_id *rdma_iw_cm_id(struct rdma_cm_id *cm_id)
{
	return to_cma_id(cm_id)->conn;
}
EXPORT_SYMBOL(rdma_iw_cm_id);
