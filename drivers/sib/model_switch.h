/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The fabric: what a switch has beside its ports. */
#ifndef SIB_MODEL_SWITCH_H
#define SIB_MODEL_SWITCH_H

#include <linux/rcupdate.h>

#include "ibwire/lrh.h"
#include "ibwire/nodeinfo.h"

#define SIB_LINEAR_CAP		(LID_UNICAST_MAX + 1)
#define SIB_MULTICAST_CAP	1024

/**
 * struct sib_lft - linear forwarding table, up to the highest LID that was set
 * @rcu: frees the table after those who read it
 * @len: number of LIDs
 * @port: port of each LID, or SWITCH_PORT_NONE
 */
struct sib_lft {
	struct rcu_head rcu;
	u32 len;
	u8 port[];
};

/**
 * struct sib_mft - multicast forwarding table, up to the highest LID that was set
 * @rcu: frees the table after those who read it
 * @len: number of LIDs
 * @mask: for each LID @sib_switch.positions masks of 16 ports, as they came
 */
struct sib_mft {
	struct rcu_head rcu;
	u32 len;
	__be16 mask[];
};

/**
 * struct sib_switch - what a switch has beside its ports; protected by sib_node.mgmt
 * @info: SwitchInfo
 * @linear_top: copy of a member of @info for the data path
 * @mcast_top: the same
 * @mcast_primary: the same, of @switchinfo.default_mcast_primary
 * @mcast_other: the same, of @switchinfo.default_mcast_other
 * @positions: masks that it takes for all ports
 * @lft: linear forwarding table; NULL until set
 * @mft: multicast forwarding table; NULL until set
 */
struct sib_switch {
	struct switchinfo info;
	u16 linear_top;
	u16 mcast_top;
	u8 mcast_primary;
	u8 mcast_other;
	u8 positions;
	struct sib_lft __rcu *lft;
	struct sib_mft __rcu *mft;
};

#endif /* SIB_MODEL_SWITCH_H */
