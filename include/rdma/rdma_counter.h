/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counters that QPs are bound to, by hand or automatically: `rdma statistic qp`.
 */
#ifndef _RDMA_COUNTER_H_
#define _RDMA_COUNTER_H_

#include <linux/mutex.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

struct ib_device;
struct rdma_hw_stats;

/**
 * struct auto_mode_param - what the QPs of an automatic counter have in common
 * @qp_type: transport service, with RDMA_COUNTER_MASK_QP_TYPE
 */
struct auto_mode_param {
	int qp_type;
};

/**
 * struct rdma_counter_mode - how QPs are bound to counters
 * @mode: none, automatically, or by hand
 * @mask: automatically: bits of enum rdma_nl_counter_mask, by which QPs are grouped
 * @param: of a counter: its group
 */
struct rdma_counter_mode {
	enum rdma_nl_counter_mode mode;
	enum rdma_nl_counter_mask mask;
	struct auto_mode_param	param;
};

/**
 * struct rdma_port_counter - the counters of a port
 * @mode: how QPs are bound to counters from now on
 * @num_counters: how many there are
 * @lock: guards @mode, @num_counters, and which QPs are bound to which counter of this port. Held
 *	while a counter leaves the resource table, so that look-ups there must not take it
 */
struct rdma_port_counter {
	struct rdma_counter_mode mode;
	unsigned int		num_counters;
	struct mutex		lock;	/* all of it, and the bindings of QPs */
};

/**
 * struct rdma_counter - a set of counters that counts for the QPs bound to it
 *
 * The core allocates it, with the provider's part behind it. It exists while a QP is bound.
 *
 * @res: core: entry in the resource table
 * @device: its device
 * @id: its number. A provider may choose it, not 0, when the first QP is bound; otherwise it is the
 *	core's choice
 * @mode: how QPs are bound to it
 * @lock: held while counter_update_stats() runs and while its values are read
 * @stats: from the provider's counter_alloc_stats()
 * @port: port of its QPs
 * @num_qps: core: QPs that are bound; guarded by the port's lock
 */
struct rdma_counter {
	struct rdma_restrack_entry res;
	struct ib_device	*device;
	u32			id;
	struct rdma_counter_mode mode;
	struct mutex		lock;	/* values of stats */
	struct rdma_hw_stats	*stats;
	u32			port;
	unsigned int		num_qps;
};

#endif /* _RDMA_COUNTER_H_ */
