/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The port of a device, as clients of the core see it. */
#ifndef SIB_PORT_H
#define SIB_PORT_H

#include <rdma/ib_verbs.h>

/* Operations of a device. */
int sib_query_port(struct ib_device *base, u32 num, struct ib_port_attr *attr);
int sib_modify_port(struct ib_device *base, u32 num, int mask, struct ib_port_modify *change);
int sib_get_port_immutable(struct ib_device *base, u32 num, struct ib_port_immutable *immutable);
enum rdma_link_layer sib_get_link_layer(struct ib_device *base, u32 num);
int sib_query_gid(struct ib_device *base, u32 num, int index, union ib_gid *gid);
int sib_query_pkey(struct ib_device *base, u32 num, u16 index, u16 *pkey);
int sib_modify_device(struct ib_device *base, int mask, struct ib_device_modify *change);
int sib_process_mad(struct ib_device *base, int flags, u32 num, const struct ib_wc *wc,
		    const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);

#endif /* SIB_PORT_H */
