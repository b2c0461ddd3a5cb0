/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* PortInfo: what a port can do, its state, and what the subnet manager has set (IBTA 14.2.5.6). */
#ifndef IBWIRE_PORTINFO_H
#define IBWIRE_PORTINFO_H

#include "mad.h"
#include "portcap.h"

#define PORTINFO_LEN		64

/* Port states; as requests, 0 is: no change. */
#define PORT_STATE_DOWN		1
#define PORT_STATE_INIT		2
#define PORT_STATE_ARMED	3
#define PORT_STATE_ACTIVE	4

/* Physical states; as requests, 0 is: no change. */
#define PORT_PHYS_SLEEP		1
#define PORT_PHYS_POLLING	2
#define PORT_PHYS_DISABLED	3
#define PORT_PHYS_LINK_UP	5

/* Widths and speeds are bits. As requests: no change, and all that the port has. */
#define PORT_WIDTH_1X		1
#define PORT_WIDTH_4X		2
#define PORT_WIDTH_8X		4
#define PORT_WIDTH_12X		8
#define PORT_WIDTH_KEEP		0
#define PORT_WIDTH_ALL		255
#define PORT_SPEED_SDR		1
#define PORT_SPEED_DDR		2
#define PORT_SPEED_QDR		4
#define PORT_SPEED_KEEP		0
#define PORT_SPEED_ALL		15

/* MTUs: 256 bytes << (n - 1). */
#define PORT_MTU_256		1
#define PORT_MTU_4096		5

/* Checks that a switch makes at a port: of the partition, and of raw packets. */
#define PORT_ENFORCE_PKEY_IN	0x08
#define PORT_ENFORCE_PKEY_OUT	0x04
#define PORT_FILTER_RAW_IN	0x02
#define PORT_FILTER_RAW_OUT	0x01

/**
 * struct portinfo - PortInfo, decoded
 * @mkey: management key
 * @gid_prefix: subnet's part of the port's GIDs
 * @lid: first LID of the port; 0 if there is none
 * @sm_lid: LID of the subnet manager
 * @cap_mask: PORT_CAP_*
 * @diag_code: result of the port's diagnosis
 * @mkey_lease: seconds after which a wrong key ends the protection; 0: never
 * @local_port: number of the port by which the SMP came
 * @width_enabled: PORT_WIDTH_*
 * @width_supported: PORT_WIDTH_*
 * @width_active: PORT_WIDTH_*
 * @speed_supported: PORT_SPEED_*
 * @speed_active: PORT_SPEED_*
 * @speed_enabled: PORT_SPEED_*
 * @state: PORT_STATE_*
 * @phys_state: PORT_PHYS_*
 * @down_default: physical state after the link goes down: PORT_PHYS_SLEEP or PORT_PHYS_POLLING
 * @mkey_protect: level of protection by the management key, 0 to 3
 * @lmc: log2 of the number of the port's LIDs
 * @neighbor_mtu: largest payload to send, PORT_MTU_*
 * @sm_sl: service level to the subnet manager
 * @vl_cap: virtual lanes that the port has: 1, 2, 4, 8 or 15 for the values 1 to 5
 * @init_type: wanted kind of initialisation
 * @vl_high_limit: data of high priority before data of low priority has its turn
 * @vl_arb_high_cap: entries of the table for high priority
 * @vl_arb_low_cap: entries of the table for low priority
 * @init_type_reply: kind of initialisation that was done
 * @mtu_cap: largest payload that the port can receive, PORT_MTU_*
 * @vl_stall_count: packets that a lane drops at the head before it stalls
 * @hoq_life: time that a packet may wait at the head of a lane
 * @operational_vls: virtual lanes in use, as @vl_cap
 * @enforce: PORT_ENFORCE_*, PORT_FILTER_*
 * @mkey_violations: SMPs with a wrong management key
 * @pkey_violations: packets with a wrong P_Key
 * @qkey_violations: packets with a wrong Q_Key
 * @guid_cap: entries of the table of GUIDs
 * @reregister: clients are to register with the subnet administrator again
 * @subnet_timeout: time that an SMP needs through the subnet, 4.096 us * 2^n
 * @resp_time: time that an answer needs, 4.096 us * 2^n
 * @phy_errors: local errors that are an event
 * @overrun_errors: overruns that are an event
 * @max_credit_hint: credits that the peer should offer
 * @latency: round trip of the link, 24 bits
 */
struct portinfo {
	u64 mkey;
	u64 gid_prefix;
	u16 lid;
	u16 sm_lid;
	u32 cap_mask;
	u16 diag_code;
	u16 mkey_lease;
	u8 local_port;
	u8 width_enabled;
	u8 width_supported;
	u8 width_active;
	u8 speed_supported;
	u8 speed_active;
	u8 speed_enabled;
	u8 state;
	u8 phys_state;
	u8 down_default;
	u8 mkey_protect;
	u8 lmc;
	u8 neighbor_mtu;
	u8 sm_sl;
	u8 vl_cap;
	u8 init_type;
	u8 vl_high_limit;
	u8 vl_arb_high_cap;
	u8 vl_arb_low_cap;
	u8 init_type_reply;
	u8 mtu_cap;
	u8 vl_stall_count;
	u8 hoq_life;
	u8 operational_vls;
	u8 enforce;
	u16 mkey_violations;
	u16 pkey_violations;
	u16 qkey_violations;
	u8 guid_cap;
	bool reregister;
	u8 subnet_timeout;
	u8 resp_time;
	u8 phy_errors;
	u8 overrun_errors;
	u16 max_credit_hint;
	u32 latency;
};

/**
 * enum portinfo_kind - which members of PortInfo a port has
 * @PORTINFO_CA: port of a channel adapter: all
 * @PORTINFO_SWITCH_0: management port of a switch: those of addresses and keys, and no link
 * @PORTINFO_SWITCH: another port of a switch: those of the link
 */
enum portinfo_kind {
	PORTINFO_CA,
	PORTINFO_SWITCH_0,
	PORTINFO_SWITCH,
};

/**
 * enum portinfo_link - what a Set does with the link
 * @PORTINFO_LINK_KEEP: nothing
 * @PORTINFO_LINK_DOWN: the link goes down, and comes up again if it can
 * @PORTINFO_LINK_SLEEP: the port goes to sleep, until its peer polls
 * @PORTINFO_LINK_POLL: the port polls, also if it was disabled
 * @PORTINFO_LINK_DISABLE: the port is disabled
 */
enum portinfo_link {
	PORTINFO_LINK_KEEP,
	PORTINFO_LINK_DOWN,
	PORTINFO_LINK_SLEEP,
	PORTINFO_LINK_POLL,
	PORTINFO_LINK_DISABLE,
};

/**
 * portinfo_parse() - decode PortInfo
 * @data: PORTINFO_LEN bytes
 * @info: out
 *
 * Members are not checked. Reserved bits are ignored.
 */
void portinfo_parse(const u8 *data, struct portinfo *info);

/**
 * portinfo_build() - write PortInfo
 * @data: room for PORTINFO_LEN bytes
 * @info: the members; bits beyond the width of a field are cut off
 */
void portinfo_build(u8 *data, const struct portinfo *info);

/**
 * portinfo_set() - check a Set of PortInfo, and carry it out
 * @info: PortInfo of the port; changed only if the Set is valid
 * @wanted: members of the Set
 * @kind: which members the port has; those that it has not are ignored
 * @link: out, if the Set is valid: what to do with the link
 *
 * The state goes from INIT to ARMED and from ARMED to ACTIVE; all other changes of the state are
 * consequences of @link. A counter of violations is cleared by 0, and keeps its value otherwise.
 *
 * Return: 0, or MAD_STATUS_BAD_VALUE.
 */
u16 portinfo_set(struct portinfo *info, const struct portinfo *wanted, enum portinfo_kind kind,
		 enum portinfo_link *link);

#endif /* IBWIRE_PORTINFO_H */
