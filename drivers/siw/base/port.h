/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The one port of a device, whose state and addresses are those of the netdev.
 */
#ifndef SIW_PORT_H
#define SIW_PORT_H

#include <rdma/ib_verbs.h>

struct siw_device;

int siw_query_port(struct ib_device *base, u32 port, struct ib_port_attr *attr);
int siw_query_gid(struct ib_device *base, u32 port, int index, union ib_gid *gid);
int siw_get_port_immutable(struct ib_device *base, u32 port, struct ib_port_immutable *immutable);
enum rdma_link_layer siw_get_link_layer(struct ib_device *base, u32 port);

/* Returns true if the netdev is up, has a carrier, and is in the device's namespace. */
bool siw_link_is_up(const struct siw_device *dev);
/* Dispatches an event of the port, or of the device, to the device's clients. Any context. */
void siw_port_event(struct siw_device *dev, enum ib_event_type event);

#endif /* SIW_PORT_H */
