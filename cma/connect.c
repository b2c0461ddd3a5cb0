// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Calls that establish and end connections. They are declared in <rdma/rdma_cm.h>.
 */
#include <linux/export.h>

#include "cma/device.h"
#include "cma/id.h"
#include "cma/transport.h"

/*
 * Calls @call with @conn_param. If the identifier has a QP, @call gets the number of that QP
 * instead of @conn_param->qp_num. Records the number in id->qpn if @call succeeds. Called with the
 * handler lock held.
 */
static int call_with_qp(struct cma_id *id, const struct rdma_conn_param *conn_param,
			int (*call)(struct cma_id *id, const struct rdma_conn_param *param))
{
	struct rdma_conn_param param = *conn_param;
	int ret;

	lockdep_assert_held(&id->handler);
	if (id->base.qp)
		param.qp_num = id->base.qp->qp_num;
	ret = call(id, &param);
	if (!ret)
		WRITE_ONCE(id->qpn, param.qp_num);
	return ret;
}

/* Returns the errno for a call that is not allowed in the state of the identifier. */
static int state_error(struct cma_id *id)
{
	return cma_state(id) == RDMA_CM_DEVICE_REMOVAL ? -ENODEV : -EINVAL;
}

int rdma_connect_locked(struct rdma_cm_id *base, struct rdma_conn_param *conn_param)
{
	struct cma_id *id = to_cma_id(base);
	int ret;

	lockdep_assert_held(&id->handler);
	if (!conn_param)
		return -EINVAL;
	if (!cma_cmpxchg_state(id, RDMA_CM_ROUTE_RESOLVED, RDMA_CM_CONNECT))
		return state_error(id);
	ret = call_with_qp(id, conn_param, id->dev->transport->connect);
	if (ret)
		cma_cmpxchg_state(id, RDMA_CM_CONNECT, RDMA_CM_ROUTE_RESOLVED);
	return ret;
}
EXPORT_SYMBOL(rdma_connect_locked);

int rdma_connect(struct rdma_cm_id *base, struct rdma_conn_param *conn_param)
{
	struct cma_id *id = to_cma_id(base);
	int ret;

	mutex_lock(&id->handler);
	ret = rdma_connect_locked(base, conn_param);
	mutex_unlock(&id->handler);
	return ret;
}
EXPORT_SYMBOL(rdma_connect);

int rdma_connect_ece(struct rdma_cm_id *base, struct rdma_conn_param *conn_param,
		     struct rdma_ucm_ece *ece)
{
	return rdma_connect(base, conn_param);
}
EXPORT_SYMBOL(rdma_connect_ece);

int rdma_accept(struct rdma_cm_id *base, struct rdma_conn_param *conn_param)
{
	struct cma_id *id = to_cma_id(base);
	int ret = -EINVAL;

	lockdep_assert_held(&id->handler);
	if (cma_state(id) != RDMA_CM_CONNECT)
		return state_error(id);
	if (conn_param)
		ret = call_with_qp(id, conn_param, id->dev->transport->accept);
	if (!ret)
		return 0;
	/* Reject the request, because accept() leaves the request unanswered after some errors. */
	id->dev->transport->reject(id, NULL, 0, 0);
	return ret;
}
EXPORT_SYMBOL(rdma_accept);

int rdma_accept_ece(struct rdma_cm_id *base, struct rdma_conn_param *conn_param,
		    struct rdma_ucm_ece *ece)
{
	return rdma_accept(base, conn_param);
}
EXPORT_SYMBOL(rdma_accept_ece);

int rdma_reject(struct rdma_cm_id *base, const void *private_data, u8 private_data_len, u8 reason)
{
	struct cma_id *id = to_cma_id(base);

	/* While another thread connects, the state is CONNECT shortly before id->conn is set. */
	if (cma_state(id) != RDMA_CM_CONNECT || !id->conn)
		return -EINVAL;
	return id->dev->transport->reject(id, private_data, private_data_len, reason);
}
EXPORT_SYMBOL(rdma_reject);

int rdma_disconnect(struct rdma_cm_id *base)
{
	struct cma_id *id = to_cma_id(base);
	int ret;

	/*
	 * In ROUTE_QUERY there is no connection to end. If id->conn is set, it was created only to
	 * ask the port mapper.
	 */
	if (!id->conn || cma_state(id) == RDMA_CM_ROUTE_QUERY)
		return -EINVAL;
	ret = id->dev->transport->disconnect(id);
	/*
	 * If the connection was established, -EINVAL means that the connection has ended already.
	 * Disconnecting an ended connection is no error, whether or not the consumer has received
	 * DISCONNECTED.
	 */
	return ret == -EINVAL && READ_ONCE(id->connected) ? 0 : ret;
}
EXPORT_SYMBOL(rdma_disconnect);

int rdma_notify(struct rdma_cm_id *base, enum ib_event_type event)
{
	return to_cma_id(base)->conn ? 0 : -EINVAL;
}
EXPORT_SYMBOL(rdma_notify);

int rdma_join_multicast(struct rdma_cm_id *base, struct sockaddr *addr, u8 join_state,
			void *context)
{
	return base->device ? -EOPNOTSUPP : -EINVAL;
}
EXPORT_SYMBOL(rdma_join_multicast);

/* Does nothing, because rdma_join_multicast() never succeeds. */
void rdma_leave_multicast(struct rdma_cm_id *base, struct sockaddr *addr)
{
}
EXPORT_SYMBOL(rdma_leave_multicast);
