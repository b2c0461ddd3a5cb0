// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Connections of the test ULP by iw_cm.
 */
#include "tools/testing/modules/kulp/kulp.h"

static int cm_iw_handler(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct kulp_conn *conn = id->context;

	switch (event->event) {
	case IW_CM_EVENT_CONNECT_REPLY:
	case IW_CM_EVENT_ESTABLISHED:
		conn->on_event(conn, KULP_ESTABLISHED, event->status);
		break;
	case IW_CM_EVENT_DISCONNECT:
		conn->on_event(conn, KULP_DISCONNECTED, event->status ?: -ECONNRESET);
		break;
	case IW_CM_EVENT_CLOSE:
		conn->on_event(conn, KULP_CLOSED, -ECONNRESET);
		break;
	default:
		kulp_conn_fail(conn, -EPROTO);
		break;
	}
	return 0;
}

static int cm_iw_open(struct kulp_conn *conn)
{
	struct iw_cm_id *id = iw_create_cm_id(conn->site.dev, cm_iw_handler, conn);

	if (IS_ERR(id))
		return PTR_ERR(id);
	memcpy(&id->remote_addr, &conn->args.addr, sizeof(id->remote_addr));
	id->local_addr.ss_family = id->remote_addr.ss_family;
	conn->id = id;
	return 0;
}

static void cm_iw_destroy_id(void *id)
{
	iw_destroy_cm_id(id);
}

static int cm_iw_create_qp(struct kulp_conn *conn, struct ib_qp_init_attr *init)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	int mask = 0, ret;

	conn->qp = ib_create_qp(conn->pd, init);
	if (IS_ERR(conn->qp)) {
		ret = PTR_ERR(conn->qp);
		conn->qp = NULL;
		return ret;
	}
	ret = iw_cm_init_qp_attr(conn->id, &attr, &mask);
	attr.qp_access_flags |= kulp_atomic_access(conn);
	return ret ?: ib_modify_qp(conn->qp, &attr, mask);
}

static void cm_iw_destroy_qp(struct kulp_conn *conn)
{
	ib_destroy_qp(conn->qp);
}

static int cm_iw_connect(struct kulp_conn *conn, const void *hello, u16 len)
{
	const struct ib_device_attr *attrs = &conn->site.dev->attrs;
	struct iw_cm_conn_param param = {
		.private_data = hello,
		.private_data_len = len,
		.ird = min_t(u32, kulp_reads(conn), attrs->max_qp_rd_atom),
		.ord = min_t(u32, kulp_reads(conn), attrs->max_qp_init_rd_atom),
		.qpn = conn->qp->qp_num,
	};

	return iw_cm_connect(conn->id, &param);
}

static int cm_iw_accept(struct kulp_conn *conn, const struct kulp_request *request)
{
	const struct ib_device_attr *attrs = &conn->site.dev->attrs;
	struct iw_cm_conn_param param = {
		.private_data = request->private_data,
		.private_data_len = request->private_data_len,
		.ird = request->ird ?: min_t(u32, kulp_reads(conn), attrs->max_qp_rd_atom),
		.ord = request->ord ?: min_t(u32, kulp_reads(conn), attrs->max_qp_init_rd_atom),
		.qpn = conn->qp->qp_num,
	};
	struct iw_cm_id *id = conn->id;

	id->context = conn;
	id->cm_handler = cm_iw_handler;
	return iw_cm_accept(id, &param);
}

static bool cm_iw_disconnect(struct kulp_conn *conn, bool abrupt)
{
	return !completion_done(&conn->closed) && !iw_cm_disconnect(conn->id, abrupt);
}

/* Rejects a request that the server does not accept, with the errno as private data. */
static int cm_iw_listen_handler(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct kulp_request request = {
		.id = id,
		.private_data = event->private_data,
		.private_data_len = event->private_data_len,
		.ird = event->ird,
		.ord = event->ord,
	};
	__be32 reason;
	int ret;

	if (event->event != IW_CM_EVENT_CONNECT_REQUEST)
		return 0;
	ret = kulp_server_handle_request(id->context, &request);
	if (ret) {
		reason = cpu_to_be32(-ret);
		iw_cm_reject(id, &reason, sizeof(reason));
	}
	return ret;
}

static int cm_iw_listen(struct kulp_listener *listener)
{
	struct iw_cm_id *id = iw_create_cm_id(listener->site.dev, cm_iw_listen_handler, listener);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	memcpy(&id->local_addr, listener->addr, sizeof(id->local_addr));
	listener->id = id;
	ret = iw_cm_listen(id, listener->backlog);
	if (ret)
		iw_destroy_cm_id(id);
	return ret;
}

const struct kulp_cm_ops kulp_cm_iw = {
	.open = cm_iw_open,
	.destroy_id = cm_iw_destroy_id,
	.create_qp = cm_iw_create_qp,
	.destroy_qp = cm_iw_destroy_qp,
	.connect = cm_iw_connect,
	.accept = cm_iw_accept,
	.disconnect = cm_iw_disconnect,
	.listen = cm_iw_listen,
};
