// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Connections: from request or route to their end.
 */
#include <linux/export.h>

#include "cma/cma.h"

static bool is_valid(const struct rdma_conn_param *param)
{
	return param && (!param->private_data_len || param->private_data);
}

/* With the QP of the identifier, or the one its owner names, kept if the call succeeds. */
static int with_qp(struct cma_id *id, const struct rdma_conn_param *conn_param,
		   int (*call)(struct cma_id *id, const struct rdma_conn_param *param))
{
	struct rdma_conn_param param = *conn_param;
	int ret;

	if (id->base.qp)
		param.qp_num = id->base.qp->qp_num;
	ret = call(id, &param);
	if (!ret)
		WRITE_ONCE(id->qpn, param.qp_num);
	return ret;
}

static int wrong_state(struct cma_id *id)
{
	return cma_state(id) == RDMA_CM_DEVICE_REMOVAL ? -ENODEV : -EINVAL;
}

int rdma_connect_locked(struct rdma_cm_id *base, struct rdma_conn_param *conn_param)
{
	struct cma_id *id = to_cma_id(base);
	int ret;

	lockdep_assert_held(&id->handler);
	if (!is_valid(conn_param))
		return -EINVAL;
	if (!cma_move(id, RDMA_CM_ROUTE_RESOLVED, RDMA_CM_CONNECT))
		return wrong_state(id);
	ret = with_qp(id, conn_param, id->dev->transport->connect);
	if (ret)
		cma_move(id, RDMA_CM_CONNECT, RDMA_CM_ROUTE_RESOLVED);
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
		return wrong_state(id);
	if (is_valid(conn_param))
		ret = with_qp(id, conn_param, id->dev->transport->accept);
	if (!ret)
		return 0;
	/* Some errors leave the request unanswered. */
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

	if (cma_state(id) != RDMA_CM_CONNECT || !id->iw || (private_data_len && !private_data))
		return -EINVAL;
	return id->dev->transport->reject(id, private_data, private_data_len, reason);
}
EXPORT_SYMBOL(rdma_reject);

int rdma_disconnect(struct rdma_cm_id *base)
{
	struct cma_id *id = to_cma_id(base);
	int ret;

	if (!id->iw)
		return -EINVAL;
	ret = id->dev->transport->disconnect(id);
	/* It has ended: that is what was wanted, whether the owner has heard of it or not. */
	return ret == -EINVAL && READ_ONCE(id->connected) ? 0 : ret;
}
EXPORT_SYMBOL(rdma_disconnect);

int rdma_notify(struct rdma_cm_id *base, enum ib_event_type event)
{
	return to_cma_id(base)->iw ? 0 : -EINVAL;
}
EXPORT_SYMBOL(rdma_notify);

int rdma_join_multicast(struct rdma_cm_id *base, struct sockaddr *addr, u8 join_state,
			void *context)
{
	return base->device ? -EOPNOTSUPP : -EINVAL;
}
EXPORT_SYMBOL(rdma_join_multicast);

/* None can have been joined. */
void rdma_leave_multicast(struct rdma_cm_id *base, struct sockaddr *addr)
{
}
EXPORT_SYMBOL(rdma_leave_multicast);

static int enter_device(struct cma_id *id, struct ib_device *ibdev)
{
	struct sockaddr_storage *local = cma_src(id);
	struct net_device *ndev;
	int ret;

	if (local->ss_family == AF_INET6)
		id->scope = krdma_addr6(local)->sin6_scope_id;
	ndev = cma_addr_netdev(id->net, local, id->scope);
	if (!ndev)
		return -EADDRNOTAVAIL;
	ret = cma_device_enter(id, ibdev, ndev);
	dev_put(ndev);
	return ret;
}

static struct cma_id *new_request(struct cma_id *listener, struct ib_device *ibdev,
				  const struct sockaddr_storage *local,
				  const struct sockaddr_storage *remote)
{
	const struct rdma_cm_id *base = &listener->base;
	struct cma_id *id;
	int ret;

	id = cma_id_new(listener->net, base->event_handler, base->context, base->ps,
			base->qp_type, listener->caller);
	if (!id)
		return ERR_PTR(-ENOMEM);
	cma_track_new(id, listener);
	*cma_src(id) = *local;
	*cma_dst(id) = *remote;
	id->state = RDMA_CM_CONNECT;
	mutex_lock_nested(&id->handler, SINGLE_DEPTH_NESTING);
	ret = enter_device(id, ibdev);
	if (!ret)
		return id;
	cma_set_state(id, RDMA_CM_DESTROYING);
	mutex_unlock(&id->handler);
	cma_id_destroy(id);
	return ERR_PTR(ret);
}

struct cma_id *cma_request(struct cma_id *listener, struct ib_device *ibdev,
			   const struct sockaddr_storage *local,
			   const struct sockaddr_storage *remote)
{
	struct cma_id *id = ERR_PTR(-ECONNABORTED);

	mutex_lock(&listener->handler);
	if (cma_state(listener) == RDMA_CM_LISTEN)
		id = new_request(listener, ibdev, local, remote);
	if (IS_ERR(id))
		mutex_unlock(&listener->handler);
	return id;
}

bool cma_request_tell(struct cma_id *listener, struct cma_id *id, struct rdma_cm_event *event)
{
	bool give_up = cma_told(id, cma_tell(id, event));

	mutex_unlock(&listener->handler);
	return give_up;
}
