/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Operations of iw_cm that connect, accept and reject; listen.h has the operations that listen.
 * Process context.
 */
#ifndef SIW_CM_H
#define SIW_CM_H

#include <linux/types.h>

struct iw_cm_conn_param;
struct iw_cm_id;

int siw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int siw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int siw_reject(struct iw_cm_id *cm_id, const void *pdata, u8 pdata_len);
int siw_reject_data(struct iw_cm_id *cm_id, const void *pdata, u16 pdata_len);

#endif /* SIW_CM_H */
