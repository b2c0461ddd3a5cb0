/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counters that QPs are bound to, by hand or automatically: `rdma statistic qp`.
 */
#ifndef _KRDMA_RDMA_COUNTER_H_
#define _KRDMA_RDMA_COUNTER_H_

#ifdef _RDMA_COUNTER_H_
#error "the kernel's <rdma/rdma_counter.h> was included before krdma's"
#endif
#define _RDMA_COUNTER_H_

#include <linux/mutex.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

struct ib_device;
struct rdma_hw_stats;

/**
 * struct auto_mode_param - attributes that all QPs of an automatic counter have
 * @qp_type: transport service; valid with RDMA_COUNTER_MASK_QP_TYPE
 */
struct auto_mode_param {
	int qp_type;
};

/**
 * struct rdma_counter_mode - how QPs are bound to counters
 * @mode: not at all, automatically, or by hand
 * @mask: automatic mode: bits of enum rdma_nl_counter_mask, which say what the QPs of a counter
 *	have in common
 * @param: automatic mode of a counter: attributes of its QPs
 */
struct rdma_counter_mode {
	enum rdma_nl_counter_mode mode;
	enum rdma_nl_counter_mask mask;
	struct auto_mode_param	param;
};

/**
 * struct rdma_port_counter - the counters of a port
 * @mode: how QPs are bound to counters
 * @num_counters: number of the port's counters
 * @lock: protects @mode, @num_counters, and which QPs are bound to which counter of this port. With
 *	the lock held, a counter is removed from the resource table, which waits until the
 *	references to the counter are dropped. Therefore a thread that has such a reference must not
 *	take the lock
 */
struct rdma_port_counter {
	struct rdma_counter_mode mode;
	unsigned int		num_counters;
	struct mutex		lock;	/* protects @mode, @num_counters, bindings of QPs */
};

/**
 * struct rdma_counter - a set of counters that counts for the QPs bound to it
 *
 * The core allocates the structure, followed by the provider's part, with the first QP that is
 * bound to the counter, and frees it with the last one.
 *
 * @res: core: entry in the resource table
 * @device: its device
 * @id: its number, not 0. If the provider sets none when the first QP is bound, the core chooses
 *	one
 * @mode: how QPs are bound to it
 * @lock: held while counter_update_stats() runs, and while the values in @stats are read
 * @stats: values, from the provider's counter_alloc_stats()
 * @port: port of its QPs
 * @num_qps: core: number of bound QPs; protected by rdma_port_counter.lock of the port
 */
struct rdma_counter {
	struct rdma_restrack_entry res;
	struct ib_device	*device;
	u32			id;
	struct rdma_counter_mode mode;
	struct mutex		lock;	/* held while the values in @stats are updated or read */
	struct rdma_hw_stats	*stats;
	u32			port;
	unsigned int		num_qps;
};

#endif /* _KRDMA_RDMA_COUNTER_H_ */
