/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Management datagrams of performance counters (IBTA, performance management), which a provider's
 * process_mad() answers.
 */
#ifndef _RDMA_IB_PMA_H_
#define _RDMA_IB_PMA_H_

#ifdef IB_PMA_H
#error "the kernel's <rdma/ib_pma.h> was included before krdma's"
#endif
#define IB_PMA_H

#include <rdma/ib_mad.h>

/* Bits of &ib_class_port_info.capability_mask. */
#define IB_PMA_CLASS_CAP_ALLPORTSELECT		cpu_to_be16(1 << 8)
#define IB_PMA_CLASS_CAP_EXT_WIDTH		cpu_to_be16(1 << 9)
#define IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF	cpu_to_be16(1 << 10)
#define IB_PMA_CLASS_CAP_XMIT_WAIT		cpu_to_be16(1 << 12)

/* Attributes: &ib_mad_hdr.attr_id. */
#define IB_PMA_CLASS_PORT_INFO			cpu_to_be16(0x0001)
#define IB_PMA_PORT_SAMPLES_CONTROL		cpu_to_be16(0x0010)
#define IB_PMA_PORT_SAMPLES_RESULT		cpu_to_be16(0x0011)
#define IB_PMA_PORT_COUNTERS			cpu_to_be16(0x0012)
#define IB_PMA_PORT_COUNTERS_EXT		cpu_to_be16(0x001D)
#define IB_PMA_PORT_SAMPLES_RESULT_EXT		cpu_to_be16(0x001E)

/* A MAD with an attribute in @data. */
struct ib_pma_mad {
	struct ib_mad_hdr	mad_hdr;
	u8			reserved[40];
	u8			data[192];
} __packed;

/**
 * struct ib_pma_portsamplescontrol - the attribute PortSamplesControl
 * @opcode: operation of the vendor
 * @port_select: port number
 * @tick: length of a tick
 * @counter_width: width of the counters of PortSamplesResult, in the lower three bits: 16 bits, and
 *	four more for each unit
 * @counter_mask0_9: three bits for each counter: quantities that it can count; 2 bits are reserved
 * @counter_mask10_14: the same for the other counters; a bit is reserved
 * @sample_mechanisms: mechanisms beside the first one
 * @sample_status: 0: done, 1: started, 2: underway
 * @option_mask: optional quantities that can be counted
 * @vendor_mask: quantities of the vendor that can be counted
 * @sample_start: ticks until sampling begins
 * @sample_interval: ticks that it lasts
 * @tag: number by which the requester knows its own samples
 * @counter_select: quantity that each counter counts
 * @reserved1: 0
 * @samples_only_option_mask: optional quantities that can be sampled, and not read
 * @reserved2: 0
 */
struct ib_pma_portsamplescontrol {
	u8	opcode;
	u8	port_select;
	u8	tick;
	u8	counter_width;
	__be32	counter_mask0_9;
	__be16	counter_mask10_14;
	u8	sample_mechanisms;
	u8	sample_status;
	__be64	option_mask;
	__be64	vendor_mask;
	__be32	sample_start;
	__be32	sample_interval;
	__be16	tag;
	__be16	counter_select[15];
	__be32	reserved1;
	__be64	samples_only_option_mask;
	__be32	reserved2[28];
} __packed;

/**
 * struct ib_pma_portsamplesresult - the attribute PortSamplesResult
 * @tag: tag of the samples
 * @sample_status: see &ib_pma_portsamplescontrol.sample_status
 * @counter: what was counted
 */
struct ib_pma_portsamplesresult {
	__be16	tag;
	__be16	sample_status;
	__be32	counter[15];
};

/**
 * struct ib_pma_portsamplesresult_ext - the attribute PortSamplesResultExtended
 * @tag: tag of the samples
 * @sample_status: see &ib_pma_portsamplescontrol.sample_status
 * @extended_width: width of the counters in the upper two bits: 1: 48 bits, 2: 64 bits
 * @counter: what was counted
 */
struct ib_pma_portsamplesresult_ext {
	__be16	tag;
	__be16	sample_status;
	__be32	extended_width;
	__be64	counter[15];
};

/**
 * struct ib_pma_portcounters - the attribute PortCounters; counters stop at their maximum
 * @reserved: 0
 * @port_select: port number
 * @counter_select: counters to set
 * @symbol_error_counter: minor link errors
 * @link_error_recovery_counter: recoveries of the link
 * @link_downed_counter: failures of the link
 * @port_rcv_errors: received packets with an error
 * @port_rcv_remphys_errors: received packets that were marked as bad
 * @port_rcv_switch_relay_errors: received packets that the switch could not forward
 * @port_xmit_discards: packets that were not sent
 * @port_xmit_constraint_errors: packets that must not be sent
 * @port_rcv_constraint_errors: packets that must not be received
 * @reserved1: 0
 * @link_overrun_errors: local link integrity errors in the upper four bits, buffer overruns in the
 *	lower four
 * @reserved2: 0
 * @vl15_dropped: management packets that were dropped
 * @port_xmit_data: data sent, in words of 4 bytes
 * @port_rcv_data: data received, in words of 4 bytes
 * @port_xmit_packets: packets sent
 * @port_rcv_packets: packets received
 * @port_xmit_wait: ticks in which there was data to send, but no credit
 */
struct ib_pma_portcounters {
	u8	reserved;
	u8	port_select;
	__be16	counter_select;
	__be16	symbol_error_counter;
	u8	link_error_recovery_counter;
	u8	link_downed_counter;
	__be16	port_rcv_errors;
	__be16	port_rcv_remphys_errors;
	__be16	port_rcv_switch_relay_errors;
	__be16	port_xmit_discards;
	u8	port_xmit_constraint_errors;
	u8	port_rcv_constraint_errors;
	u8	reserved1;
	u8	link_overrun_errors;
	__be16	reserved2;
	__be16	vl15_dropped;
	__be32	port_xmit_data;
	__be32	port_rcv_data;
	__be32	port_xmit_packets;
	__be32	port_rcv_packets;
	__be32	port_xmit_wait;
} __packed;

/* Bits of &ib_pma_portcounters.counter_select. */
#define IB_PMA_SEL_SYMBOL_ERROR			cpu_to_be16(0x0001)
#define IB_PMA_SEL_LINK_ERROR_RECOVERY		cpu_to_be16(0x0002)
#define IB_PMA_SEL_LINK_DOWNED			cpu_to_be16(0x0004)
#define IB_PMA_SEL_PORT_RCV_ERRORS		cpu_to_be16(0x0008)
#define IB_PMA_SEL_PORT_RCV_REMPHYS_ERRORS	cpu_to_be16(0x0010)
#define IB_PMA_SEL_PORT_XMIT_DISCARDS		cpu_to_be16(0x0040)
#define IB_PMA_SEL_LOCAL_LINK_INTEGRITY_ERRORS	cpu_to_be16(0x0200)
#define IB_PMA_SEL_EXCESSIVE_BUFFER_OVERRUNS	cpu_to_be16(0x0400)
#define IB_PMA_SEL_PORT_VL15_DROPPED		cpu_to_be16(0x0800)
#define IB_PMA_SEL_PORT_XMIT_DATA		cpu_to_be16(0x1000)
#define IB_PMA_SEL_PORT_RCV_DATA		cpu_to_be16(0x2000)
#define IB_PMA_SEL_PORT_XMIT_PACKETS		cpu_to_be16(0x4000)
#define IB_PMA_SEL_PORT_RCV_PACKETS		cpu_to_be16(0x8000)

/**
 * struct ib_pma_portcounters_ext - the attribute PortCountersExtended
 * @reserved: 0
 * @port_select: port number
 * @counter_select: counters to set
 * @reserved1: 0
 * @port_xmit_data: data sent, in words of 4 bytes
 * @port_rcv_data: data received, in words of 4 bytes
 * @port_xmit_packets: packets sent
 * @port_rcv_packets: packets received
 * @port_unicast_xmit_packets: unicast packets sent
 * @port_unicast_rcv_packets: unicast packets received
 * @port_multicast_xmit_packets: multicast packets sent
 * @port_multicast_rcv_packets: multicast packets received
 */
struct ib_pma_portcounters_ext {
	u8	reserved;
	u8	port_select;
	__be16	counter_select;
	__be32	reserved1;
	__be64	port_xmit_data;
	__be64	port_rcv_data;
	__be64	port_xmit_packets;
	__be64	port_rcv_packets;
	__be64	port_unicast_xmit_packets;
	__be64	port_unicast_rcv_packets;
	__be64	port_multicast_xmit_packets;
	__be64	port_multicast_rcv_packets;
} __packed;

/* Bits of &ib_pma_portcounters_ext.counter_select. */
#define IB_PMA_SELX_PORT_XMIT_DATA		cpu_to_be16(0x0001)
#define IB_PMA_SELX_PORT_RCV_DATA		cpu_to_be16(0x0002)
#define IB_PMA_SELX_PORT_XMIT_PACKETS		cpu_to_be16(0x0004)
#define IB_PMA_SELX_PORT_RCV_PACKETS		cpu_to_be16(0x0008)
#define IB_PMA_SELX_PORT_UNI_XMIT_PACKETS	cpu_to_be16(0x0010)
#define IB_PMA_SELX_PORT_UNI_RCV_PACKETS	cpu_to_be16(0x0020)
#define IB_PMA_SELX_PORT_MULTI_XMIT_PACKETS	cpu_to_be16(0x0040)
#define IB_PMA_SELX_PORT_MULTI_RCV_PACKETS	cpu_to_be16(0x0080)

#endif /* _RDMA_IB_PMA_H_ */
