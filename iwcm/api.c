// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The calls of clients: checks of arguments, and what each call does at the provider.
 */
#include <linux/export.h>

#include "iwcm/iwcm.h"

static int check_param(const struct iw_cm_conn_param *param)
{
	if (!param || param->private_data_len > IWCM_MAX_PRIVATE_DATA)
		return -EINVAL;
	return param->private_data_len && !param->private_data ? -EINVAL : 0;
}

/* The QP that the client wants to use, and memory for all events that can come. */
static int prepare_connect(struct iwcm_id *id, const struct iw_cm_conn_param *param,
			   enum iw_cm_event_type opening)
{
	struct ib_qp *qp = iw_cm_get_qp(id->base.device, param->qpn);
	int ret;

	if (!qp)
		return -EINVAL;
	ret = iwcm_event_reserve(id, opening);
	if (ret) {
		iwcm_qp_drop(qp);
		return ret;
	}
	spin_lock_irq(&id->lock);
	iwcm_qp_tie(id, qp);
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

int iwcm_do_listen(struct iwcm_id *id, struct iwcm_args *args)
{
	struct iw_cm_id *base = &id->base;
	int ret;

	spin_lock_irq(&id->lock);
	id->backlog = args->backlog;
	spin_unlock_irq(&id->lock);
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
	iwcm_event_flush(id);
	return 0;
}

int iwcm_do_connect(struct iwcm_id *id, struct iwcm_args *args)
{
	struct iw_cm_id *base = &id->base;
	int ret;

	ret = iwcm_map(id, true);
	if (ret)
		return ret;
	ret = base->device->ops.iw_connect(base, args->param);
	if (ret)
		iwcm_unmap(id);
	return ret;
}

int iwcm_do_accept(struct iwcm_id *id, struct iwcm_args *args)
{
	iwcm_id_answered(id);
	return id->base.device->ops.iw_accept(&id->base, args->param);
}

/* Does the provider carry that much? */
int iwcm_prepare_reject(struct iwcm_id *id, struct iwcm_args *args)
{
	if (args->private_data_len > U8_MAX && !id->base.device->ops.iw_reject_data)
		return -EINVAL;
	return 0;
}

/* Without arguments when nobody wants the request any more. */
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
	iwcm_id_answered(id);
	return args ? ret : 0;
}

/*
 * A QP that cannot do it because the connection is ending anyway is as good as one that can. Who
 * has asked for the end need not hear that the peer asks for it, too.
 */
int iwcm_do_disconnect(struct iwcm_id *id, struct iwcm_args *args)
{
	int ret = iwcm_qp_move(id, args->abrupt ? IB_QPS_ERR : IB_QPS_SQD);

	spin_lock_irq(&id->lock);
	if (!ret)
		iwcm_event_drop(id, IW_CM_EVENT_DISCONNECT);
	if (id->state != IWCM_ESTABLISHED)
		ret = 0;
	spin_unlock_irq(&id->lock);
	return ret;
}

/* The provider answers with its last word, or by unbinding the QP. */
int iwcm_do_abort(struct iwcm_id *id, struct iwcm_args *args)
{
	iwcm_qp_move(id, IB_QPS_ERR);
	return 0;
}

int iwcm_do_abort_untie(struct iwcm_id *id, struct iwcm_args *args)
{
	iwcm_qp_move(id, IB_QPS_ERR);
	iwcm_qp_untie(id);
	return 0;
}

int iwcm_do_untie(struct iwcm_id *id, struct iwcm_args *args)
{
	iwcm_qp_untie(id);
	return 0;
}

int iw_cm_listen(struct iw_cm_id *cm_id, int backlog)
{
	struct iwcm_id *id = to_iwcm_id(cm_id);
	struct iwcm_args args = {};

	if (!iwcm_is_inet(&cm_id->local_addr))
		return -EINVAL;
	args.backlog = backlog > 0 ? min(backlog, IWCM_MAX_BACKLOG) : IWCM_DEFAULT_BACKLOG;
	return iwcm_state_call(id, IWCM_CALL_LISTEN, &args);
}
EXPORT_SYMBOL(iw_cm_listen);

int iw_cm_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param)
{
	struct iwcm_args args = { .param = iw_param };
	int ret = check_param(iw_param);

	if (ret)
		return ret;
	if (!iwcm_is_inet(&cm_id->local_addr) ||
	    cm_id->local_addr.ss_family != cm_id->remote_addr.ss_family)
		return -EINVAL;
	return iwcm_state_call(to_iwcm_id(cm_id), IWCM_CALL_CONNECT, &args);
}
EXPORT_SYMBOL(iw_cm_connect);

int iw_cm_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param)
{
	struct iwcm_args args = { .param = iw_param };
	int ret = check_param(iw_param);

	return ret ?: iwcm_state_call(to_iwcm_id(cm_id), IWCM_CALL_ACCEPT, &args);
}
EXPORT_SYMBOL(iw_cm_accept);

int iw_cm_reject(struct iw_cm_id *cm_id, const void *private_data, u16 private_data_len)
{
	struct iwcm_args args = {
		.private_data = private_data,
		.private_data_len = private_data_len,
	};

	if (private_data_len > IWCM_MAX_PRIVATE_DATA || (private_data_len && !private_data))
		return -EINVAL;
	return iwcm_state_call(to_iwcm_id(cm_id), IWCM_CALL_REJECT, &args);
}
EXPORT_SYMBOL(iw_cm_reject);

int iw_cm_disconnect(struct iw_cm_id *cm_id, int abrupt)
{
	struct iwcm_args args = { .abrupt = abrupt };

	return iwcm_state_call(to_iwcm_id(cm_id), IWCM_CALL_DISCONNECT, &args);
}
EXPORT_SYMBOL(iw_cm_disconnect);

/* The QP's attributes are of interest up to the moment in which its connection ends. */
static int check_qp_state(struct iwcm_id *id)
{
	int ret = 0;

	spin_lock_irq(&id->lock);
	if (id->gone)
		ret = -ENODEV;
	else if (id->state == IWCM_LISTEN || id->state >= IWCM_CLOSING)
		ret = -EINVAL;
	spin_unlock_irq(&id->lock);
	return ret;
}

int iw_cm_init_qp_attr(struct iw_cm_id *cm_id, struct ib_qp_attr *qp_attr, int *qp_attr_mask)
{
	int ret;

	if (!qp_attr || !qp_attr_mask)
		return -EINVAL;
	ret = check_qp_state(to_iwcm_id(cm_id));
	if (ret)
		return ret;

	switch (qp_attr->qp_state) {
	case IB_QPS_INIT:
	case IB_QPS_RTR:
		qp_attr->qp_access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					   IB_ACCESS_REMOTE_READ;
		*qp_attr_mask = IB_QP_STATE | IB_QP_ACCESS_FLAGS;
		return 0;
	case IB_QPS_RTS:
		/* The provider takes the QP there, when it has the connection. */
		*qp_attr_mask = 0;
		return 0;
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL(iw_cm_init_qp_attr);

const char *__attribute_const__ iwcm_reject_msg(int reason)
{
	switch (reason) {
	case -ECONNREFUSED:
		return "refused by the peer";
	case -ECONNRESET:
		return "connection reset by the peer";
	case -ECONNABORTED:
		return "connection attempt aborted";
	case -ETIMEDOUT:
		return "no answer in time";
	case -EHOSTUNREACH:
	case -ENETUNREACH:
		return "peer not reachable";
	case -EPROTO:
		return "peer violates the protocol";
	case -ENOMEM:
		return "out of memory";
	default:
		return "unknown reason";
	}
}
EXPORT_SYMBOL(iwcm_reject_msg);
