/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The port of a device: what its netdev makes of it.
 */
#ifndef SIW_PORT_H
#define SIW_PORT_H

#include <rdma/ib_verbs.h>

struct siw_device;

int siw_query_port(struct ib_device *base, u32 port, struct ib_port_attr *attr);
int siw_query_gid(struct ib_device *base, u32 port, int index, union ib_gid *gid);
int siw_get_port_immutable(struct ib_device *base, u32 port, struct ib_port_immutable *immutable);
enum rdma_link_layer siw_get_link_layer(struct ib_device *base, u32 port);
/* Is the netdev up, connected to something, and in the namespace that the device belongs to? */
bool siw_link_is_up(const struct siw_device *dev);
/* Tells the consumers of the device what has changed at its port, or at all. Any context. */
void siw_port_event(struct siw_device *dev, enum ib_event_type event);

#endif /* SIW_PORT_H */
