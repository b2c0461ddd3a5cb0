/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Network addresses: the link addresses of a connection, and GIDs made from IP addresses.
 *
 * Unless said otherwise, the functions may be called in any context.
 */
#ifndef _RDMA_IB_ADDR_H_
#define _RDMA_IB_ADDR_H_

#ifdef IB_ADDR_H
#error "the kernel's <rdma/ib_addr.h> was included before krdma's"
#endif
#define IB_ADDR_H

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/socket.h>
#include <net/if_inet6.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>

/**
 * struct rdma_dev_addr - link addresses of a connection
 * @src_dev_addr: link address of our network interface, padded with zeros
 * @dst_dev_addr: link address of the next hop; zeros if the link has no addresses
 * @broadcast: broadcast address of our network interface
 * @dev_type: hardware type of the interface, an ARPHRD_ constant
 * @bound_dev_if: index of the interface; 0: any
 * @transport: transport of the messages
 * @net: network namespace of the addresses
 * @sgid_attr: GID of our address, on a port that has a GID for each address; otherwise NULL
 * @network: protocol that carries the packets
 * @hoplimit: number of hops that a packet may take
 */
struct rdma_dev_addr {
	unsigned char		src_dev_addr[MAX_ADDR_LEN];
	unsigned char		dst_dev_addr[MAX_ADDR_LEN];
	unsigned char		broadcast[MAX_ADDR_LEN];
	unsigned short		dev_type;
	int			bound_dev_if;
	enum rdma_transport_type transport;
	struct net		*net;
	const struct ib_gid_attr *sgid_attr;
	enum rdma_network_type	network;
	int			hoplimit;
};

/**
 * rdma_copy_src_l2_addr - get the link addresses of our network interface
 * @dev_addr: out: the type, the index, the address and the broadcast address of the interface
 * @dev: the interface
 *
 * Any context.
 */
void rdma_copy_src_l2_addr(struct rdma_dev_addr *dev_addr, const struct net_device *dev);

/**
 * rdma_translate_ip - get the link addresses of the network interface that has an IP address
 * @addr: the address
 * @dev_addr: in: network namespace, and the index of the interface, or 0; out: as
 *	rdma_copy_src_l2_addr()
 *
 * Process context.
 *
 * Return: 0; -EAFNOSUPPORT if the address is neither IPv4 nor IPv6; -ENODEV if no interface has the
 * index; -EADDRNOTAVAIL if no interface has the address.
 */
int rdma_translate_ip(const struct sockaddr *addr, struct rdma_dev_addr *dev_addr);

/**
 * rdma_resolve_ip - resolve the link addresses of a connection
 * @src_addr: our address; NULL, or a wildcard: the route chooses it
 * @dst_addr: address of the peer
 * @addr: in: network namespace, and the index of our interface, or 0; out: all other members but
 *	transport and sgid_attr. Belongs to the resolution until the callback, or until
 *	rdma_addr_cancel() returns
 * @timeout_ms: how long the next hop may take to answer, in milliseconds
 * @callback: called once with the result, in process context: 0; -ETIMEDOUT if the next hop has not
 *	answered; -ENODEV if the interface is gone; -ENOMEM; or the error of the route look-up.
 *	@src_addr has the port that the caller gave. Must not call rdma_addr_cancel() for @addr
 * @resolve_by_gid_attr: take the route over the interface of @addr->sgid_attr, to which the caller
 *	holds a reference
 * @context: argument of the callback
 *
 * Process context, may sleep. The caller makes sure, by rdma_addr_cancel(), that no callback is
 * outstanding when its module is unloaded.
 *
 * Return: 0 if @callback will be called; -EAFNOSUPPORT if @dst_addr is neither IPv4 nor IPv6;
 * -EINVAL if @src_addr is of another family, or there is no source GID; -ENOMEM.
 */
int rdma_resolve_ip(struct sockaddr *src_addr, const struct sockaddr *dst_addr,
		    struct rdma_dev_addr *addr, unsigned long timeout_ms,
		    void (*callback)(int status, struct sockaddr *src_addr,
				     struct rdma_dev_addr *addr, void *context),
		    bool resolve_by_gid_attr, void *context);

/**
 * rdma_addr_cancel - cancel a resolution
 * @addr: link addresses that rdma_resolve_ip() was given
 *
 * Process context, may sleep; not in the callback. After the return, the callback has returned or
 * will not be called. Has no effect if there is no such resolution.
 */
void rdma_addr_cancel(struct rdma_dev_addr *addr);

/**
 * rdma_addr_size - get the length of a socket address
 * @addr: the address
 *
 * Return: the number of bytes; 0 if RDMA does not use the address family.
 */
int rdma_addr_size(const struct sockaddr *addr);

/**
 * rdma_addr_size_in6 - get the length of a socket address in a buffer with room for IPv6
 * @addr: the address, which may come from a process
 *
 * Return: the number of bytes; 0 if RDMA does not use the address family, or the address is longer
 * than the buffer.
 */
int rdma_addr_size_in6(struct sockaddr_in6 *addr);

/**
 * rdma_addr_size_kss - get the length of a socket address in a buffer with room for every family
 * @addr: the address, which may come from a process
 *
 * Return: as rdma_addr_size().
 */
int rdma_addr_size_kss(struct __kernel_sockaddr_storage *addr);

/**
 * rdma_ip2gid - make the GID of an IP address
 * @addr: the address
 * @gid: out: the GID; an IPv4 address becomes an IPv4-mapped IPv6 address
 *
 * Return: 0; -EINVAL if the address is neither IPv4 nor IPv6.
 */
static inline int rdma_ip2gid(struct sockaddr *addr, union ib_gid *gid)
{
	if (addr->sa_family == AF_INET)
		ipv6_addr_set_v4mapped(((struct sockaddr_in *)addr)->sin_addr.s_addr,
				       (struct in6_addr *)gid);
	else if (addr->sa_family == AF_INET6)
		memcpy(gid, &((struct sockaddr_in6 *)addr)->sin6_addr, sizeof(*gid));
	else
		return -EINVAL;
	return 0;
}

/**
 * rdma_gid2ip - get the IP address that a GID was made from
 * @out: out: the address, in a buffer with room for IPv6; port and scope are 0
 * @gid: the GID
 */
static inline void rdma_gid2ip(struct sockaddr *out, const union ib_gid *gid)
{
	const struct in6_addr *ip = (const struct in6_addr *)gid;

	if (ipv6_addr_v4mapped(ip))
		*(struct sockaddr_in *)out = (struct sockaddr_in) {
			.sin_family = AF_INET,
			.sin_addr.s_addr = ip->s6_addr32[3],
		};
	else
		*(struct sockaddr_in6 *)out = (struct sockaddr_in6) {
			.sin6_family = AF_INET6,
			.sin6_addr = *ip,
		};
}

/**
 * rdma_addr_gid_offset - get the offset of the GID in a link address, in bytes
 * @dev_addr: the addresses
 */
static inline int rdma_addr_gid_offset(struct rdma_dev_addr *dev_addr)
{
	return dev_addr->dev_type == ARPHRD_INFINIBAND ? 4 : 0;
}

/**
 * rdma_addr_get_sgid - get the GID in our link address; not for RoCE
 * @dev_addr: the addresses
 * @gid: out: the GID
 */
static inline void rdma_addr_get_sgid(struct rdma_dev_addr *dev_addr, union ib_gid *gid)
{
	memcpy(gid, dev_addr->src_dev_addr + rdma_addr_gid_offset(dev_addr), sizeof(*gid));
}

/**
 * rdma_addr_get_dgid - get the GID in the link address of the next hop; not for RoCE
 * @dev_addr: the addresses
 * @gid: out: the GID
 */
static inline void rdma_addr_get_dgid(struct rdma_dev_addr *dev_addr, union ib_gid *gid)
{
	memcpy(gid, dev_addr->dst_dev_addr + rdma_addr_gid_offset(dev_addr), sizeof(*gid));
}

/**
 * ib_addr_get_pkey - get the partition that an IPoIB interface belongs to
 * @dev_addr: the addresses
 */
static inline u16 ib_addr_get_pkey(struct rdma_dev_addr *dev_addr)
{
	return (u16)dev_addr->broadcast[8] << 8 | dev_addr->broadcast[9];
}

/**
 * ib_addr_set_pkey - set the partition that an IPoIB interface belongs to
 * @dev_addr: the addresses
 * @pkey: P_Key
 */
static inline void ib_addr_set_pkey(struct rdma_dev_addr *dev_addr, u16 pkey)
{
	dev_addr->broadcast[8] = pkey >> 8;
	dev_addr->broadcast[9] = pkey;
}

/**
 * ib_addr_get_mgid - get the GID of the multicast group that an IPoIB interface uses for broadcasts
 * @dev_addr: the addresses
 * @mgid: out: the GID
 */
static inline void ib_addr_get_mgid(struct rdma_dev_addr *dev_addr, union ib_gid *mgid)
{
	memcpy(mgid, dev_addr->broadcast + 4, sizeof(*mgid));
}

/**
 * rdma_addr_set_sgid - set the GID in our link address; not for RoCE
 * @dev_addr: the addresses
 * @gid: the GID
 */
static inline void rdma_addr_set_sgid(struct rdma_dev_addr *dev_addr, union ib_gid *gid)
{
	memcpy(dev_addr->src_dev_addr + rdma_addr_gid_offset(dev_addr), gid, sizeof(*gid));
}

/**
 * rdma_addr_set_dgid - set the GID in the link address of the next hop; not for RoCE
 * @dev_addr: the addresses
 * @gid: the GID
 */
static inline void rdma_addr_set_dgid(struct rdma_dev_addr *dev_addr, union ib_gid *gid)
{
	memcpy(dev_addr->dst_dev_addr + rdma_addr_gid_offset(dev_addr), gid, sizeof(*gid));
}

/**
 * rdma_vlan_dev_vlan_id - get the VLAN of a network interface
 * @dev: the interface
 *
 * Return: the VLAN; 0xffff if the interface is no VLAN's.
 */
static inline u16 rdma_vlan_dev_vlan_id(const struct net_device *dev)
{
	return is_vlan_dev(dev) ? vlan_dev_vlan_id(dev) : 0xffff;
}

/**
 * rdma_vlan_dev_real_dev - get the network interface below a VLAN's, past all VLANs
 * @dev: the interface
 *
 * Under the RTNL lock or RCU, or with a reference to @dev, which holds one to the result.
 *
 * Return: the interface; NULL if @dev is no VLAN's.
 */
static inline struct net_device *rdma_vlan_dev_real_dev(const struct net_device *dev)
{
	return is_vlan_dev(dev) ? vlan_dev_real_dev(dev) : NULL;
}

/**
 * rdma_get_vlan_id - get the VLAN that an older driver has written into a link-local GID
 * @dgid: GID
 *
 * Return: the VLAN; 0xffff for none.
 */
static inline u16 rdma_get_vlan_id(union ib_gid *dgid)
{
	u16 vid = dgid->raw[11] << 8 | dgid->raw[12];

	return vid < VLAN_N_VID ? vid : 0xffff;
}

/**
 * iboe_get_mtu - get the MTU of RoCE on a network interface
 * @mtu: MTU of the interface, in bytes, from which the longest headers of RoCE are subtracted
 *
 * Return: the largest MTU of InfiniBand that fits; 0 if none does.
 */
static inline enum ib_mtu iboe_get_mtu(int mtu)
{
	int payload = mtu - (IB_GRH_BYTES + IB_UDP_BYTES + IB_BTH_BYTES + IB_EXT_XRC_BYTES +
			     IB_EXT_ATOMICETH_BYTES + IB_ICRC_BYTES);

	return payload < 256 ? 0 : ib_mtu_int_to_enum(payload);
}

/**
 * rdma_is_multicast_addr - does a GID, or an IP address in the form of a GID, name a group?
 * @addr: the GID
 */
static inline int rdma_is_multicast_addr(struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return ipv4_is_multicast(addr->s6_addr32[3]);
	return ipv6_addr_is_multicast(addr);
}

/**
 * rdma_get_mcast_mac - get the MAC address of a multicast group
 * @addr: GID of the group
 * @mac: out: the MAC address, ETH_ALEN bytes
 */
static inline void rdma_get_mcast_mac(struct in6_addr *addr, u8 *mac)
{
	if (ipv6_addr_v4mapped(addr))
		ip_eth_mc_map(addr->s6_addr32[3], mac);
	else
		ipv6_eth_mc_map(addr, mac);
}

/**
 * rdma_link_local_addr - is a GID in the link-local subnet fe80::/64?
 * @addr: the GID
 */
static inline int rdma_link_local_addr(struct in6_addr *addr)
{
	return addr->s6_addr32[0] == htonl(0xfe800000) && !addr->s6_addr32[1];
}

/**
 * rdma_get_ll_mac - get the MAC address that a link-local GID was made from
 * @addr: GID that ends with a modified EUI-64, such as a port's default GID
 * @mac: out: the MAC address, ETH_ALEN bytes
 */
static inline void rdma_get_ll_mac(struct in6_addr *addr, u8 *mac)
{
	memcpy(mac, &addr->s6_addr[8], 3);
	memcpy(mac + 3, &addr->s6_addr[13], 3);
	mac[0] ^= 2;
}

#endif /* _RDMA_IB_ADDR_H_ */
