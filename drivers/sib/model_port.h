/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The fabric: ports, their tables and counters. */
#ifndef SIB_MODEL_PORT_H
#define SIB_MODEL_PORT_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>

#include "drivers/sib/model_trap.h"
#include "ibwire/portinfo.h"

struct sib_node;

#define SIB_PKEYS		64	/* entries of each table of P_Keys */
#define SIB_GUIDS		32	/* entries of the table of GUIDs of a CA's port */
#define SIB_VL_ARB_LEN		64	/* bytes of each table of VL arbitration: 32 entries */

/**
 * enum sib_counter - counters of a port, which performance management reads
 * @SIB_LINK_DOWNED: the link went down
 * @SIB_RCV_ERRORS: packets whose DLID is not that of the CA's port that they came to
 * @SIB_RCV_SWITCH_RELAY_ERRORS: packets that the switch has no way for
 * @SIB_XMIT_DISCARDS: packets that could not be sent: port not active, too long, no VL
 * @SIB_XMIT_CONSTRAINT_ERRORS: packets that must not leave: P_Key
 * @SIB_RCV_CONSTRAINT_ERRORS: packets that must not come in: P_Key
 * @SIB_VL15_DROPPED: SMPs that were dropped
 * @SIB_XMIT_DATA: words of 4 bytes sent
 * @SIB_RCV_DATA: words of 4 bytes received
 * @SIB_XMIT_PACKETS: packets sent
 * @SIB_RCV_PACKETS: packets received
 * @SIB_MCAST_XMIT: packets sent to multicast LIDs; SIB_XMIT_PACKETS has them, too
 * @SIB_MCAST_RCV: packets received for multicast LIDs; SIB_RCV_PACKETS has them, too
 * @SIB_XMIT_WAIT: ticks in which packets waited to be sent; stays as it is, because none waits
 * @SIB_PORT_COUNTERS: number of counters
 */
enum sib_counter {
	SIB_LINK_DOWNED,
	SIB_RCV_ERRORS,
	SIB_RCV_SWITCH_RELAY_ERRORS,
	SIB_XMIT_DISCARDS,
	SIB_XMIT_CONSTRAINT_ERRORS,
	SIB_RCV_CONSTRAINT_ERRORS,
	SIB_VL15_DROPPED,
	SIB_XMIT_DATA,
	SIB_RCV_DATA,
	SIB_XMIT_PACKETS,
	SIB_RCV_PACKETS,
	SIB_MCAST_XMIT,
	SIB_MCAST_RCV,
	SIB_XMIT_WAIT,
	SIB_PORT_COUNTERS
};

#define SIB_EXT_COUNTERS	8	/* counters of PortCountersExtended */

/**
 * struct sib_counter_set - what a counter of PortCountersExtended was set to
 * @from: value of the port's counter at that time
 * @value: value that was set
 */
struct sib_counter_set {
	u64 from;
	u64 value;
};

/**
 * struct sib_cleared - what performance management has set the counters of a port to
 * @base: for PortCounters, what is subtracted from each counter
 * @ext: for PortCountersExtended, in its order: what each counter was set to
 */
struct sib_cleared {
	u64 base[SIB_PORT_COUNTERS];
	struct sib_counter_set ext[SIB_EXT_COUNTERS];
};

/**
 * struct sib_pkeys - table of P_Keys, which is replaced as a whole
 * @rcu: frees the table after those who read it
 * @key: the keys
 */
struct sib_pkeys {
	struct rcu_head rcu;
	u16 key[SIB_PKEYS];
};

/**
 * struct sib_port - port of a node
 * @node: its node
 * @num: number of the port
 * @peer: port at the other end of the link; changed with sib_fabric.topology held for writing
 * @unplugged: the link of the port has no cable; the same at both ends; protected by
 *	sib_fabric.links
 * @guid: GUID of the port of a CA, and of port 0 of a switch
 * @traps: traps of a CA's port or a switch's port 0; NULL until the port has had a LID; written
 *	with sib_node.mgmt held, read without a lock
 * @info: PortInfo
 * @phys_wanted: physical state of the port while it has no link: PORT_PHYS_*
 * @mkey_end: time in jiffies at which the lease of the M_Key ends, if @mkey_leased
 * @mkey_leased: the lease is running, because an SMP had a wrong M_Key
 * @vl_arb: VL arbitration: the table for low priority, then that for high priority; NULL until set
 * @guids: GUIDs from index 1 on; NULL until set
 * @pkeys: P_Keys; NULL until set
 * @sl_to_vl: SL_TO_VL_LEN bytes for each port that packets come by, for port 0 only if the port is
 *	that of a CA; NULL until set
 * @gid_prefix: copy of a member of @info for the data path, like those that follow
 * @lid: first LID
 * @lmc: log2 of the number of LIDs
 * @state: PORT_STATE_*
 * @mtu: largest payload to send in bytes
 * @num_vls: number of VLs in use
 * @enforce: PORT_ENFORCE_*
 * @pkey_violations: packets for the host with a wrong P_Key, since the SM has cleared the number
 * @qkey_violations: packets for the host with a wrong Q_Key, since then
 * @backlog: packets of this port in the queue of agents; protected by sib_fabric.queue_lock
 * @count: counters
 * @cleared: what the counters were set to; NULL until one was set; protected by
 *	sib_fabric.clearing
 */
struct sib_port {
	struct sib_node *node;
	u8 num;
	struct sib_port __rcu *peer;
	bool unplugged;
	u64 guid;
	struct sib_traps *traps;

	/* Settings of the SM: protected by sib_node.mgmt; the tables are read under RCU, too. */
	struct portinfo info;
	u8 phys_wanted;
	bool mkey_leased;
	unsigned long mkey_end;
	u8 *vl_arb;
	u64 *guids;
	struct sib_pkeys __rcu *pkeys;
	u8 __rcu *sl_to_vl;

	/* Copies for the data path: written with sib_node.mgmt held, read without a lock. */
	u64 gid_prefix;
	u16 lid;
	u8 lmc;
	u8 state;
	u16 mtu;
	u8 num_vls;
	u8 enforce;

	atomic_t pkey_violations;
	atomic_t qkey_violations;
	u16 backlog;
	atomic64_t count[SIB_PORT_COUNTERS];
	struct sib_cleared *cleared;
};

static inline void sib_count_add(struct sib_port *port, enum sib_counter counter, u64 n)
{
	atomic64_add(n, &port->count[counter]);
}

static inline void sib_count(struct sib_port *port, enum sib_counter counter)
{
	atomic64_inc(&port->count[counter]);
}

#endif /* SIB_MODEL_PORT_H */
