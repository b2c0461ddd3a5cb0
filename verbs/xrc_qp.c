// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * XRC target QPs. The QP itself is known only to its domain and its handles. A handle is a struct
 * ib_qp of its own, whose real_qp is the QP; the QP's usecnt is the number of its handles. The
 * domain's usecnt counts the handles instead of the QPs, and a handle is counted until the last
 * step of its destruction, because an unused domain may be freed at once.
 */
#include "verbs/xrc_qp.h"

#include <linux/completion.h>

#include "verbs/qp_create.h"
#include "verbs/verbs.h"

/*
 * Serves as the QP's event_handler: reports an event of the QP to each handle. Does not hold
 * open_lock while it calls a handle's event handler, because that could deadlock: the handlers of
 * processes send signals, which takes tasklist_lock, and a holder of tasklist_lock may be
 * interrupted by an event and wait for open_lock. A handle stays in the list while a report to it
 * runs, because unlink_handle() waits for the report.
 */
static void report_to_handles(struct ib_event *event, void *context)
{
	struct ib_qp *real = event->element.qp, *qp;
	spinlock_t *lock = &real->xrcd->open_lock;
	struct ib_event of_handle = *event;
	unsigned long flags;

	spin_lock_irqsave(lock, flags);
	list_for_each_entry(qp, &real->open_list, open_list) {
		if (!qp->event_handler || qp->open_end)
			continue;
		qp->open_reports++;
		spin_unlock_irqrestore(lock, flags);
		of_handle.element.qp = qp;
		qp->event_handler(&of_handle, qp->qp_context);
		spin_lock_irqsave(lock, flags);
		if (!--qp->open_reports && qp->open_end)
			complete(qp->open_end);
	}
	spin_unlock_irqrestore(lock, flags);
}

static void link_handle(struct ib_qp *qp)
{
	struct ib_qp *real = qp->real_qp;
	unsigned long flags;

	atomic_inc(&real->usecnt);
	spin_lock_irqsave(&real->xrcd->open_lock, flags);
	list_add_tail(&qp->open_list, &real->open_list);
	spin_unlock_irqrestore(&real->xrcd->open_lock, flags);
}

/* Takes a handle off its QP's list. On return no report to the handle runs, and none will. */
static void unlink_handle(struct ib_qp *qp)
{
	DECLARE_COMPLETION_ONSTACK(reports_end);
	struct ib_qp *real = qp->real_qp;
	bool reporting;

	might_sleep();
	spin_lock_irq(&real->xrcd->open_lock);
	qp->open_end = &reports_end;
	reporting = qp->open_reports;
	spin_unlock_irq(&real->xrcd->open_lock);
	if (reporting)
		wait_for_completion(&reports_end);
	spin_lock_irq(&real->xrcd->open_lock);
	list_del(&qp->open_list);
	qp->open_end = NULL;
	spin_unlock_irq(&real->xrcd->open_lock);
	atomic_dec(&real->usecnt);
}

/* Makes a handle, which gets no events before link_handle(). Returns NULL if there is no memory. */
static struct ib_qp *make_handle(struct ib_qp *real, struct ib_uobject *uobj,
				 void (*event_handler)(struct ib_event *event, void *context),
				 void *context)
{
	struct ib_qp *qp = verbs_zalloc(real->device, ib_qp, uobj);

	if (!qp)
		return NULL;
	qp->device = real->device;
	qp->real_qp = real;
	qp->xrcd = real->xrcd;
	qp->uobject = uobj;
	qp->event_handler = event_handler;
	qp->qp_context = context;
	qp->qp_num = real->qp_num;
	qp->qp_type = real->qp_type;
	spin_lock_init(&qp->mr_lock);
	INIT_LIST_HEAD(&qp->rdma_mrs);
	INIT_LIST_HEAD(&qp->sig_mrs);
	atomic_inc(&qp->xrcd->usecnt);
	return qp;
}

static void free_handle(struct ib_qp *qp)
{
	atomic_dec(&qp->xrcd->usecnt);
	kfree(qp);
}

struct ib_qp *verbs_xrc_qp_create(struct ib_device *dev, struct ib_qp_init_attr *attr,
				  struct ib_uobject *uobj, const char *caller)
{
	struct ib_qp_init_attr real_attr = *attr;
	struct ib_xrcd *xrcd = attr->xrcd;
	struct ib_qp *real, *qp;
	int ret = -ENOMEM;

	real_attr.event_handler = report_to_handles;
	/*
	 * Create the QP as one of the kernel, without udata and uobject, because the QP may outlive
	 * @uobj, the first handle's uobject. Providers expect that a QP with udata has a uobject.
	 */
	real = verbs_qp_create(dev, NULL, &real_attr, NULL, NULL, caller);
	if (IS_ERR(real))
		return real;
	qp = make_handle(real, uobj, attr->event_handler, attr->qp_context);
	if (!qp)
		goto err_destroy;
	down_write(&xrcd->tgt_qps_rwsem);
	ret = xa_insert(&xrcd->tgt_qps, real->qp_num, real, GFP_KERNEL);
	if (!ret)
		link_handle(qp);
	up_write(&xrcd->tgt_qps_rwsem);
	if (ret)
		goto err_free;
	attr->cap = real_attr.cap;
	return qp;

err_free:
	free_handle(qp);
err_destroy:
	verbs_qp_destroy(real, NULL);
	return ERR_PTR(ret);
}

struct ib_qp *ib_open_qp(struct ib_xrcd *xrcd, struct ib_qp_open_attr *qp_open_attr)
{
	struct ib_qp *real, *qp = ERR_PTR(-EINVAL);

	might_sleep();
	if (qp_open_attr->qp_type != IB_QPT_XRC_TGT)
		return qp;
	down_read(&xrcd->tgt_qps_rwsem);
	real = xa_load(&xrcd->tgt_qps, qp_open_attr->qp_num);
	if (real) {
		qp = make_handle(real, NULL, qp_open_attr->event_handler, qp_open_attr->qp_context);
		if (qp)
			link_handle(qp);
		else
			qp = ERR_PTR(-ENOMEM);
	}
	up_read(&xrcd->tgt_qps_rwsem);
	return qp;
}
EXPORT_SYMBOL(ib_open_qp);

int verbs_xrc_qp_close(struct ib_qp *qp)
{
	struct ib_qp *real = qp->real_qp;
	struct ib_xrcd *xrcd = qp->xrcd;
	int ret = 0;

	down_write(&xrcd->tgt_qps_rwsem);
	unlink_handle(qp);
	if (!atomic_read(&real->usecnt)) {
		ret = verbs_qp_destroy(real, NULL);
		if (ret)
			link_handle(qp);
		else
			xa_erase(&xrcd->tgt_qps, qp->qp_num);
	}
	up_write(&xrcd->tgt_qps_rwsem);
	if (!ret)
		free_handle(qp);
	return ret;
}

int ib_close_qp(struct ib_qp *qp)
{
	might_sleep();
	if (qp->real_qp == qp)
		return -EINVAL;
	return verbs_xrc_qp_close(qp);
}
EXPORT_SYMBOL(ib_close_qp);
