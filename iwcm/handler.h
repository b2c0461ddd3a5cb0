/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Identifiers with their handler: creation, calls and destruction.
 */
#ifndef _KRDMA_IWCM_HANDLER_H_
#define _KRDMA_IWCM_HANDLER_H_

#include <linux/gfp.h>

#include "iwcm/state.h"

struct ib_device;
struct iwcm_args;
struct iwcm_device;
struct iwcm_id;

/*
 * Allocates an identifier by iwcm_id_new(), and sets its upcall and its work item. Returns NULL if
 * there is no memory.
 */
struct iwcm_id *iwcm_id_create(struct iwcm_device *dev, struct ib_device *ibdev, gfp_t gfp);

/**
 * iwcm_id_destroy - destroy an identifier
 * @id: the identifier; the caller is its client, or has a reference of its own
 *
 * Sleeps until no handler of the identifier runs, unless called from inside that handler. Drops the
 * client's reference. Has no effect on an identifier that was destroyed before.
 */
void iwcm_id_destroy(struct iwcm_id *id);

/*
 * Calls iwcm_state_call(), and discards the events that the client must not receive. Returns the
 * result of iwcm_state_call().
 */
int iwcm_id_call(struct iwcm_id *id, enum iwcm_call call, struct iwcm_args *args);

#endif /* _KRDMA_IWCM_HANDLER_H_ */
