// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The exported calls of clients: they check arguments and run the state machine.
 */
#include <linux/export.h>

#include "iwcm/device.h"
#include "iwcm/handler.h"
#include "iwcm/id.h"
#include "iwcm/iwcm.h"
#include "iwcm/provider.h"
#include "iwcm/track.h"

#define DEFAULT_BACKLOG	256
#define MAX_BACKLOG	4096

static int check_param(const struct iw_cm_conn_param *param)
{
	if (!param || param->private_data_len > IWCM_MAX_PRIVATE_DATA)
		return -EINVAL;
	return param->private_data_len && !param->private_data ? -EINVAL : 0;
}

struct iw_cm_id *__iw_create_cm_id(struct ib_device *device, iw_cm_handler cm_handler,
				   void *context, const char *caller)
{
	struct iwcm_device *dev;
	struct iwcm_id *id;
	int ret = -ENOMEM;

	if (!device || !cm_handler)
		return ERR_PTR(-EINVAL);
	dev = iwcm_device_get(device);
	if (IS_ERR(dev))
		return ERR_CAST(dev);
	id = iwcm_id_create(dev, device, GFP_KERNEL_ACCOUNT);
	if (!id)
		goto put_device;
	id->base.cm_handler = cm_handler;
	id->base.context = context;
	/*
	 * Track the identifier first, because remove_device() may untrack it as soon as it is
	 * linked.
	 */
	ret = iwcm_id_track(id, caller, NULL);
	if (ret)
		goto put_id;
	ret = iwcm_id_link(id);
	if (ret)
		goto untrack;
	iwcm_device_put(dev);
	return &id->base;

untrack:
	iwcm_id_untrack(id);
put_id:
	iwcm_id_put(id);
put_device:
	iwcm_device_put(dev);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(__iw_create_cm_id);

void iw_destroy_cm_id(struct iw_cm_id *cm_id)
{
	iwcm_id_destroy(to_iwcm_id(cm_id));
}
EXPORT_SYMBOL(iw_destroy_cm_id);

static int check_ends(const struct iw_cm_id *cm_id)
{
	if (!iwcm_is_inet(&cm_id->local_addr) ||
	    cm_id->local_addr.ss_family != cm_id->remote_addr.ss_family)
		return -EINVAL;
	return 0;
}

int iw_cm_map(struct iw_cm_id *cm_id)
{
	struct iwcm_args args = {};

	return check_ends(cm_id) ?: iwcm_id_call(to_iwcm_id(cm_id), IWCM_CALL_MAP, &args);
}
EXPORT_SYMBOL(iw_cm_map);

void iw_cm_cancel(struct iw_cm_id *cm_id)
{
	iwpm_wait_cancel(&to_iwcm_id(cm_id)->asking);
}
EXPORT_SYMBOL(iw_cm_cancel);

int iw_cm_listen(struct iw_cm_id *cm_id, int backlog)
{
	struct iwcm_id *id = to_iwcm_id(cm_id);
	struct iwcm_args args = {};

	if (!iwcm_is_inet(&cm_id->local_addr))
		return -EINVAL;
	args.backlog = backlog > 0 ? min(backlog, MAX_BACKLOG) : DEFAULT_BACKLOG;
	return iwcm_id_call(id, IWCM_CALL_LISTEN, &args);
}
EXPORT_SYMBOL(iw_cm_listen);

int iw_cm_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param)
{
	struct iwcm_args args = { .param = iw_param };
	int ret = check_param(iw_param) ?: check_ends(cm_id);

	return ret ?: iwcm_id_call(to_iwcm_id(cm_id), IWCM_CALL_CONNECT, &args);
}
EXPORT_SYMBOL(iw_cm_connect);

int iw_cm_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param)
{
	struct iwcm_args args = { .param = iw_param };
	int ret = check_param(iw_param);

	return ret ?: iwcm_id_call(to_iwcm_id(cm_id), IWCM_CALL_ACCEPT, &args);
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
	return iwcm_id_call(to_iwcm_id(cm_id), IWCM_CALL_REJECT, &args);
}
EXPORT_SYMBOL(iw_cm_reject);

int iw_cm_disconnect(struct iw_cm_id *cm_id, int abrupt)
{
	struct iwcm_args args = { .abrupt = abrupt };

	return iwcm_id_call(to_iwcm_id(cm_id), IWCM_CALL_DISCONNECT, &args);
}
EXPORT_SYMBOL(iw_cm_disconnect);

int iw_cm_init_qp_attr(struct iw_cm_id *cm_id, struct ib_qp_attr *qp_attr, int *qp_attr_mask)
{
	struct iwcm_id *id = to_iwcm_id(cm_id);
	int ret = 0;

	if (!qp_attr || !qp_attr_mask)
		return -EINVAL;
	/* The QP of a connection can be set up until the connection is closing. */
	spin_lock_irq(&id->lock);
	if (id->device_removed)
		ret = -ENODEV;
	else if (id->state == IWCM_LISTEN || id->state >= IWCM_CLOSING)
		ret = -EINVAL;
	spin_unlock_irq(&id->lock);
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
		/* The provider moves the QP to RTS when the connection is established. */
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
