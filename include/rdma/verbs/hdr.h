/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The network header in front of a received datagram, from which the receiver learns who sent the
 * datagram. The functions may be called in any context, and need no device.
 */
#ifndef _RDMA_VERBS_HDR_H_
#define _RDMA_VERBS_HDR_H_

#include <linux/ip.h>
#include <rdma/verbs/ah.h>
#include <rdma/verbs/gid.h>
#include <rdma/verbs/types.h>

/**
 * struct ib_grh - a global route header, which has the layout of an IPv6 header
 * @version_tclass_flow: from the highest bit on: version (4 bits), which is 6, traffic class (8)
 *	and flow label (20)
 * @paylen: number of bytes after the header
 * @next_hdr: kind of the next header
 * @hop_limit: number of routers that the packet may still cross
 * @sgid: source
 * @dgid: destination
 */
struct ib_grh {
	__be32		version_tclass_flow;
	__be16		paylen;
	u8		next_hdr;
	u8		hop_limit;
	union ib_gid	sgid;
	union ib_gid	dgid;
};

/**
 * union rdma_network_hdr - the first 40 bytes of the receive buffer of a datagram
 * @ibgrh: InfiniBand, RoCE version 1, and RoCE version 2 over IPv6
 * @reserved: RoCE version 2 over IPv4: undefined bytes
 * @roce4grh: RoCE version 2 over IPv4: the IPv4 header
 */
union rdma_network_hdr {
	struct ib_grh		ibgrh;
	struct {
		u8		reserved[20];
		struct iphdr	roce4grh;
	};
};

/**
 * ib_get_rdma_header_version - find out which IP version a network header has
 * @hdr: the header, which may have any content
 *
 * The undefined bytes ahead of an IPv4 header may look like the beginning of a GRH. In that case
 * the header is taken for IPv4 only if its version, length and checksum are those of an IPv4 header
 * without options.
 *
 * Return: 4: an IPv4 header; 6: a GRH; 0: neither.
 */
int ib_get_rdma_header_version(const union rdma_network_hdr *hdr);

/**
 * ib_get_gids_from_rdma_hdr - get the addresses in a network header
 * @hdr: the header, which may have any content
 * @net_type: its kind
 * @sgid: out: source; an IPv4 address becomes an IPv4-mapped IPv6 address
 * @dgid: out: destination, in the same form
 *
 * Return: 0; -EINVAL if there is no such kind.
 */
int ib_get_gids_from_rdma_hdr(const union rdma_network_hdr *hdr, enum rdma_network_type net_type,
			      union ib_gid *sgid, union ib_gid *dgid);

#endif /* _RDMA_VERBS_HDR_H_ */
