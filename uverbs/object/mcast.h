/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The multicast groups that a process's QP is attached to.
 */
#ifndef _KRDMA_UVERBS_OBJECT_MCAST_H_
#define _KRDMA_UVERBS_OBJECT_MCAST_H_

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct ib_qp;
union ib_gid;

/**
 * struct uverbs_mcast - the groups of a QP
 * @lock: protects @groups; held while the provider attaches or detaches the QP
 * @groups: groups that the QP is attached to
 */
struct uverbs_mcast {
	struct mutex		lock; /* protects @groups */
	struct list_head	groups;
};

void uverbs_mcast_init(struct uverbs_mcast *mcast);

/**
 * uverbs_mcast_attach - attach a QP to a group
 * @mcast: the QP's groups
 * @qp: the QP
 * @gid: GID of the group
 * @lid: LID of the group
 *
 * If the QP is attached to the group already, nothing changes. May sleep.
 *
 * Return: 0; -ENOMEM; or an errno of ib_attach_mcast().
 */
int uverbs_mcast_attach(struct uverbs_mcast *mcast, struct ib_qp *qp, union ib_gid *gid, u16 lid);

/**
 * uverbs_mcast_detach - detach a QP from a group
 * @mcast: the QP's groups
 * @qp: the QP
 * @gid: GID of the group
 * @lid: LID of the group
 *
 * May sleep.
 *
 * Return: 0; -EINVAL: the QP is not attached to the group; or an errno of ib_detach_mcast(), after
 * which the QP is still attached.
 */
int uverbs_mcast_detach(struct uverbs_mcast *mcast, struct ib_qp *qp, union ib_gid *gid, u16 lid);

/* Detaches a QP from all its groups, except where the provider refuses. May sleep. */
void uverbs_mcast_detach_all(struct uverbs_mcast *mcast, struct ib_qp *qp);

#endif /* _KRDMA_UVERBS_OBJECT_MCAST_H_ */
