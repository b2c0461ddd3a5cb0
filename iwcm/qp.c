// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The QP that is bound to an identifier. iwcm_id.qp holds a reference to the QP. A caller that
 * clears iwcm_id.qp, under iwcm_id.lock, drops that reference after it has released the lock.
 */
#include <linux/export.h>

#include "iwcm/qp.h"
#include "iwcm/iwcm.h"

void iwcm_qp_bind(struct iwcm_id *id, struct ib_qp *qp)
{
	lockdep_assert_held(&id->lock);
	id->qp = qp;
	id->requested_state = IB_QPS_RESET;
}

struct ib_qp *iwcm_qp_unbind_locked(struct iwcm_id *id)
{
	struct ib_qp *qp = id->qp;

	lockdep_assert_held(&id->lock);
	id->qp = NULL;
	if (qp)
		wake_up_all(&id->wait);
	return qp;
}

void iwcm_qp_put(struct ib_qp *qp)
{
	if (qp)
		qp->device->ops.iw_rem_ref(qp);
}

void iwcm_qp_unbind(struct iwcm_id *id)
{
	struct ib_qp *qp;

	spin_lock_irq(&id->lock);
	qp = iwcm_qp_unbind_locked(id);
	spin_unlock_irq(&id->lock);
	iwcm_qp_put(qp);
}

int iwcm_qp_modify(struct iwcm_id *id, enum ib_qp_state to)
{
	struct ib_qp_attr attr = { .qp_state = to };
	struct ib_qp *qp = NULL;
	int ret;

	spin_lock_irq(&id->lock);
	if (id->qp && id->requested_state < to) {
		qp = id->qp;
		qp->device->ops.iw_add_ref(qp);
		id->requested_state = to;
	}
	spin_unlock_irq(&id->lock);
	if (!qp)
		return 0;
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	iwcm_qp_put(qp);
	if (!ret)
		return 0;

	spin_lock_irq(&id->lock);
	id->requested_state = IB_QPS_RESET;
	spin_unlock_irq(&id->lock);
	return ret;
}

void iw_cm_unbind_qp(struct iw_cm_id *cm_id, struct ib_qp *qp)
{
	struct iwcm_id *id = to_iwcm_id(cm_id);
	struct ib_qp *bound = NULL;
	unsigned long flags;

	spin_lock_irqsave(&id->lock, flags);
	if (id->qp == qp)
		bound = iwcm_qp_unbind_locked(id);
	spin_unlock_irqrestore(&id->lock, flags);
	iwcm_qp_put(bound);
}
EXPORT_SYMBOL(iw_cm_unbind_qp);

struct ib_qp *iw_cm_get_qp(struct ib_device *device, int qpn)
{
	struct ib_qp *qp;

	if (!device->ops.iw_get_qp || !device->ops.iw_add_ref)
		return NULL;
	qp = device->ops.iw_get_qp(device, qpn);
	if (qp)
		device->ops.iw_add_ref(qp);
	return qp;
}
EXPORT_SYMBOL(iw_cm_get_qp);
