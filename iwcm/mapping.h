/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Identifiers and the port mapper.
 */
#ifndef _KRDMA_IWCM_MAPPING_H_
#define _KRDMA_IWCM_MAPPING_H_

#include <linux/types.h>

struct iw_cm_event;
struct iwcm_id;

/* Ends an identifier's mapping. The addresses on the wire are then the real addresses. */
void iwcm_map_nothing(struct iwcm_id *id);

/**
 * iwcm_map - set an identifier's addresses on the wire
 * @id: the identifier, whose previous mapping ends
 * @active: true: the identifier connects; false: it listens
 *
 * If the device uses the port mapper, and a port mapper answers, the port mapper maps the
 * addresses. Otherwise the addresses on the wire are the real addresses.
 *
 * Return: 0, or a negative errno of iwpm_map_listen() or iwpm_map_connect(), or of the route lookup
 * for a connection without a source address.
 */
int iwcm_map(struct iwcm_id *id, bool active);
void iwcm_unmap(struct iwcm_id *id);

/**
 * iwcm_unmap_request - replace a request's addresses on the wire by the real ones
 * @listener: identifier that listens; if it has no mapping, nothing is replaced
 * @child: identifier of the request
 * @event: the CONNECT_REQUEST, about to be delivered
 */
void iwcm_unmap_request(struct iwcm_id *listener, struct iwcm_id *child, struct iw_cm_event *event);

#endif /* _KRDMA_IWCM_MAPPING_H_ */
