/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The iWARP port mapper: kernel client of the daemon iwpmd, which reserves TCP ports of the host
 * for RDMA connections, and informs peers which reserved port each real port is mapped to.
 */
#ifndef _KRDMA_IW_PORTMAP_H_
#define _KRDMA_IW_PORTMAP_H_

#ifdef _IW_PORTMAP_H
#error "the kernel's <rdma/iw_portmap.h> was included before krdma's"
#endif
#define _IW_PORTMAP_H

#include <linux/netlink.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <uapi/rdma/rdma_netlink.h>

struct iwpm_map;
struct net;

/* Lengths in bytes of names and addresses in messages, including the terminating NUL. */
#define IWPM_ULIBNAME_SIZE	32
#define IWPM_DEVNAME_SIZE	32
#define IWPM_IFNAME_SIZE	16
#define IWPM_IPADDR_SIZE	16

/**
 * DOC: Two ways to use the port mapper
 *
 * iwpm_map_listen(), iwpm_map_connect() and iwpm_unmap() do all that is needed for an address, in
 * any network namespace; iw_cm uses them. The functions with an argument nl_client do single steps,
 * for callers that were written for the port mapper of Linux. These functions use the initial
 * network namespace. They return -EINVAL if nl_client is not %RDMA_NL_IWCM, or iwpm_init() has not
 * been called.
 *
 * A request is made in process context, and waits for the daemon at most 6 s, or until the process
 * is killed. The wait of iwpm_map_listen() and iwpm_map_connect() also ends when another thread
 * calls iwpm_wait_cancel(). Several threads can make requests at the same time. A request fails
 * with
 *
 * - -ECONNREFUSED if there is no daemon, or the daemon died before it answered;
 * - -ETIMEDOUT if there was no answer. If that happens to a registration or an addition, the next
 *   requests fail at once, for a minute or until the daemon answers late, or a daemon reports its
 *   start by a hello or a request for the mappings;
 * - -EINTR if the process was killed;
 * - -ECANCELED if the wait was cancelled;
 * - -EADDRINUSE if the daemon has another mapping of the local port;
 * - -EREMOTEIO if the daemon refused the request for another reason;
 * - -EPROTO if the daemon's answer is invalid;
 * - -EAGAIN if no daemon is known, and the receive buffers of the sockets that listen stay full;
 * - -EINVAL if an argument is invalid;
 * - -ENOMEM;
 * - -ENODEV if the network namespace is going away.
 *
 * A request that fails has not changed the daemon's mappings: if there was no valid answer, a
 * removal has followed the request.
 */

/**
 * enum - errors that the daemon reports
 * @IWPM_INVALID_NLMSG_ERR: the message is invalid
 * @IWPM_CREATE_MAPPING_ERR: no port is available
 * @IWPM_DUPLICATE_MAPPING_ERR: the local port is mapped already
 * @IWPM_UNKNOWN_MAPPING_ERR: there is no such mapping
 * @IWPM_CLIENT_DEV_INFO_ERR: the name of the device is invalid
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
 * @IWPM_MAP_HOST_TCP: a socket of the host's TCP binds the mapped port. A daemon that starts later
 *	need not bind the port, and cannot.
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
 * @flags: in: bits of enum iwpm_map_flags, and %IWPM_FLAGS_NO_PORT_MAP, which makes the mapped
 *	port equal to the real one
 */
struct iwpm_sa_data {
	struct sockaddr_storage loc_addr;
	struct sockaddr_storage mapped_loc_addr;
	struct sockaddr_storage rem_addr;
	struct sockaddr_storage mapped_rem_addr;
	u32 flags;
};

/**
 * struct iwpm_wait - a caller's waits for the daemon, which another thread may have to end
 * @lock: protects the fields below; the lock of @queue is taken under it
 * @cancelled: all waits end at once; never cleared
 * @queue: where the caller's thread sleeps, or NULL
 */
struct iwpm_wait {
	spinlock_t lock; /* protects the fields below */
	bool cancelled;
	wait_queue_head_t *queue;
};

/**
 * iwpm_wait_init - initialize a caller's waits
 * @wait: belongs to the caller. One thread at a time may wait with it
 */
void iwpm_wait_init(struct iwpm_wait *wait);

/**
 * iwpm_wait_cancel - end a caller's waits
 * @wait: present and later waits with it end with -ECANCELED
 *
 * Process context, does not sleep.
 */
void iwpm_wait_cancel(struct iwpm_wait *wait);

/**
 * iwpm_map_listen - map the address of a listener
 * @net: network namespace; the caller ensures that it is not freed during the call
 * @dev: the device
 * @sa: in: loc_addr and flags; out: loc_addr, with a port if it had none, and mapped_loc_addr
 * @wait: by which another thread can end the wait, or NULL
 *
 * Process context, sleeps. Listeners of one address share its mapping, even if they are on
 * different devices. If there is no daemon, the first call in a network namespace logs that.
 *
 * Return: the mapping, to be ended with iwpm_unmap(); NULL if no port mapper answers: the real
 * ports are to be used; or an ERR_PTR with one of the errors listed in "Two ways to use the port
 * mapper", except -ECONNREFUSED and -ETIMEDOUT.
 */
struct iwpm_map *iwpm_map_listen(struct net *net, const struct iwpm_dev_data *dev,
				 struct iwpm_sa_data *sa, struct iwpm_wait *wait);

/**
 * iwpm_map_connect - map both addresses of a connection
 * @net: network namespace; the caller ensures that it is not freed during the call
 * @dev: the device
 * @sa: in: loc_addr, which must not be a wildcard, rem_addr and flags; out: loc_addr, with a port
 *	if it had none, mapped_loc_addr and mapped_rem_addr
 * @wait: by which another thread can end the wait, or NULL
 *
 * Process context, sleeps. If the peer's daemon has no mapping, mapped_rem_addr is rem_addr. If
 * there is no answer about the peer within 6 s, the daemon is asked to register again, within 2 s.
 * If the daemon registers, the peer is taken to have no daemon: the call returns NULL, and further
 * calls for the peer's address return NULL at once, for a minute or until the peer's daemon
 * announces a connection. If the daemon does not register, the call returns NULL, and no request is
 * made for a minute.
 *
 * Return: as iwpm_map_listen().
 */
struct iwpm_map *iwpm_map_connect(struct net *net, const struct iwpm_dev_data *dev,
				  struct iwpm_sa_data *sa, struct iwpm_wait *wait);

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
 * Any context but interrupts. Does what iwpm_get_remote_info() does, but in the network namespace
 * of the listener.
 *
 * Return: 0; -ENOENT if the daemon has not announced the peer.
 */
int iwpm_map_remote(struct iwpm_map *map, const struct sockaddr_storage *mapped_loc_addr,
		    const struct sockaddr_storage *mapped_rem_addr,
		    struct sockaddr_storage *remote_addr);

/**
 * iwpm_init - begin to use the port mapper
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context. Each call is undone by one call of iwpm_exit().
 *
 * Return: 0; -EINVAL for another client.
 */
int iwpm_init(u8 nl_client);

/**
 * iwpm_exit - end the use of the port mapper
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context. The last call deletes the mappings that iwpm_create_mapinfo() has stored, and
 * the daemon's announcements of peers (see iwpm_get_remote_info()).
 *
 * Return: 0; -EINVAL for another client, or if there were fewer calls of iwpm_init().
 */
int iwpm_exit(u8 nl_client);

/**
 * iwpm_valid_pid - is a daemon known?
 *
 * Any context but interrupts.
 *
 * Return: 1 if a daemon is known, 0 if none is.
 */
int iwpm_valid_pid(void);

/**
 * iwpm_register_pid - find the daemon
 * @pm_msg: the device that asks
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context, sleeps. Sends a registration to the daemon. If no daemon is known, sends the
 * registration to all sockets that listen; the process whose socket answers first becomes the
 * daemon. Has no effect if the present daemon has answered a registration before.
 *
 * Return: 0 or one of the errors listed in "Two ways to use the port mapper".
 */
int iwpm_register_pid(struct iwpm_dev_data *pm_msg, u8 nl_client);

/**
 * iwpm_add_mapping - have a local address mapped
 * @pm_msg: in: loc_addr and flags; out: mapped_loc_addr
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context, sleeps. Called after iwpm_register_pid().
 *
 * Return: 0 or one of the errors listed in "Two ways to use the port mapper".
 */
int iwpm_add_mapping(struct iwpm_sa_data *pm_msg, u8 nl_client);

/**
 * iwpm_add_and_query_mapping - have a local address mapped, and look up a remote address
 * @pm_msg: in: loc_addr, rem_addr and flags; out: mapped_loc_addr, and mapped_rem_addr, which is
 *	rem_addr if the peer's daemon has no mapping of rem_addr
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context, sleeps. Called after iwpm_register_pid().
 *
 * Return: 0 or one of the errors listed in "Two ways to use the port mapper".
 */
int iwpm_add_and_query_mapping(struct iwpm_sa_data *pm_msg, u8 nl_client);

/**
 * iwpm_remove_mapping - have the mapping of a local address removed
 * @local_addr: the real address
 * @nl_client: %RDMA_NL_IWCM
 *
 * Process context. The function does not wait, because the daemon does not answer.
 *
 * Return: 0 if the request was sent; or one of the errors listed in "Two ways to use the port
 * mapper".
 */
int iwpm_remove_mapping(struct sockaddr_storage *local_addr, u8 nl_client);

/**
 * iwpm_get_remote_info - find the real address of a peer that has connected
 * @mapped_loc_addr: our address, as it is on the wire
 * @mapped_rem_addr: the peer's address, as it is on the wire
 * @remote_addr: out: the peer's real address
 * @nl_client: %RDMA_NL_IWCM
 *
 * Any context but interrupts. The daemon announces each peer that is about to connect, by a message
 * that iwpm_remote_info_cb() handles. This function removes the announcement that it finds. At most
 * 4096 announcements are stored, for a minute each.
 *
 * Return: 0; -ENOENT if the daemon has not announced the peer; -EINVAL if an argument is invalid.
 */
int iwpm_get_remote_info(struct sockaddr_storage *mapped_loc_addr,
			 struct sockaddr_storage *mapped_rem_addr,
			 struct sockaddr_storage *remote_addr, u8 nl_client);

/**
 * iwpm_create_mapinfo - store a mapping, which is sent to a daemon that starts later
 * @local_addr: real address
 * @mapped_addr: address on the wire, of the same family
 * @nl_client: %RDMA_NL_IWCM
 * @map_flags: as in &struct iwpm_sa_data.flags; optional, 0 if left out
 *
 * Process context.
 *
 * Return: 0; -EINVAL if an argument is invalid; -EEXIST if @local_addr has a mapping; -ENOMEM;
 * -ENODEV if the network namespace is going away.
 */
int iwpm_create_mapinfo(struct sockaddr_storage *local_addr, struct sockaddr_storage *mapped_addr,
			u8 nl_client, u32 map_flags);

/* Callers that were written for Linux before 5.3 do not pass flags. */
#define iwpm_create_mapinfo(local_addr, mapped_addr, nl_client, ...)			\
	iwpm_create_mapinfo((local_addr), (mapped_addr), (nl_client), (__VA_ARGS__ + 0))

/**
 * iwpm_remove_mapinfo - delete a stored mapping
 * @local_addr: real address
 * @mapped_addr: address on the wire
 *
 * Process context.
 *
 * Return: 0; -ENOENT if this mapping was not stored; -EINVAL if an argument is invalid.
 */
int iwpm_remove_mapinfo(struct sockaddr_storage *local_addr, struct sockaddr_storage *mapped_addr);

/**
 * DOC: Messages of the daemon
 *
 * Each of the functions below handles a message of the daemon: the message at &netlink_callback.nlh
 * in &netlink_callback.skb. The first argument is not used. iw_portmap.ko calls the functions, as
 * the netlink client %RDMA_NL_IWCM; other modules need not call them. Process context.
 *
 * The functions return 0; -EPERM if the sender lacks CAP_NET_ADMIN in the user namespace that owns
 * its network namespace, or is not the daemon; -EINVAL if the message is malformed; -ENOENT if the
 * message answers no request that is still open. After these errors nothing has changed. Further
 * errors are listed with each function.
 */

/**
 * iwpm_register_pid_cb - handle the answer to iwpm_register_pid()
 * @skb: unused
 * @cb: the message
 *
 * The sender becomes the daemon.
 *
 * Return: as listed in "Messages of the daemon"; -EREMOTEIO if the daemon refuses the registration;
 * -EPROTO if names or version in the answer are wrong. With -EREMOTEIO and -EPROTO, the
 * registration that the message answers fails with the same error.
 */
int iwpm_register_pid_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_add_mapping_cb - handle the answer to iwpm_add_mapping()
 * @skb: unused
 * @cb: the message
 *
 * Return: as listed in "Messages of the daemon"; -EPROTO if the addresses in the answer are wrong:
 * the request that the message answers fails.
 */
int iwpm_add_mapping_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_add_and_query_mapping_cb - handle the answer to iwpm_add_and_query_mapping()
 * @skb: unused
 * @cb: the message
 *
 * Return: as listed in "Messages of the daemon"; -EPROTO if the addresses in the answer are wrong:
 * the request that the message answers fails.
 */
int iwpm_add_and_query_mapping_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_remote_info_cb - handle the daemon's announcement of a peer that is about to connect
 * @skb: unused
 * @cb: the message
 *
 * Return: as listed in "Messages of the daemon"; -ENOMEM.
 */
int iwpm_remote_info_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_mapping_error_cb - handle the daemon's report that a request has failed
 * @skb: unused
 * @cb: the message
 *
 * Return: as listed in "Messages of the daemon", but 0 instead of -ENOENT: the report may be about
 * a mapping that was sent to the daemon after the daemon's start, and not about a request.
 */
int iwpm_mapping_error_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_mapping_info_cb - handle the request of a newly started daemon for all mappings
 * @skb: unused
 * @cb: the message
 *
 * The sender becomes the daemon, and is sent all mappings, then their number. Messages that do not
 * fit into the daemon's receive buffer are sent as the daemon reads.
 *
 * Return: as listed in "Messages of the daemon"; -EPROTO if the daemon's name or version is wrong;
 * -ENOMEM.
 */
int iwpm_mapping_info_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_ack_mapping_info_cb - handle the daemon's report of how many mappings it has accepted
 * @skb: unused
 * @cb: the message
 *
 * Return: as listed in "Messages of the daemon".
 */
int iwpm_ack_mapping_info_cb(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * iwpm_hello_cb - handle the hello of a newly started daemon, with its protocol version
 * @skb: unused
 * @cb: the message
 *
 * The sender becomes the daemon, and is sent the version to use: the older one of its version and
 * ours.
 *
 * Return: as listed in "Messages of the daemon"; -EPROTO if the daemon's version is too old;
 * -ENOMEM.
 */
int iwpm_hello_cb(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* _KRDMA_IW_PORTMAP_H_ */
