// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Connections of the test ULP by rdma_cm, with the same calls over iWARP, RoCE and InfiniBand.
 */
#include <rdma/rdma_cm.h>

#include "tools/testing/modules/kulp/kulp.h"

/*
 * For InfiniBand: number of retries of a send request. The value 7 for the retries while the peer
 * has no receive posted (RNR) means that their number is not limited.
 */
#define RETRIES		7
#define RNR_FOR_EVER	7
/* InfiniBand's reject reason "consumer defined". */
#define REJECTED_BY_ULP	28

static bool is_iwarp(const struct rdma_cm_id *id)
{
	return rdma_protocol_iwarp(id->device, id->port_num);
}

static struct rdma_conn_param conn_param(const struct kulp_conn *conn, u32 ird, u32 ord)
{
	const struct ib_device_attr *attrs = &conn->site.dev->attrs;

	return (struct rdma_conn_param) {
		.responder_resources = min_t(u32, ird, attrs->max_qp_rd_atom),
		.initiator_depth = min_t(u32, ord, attrs->max_qp_init_rd_atom),
		.retry_count = RETRIES,
		.rnr_retry_count = RNR_FOR_EVER,
	};
}

/* Rejects a request that the server does not accept, with the errno as private data. */
static int handle_connect_request(struct rdma_cm_id *id, const struct rdma_conn_param *param)
{
	struct kulp_request request = {
		.id = id,
		.private_data = param->private_data,
		.private_data_len = param->private_data_len,
		.ird = param->responder_resources,
		.ord = param->initiator_depth,
	};
	__be32 reason;
	int ret;

	/* InfiniBand pads private data with zeros to a fixed length. */
	if (!is_iwarp(id))
		request.private_data_len = min_t(u16, request.private_data_len,
						 sizeof(struct kulp_hello));
	ret = kulp_server_handle_request(id->context, &request);
	if (ret) {
		reason = cpu_to_be32(-ret);
		rdma_reject(id, &reason, sizeof(reason), REJECTED_BY_ULP);
	}
	return ret;
}

static int cm_rdma_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kulp_conn *conn = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return handle_connect_request(id, &event->param.conn);
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
		conn->resolve_status = event->status;
		complete(&conn->resolved);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		conn->on_event(conn, KULP_ESTABLISHED, 0);
		break;
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
		/* A positive status is the reject reason of InfiniBand. */
		conn->on_event(conn, KULP_ESTABLISHED,
			       event->status < 0 ? event->status : -ECONNREFUSED);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		conn->on_event(conn, KULP_CLOSED, -ECONNRESET);
		break;
	default:
		break;
	}
	return 0;
}

static int wait_resolved(struct kulp_conn *conn, int ret)
{
	return ret ?: kulp_wait_completion(conn, &conn->resolved) ?: conn->resolve_status;
}

static int cm_rdma_open(struct kulp_conn *conn)
{
	struct sockaddr *from = (struct sockaddr *)&conn->args.from;
	struct sockaddr *to = (struct sockaddr *)&conn->args.addr;
	int ret, ms = conn->args.timeout_ms;
	struct rdma_cm_id *id;

	id = rdma_create_id(conn->site.net, cm_rdma_handler, conn, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	conn->id = id;
	ret = rdma_resolve_addr(id, from->sa_family ? from : NULL, to, ms);
	ret = wait_resolved(conn, ret);
	if (ret)
		return ret;
	if (id->device != conn->site.dev) {
		pr_info("kulp: the address is reached by device %s, not by %s\n",
			dev_name(&id->device->dev), dev_name(&conn->site.dev->dev));
		return -ENODEV;
	}
	return wait_resolved(conn, rdma_resolve_route(id, ms));
}

static void cm_rdma_destroy_id(void *id)
{
	rdma_destroy_id(id);
}

static int cm_rdma_create_qp(struct kulp_conn *conn, struct ib_qp_init_attr *init)
{
	struct rdma_cm_id *id = conn->id;
	struct ib_qp_attr attr;
	int ret;

	ret = rdma_create_qp(id, conn->pd, init);
	if (ret)
		return ret;
	conn->qp = id->qp;
	/* On InfiniBand, rdma_cm grants atomic access to each connection that allows RDMA reads. */
	if (!is_iwarp(id) || !kulp_atomic_access(conn))
		return 0;
	attr.qp_access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
			       IB_ACCESS_REMOTE_READ | kulp_atomic_access(conn);
	return ib_modify_qp(conn->qp, &attr, IB_QP_ACCESS_FLAGS);
}

static void cm_rdma_destroy_qp(struct kulp_conn *conn)
{
	rdma_destroy_qp(conn->id);
}

static int cm_rdma_connect(struct kulp_conn *conn, const void *hello, u16 len)
{
	struct rdma_conn_param param = conn_param(conn, kulp_reads(conn), kulp_reads(conn));

	if (len > U8_MAX)
		return -EINVAL;
	param.private_data = hello;
	param.private_data_len = len;
	return rdma_connect(conn->id, &param);
}

static int cm_rdma_accept(struct kulp_conn *conn, const struct kulp_request *request)
{
	struct rdma_conn_param param = conn_param(conn, request->ird, request->ord);
	struct rdma_cm_id *id = conn->id;

	id->context = conn;
	param.private_data = request->private_data;
	param.private_data_len = request->private_data_len;
	return rdma_accept(id, &param);
}

/*
 * Calls rdma_disconnect() even if the peer has disconnected, because an InfiniBand peer waits for
 * the reply. An abrupt end is left to the destruction of the identifier, because rdma_cm has no
 * abrupt disconnect.
 */
static bool cm_rdma_disconnect(struct kulp_conn *conn, bool abrupt)
{
	if (abrupt && !completion_done(&conn->closed))
		return false;
	return !rdma_disconnect(conn->id);
}

static int cm_rdma_listen(struct kulp_listener *listener)
{
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(listener->site.net, cm_rdma_handler, listener, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	listener->id = id;
	ret = rdma_bind_addr(id, (struct sockaddr *)listener->addr);
	if (!ret && id->device != listener->site.dev)
		ret = -ENODEV;
	if (!ret)
		ret = rdma_listen(id, listener->backlog);
	if (ret)
		rdma_destroy_id(id);
	return ret;
}

const struct kulp_cm_ops kulp_cm_rdma = {
	.open = cm_rdma_open,
	.destroy_id = cm_rdma_destroy_id,
	.create_qp = cm_rdma_create_qp,
	.destroy_qp = cm_rdma_destroy_qp,
	.connect = cm_rdma_connect,
	.accept = cm_rdma_accept,
	.disconnect = cm_rdma_disconnect,
	.listen = cm_rdma_listen,
};
