/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Identifiers in the resource table of their device.
 */
#ifndef _KRDMA_IWCM_TRACK_H_
#define _KRDMA_IWCM_TRACK_H_

struct iwcm_id;

/**
 * iwcm_id_track - add a client's identifier to the resource table
 * @id: the identifier
 * @caller: name of the client's module; NULL: the identifier stays out of the table
 *
 * Return: 0 or the error of rdma_restrack_add().
 */
int iwcm_id_track(struct iwcm_id *id, const char *caller);

/**
 * iwcm_id_track_child - add the identifier of a request to the resource table
 * @child: the identifier
 * @listener: the listener of the request. The module that owns @listener also owns @child. If
 *	@listener was created without a name, @child is not added
 *
 * Return: 0 or the error of rdma_restrack_add().
 */
int iwcm_id_track_child(struct iwcm_id *child, const struct iwcm_id *listener);

/**
 * iwcm_id_untrack - remove an identifier from the resource table
 * @id: the identifier
 *
 * Sleeps until readers of the entry have finished. Has no effect on an identifier that is not in
 * the table, even if its device has been removed.
 */
void iwcm_id_untrack(struct iwcm_id *id);

#endif /* _KRDMA_IWCM_TRACK_H_ */
