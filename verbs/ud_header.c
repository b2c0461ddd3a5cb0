// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The headers of unreliable datagrams of InfiniBand and of both versions of RoCE.
 */
#include <rdma/ib_pack.h>

#include <linux/export.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/math.h>
#include <linux/string.h>
#include <net/ip.h>

/* Bytes of immediate data. */
#define IMM_BYTES	4
/* Value of the next header field in a GRH before a base transport header (IBTA). */
#define GRH_NEXT_BTH	0x1b

/* Describes the field for @member of @header: @size bits from bit @bits of word @words on. */
#define FIELD(header, member, words, bits, size)					\
	{										\
		.struct_offset_bytes = offsetof(struct ib_unpacked_##header, member),	\
		.struct_size_bytes = sizeof_field(struct ib_unpacked_##header, member),	\
		.offset_words = (words),						\
		.offset_bits = (bits),							\
		.size_bits = (size),							\
		.field_name = #header ":" #member,					\
	}
#define UNUSED(words, bits, size)							\
	{ RESERVED, .offset_words = (words), .offset_bits = (bits), .size_bits = (size) }

static const struct ib_field lrh_fields[] = {
	FIELD(lrh, virtual_lane, 0, 0, 4),
	FIELD(lrh, link_version, 0, 4, 4),
	FIELD(lrh, service_level, 0, 8, 4),
	UNUSED(0, 12, 2),
	FIELD(lrh, link_next_header, 0, 14, 2),
	FIELD(lrh, destination_lid, 0, 16, 16),
	UNUSED(1, 0, 5),
	FIELD(lrh, packet_length, 1, 5, 11),
	FIELD(lrh, source_lid, 1, 16, 16),
};

static const struct ib_field eth_fields[] = {
	FIELD(eth, dmac_h, 0, 0, 32),
	FIELD(eth, dmac_l, 1, 0, 16),
	FIELD(eth, smac_h, 1, 16, 16),
	FIELD(eth, smac_l, 2, 0, 32),
	FIELD(eth, type, 3, 0, 16),
};

static const struct ib_field vlan_fields[] = {
	FIELD(vlan, tag, 0, 0, 16),
	FIELD(vlan, type, 0, 16, 16),
};

static const struct ib_field grh_fields[] = {
	FIELD(grh, ip_version, 0, 0, 4),
	FIELD(grh, traffic_class, 0, 4, 8),
	FIELD(grh, flow_label, 0, 12, 20),
	FIELD(grh, payload_length, 1, 0, 16),
	FIELD(grh, next_header, 1, 16, 8),
	FIELD(grh, hop_limit, 1, 24, 8),
	FIELD(grh, source_gid, 2, 0, 128),
	FIELD(grh, destination_gid, 6, 0, 128),
};

static const struct ib_field ip4_fields[] = {
	FIELD(ip4, ver, 0, 0, 4),
	FIELD(ip4, hdr_len, 0, 4, 4),
	FIELD(ip4, tos, 0, 8, 8),
	FIELD(ip4, tot_len, 0, 16, 16),
	FIELD(ip4, id, 1, 0, 16),
	FIELD(ip4, frag_off, 1, 16, 16),
	FIELD(ip4, ttl, 2, 0, 8),
	FIELD(ip4, protocol, 2, 8, 8),
	FIELD(ip4, check, 2, 16, 16),
	FIELD(ip4, saddr, 3, 0, 32),
	FIELD(ip4, daddr, 4, 0, 32),
};

static const struct ib_field udp_fields[] = {
	FIELD(udp, sport, 0, 0, 16),
	FIELD(udp, dport, 0, 16, 16),
	FIELD(udp, length, 1, 0, 16),
	FIELD(udp, csum, 1, 16, 16),
};

static const struct ib_field bth_fields[] = {
	FIELD(bth, opcode, 0, 0, 8),
	FIELD(bth, solicited_event, 0, 8, 1),
	FIELD(bth, mig_req, 0, 9, 1),
	FIELD(bth, pad_count, 0, 10, 2),
	FIELD(bth, transport_header_version, 0, 12, 4),
	FIELD(bth, pkey, 0, 16, 16),
	UNUSED(1, 0, 8),
	FIELD(bth, destination_qpn, 1, 8, 24),
	FIELD(bth, ack_req, 2, 0, 1),
	UNUSED(2, 1, 7),
	FIELD(bth, psn, 2, 8, 24),
};

static const struct ib_field deth_fields[] = {
	FIELD(deth, qkey, 0, 0, 32),
	UNUSED(1, 0, 8),
	FIELD(deth, source_qpn, 1, 8, 24),
};

__sum16 ib_ud_ip4_csum(struct ib_ud_header *header)
{
	struct ib_unpacked_ip4 ip4 = header->ip4;
	__be32 words[IB_IP4_BYTES / sizeof(__be32)];

	ip4.check = 0;
	ib_pack(ip4_fields, ARRAY_SIZE(ip4_fields), &ip4, words);
	return ip_fast_csum(words, ARRAY_SIZE(words));
}
EXPORT_SYMBOL(ib_ud_ip4_csum);

int ib_ud_header_init(int payload_bytes, int lrh_present, int eth_present, int vlan_present,
		      int grh_present, int ip_version, int udp_present, int immediate_present,
		      struct ib_ud_header *header)
{
	/* Length of transport headers, payload, pad and check sum. */
	int len = IB_BTH_BYTES + IB_DETH_BYTES + round_up(payload_bytes, 4) + IB_ICRC_BYTES;

	if (udp_present && ip_version != 4 && ip_version != 6)
		return -EINVAL;
	if (immediate_present)
		len += IMM_BYTES;
	*header = (struct ib_ud_header) {
		.lrh_present = lrh_present,
		.eth_present = eth_present,
		.vlan_present = vlan_present,
		.grh_present = ip_version == 6 || (grh_present && ip_version != 4),
		.ipv4_present = ip_version == 4,
		.udp_present = udp_present,
		.immediate_present = immediate_present,
	};
	header->bth.opcode = immediate_present ? IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE :
						 IB_OPCODE_UD_SEND_ONLY;
	header->bth.pad_count = -payload_bytes & 3;
	if (udp_present) {
		len += IB_UDP_BYTES;
		header->udp.length = cpu_to_be16(len);
	}
	if (header->ipv4_present) {
		len += IB_IP4_BYTES;
		header->ip4.ver = 4;
		header->ip4.hdr_len = IB_IP4_BYTES / 4;
		header->ip4.tot_len = cpu_to_be16(len);
		header->ip4.protocol = IPPROTO_UDP;
	}
	if (header->grh_present) {
		header->grh.ip_version = 6;
		header->grh.payload_length = cpu_to_be16(len);
		header->grh.next_header = udp_present ? IPPROTO_UDP : GRH_NEXT_BTH;
		len += IB_GRH_BYTES;
	}
	if (vlan_present)
		header->eth.type = cpu_to_be16(ETH_P_8021Q);
	if (lrh_present) {
		header->lrh.link_next_header = header->grh_present ? IB_LNH_IBA_GLOBAL :
								     IB_LNH_IBA_LOCAL;
		header->lrh.packet_length = cpu_to_be16((IB_LRH_BYTES + len) / 4);
	}
	return 0;
}
EXPORT_SYMBOL(ib_ud_header_init);

#define PACK(header, name, to)								\
	ib_pack(name##_fields, ARRAY_SIZE(name##_fields), &(header)->name, to)
#define UNPACK(header, name, from)							\
	ib_unpack(name##_fields, ARRAY_SIZE(name##_fields), from, &(header)->name)

int ib_ud_header_pack(struct ib_ud_header *header, void *buf)
{
	u8 *to = buf;

	if (header->lrh_present) {
		PACK(header, lrh, to);
		to += IB_LRH_BYTES;
	}
	if (header->eth_present) {
		PACK(header, eth, to);
		to += IB_ETH_BYTES;
	}
	if (header->vlan_present) {
		PACK(header, vlan, to);
		to += IB_VLAN_BYTES;
	}
	if (header->grh_present) {
		PACK(header, grh, to);
		to += IB_GRH_BYTES;
	}
	if (header->ipv4_present) {
		PACK(header, ip4, to);
		to += IB_IP4_BYTES;
	}
	if (header->udp_present) {
		PACK(header, udp, to);
		to += IB_UDP_BYTES;
	}
	PACK(header, bth, to);
	to += IB_BTH_BYTES;
	PACK(header, deth, to);
	to += IB_DETH_BYTES;
	if (header->immediate_present) {
		memcpy(to, &header->immediate_data, IMM_BYTES);
		to += IMM_BYTES;
	}
	return to - (u8 *)buf;
}
EXPORT_SYMBOL(ib_ud_header_pack);

int ib_ud_header_unpack(void *buf, struct ib_ud_header *header)
{
	u8 *from = buf;

	*header = (struct ib_ud_header) { .lrh_present = 1 };
	UNPACK(header, lrh, from);
	from += IB_LRH_BYTES;
	if (header->lrh.link_version)
		return -EINVAL;
	if (header->lrh.link_next_header == IB_LNH_IBA_GLOBAL) {
		header->grh_present = 1;
		UNPACK(header, grh, from);
		from += IB_GRH_BYTES;
		if (header->grh.ip_version != 6)
			return -EINVAL;
	} else if (header->lrh.link_next_header != IB_LNH_IBA_LOCAL) {
		return -EINVAL;
	}

	UNPACK(header, bth, from);
	from += IB_BTH_BYTES;
	if (header->bth.opcode == IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE)
		header->immediate_present = 1;
	else if (header->bth.opcode != IB_OPCODE_UD_SEND_ONLY)
		return -EINVAL;
	if (header->bth.transport_header_version)
		return -EINVAL;

	UNPACK(header, deth, from);
	from += IB_DETH_BYTES;
	if (header->immediate_present)
		memcpy(&header->immediate_data, from, IMM_BYTES);
	return 0;
}
EXPORT_SYMBOL(ib_ud_header_unpack);
