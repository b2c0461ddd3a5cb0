/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Connections as the rest of the driver sees them: iw_cm's operations, and how QPs and devices
 * end them.
 */
#ifndef SIW_CM_H
#define SIW_CM_H

#include <rdma/iw_cm.h>

#include "drivers/siw/stream.h"

struct siw_cep;
struct siw_device;
struct siw_qp;

/* iw_cm operations. */
int siw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int siw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int siw_reject(struct iw_cm_id *cm_id, const void *pdata, u8 pdata_len);
int siw_reject_data(struct iw_cm_id *cm_id, const void *pdata, u16 pdata_len);
int siw_create_listen(struct iw_cm_id *cm_id, int backlog);
int siw_destroy_listen(struct iw_cm_id *cm_id);

/*
 * From QP destruction, process context, when neither siw_qp_find() nor a binding leads to the QP
 * any more: stops its stream and drops the connection's reference to the QP, and iw_cm's. The
 * connection ends gracefully.
 */
void siw_cep_qp_destroyed(struct siw_cep *cep, struct siw_qp *qp);

/*
 * From ib_modify_qp(), any context. The QP was told to close, and its connection sees to it that
 * this ends; or to reset its connection, whether there is a stream yet or not.
 */
void siw_cep_closing(struct siw_cep *cep);
void siw_cep_abort(struct siw_cep *cep);

/* Resets every connection of a device. Process context, does not wait. */
void siw_cm_device_reset(struct siw_device *dev);
/*
 * Resets every connection of a device, and lets none begin: its netdev is leaving. Process
 * context, does not wait.
 */
void siw_cm_device_down(struct siw_device *dev);
/* The same, and waits until the device has no socket left. */
void siw_cm_device_gone(struct siw_device *dev);

/* Once, when the module is loaded and unloaded. */
int siw_cm_init(void);
void siw_cm_exit(void);

#endif /* SIW_CM_H */
