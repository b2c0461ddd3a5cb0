/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The counters that QPs are bound to.
 */
#ifndef _KRDMA_CORE_COUNTERS_H_
#define _KRDMA_CORE_COUNTERS_H_

#include <linux/types.h>

struct ib_device;
struct ib_qp;
struct rdma_counter;
struct rdma_counter_mode;

/* Sets *@mode to the mode in which QPs of the port are bound to counters. */
void ib_core_counter_mode(struct ib_device *dev, u32 port, struct rdma_counter_mode *mode);

/**
 * ib_core_counter_set_auto - bind the QPs of processes automatically
 * @dev: a registered device; the caller ensures that it stays registered during the call
 * @port: port number
 * @mask: RDMA_COUNTER_MASK_* bits: the properties by which QPs are grouped. The QPs of a group
 *	share a counter. 0 ends the automatic mode
 *
 * Process context. The mode applies to QPs that become ready after the call.
 *
 * Return: 0; -EINVAL: @mask has unknown bits; -EOPNOTSUPP: the provider cannot count QPs; -EBUSY:
 * @mask is not 0, and the port has counters of another mode or mask.
 */
int ib_core_counter_set_auto(struct ib_device *dev, u32 port, u32 mask);

/**
 * ib_core_counter_bind - bind a QP to a counter
 * @dev: a registered device; the caller ensures that it stays registered during the call
 * @port: port number
 * @qpn: number of the QP
 * @id: in: number of the counter, 0 for a new one; out: number of the counter to which the QP is
 *	bound
 *
 * Process context.
 *
 * Return: 0; -ENOENT: no such QP or counter; -EBUSY: the QP is bound already, or the mode is
 * automatic; -EINVAL: the QP uses another port; -EOPNOTSUPP: the provider cannot count QPs;
 * -ENOMEM; or the provider's error.
 */
int ib_core_counter_bind(struct ib_device *dev, u32 port, u32 qpn, u32 *id);

/*
 * Unbinds a QP from the counter with number @id. Process context. Returns 0; -ENOENT: no such QP,
 * or the QP is not bound to that counter; -EBUSY: the mode is automatic; -EINVAL: the QP uses
 * another port; -EOPNOTSUPP: the provider cannot count QPs; or the provider's error.
 */
int ib_core_counter_unbind(struct ib_device *dev, u32 port, u32 qpn, u32 id);

/*
 * Called when a QP becomes ready for use. In automatic mode, binds the QP of a process to the
 * counter of its group; ib_core_counter_set_auto() defines the groups.
 */
void ib_core_counter_bind_auto(struct ib_qp *qp);

/* Unbinds a QP that is being destroyed. Called when look-ups do not find the QP any more. */
void ib_core_counter_unbind_destroyed_qp(struct ib_qp *qp);

/*
 * Refreshes the values of a counter. On success, returns 0 with counter->lock held: the values do
 * not change until the caller releases the lock. Otherwise returns the provider's error, and the
 * lock is not held. Process context.
 */
int ib_core_counter_read_lock(struct rdma_counter *counter);

#endif /* _KRDMA_CORE_COUNTERS_H_ */
