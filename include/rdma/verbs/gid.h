/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * GIDs: the table of each port, references to its entries, and look-ups.
 *
 * The content of a table depends on the port. For InfiniBand and iWARP it is read from the
 * provider's query_gid(), again after an event of the port or a change of its network interface.
 * For RoCE it is a default GID from the interface's MAC address, and one for each IP address of the
 * interface and of those above it (VLANs, bonds, bridges, macvlans). The core keeps it up to date
 * with the addresses, and passes each change to the provider's add_gid() and del_gid(). Each change
 * ends with IB_EVENT_GID_CHANGE.
 *
 * Unless said otherwise, the functions may be called in any context, for a device that the caller
 * keeps registered.
 */
#ifndef _RDMA_VERBS_GID_H_
#define _RDMA_VERBS_GID_H_

#include <linux/etherdevice.h>
#include <net/ipv6.h>
#include <rdma/verbs/types.h>

/**
 * struct ib_gid_attr - an entry of a GID table; read only
 * @ndev: network interface that the GID belongs to, or NULL; for rdma_read_gid_attr_ndev_rcu().
 *	NULL also once the entry has left the table
 * @device: the device; its memory stays as long as the entry
 * @gid: the GID
 * @gid_type: what it is used with
 * @index: place in the table of the port
 * @port_num: the port
 *
 * All members but @ndev are unchanged until the last reference is dropped. RoCE devices keep the
 * GID until then, so that @index is valid even after the address is gone.
 */
struct ib_gid_attr {
	struct net_device __rcu	*ndev;
	struct ib_device	*device;
	union ib_gid		gid;
	enum ib_gid_type	gid_type;
	u16			index;
	u32			port_num;
};

/**
 * enum rdma_network_type - what carries packets from a GID
 * @RDMA_NETWORK_IB: InfiniBand
 * @RDMA_NETWORK_ROCE_V1: Ethernet, with a GRH
 * @RDMA_NETWORK_IPV4: UDP over IPv4
 * @RDMA_NETWORK_IPV6: UDP over IPv6
 */
enum rdma_network_type {
	RDMA_NETWORK_IB,
	RDMA_NETWORK_ROCE_V1,
	RDMA_NETWORK_IPV4,
	RDMA_NETWORK_IPV6
};

/**
 * ib_network_to_gid_type - the type of the GIDs that a network uses
 * @network_type: the network
 */
static inline enum ib_gid_type ib_network_to_gid_type(enum rdma_network_type network_type)
{
	switch (network_type) {
	case RDMA_NETWORK_IPV4:
	case RDMA_NETWORK_IPV6:
		return IB_GID_TYPE_ROCE_UDP_ENCAP;
	case RDMA_NETWORK_ROCE_V1:
		return IB_GID_TYPE_ROCE;
	default:
		return IB_GID_TYPE_IB;
	}
}

/**
 * rdma_gid_attr_network_type - what carries packets from this GID
 * @attr: the entry
 */
static inline enum rdma_network_type rdma_gid_attr_network_type(const struct ib_gid_attr *attr)
{
	switch (attr->gid_type) {
	case IB_GID_TYPE_ROCE_UDP_ENCAP:
		if (ipv6_addr_v4mapped((const struct in6_addr *)&attr->gid))
			return RDMA_NETWORK_IPV4;
		return RDMA_NETWORK_IPV6;
	case IB_GID_TYPE_ROCE:
		return RDMA_NETWORK_ROCE_V1;
	default:
		return RDMA_NETWORK_IB;
	}
}

/**
 * rdma_is_zero_gid - is the GID all zero?
 * @gid: the GID
 */
static inline bool rdma_is_zero_gid(const union ib_gid *gid)
{
	return !gid->global.subnet_prefix && !gid->global.interface_id;
}

/**
 * rdma_query_gid - a GID by its index
 * @device: the device
 * @port_num: port number
 * @index: place in the port's table
 * @gid: result
 *
 * Return: 0; -EINVAL: no such port or place; -ENOENT: the place is empty.
 */
int rdma_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid);

/**
 * __ib_query_gid - a GID and its attributes by its index
 * @device: the device
 * @port_num: port number
 * @index: place in the port's table
 * @gid: result
 * @attr: result, or NULL. If its @ndev is not NULL, the caller gives it back with dev_put()
 *
 * Use ib_query_gid(). Return: as rdma_query_gid().
 */
int __ib_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid,
		   struct ib_gid_attr *attr);

#define __IB_QUERY_GID_ATTR(unused, attr, ...)	attr

/**
 * ib_query_gid - the same with or without the last argument
 * @device: the device
 * @port_num: port number
 * @index: place in the port's table
 * @gid: result
 *
 * The name that callers older than rdma_query_gid() use. See __ib_query_gid().
 */
#define ib_query_gid(device, port_num, index, gid, ...)				\
	__ib_query_gid((device), (port_num), (index), (gid),			\
		       __IB_QUERY_GID_ATTR(, ##__VA_ARGS__, NULL))

/**
 * rdma_get_gid_attr - a reference to an entry, by its index
 * @device: the device
 * @port_num: port number
 * @index: place in the port's table
 *
 * Return: the entry, to be given back with rdma_put_gid_attr() before the device is unregistered;
 * ERR_PTR(-EINVAL): no such port or place; ERR_PTR(-ENODATA): the place is empty.
 */
const struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *device, u32 port_num, int index);

/**
 * rdma_hold_gid_attr - one more reference to an entry
 * @attr: entry to which the caller has a reference
 */
void rdma_hold_gid_attr(const struct ib_gid_attr *attr);

/**
 * rdma_put_gid_attr - give a reference back
 * @attr: the entry
 */
void rdma_put_gid_attr(const struct ib_gid_attr *attr);

/**
 * rdma_find_gid - a reference to an entry, by its content, on any port
 * @device: the device
 * @gid: the GID
 * @gid_type: its type
 * @ndev: its network interface; NULL: any
 *
 * Return: the first one that matches, to be given back with rdma_put_gid_attr(); ERR_PTR(-ENOENT).
 */
const struct ib_gid_attr *rdma_find_gid(struct ib_device *device, const union ib_gid *gid,
					enum ib_gid_type gid_type, struct net_device *ndev);

/**
 * rdma_find_gid_by_port - a reference to an entry, by its content, on one port
 * @ib_dev: the device
 * @gid: the GID
 * @gid_type: its type
 * @port: port number
 * @ndev: its network interface; NULL: any
 *
 * Return: as rdma_find_gid(), or ERR_PTR(-EINVAL): no such port.
 */
const struct ib_gid_attr *rdma_find_gid_by_port(struct ib_device *ib_dev, const union ib_gid *gid,
						enum ib_gid_type gid_type, u32 port,
						struct net_device *ndev);

/**
 * rdma_find_gid_by_filter - a reference to an entry, by its GID and a condition of the caller
 * @device: the device
 * @gid: the GID
 * @port_num: port number
 * @filter: returns whether an entry with that GID is acceptable; called under the RCU read lock
 * @context: for @filter
 *
 * Return: as rdma_find_gid_by_port().
 */
const struct ib_gid_attr *
rdma_find_gid_by_filter(struct ib_device *device, const union ib_gid *gid, u32 port_num,
			bool (*filter)(const union ib_gid *gid, const struct ib_gid_attr *attr,
				       void *context),
			void *context);

/**
 * ib_find_gid - port and index of a GID of any type
 * @device: the device
 * @gid: the GID
 * @port_num: result: the port
 * @index: result: place in its table; or NULL
 *
 * Return: 0; -ENOENT.
 */
int ib_find_gid(struct ib_device *device, union ib_gid *gid, u32 *port_num, u16 *index);

/**
 * rdma_read_gid_attr_ndev_rcu - network interface of an entry
 * @attr: entry to which the caller has a reference
 *
 * To be called under the RCU read lock, which keeps the interface.
 *
 * Return: the interface; ERR_PTR(-ENODEV): it has none (any more), or the interface is down.
 */
struct net_device *rdma_read_gid_attr_ndev_rcu(const struct ib_gid_attr *attr);

/**
 * rdma_read_gid_l2_fields - what Ethernet frames from this GID carry
 * @attr: entry to which the caller has a reference
 * @vlan_id: result: the VLAN, 0xffff for none; or NULL
 * @smac: result: the interface's MAC address, ETH_ALEN bytes; or NULL
 *
 * Return: 0; -ENODEV: the entry has no network interface (any more).
 */
int rdma_read_gid_l2_fields(const struct ib_gid_attr *attr, u16 *vlan_id, u8 *smac);

/**
 * rdma_read_gid_hw_context - what the provider's add_gid() left in its context
 * @attr: entry to which the caller has a reference, of a RoCE port
 */
void *rdma_read_gid_hw_context(const struct ib_gid_attr *attr);

/**
 * rdma_query_gid_entry - an entry in the form that processes see
 * @device: the device
 * @port_num: port number
 * @index: place in the port's table
 * @to: result; netdev_ifindex is 0 where there is no interface
 *
 * Return: 0; -EINVAL: there is no such port or place; -ENODATA: the place is empty.
 */
int rdma_query_gid_entry(struct ib_device *device, u32 port_num, int index,
			 struct ib_uverbs_gid_entry *to);

/**
 * rdma_query_gid_table - all GIDs of all ports
 * @device: the device
 * @entries: results, in the order of ports and places; netdev_ifindex is 0 where there is no
 *	interface
 * @max_entries: room in @entries
 *
 * Return: how many there are; -EINVAL: more than @max_entries.
 */
ssize_t rdma_query_gid_table(struct ib_device *device, struct ib_uverbs_gid_entry *entries,
			     size_t max_entries);

/**
 * rdma_roce_rescan_device - update the GIDs of a device from the addresses of its interfaces
 * @ib_dev: a registered device
 *
 * Process context, without the RTNL lock. For a provider whose get_netdev() returns another
 * interface than before. On return the tables are up to date.
 */
void rdma_roce_rescan_device(struct ib_device *ib_dev);

#endif /* _RDMA_VERBS_GID_H_ */
