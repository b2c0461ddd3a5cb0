/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Multicast groups that datagram QPs receive from.
 */
#ifndef _RDMA_VERBS_MCAST_H_
#define _RDMA_VERBS_MCAST_H_

#include <rdma/verbs/types.h>

/**
 * ib_attach_mcast - attach a QP to a multicast group
 * @qp: the QP, of type %IB_QPT_UD
 * @gid: GID of the group; on RoCE version 2, an IPv4 group in the form of a GID, too
 * @lid: LID of the group, in the host's byte order; ignored on RoCE
 *
 * Process context, may sleep. On InfiniBand, the caller has joined the port to the group at the
 * subnet administration. The QP must be detached before it is destroyed.
 *
 * Return: 0; -EOPNOTSUPP if the device has no multicast; -EINVAL if the QP has another type, @gid
 * names no group, or the QP's port (any port, if the QP is in RESET) is an InfiniBand port and @lid
 * is not one of a group; or the provider's error.
 */
int ib_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);

/**
 * ib_detach_mcast - detach a QP from a multicast group
 * @qp: the QP, of type %IB_QPT_UD
 * @gid: GID of the group, as for ib_attach_mcast()
 * @lid: LID of the group, as for ib_attach_mcast()
 *
 * Process context, may sleep.
 *
 * Return: as ib_attach_mcast() for a QP in RESET. A provider returns an error if the QP is not
 * attached to the group.
 */
int ib_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);

#endif /* _RDMA_VERBS_MCAST_H_ */
