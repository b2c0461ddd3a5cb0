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
 * @attr: its attributes; on success cap is the actual capacity
 * @udata: the process's data for the provider; NULL for a kernel QP
 * @uobj: handle of the process; NULL for a kernel QP
 * @caller: name of the module that owns the QP; NULL: the calling process is the owner
 *
 * Process context, may sleep.
 *
 * Return: the first handle of the QP; or an ERR_PTR as of ib_create_qp_user().
 */
struct ib_qp *verbs_xrc_qp_create(struct ib_device *dev, struct ib_qp_init_attr *attr,
				  struct ib_udata *udata, struct ib_uobject *uobj,
				  const char *caller);

/**
 * verbs_xrc_qp_close - close a handle; the last one destroys the QP
 * @qp: the handle
 * @udata: the process's data for the provider; NULL for the kernel
 *
 * Process context, may sleep.
 *
 * Return: as ib_close_qp().
 */
int verbs_xrc_qp_close(struct ib_qp *qp, struct ib_udata *udata);

#endif /* _KRDMA_VERBS_XRC_QP_H_ */
