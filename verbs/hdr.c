// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The network headers of received datagrams.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/export.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <rdma/ib_verbs.h>

#define IPV4_WORDS	(sizeof(struct iphdr) / sizeof(u32))

/* Returns whether this is an IPv4 header without options and with a right checksum. */
static bool ipv4_intact(const struct iphdr *ip)
{
	return ip->version == 4 && ip->ihl == IPV4_WORDS && !ip_fast_csum(ip, ip->ihl);
}

int ib_get_rdma_header_version(const union rdma_network_hdr *hdr)
{
	u8 first_nibble = be32_to_cpu(hdr->ibgrh.version_tclass_flow) >> 28;

	BUILD_BUG_ON(sizeof(union rdma_network_hdr) != 40);
	BUILD_BUG_ON(offsetof(union rdma_network_hdr, roce4grh) != 20);
	if (first_nibble == 6)
		return ipv4_intact(&hdr->roce4grh) ? 4 : 6;
	return hdr->roce4grh.version == 4 ? 4 : 0;
}
EXPORT_SYMBOL(ib_get_rdma_header_version);

int ib_get_gids_from_rdma_hdr(const union rdma_network_hdr *hdr, enum rdma_network_type net_type,
			      union ib_gid *sgid, union ib_gid *dgid)
{
	switch (net_type) {
	case RDMA_NETWORK_IB:
	case RDMA_NETWORK_ROCE_V1:
	case RDMA_NETWORK_IPV6:
		*sgid = hdr->ibgrh.sgid;
		*dgid = hdr->ibgrh.dgid;
		return 0;
	case RDMA_NETWORK_IPV4:
		ipv6_addr_set_v4mapped(hdr->roce4grh.saddr, (struct in6_addr *)sgid);
		ipv6_addr_set_v4mapped(hdr->roce4grh.daddr, (struct in6_addr *)dgid);
		return 0;
	}
	return -EINVAL;
}
EXPORT_SYMBOL(ib_get_gids_from_rdma_hdr);
