/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * XRC target QPs and their handles.
 */
#ifndef _KRDMA_VERBS_XRC_QP_H_
#define _KRDMA_VERBS_XRC_QP_H_

#include <rdma/verbs/xrc.h>

/**
 * verbs_xrc_qp_create - make a target QP
 * @dev: device to make it on
 * @attr: attributes of the QP; on success cap is the QP's actual capacity
 * @uobj: the process's uobject, which the first handle gets; NULL for a kernel QP
 * @caller: name of the module that owns the QP; NULL: the calling process is the owner
 *
 * Process context, may sleep.
 *
 * Return: the first handle of the QP; or one of the ERR_PTRs of ib_create_qp_user().
 */
struct ib_qp *verbs_xrc_qp_create(struct ib_device *dev, struct ib_qp_init_attr *attr,
				  struct ib_uobject *uobj, const char *caller);

/**
 * verbs_xrc_qp_close - close a handle, and destroy the QP if this is its last handle
 * @qp: the handle
 *
 * Process context, may sleep. Waits until no event handler of the handle runs.
 *
 * Return: as ib_close_qp().
 */
int verbs_xrc_qp_close(struct ib_qp *qp);

#endif /* _KRDMA_VERBS_XRC_QP_H_ */
