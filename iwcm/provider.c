// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The steps of clients' calls that concern the provider. The tables of state.c say which call runs
 * which step in which state.
 */
#include "iwcm/provider.h"
#include "iwcm/event.h"
#include "iwcm/id.h"
#include "iwcm/iwcm.h"
#include "iwcm/mapping.h"
#include "iwcm/qp.h"

/* Binds the QP that the client names, and allocates memory for all events of the connection. */
static int prepare_connect(struct iwcm_id *id, const struct iw_cm_conn_param *param,
			   enum iw_cm_event_type opening)
{
	struct ib_qp *qp = iw_cm_get_qp(id->base.device, param->qpn);
	int ret;

	if (!qp)
		return -EINVAL;
	ret = iwcm_event_reserve(id, opening);
	if (ret) {
		iwcm_qp_put(qp);
		return ret;
	}
	spin_lock_irq(&id->lock);
	iwcm_qp_bind(id, qp);
	spin_unlock_irq(&id->lock);
	return 0;
}

int iwcm_prepare_connect(struct iwcm_id *id, struct iwcm_args *args)
{
	return prepare_connect(id, args->param, IW_CM_EVENT_CONNECT_REPLY);
}

int iwcm_prepare_accept(struct iwcm_id *id, struct iwcm_args *args)
{
	return prepare_connect(id, args->param, IW_CM_EVENT_ESTABLISHED);
}

int iwcm_do_nothing(struct iwcm_id *id, struct iwcm_args *args)
{
	return 0;
}

int iwcm_do_map(struct iwcm_id *id, struct iwcm_args *args)
{
	int ret = iwcm_map(id, true);

	id->mapped_first = !ret;
	return ret;
}

int iwcm_do_listen(struct iwcm_id *id, struct iwcm_args *args)
{
	struct iw_cm_id *base = &id->base;
	int ret;

	spin_lock_irq(&id->lock);
	id->backlog = args->backlog;
	spin_unlock_irq(&id->lock);
	id->mapped_first = false;
	ret = iwcm_map(id, false);
	if (ret)
		return ret;
	ret = base->device->ops.iw_create_listen(base, args->backlog);
	if (ret)
		iwcm_unmap(id);
	return ret;
}

int iwcm_do_unlisten(struct iwcm_id *id, struct iwcm_args *args)
{
	id->base.device->ops.iw_destroy_listen(&id->base);
	return 0;
}

int iwcm_do_connect(struct iwcm_id *id, struct iwcm_args *args)
{
	struct iw_cm_id *base = &id->base;
	int ret;

	/* If iw_connect() fails, the mapping that iw_cm_map() made is kept for the next attempt. */
	if (id->mapped_first)
		return base->device->ops.iw_connect(base, args->param);
	if (base->map_first) {
		iwcm_map_nothing(id);
	} else {
		ret = iwcm_map(id, true);
		if (ret)
			return ret;
	}
	ret = base->device->ops.iw_connect(base, args->param);
	if (ret)
		iwcm_unmap(id);
	return ret;
}

int iwcm_do_accept(struct iwcm_id *id, struct iwcm_args *args)
{
	iwcm_id_uncount_pending(id);
	return id->base.device->ops.iw_accept(&id->base, args->param);
}

int iwcm_prepare_reject(struct iwcm_id *id, struct iwcm_args *args)
{
	/*
	 * A provider without iw_reject_data() is called by iw_reject(), which passes the length of
	 * the data as a u8.
	 */
	if (args->private_data_len > U8_MAX && !id->base.device->ops.iw_reject_data)
		return -EINVAL;
	return 0;
}

/* @args is NULL in the calls DESTROY and REMOVE, whose errors are ignored. */
int iwcm_do_reject(struct iwcm_id *id, struct iwcm_args *args)
{
	const struct ib_device_ops *ops = &id->base.device->ops;
	const void *data = args ? args->private_data : NULL;
	u16 len = args ? args->private_data_len : 0;
	int ret;

	if (ops->iw_reject_data)
		ret = ops->iw_reject_data(&id->base, data, len);
	else
		ret = ops->iw_reject(&id->base, data, len);
	iwcm_id_uncount_pending(id);
	return args ? ret : 0;
}

int iwcm_do_disconnect(struct iwcm_id *id, struct iwcm_args *args)
{
	int ret = iwcm_qp_modify(id, args->abrupt ? IB_QPS_ERR : IB_QPS_SQD);

	spin_lock_irq(&id->lock);
	/* Drop a queued DISCONNECT, because the client closes the connection itself. */
	if (!ret)
		iwcm_event_drop_disconnect(id);
	/* Ignore the error if the connection is closing already. */
	if (id->state != IWCM_ESTABLISHED)
		ret = 0;
	spin_unlock_irq(&id->lock);
	return ret;
}

/* Resets the connection. The provider then reports the last event or unbinds the QP. */
int iwcm_do_abort(struct iwcm_id *id, struct iwcm_args *args)
{
	iwcm_qp_modify(id, IB_QPS_ERR);
	return 0;
}

int iwcm_do_abort_unbind(struct iwcm_id *id, struct iwcm_args *args)
{
	iwcm_qp_modify(id, IB_QPS_ERR);
	iwcm_qp_unbind(id);
	return 0;
}

int iwcm_do_unbind(struct iwcm_id *id, struct iwcm_args *args)
{
	iwcm_qp_unbind(id);
	return 0;
}
