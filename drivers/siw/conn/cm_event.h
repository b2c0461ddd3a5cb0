/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Events of connection endpoints.
 */
#ifndef SIW_CM_EVENT_H
#define SIW_CM_EVENT_H

#include <linux/workqueue.h>

/* Handles the pending events of an endpoint. Passed to siw_cep_new(). */
void siw_cep_work(struct work_struct *work);

#endif /* SIW_CM_EVENT_H */
