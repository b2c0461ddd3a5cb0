/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A CA as a device of the kernel, and its objects. */
#ifndef SIB_H
#define SIB_H

#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "drivers/sib/limits.h"
#include "drivers/sib/model.h"
#include "soft/cq.h"
#include "soft/device.h"
#include "soft/qp.h"

#define SIB_GROUP_BUCKETS_LOG	6

/**
 * struct sib_attachment - a QP that receives from a multicast group
 * @entry: entry in sib_device.groups
 * @rcu: frees the attachment after those who read it
 * @qp: the QP
 * @gid: GID of the group
 * @lid: LID of the group
 */
struct sib_attachment {
	struct hlist_node entry;
	struct rcu_head rcu;
	struct sib_qp *qp;
	union ib_gid gid;
	u16 lid;
};

/**
 * struct sib_device - a CA that clients use
 * @soft: the core's object, and the part that soft/ uses; has to be at offset 0
 * @fabric: its fabric; a default fabric is referenced
 * @node: the CA
 * @entry: entry in the list of devices of a default fabric (net.c)
 * @qps: QPs by number, without QP 0 and QP 1; looked up under RCU
 * @next_qpn: number from which the search for a free one goes on; protected by the lock of @qps
 * @special: QP 0 and QP 1 of each port, from element 1 on; changed under @special_lock
 * @special_lock: serialises changes of @special
 * @groups: attachments by the hash of the group's GID; looked up under RCU, changed under
 *	@groups_lock
 * @groups_lock: serialises changes of @groups; protects @num_attached
 * @num_attached: attachments
 * @num_qp: existing QPs
 * @num_pd: existing PDs
 * @num_ah: existing address handles
 */
struct sib_device {
	struct soft_device soft;
	struct sib_fabric *fabric;
	struct sib_node *node;
	struct list_head entry;
	struct xarray qps;
	u32 next_qpn;
	struct sib_qp __rcu *special[2][SIB_CA_PORTS + 1];
	struct mutex special_lock; /* serialises changes of @special */
	struct hlist_head groups[1 << SIB_GROUP_BUCKETS_LOG];
	struct mutex groups_lock; /* serialises changes of @groups; protects @num_attached */
	u32 num_attached;
	atomic_t num_qp;
	atomic_t num_pd;
	atomic_t num_ah;
};

static inline struct sib_device *to_sib_dev(const struct ib_device *base)
{
	return container_of(base, struct sib_device, soft.base);
}

/* Returns the list of the attachments to groups with the hash of a GID. */
static inline struct hlist_head *sib_group_bucket(struct sib_device *dev, const u8 *gid)
{
	return &dev->groups[jhash(gid, sizeof(union ib_gid), 0) &
			    (ARRAY_SIZE(dev->groups) - 1)];
}

/**
 * struct sib_qp - QP 0, QP 1, or a QP of type UD
 * @soft: the part that soft/ uses; has to be at offset 0. Its send queue has no entries, because a
 *	datagram is sent, and its request completes, while it is posted
 * @type: type of the QP
 * @port: port that the QP belongs to; of a UD QP from INIT on
 * @attr: attributes; protected by @modify
 * @cap: sizes
 * @modify: serialises changes of the QP
 * @send_lock: keeps sends in order, and protects @buf and @held; taken with interrupts off;
 *	@recv_lock of any QP nests in it
 * @recv_lock: keeps receives in order; taken with interrupts off; the locks of the receive queue
 *	and of CQs nest in it
 * @qkey: copy of a member of @attr for the data path
 * @pkey_index: copy of a member of @attr for the data path
 * @signal_all: every request is signalled
 * @block_loopback: no datagram that the QP has sent to a group comes back to it
 * @held: requests that were posted in SQD
 * @num_held: number of @held
 * @max_len: size of @buf: longest payload in bytes
 * @buf: payload of the datagram that is being sent
 */
struct sib_qp {
	struct soft_qp soft;
	enum ib_qp_type type;
	struct sib_port *port;
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	struct mutex modify; /* serialises changes of the QP */
	spinlock_t send_lock; /* keeps sends in order, and protects @buf and @held */
	spinlock_t recv_lock; /* keeps receives in order */
	u32 qkey;
	u16 pkey_index;
	bool signal_all;
	bool block_loopback;
	struct list_head held;
	u32 num_held;
	u32 max_len;
	u8 *buf;
};

static inline struct sib_qp *to_sib_qp(struct ib_qp *base)
{
	return container_of(base, struct sib_qp, soft.base);
}

/* The core allocates PDs by the size of this struct. */
struct sib_pd {
	struct ib_pd base;
};

/**
 * struct sib_ah - address handle
 * @base: the verbs object
 * @attr: the address
 */
struct sib_ah {
	struct ib_ah base;
	struct rdma_ah_attr attr;
};

static inline struct sib_ah *to_sib_ah(struct ib_ah *base)
{
	return container_of(base, struct sib_ah, base);
}

#endif /* SIB_H */
