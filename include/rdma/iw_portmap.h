/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The iWARP port mapper: kernel client of the daemon iwpmd, which reserves TCP ports of the host
 * for RDMA connections and tells peers which port stands for which.
 */
#ifndef _IW_PORTMAP_H
#define _IW_PORTMAP_H

#include <linux/netlink.h>
#include <linux/socket.h>
#include <uapi/rdma/rdma_netlink.h>

struct iwpm_map;
struct net;

/* Lengths of names and addresses in messages, the closing NUL counted. */
#define IWPM_ULIBNAME_SIZE	32
#define IWPM_DEVNAME_SIZE	32
#define IWPM_IFNAME_SIZE	16
#define IWPM_IPADDR_SIZE	16

/**
 * DOC: Two ways to use it
 *
 * iwpm_map_listen(), iwpm_map_connect() and iwpm_unmap() do all of it for one address of one
 * network namespace; iw_cm uses them. The functions with an argument nl_client are the single
 * steps, for callers that were written against them. They concern the initial network namespace,
 * and nl_client is %RDMA_NL_IWCM: with another, or without iwpm_init(), they return -EINVAL.
 *
 * A request waits for the daemon, 6 s at most, in process context. Requests of several threads are
 * under way at the same time. Those that fail do so with
 *
 * - -ECONNREFUSED: there is no daemon, or it died before it answered
 * - -ETIMEDOUT: no answer. If that happens to a registration or an addition, the daemon counts as
 *   dead until it sends a hello, or for a minute.
 * - -EADDRINUSE: it has another mapping of the local port
 * - -EREMOTEIO: it refused for another reason
 * - -EPROTO: its answer is invalid
 * - -EAGAIN: its receive buffer stays full
 * - -EINVAL: arguments; -ENOMEM; -ENODEV: the network namespace is going away
 */

/**
 * enum - reasons that the daemon gives
 * @IWPM_INVALID_NLMSG_ERR: a message that it cannot read
 * @IWPM_CREATE_MAPPING_ERR: no port is available
 * @IWPM_DUPLICATE_MAPPING_ERR: the local port is mapped already
 * @IWPM_UNKNOWN_MAPPING_ERR: no such mapping
 * @IWPM_CLIENT_DEV_INFO_ERR: it rejects the device's name
 * @IWPM_USER_LIB_INFO_ERR: the message is meant for another daemon
 * @IWPM_REMOTE_QUERY_REJECT: the peer's daemon has no mapping of the remote address
 */
enum {
	IWPM_INVALID_NLMSG_ERR = 10,
	IWPM_CREATE_MAPPING_ERR,
	IWPM_DUPLICATE_MAPPING_ERR,
	IWPM_UNKNOWN_MAPPING_ERR,
	IWPM_CLIENT_DEV_INFO_ERR,
	IWPM_USER_LIB_INFO_ERR,
	IWPM_REMOTE_QUERY_REJECT
};

/**
 * enum iwpm_map_flags - properties of a mapping that are not sent to the daemon
 * @IWPM_MAP_HOST_TCP: the mapped port is bound by a socket of the host's TCP, so that a daemon that
 *	starts later cannot bind it, and need not
 */
enum iwpm_map_flags {
	IWPM_MAP_HOST_TCP = 1u << 31,
};

/**
 * struct iwpm_dev_data - the device that a request is for
 * @dev_name: RDMA device
 * @if_name: network interface
 */
struct iwpm_dev_data {
	char dev_name[IWPM_DEVNAME_SIZE];
	char if_name[IWPM_IFNAME_SIZE];
};

/**
 * struct iwpm_sa_data - addresses of a request and of its answer
 * @loc_addr: in: local address and port
 * @mapped_loc_addr: out: @loc_addr as it is on the wire
 * @rem_addr: in: the peer's address and port
 * @mapped_rem_addr: out: @rem_addr as it is on the wire
 * @flags: in: %IWPM_FLAGS_NO_PORT_MAP, which says that mapped and real port are to be the same, and
 *	of enum iwpm_map_flags
 */
struct iwpm_sa_data {
	struct sockaddr_storage loc_addr;
	struct sockaddr_storage mapped_loc_addr;
	struct sockaddr_storage rem_addr;
	struct sockaddr_storage mapped_rem_addr;
	u32 flags;
};

/**
 * iwpm_map_listen - map the address of a listener
 * @net: network namespace; the caller keeps it
 * @dev: the device
 * @sa: loc_addr and flags; loc_addr gets a port if it has none. Out: mapped_loc_addr
 *
 * Process context, sleeps. Listeners of one address, which may be several devices', share its
 * mapping. If there is no daemon, the first call in a network namespace logs that.
 *
 * Return: the mapping, to be given back with iwpm_unmap(); NULL: ports are not mapped, and are used
 * as they are; or ERR_PTR, as above, but for -ECONNREFUSED and -ETIMEDOUT.
 */
struct iwpm_map *iwpm_map_listen(struct net *net, const struct iwpm_dev_data *dev,
				 struct iwpm_sa_data *sa);

/**
 * iwpm_map_connect - map both addresses of a connection
 * @net: network namespace; the caller keeps it
 * @dev: the device
 * @sa: loc_addr, rem_addr and flags; loc_addr is a specific address, and gets a port if it has
 *	none. Out: mapped_loc_addr and mapped_rem_addr
 *
 * Process context, sleeps. A peer whose daemon has no mapping is reached at its real address. One
 * without a daemon costs the whole time of a request.
 *
 * Return: as iwpm_map_listen().
 */
struct iwpm_map *iwpm_map_connect(struct net *net, const struct iwpm_dev_data *dev,
				  struct iwpm_sa_data *sa);

/**
 * iwpm_unmap - end a mapping
 * @map: from iwpm_map_listen() or iwpm_map_connect(), or NULL
 *
 * Process context, does not wait. May be called after the network namespace has gone.
 */
void iwpm_unmap(struct iwpm_map *map);

/**
 * iwpm_map_remote - find the real address of a peer that has connected
 * @map: the listener's mapping
 * @mapped_loc_addr: our address, as it is on the wire
 * @mapped_rem_addr: the peer's address, as it is on the wire
 * @remote_addr: out: the peer's real address
 *
 * Any context but interrupts. As iwpm_get_remote_info(), in the listener's network namespace.
 *
 * Return: 0; -ENOENT nothing is known about it.
 */
int iwpm_map_remote(struct iwpm_map *map, const struct sockaddr_storage *mapped_loc_addr,
		    const struct sockaddr_storage *mapped_rem_addr,
		    struct sockaddr_storage *remote_addr);

/**
 * iwpm_init - begin to use the port mapper
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context. Callers are counted.
 *
 * Return: 0; -EINVAL another client.
 */
int iwpm_init(u8 nl_client);

/**
 * iwpm_exit - end the use of the port mapper
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context. The last call deletes what iwpm_create_mapinfo() has entered, and all peers that
 * were announced.
 *
 * Return: 0; -EINVAL another client, or more calls than of iwpm_init().
 */
int iwpm_exit(u8 nl_client);

/**
 * iwpm_valid_pid - is a daemon known?
 *
 * Any context but interrupts.
 *
 * Return: 1 a daemon has registered and lives, 0 none has.
 */
int iwpm_valid_pid(void);

/**
 * iwpm_register_pid - find the daemon
 * @pm_msg: the device that asks
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context, sleeps. Asks the daemon that is known, else all that listen; the first to answer
 * becomes the daemon. Does nothing if that has been done since the daemon started.
 *
 * Return: 0 or as above.
 */
int iwpm_register_pid(struct iwpm_dev_data *pm_msg, u8 nl_client);

/**
 * iwpm_add_mapping - have a local address mapped
 * @pm_msg: loc_addr and flags; out: mapped_loc_addr
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context, sleeps. After iwpm_register_pid().
 *
 * Return: 0 or as above.
 */
int iwpm_add_mapping(struct iwpm_sa_data *pm_msg, u8 nl_client);

/**
 * iwpm_add_and_query_mapping - have a local address mapped and look the remote one up
 * @pm_msg: loc_addr, rem_addr and flags; out: mapped_loc_addr and mapped_rem_addr, which is
 *	rem_addr if the peer's daemon does not know that
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context, sleeps. After iwpm_register_pid().
 *
 * Return: 0 or as above.
 */
int iwpm_add_and_query_mapping(struct iwpm_sa_data *pm_msg, u8 nl_client);

/**
 * iwpm_remove_mapping - have the mapping of a local address removed
 * @local_addr: the real address
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context. The daemon does not answer, and is not waited for.
 *
 * Return: 0: it was sent; or as above.
 */
int iwpm_remove_mapping(struct sockaddr_storage *local_addr, u8 nl_client);

/**
 * iwpm_get_remote_info - find the real address of a peer that has connected
 * @mapped_loc_addr: our address, as it is on the wire
 * @mapped_rem_addr: the peer's address, as it is on the wire
 * @remote_addr: out: the peer's real address
 * @nl_client: %RDMA_NL_IWCM
 *
 * Any context but interrupts. An entry is removed when it is found. At most 4096 peers are kept,
 * for a minute each.
 *
 * Return: 0; -ENOENT nothing is known about it; -EINVAL.
 */
int iwpm_get_remote_info(struct sockaddr_storage *mapped_loc_addr,
			 struct sockaddr_storage *mapped_rem_addr,
			 struct sockaddr_storage *remote_addr, u8 nl_client);

/**
 * iwpm_create_mapinfo - store a mapping, for a daemon that starts later
 * @local_addr: real address
 * @mapped_addr: address on the wire, of the same family
 * @nl_client: %RDMA_NL_IWCM
 * @map_flags: as in &struct iwpm_sa_data.flags. Callers may leave it out, which stands for 0.
 *
 * Process context.
 *
 * Return: 0; -EINVAL; -EEXIST @local_addr has one; -ENOMEM; -ENODEV.
 */
int iwpm_create_mapinfo(struct sockaddr_storage *local_addr, struct sockaddr_storage *mapped_addr,
			u8 nl_client, u32 map_flags);

/* Linux before 5.3 had no flags. */
#define iwpm_create_mapinfo(local_addr, mapped_addr, nl_client, ...)			\
	iwpm_create_mapinfo((local_addr), (mapped_addr), (nl_client), (__VA_ARGS__ + 0))

/**
 * iwpm_remove_mapinfo - delete a stored mapping
 * @local_addr: real address
 * @mapped_addr: address on the wire
 *
 * Process context.
 *
 * Return: 0; -ENOENT there is no such pair; -EINVAL.
 */
int iwpm_remove_mapinfo(struct sockaddr_storage *local_addr, struct sockaddr_storage *mapped_addr);

/**
 * DOC: Messages of the daemon
 *
 * The functions below take what the daemon sends: each reads the message at &netlink_callback.nlh,
 * which came in &netlink_callback.skb; the first argument is not used. iw_portmap.ko itself serves
 * the netlink client, and nobody else has to call them. Process context. They return 0, or -EPERM
 * the sender lacks CAP_NET_ADMIN in the user namespace that owns its network namespace, or is not
 * the daemon that is registered, -EINVAL the message is malformed, -ENOENT it answers no request
 * that is open, and change nothing then.
 */

/**
 * iwpm_register_pid_cb - the answer to iwpm_register_pid()
 * @skb: unused
 * @cb: the message
 *
 * The sender becomes the daemon.
 *
 * Return: see above; -EPROTO it is none that we can speak to: the request fails.
 */
int iwpm_register_pid_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_add_mapping_cb - the answer to iwpm_add_mapping()
 * @skb: unused
 * @cb: the message
 *
 * Return: see above; -EPROTO it does not go with the request, which fails.
 */
int iwpm_add_mapping_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_add_and_query_mapping_cb - the answer to iwpm_add_and_query_mapping()
 * @skb: unused
 * @cb: the message
 *
 * Return: see above; -EPROTO it does not go with the request, which fails.
 */
int iwpm_add_and_query_mapping_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_remote_info_cb - a peer is about to connect
 * @skb: unused
 * @cb: the message
 *
 * Return: see above; -ENOMEM.
 */
int iwpm_remote_info_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_mapping_error_cb - the daemon cannot do what a request asks
 * @skb: unused
 * @cb: the message
 *
 * Return: see above; 0 also when it is about no open request: a mapping that was replayed.
 */
int iwpm_mapping_error_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_mapping_info_cb - a daemon has started, and wants to know all mappings
 * @skb: unused
 * @cb: the message
 *
 * The sender becomes the daemon, and is sent all mappings.
 *
 * Return: see above; -EPROTO we do not speak its version; -EAGAIN it has no room; -ENOMEM.
 */
int iwpm_mapping_info_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_ack_mapping_info_cb - how many of the mappings sent to it the daemon has accepted
 * @skb: unused
 * @cb: the message
 *
 * Return: see above.
 */
int iwpm_ack_mapping_info_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_hello_cb - a daemon has started, and says which version it speaks
 * @skb: unused
 * @cb: the message
 *
 * The sender becomes the daemon, and is sent the version to use: the older of its and ours.
 *
 * Return: see above; -EPROTO we do not speak its version; -EAGAIN it has no room; -ENOMEM.
 */
int iwpm_hello_cb(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* _IW_PORTMAP_H */
