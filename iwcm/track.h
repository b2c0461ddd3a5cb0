/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Identifiers in the resource table of their device.
 */
#ifndef _KRDMA_IWCM_TRACK_H_
#define _KRDMA_IWCM_TRACK_H_

struct iwcm_id;

/**
 * iwcm_id_track - add an identifier to the resource table
 * @id: the identifier
 * @caller: name of the module that owns @id, or NULL to leave @id out of the table. Ignored if
 *	@listener is given
 * @listener: the listener that received the request of @id, or NULL. @id gets the owner of
 *	@listener; if @listener is not in the table, neither is @id
 *
 * Return: 0 or the error of rdma_restrack_add().
 */
int iwcm_id_track(struct iwcm_id *id, const char *caller, const struct iwcm_id *listener);

/**
 * iwcm_id_untrack - remove an identifier from the resource table
 * @id: the identifier
 *
 * Sleeps until readers of the entry have finished. Has no effect on an identifier that is not in
 * the table, even if its device has been removed.
 */
void iwcm_id_untrack(struct iwcm_id *id);

#endif /* _KRDMA_IWCM_TRACK_H_ */
