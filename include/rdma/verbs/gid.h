/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * GIDs: the table of each port, references to its entries, and look-ups.
 *
 * How a table is filled depends on the port's protocol. The table of an InfiniBand or iWARP port is
 * read from the provider's query_gid(), and read again after an event of the port or a change of
 * its network interface. The table of a RoCE port has a default GID made from the interface's MAC
 * address, and a GID for each IP address of the interface and of the interfaces above it (VLANs,
 * bonds, bridges, macvlans). The core updates that table when the addresses change, and passes each
 * change to the provider's add_gid() and del_gid(). After a change, IB_EVENT_GID_CHANGE is
 * dispatched.
 *
 * Unless said otherwise, the functions may be called in any context. The caller ensures that the
 * device stays registered during the call.
 */
#ifndef _RDMA_VERBS_GID_H_
#define _RDMA_VERBS_GID_H_

#include <linux/etherdevice.h>
#include <net/ipv6.h>
#include <rdma/verbs/types.h>

/**
 * struct ib_gid_attr - an entry of a GID table; read only
 * @ndev: network interface that the GID belongs to; NULL if there is none or the entry was deleted
 *	from the table. Read with rdma_read_gid_attr_ndev_rcu()
 * @device: the device, whose memory is not freed before the entry
 * @gid: the GID
 * @gid_type: protocol that the GID is used with
 * @index: index in the table of the port
 * @port_num: the port
 *
 * All members but @ndev are unchanged until the last reference is dropped. Until then a RoCE device
 * also keeps the GID in its own table, so @index stays valid even after the IP address was deleted.
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
 * enum rdma_network_type - protocol that carries packets from a GID
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
 * ib_network_to_gid_type - get the type of the GIDs that a network protocol uses
 * @network_type: the network protocol
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
 * rdma_gid_attr_network_type - get the protocol that carries packets from a GID
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

/* The GID that is all zero. */
extern union ib_gid zgid;

/**
 * rdma_is_zero_gid - is the GID all zero?
 * @gid: the GID
 */
static inline bool rdma_is_zero_gid(const union ib_gid *gid)
{
	return !gid->global.subnet_prefix && !gid->global.interface_id;
}

/**
 * rdma_query_gid - get a GID by its index
 * @device: the device
 * @port_num: port number
 * @index: index in the port's table
 * @gid: out: the GID
 *
 * Return: 0; -EINVAL if there is no such port or index; -ENOENT if there is no GID at the index.
 */
int rdma_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid);

/**
 * __ib_query_gid - get a GID and its attributes by its index
 * @device: the device
 * @port_num: port number
 * @index: index in the port's table
 * @gid: out: the GID
 * @attr: out: the attributes; may be NULL. If attr->ndev is not NULL, the caller releases it with
 *	dev_put()
 *
 * Callers use ib_query_gid(). Return: as rdma_query_gid().
 */
int __ib_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid,
		   struct ib_gid_attr *attr);

#define __IB_QUERY_GID_ATTR(unused, attr, ...)	attr

/**
 * ib_query_gid - get a GID by its index, in callers that are older than rdma_query_gid()
 * @device: the device
 * @port_num: port number
 * @index: index in the port's table
 * @gid: out: the GID
 *
 * Some callers pass a fifth argument, the attr of __ib_query_gid(), and others do not.
 */
#define ib_query_gid(device, port_num, index, gid, ...)				\
	__ib_query_gid((device), (port_num), (index), (gid),			\
		       __IB_QUERY_GID_ATTR(, ##__VA_ARGS__, NULL))

/**
 * rdma_get_gid_attr - take a reference to an entry, by its index
 * @device: the device
 * @port_num: port number
 * @index: index in the port's table
 *
 * Return: the entry, with a reference that the caller drops with rdma_put_gid_attr() before the
 * device is unregistered; ERR_PTR(-EINVAL) if there is no such port or index; ERR_PTR(-ENODATA) if
 * there is no GID at the index.
 */
const struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *device, u32 port_num, int index);

/**
 * rdma_hold_gid_attr - take one more reference to an entry
 * @attr: entry to which the caller has a reference
 */
void rdma_hold_gid_attr(const struct ib_gid_attr *attr);

/**
 * rdma_put_gid_attr - drop a reference to an entry
 * @attr: the entry
 */
void rdma_put_gid_attr(const struct ib_gid_attr *attr);

/**
 * rdma_find_gid - take a reference to an entry, by its content, on any port
 * @device: the device
 * @gid: the GID
 * @gid_type: its type
 * @ndev: its network interface; NULL: any
 *
 * Return: the first entry that matches, with a reference that the caller drops with
 * rdma_put_gid_attr(); ERR_PTR(-ENOENT) if no entry matches.
 */
const struct ib_gid_attr *rdma_find_gid(struct ib_device *device, const union ib_gid *gid,
					enum ib_gid_type gid_type, struct net_device *ndev);

/**
 * rdma_find_gid_by_port - take a reference to an entry, by its content, on one port
 * @ib_dev: the device
 * @gid: the GID
 * @gid_type: its type
 * @port: port number
 * @ndev: its network interface; NULL: any
 *
 * Return: as rdma_find_gid(); ERR_PTR(-EINVAL) if there is no such port.
 */
const struct ib_gid_attr *rdma_find_gid_by_port(struct ib_device *ib_dev, const union ib_gid *gid,
						enum ib_gid_type gid_type, u32 port,
						struct net_device *ndev);

/**
 * rdma_find_gid_by_filter - take a reference to an entry, by its GID and a condition
 * @device: the device
 * @gid: the GID
 * @port_num: port number
 * @filter: returns whether an entry with that GID matches; called under the RCU read lock
 * @context: passed to @filter
 *
 * Return: as rdma_find_gid_by_port().
 */
const struct ib_gid_attr *
rdma_find_gid_by_filter(struct ib_device *device, const union ib_gid *gid, u32 port_num,
			bool (*filter)(const union ib_gid *gid, const struct ib_gid_attr *attr,
				       void *context),
			void *context);

/**
 * ib_find_gid - find port and index of a GID of any type
 * @device: the device
 * @gid: the GID
 * @port_num: out: the port
 * @index: out: index in the port's table; may be NULL
 *
 * Return: 0; -ENOENT if no port has the GID.
 */
int ib_find_gid(struct ib_device *device, union ib_gid *gid, u32 *port_num, u16 *index);

/**
 * rdma_read_gid_attr_ndev_rcu - get the network interface of an entry
 * @attr: entry to which the caller has a reference
 *
 * Called with the RCU read lock held. The interface is not freed before that lock is released.
 *
 * Return: the interface; ERR_PTR(-ENODEV) if the entry has no interface, has lost it, or the
 * interface is down.
 */
struct net_device *rdma_read_gid_attr_ndev_rcu(const struct ib_gid_attr *attr);

/**
 * rdma_read_gid_l2_fields - get VLAN and source address of Ethernet frames from a GID
 * @attr: entry to which the caller has a reference
 * @vlan_id: out: the VLAN, 0xffff for none; may be NULL
 * @smac: out: the interface's MAC address, ETH_ALEN bytes; may be NULL
 *
 * Return: 0; -ENODEV if the entry has no network interface or has lost it.
 */
int rdma_read_gid_l2_fields(const struct ib_gid_attr *attr, u16 *vlan_id, u8 *smac);

/**
 * rdma_read_gid_hw_context - get the context that the provider's add_gid() has set
 * @attr: entry of a RoCE port, to which the caller has a reference
 */
void *rdma_read_gid_hw_context(const struct ib_gid_attr *attr);

/**
 * rdma_query_gid_entry - get an entry in the form of the user ABI
 * @device: the device
 * @port_num: port number
 * @index: index in the port's table
 * @to: out: the entry; its netdev_ifindex is 0 if there is no interface
 *
 * Return: 0; -EINVAL if there is no such port or index; -ENODATA if there is no GID at the index.
 */
int rdma_query_gid_entry(struct ib_device *device, u32 port_num, int index,
			 struct ib_uverbs_gid_entry *to);

/**
 * rdma_query_gid_table - get all GIDs of all ports
 * @device: the device
 * @entries: out: the entries, ordered by port and index; netdev_ifindex is 0 if there is no
 *	interface
 * @max_entries: number of entries that fit into @entries
 *
 * Return: the number of entries; -EINVAL if there are more than @max_entries.
 */
ssize_t rdma_query_gid_table(struct ib_device *device, struct ib_uverbs_gid_entry *entries,
			     size_t max_entries);

/**
 * rdma_roce_rescan_device - update the GIDs of a device from the addresses of its interfaces
 * @ib_dev: a registered device
 *
 * Process context, called without the RTNL lock. A provider calls the function when its
 * get_netdev() returns another interface than before. On return the tables are up to date.
 */
void rdma_roce_rescan_device(struct ib_device *ib_dev);

#endif /* _RDMA_VERBS_GID_H_ */
