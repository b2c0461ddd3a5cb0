/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * QPs themselves, as opposed to handles of XRC target QPs: creation and destruction.
 */
#ifndef _KRDMA_VERBS_QP_CREATE_H_
#define _KRDMA_VERBS_QP_CREATE_H_

#include <rdma/verbs/qp.h>

/**
 * verbs_qp_create - make a QP
 * @dev: device to make it on
 * @pd: protection domain; ignored for an XRC target QP
 * @attr: attributes of the QP; on return, cap is the QP's actual capacity
 * @udata: the process's data for the provider; NULL for a kernel QP
 * @uobj: handle of the process; NULL for a kernel QP
 * @caller: name of the module that owns the QP; NULL: the calling process is the owner
 *
 * Process context, may sleep. Makes no handle for an XRC target QP.
 *
 * Return: as ib_create_qp_user().
 */
struct ib_qp *verbs_qp_create(struct ib_device *dev, struct ib_pd *pd, struct ib_qp_init_attr *attr,
			      struct ib_udata *udata, struct ib_uobject *uobj, const char *caller);

/**
 * verbs_qp_destroy - destroy a QP itself
 * @qp: the QP, not a handle of an XRC target QP
 * @udata: the process's data for the provider; NULL for a kernel QP
 *
 * Process context, may sleep.
 *
 * Return: as ib_destroy_qp_user().
 */
int verbs_qp_destroy(struct ib_qp *qp, struct ib_udata *udata);

#endif /* _KRDMA_VERBS_QP_CREATE_H_ */
