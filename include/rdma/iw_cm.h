/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The iWARP connection manager: connection identifiers, and the events that providers report and
 * clients receive.
 */
#ifndef _RDMA_IW_CM_H_
#define _RDMA_IW_CM_H_

#ifdef IW_CM_H
#error "the kernel's <rdma/iw_cm.h> was included before krdma's"
#endif
#define IW_CM_H

#include <linux/in.h>
#include <linux/socket.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_verbs.h>

struct iw_cm_id;
struct mem_cgroup;

/**
 * DOC: What a provider does
 *
 * iw_cm uses a device whose provider has all of the iWARP methods of struct ib_device_ops; if one
 * is missing, no identifier can be made. One of iw_reject() and iw_reject_data() suffices.
 *
 * iw_cm calls iw_connect(), iw_accept(), iw_reject(), iw_create_listen() and iw_destroy_listen() in
 * process context, with no lock held. The calls for one identifier are made one at a time. These
 * methods start an operation and must return soon, because the caller, the removal of the device,
 * and the destruction of the identifier wait for them. A method that fails has undone what it
 * began, and reports no more events; a failed iw_accept() has ended the connection. iw_reject() can
 * send 255 bytes of private data; iw_reject_data(), which iw_cm prefers, 512.
 *
 * iw_get_qp() finds a QP by its number and takes no reference; iw_add_ref() takes one and may be
 * called with a spinlock held; iw_rem_ref() drops one. A provider that destroys a QP while a
 * connection uses it calls iw_cm_unbind_qp(), and ends the connection.
 *
 * iw_cm ends a connection by ib_modify_qp(): to %IB_QPS_SQD for an orderly close, which sends what
 * is queued; to %IB_QPS_ERR for a reset, even before the connection that iw_connect() or
 * iw_accept() started is established. The provider answers with an event that ends the connection.
 *
 * When a device is removed, iw_cm first rejects the unanswered requests, closes the listeners and
 * resets the connections. From then on iw_cm does not call the provider, which ends all remaining
 * connections and reports their ends as usual.
 */

/**
 * enum iw_cm_event_type - what has happened to a connection
 *
 * The provider reports events to iw_cm, which passes to the client those that the state of the
 * identifier allows. Each event occurs at most once per connection. The last event of a connection
 * is CLOSE, or a CONNECT_REPLY or ESTABLISHED with a status other than 0; after it the identifier
 * can be used like a new one.
 *
 * @IW_CM_EVENT_CONNECT_REQUEST: a peer wants to connect. The provider reports the event on the
 *	listening identifier, with both addresses, private data, ird, ord and provider_data, which
 *	is the provider's handle of the connection. iw_cm makes an identifier for the new
 *	connection, with these addresses and provider_data and with the handler and context of the
 *	listener, and calls the handler with that identifier. The client answers with iw_cm_accept()
 *	or iw_cm_reject(), from the handler or later.
 * @IW_CM_EVENT_CONNECT_REPLY: iw_cm_connect() has finished. Status 0: connected; the event has the
 *	addresses in use, private data, ird and ord. Otherwise the connection failed; the event has
 *	private data if the peer rejected the connection (-ECONNREFUSED).
 * @IW_CM_EVENT_ESTABLISHED: iw_cm_accept() has finished. Status 0: connected. Otherwise the
 *	connection failed.
 * @IW_CM_EVENT_DISCONNECT: the peer has begun to close an established connection. All that the peer
 *	sent before has been received. iw_cm_disconnect() closes our side, and CLOSE follows. The
 *	event is not delivered after iw_cm_disconnect().
 * @IW_CM_EVENT_CLOSE: the connection has ended. The status is the reason, or 0 after an orderly
 *	close. The QP is no longer bound to the identifier.
 */
enum iw_cm_event_type {
	IW_CM_EVENT_CONNECT_REQUEST = 1,
	IW_CM_EVENT_CONNECT_REPLY,
	IW_CM_EVENT_ESTABLISHED,
	IW_CM_EVENT_DISCONNECT,
	IW_CM_EVENT_CLOSE
};

/**
 * struct iw_cm_event - an event
 *
 * A provider may reuse its event, and the private data, as soon as the upcall has returned. An
 * event that is passed to a client is valid until the handler returns. Members that are not used by
 * a kind of event are 0.
 *
 * @event: kind of event
 * @status: 0 or negative errno
 * @local_addr: our address and port
 * @remote_addr: the peer's address and port
 * @private_data: CONNECT_REQUEST and CONNECT_REPLY: private data that the peer's client sent
 * @provider_data: CONNECT_REQUEST: the provider's handle of the connection
 * @private_data_len: number of bytes at @private_data, at most 512. This member, @ord and @ird have
 *	16 bits, but 8 in Linux 6.1; source code that was written for 8 bits works unchanged.
 * @ord: number of RDMA reads that we may have outstanding
 * @ird: number of RDMA reads that the peer may have outstanding
 */
struct iw_cm_event {
	enum iw_cm_event_type	event;
	int			status;
	struct sockaddr_storage	local_addr;
	struct sockaddr_storage	remote_addr;
	void			*private_data;
	void			*provider_data;
	u16			private_data_len;
	u16			ord;
	u16			ird;
};

/**
 * typedef iw_cm_handler - the client's handler
 * @cm_id: identifier of the connection; for a CONNECT_REQUEST the identifier of the new connection
 * @event: the event
 *
 * Process context, may sleep. Handlers of different identifiers can run at the same time; the
 * handler of one identifier is called for one event at a time, the handler of a listener for one
 * CONNECT_REQUEST at a time. The handler may call all functions for @cm_id and for other
 * identifiers, including iw_destroy_cm_id().
 *
 * Return: 0; or another value, which makes iw_cm destroy @cm_id and reject its unanswered request,
 * as if the handler had called iw_destroy_cm_id() last: the client must not use @cm_id again. If
 * @cm_id was destroyed by then, the value is ignored.
 */
typedef int (*iw_cm_handler)(struct iw_cm_id *cm_id, struct iw_cm_event *event);

/**
 * typedef iw_event_handler - iw_cm's handler, which providers call
 * @cm_id: identifier, to which the provider has a reference; for a CONNECT_REQUEST the identifier
 *	that listens
 * @event: the event
 *
 * Process context, in which it may sleep for memory, or softirq. The handler never runs code of the
 * client, and calls no method of the provider but iw_rem_ref(). The provider must not hold a lock
 * that its iw_add_ref() or iw_rem_ref() takes. The provider may call the handler from inside one of
 * its iw_*() methods.
 *
 * Return: 0 if the event was accepted. After an error iw_cm does nothing for the connection, which
 * the provider ends by itself: -EINVAL if the event cannot occur in the identifier's state or has
 * occurred before, or if its addresses or private data are invalid; -EBUSY if the listener's
 * backlog is full; -ENODEV if the identifier is destroyed or its device is being removed; -ENOMEM.
 */
typedef int (*iw_event_handler)(struct iw_cm_id *cm_id, struct iw_cm_event *event);

/**
 * struct iw_cm_id - an identifier: a listener, or one side of a connection
 *
 * @cm_handler: the client's handler; the client may replace it from inside the handler
 * @context: for the client's use
 * @device: device of the identifier
 * @local_addr: our address and port, IPv4 or IPv6. Set by the client before iw_cm_listen() and
 *	iw_cm_connect(), later by iw_cm to the address that the provider reports
 * @remote_addr: the peer's address and port. Set by the client before iw_cm_connect(), later by
 *	iw_cm to the address that the provider reports
 * @m_local_addr: @local_addr as it is on the wire, mapped by the port mapper; for providers
 * @m_remote_addr: @remote_addr as it is on the wire, mapped by the port mapper; for providers
 * @provider_data: for the provider's use
 * @event_handler: called by the provider, see iw_event_handler()
 * @add_ref: called by the provider to take a reference to the identifier; any context. While a
 *	method of the provider runs, its caller holds a reference.
 * @rem_ref: called by the provider to drop a reference to the identifier; any context
 * @tos: type of service, if @tos_set; set by the client before iw_cm_connect() or iw_cm_listen()
 * @tos_set: @tos is valid
 * @mapped: the port mapper has mapped the addresses
 * @afonly: an IPv6 listener takes no IPv4 connections; set by the client
 * @memcg: memory cgroup that pays for the requests of a listener, or NULL; set by the client, which
 *	has a reference to it until the listener is destroyed
 * @map_first: iw_cm_connect() does not ask the port mapper, because the client calls iw_cm_map()
 *	before; set by the client
 */
struct iw_cm_id {
	iw_cm_handler		cm_handler;
	void			*context;
	struct ib_device	*device;
	struct sockaddr_storage	local_addr;
	struct sockaddr_storage	remote_addr;
	struct sockaddr_storage	m_local_addr;
	struct sockaddr_storage	m_remote_addr;
	void			*provider_data;
	iw_event_handler	event_handler;
	void			(*add_ref)(struct iw_cm_id *cm_id);
	void			(*rem_ref)(struct iw_cm_id *cm_id);
	struct mem_cgroup	*memcg;
	u8			tos;
	bool			tos_set:1;
	bool			mapped:1;
	bool			afonly:1;
	bool			map_first:1;
};

/**
 * struct iw_cm_conn_param - how to connect or accept
 * @private_data: data for the peer's client; the caller may reuse the memory when the call returns
 * @private_data_len: number of bytes at @private_data, at most 512
 * @ord: number of RDMA reads that we want to have outstanding
 * @ird: number of RDMA reads that the peer may have outstanding
 * @qpn: number of the QP to use. The client must not destroy the QP during the call.
 */
struct iw_cm_conn_param {
	const void	*private_data;
	u16		private_data_len;
	u32		ord;
	u32		ird;
	u32		qpn;
};

/**
 * enum iw_flags - properties of a provider, ib_device.iw_driver_flags
 *
 * If a device names its network interface (ib_device.iw_ifname), and the port mapper's daemon runs
 * in the network namespace of that interface, the ports of connections are mapped.
 *
 * @IW_F_NO_PORT_MAP: the mapped port is equal to the real port; the port mapper only informs peers
 *	of the ports
 * @IW_F_NO_PORT_MAPPER: the port mapper is not used
 * @IW_F_HOST_TCP: connections are sockets of the host's TCP, which bind the mapped ports
 *	themselves. The daemon has bound these ports already, so the sockets set SK_FORCE_REUSE.
 */
enum iw_flags {
	IW_F_NO_PORT_MAP = (1 << 0),
	IW_F_NO_PORT_MAPPER = (1 << 1),
	IW_F_HOST_TCP = (1 << 2),
};

/**
 * __iw_create_cm_id - make an identifier under the caller's name
 * @device: device, which the caller knows to be registered
 * @cm_handler: handler that is called with the events
 * @context: value for iw_cm_id.context
 * @caller: module name that the resource table shows as owner of the identifier and of the requests
 *	it receives; not copied, so that the name must outlive the identifier. NULL: the identifier
 *	is not in the table, because the caller lists an identifier of its own instead
 *
 * Callers use iw_create_cm_id(). Process context. The identifier does not prevent the removal of
 * the device. After the device is removed, the identifier can only be destroyed.
 *
 * Return: the identifier, to be destroyed with iw_destroy_cm_id(); or an ERR_PTR: -EINVAL if
 * @device or @cm_handler is NULL; -EOPNOTSUPP if the provider lacks an iWARP method; -ENODEV if the
 * device is not registered, or is being removed; -ENOMEM.
 */
struct iw_cm_id *__iw_create_cm_id(struct ib_device *device, iw_cm_handler cm_handler,
				   void *context, const char *caller);

/**
 * iw_create_cm_id - make an identifier
 * @device: device, which the caller knows to be registered
 * @cm_handler: handler that is called with the events
 * @context: value for iw_cm_id.context
 *
 * See __iw_create_cm_id().
 */
#define iw_create_cm_id(device, cm_handler, context)				\
	__iw_create_cm_id((device), (cm_handler), (context), KBUILD_MODNAME)

/**
 * iw_destroy_cm_id - destroy an identifier
 * @cm_id: identifier in any state
 *
 * Process context, sleeps. A listener is closed, and its requests that were not delivered are
 * rejected; the identifiers of delivered requests stay with the client. A connection that has not
 * ended is reset, and an unanswered request is rejected. If the result of iw_cm_connect() or
 * iw_cm_accept() has not been reported yet, the function waits until the provider has ended the
 * connection.
 *
 * On return iw_cm holds no reference to the QP, and the handler is not running and will not be
 * called again. When called from inside the identifier's own handler, the function does not wait
 * for that handler. If the handler waits for another thread, that thread must not call the
 * function: each would wait for the other. The memory is freed after the provider has dropped its
 * references.
 */
void iw_destroy_cm_id(struct iw_cm_id *cm_id);

/**
 * iw_cm_flush - wait until handlers that are running have returned
 *
 * Process context; must not be called from a handler. After a client has destroyed all its
 * identifiers, a handler that destroyed its own identifier may still be running. Therefore the
 * client then calls this function, before its module is unloaded.
 */
void iw_cm_flush(void);

/**
 * iw_cm_unbind_qp - unbind a QP from an identifier
 * @cm_id: identifier; the caller has a reference
 * @qp: the QP
 *
 * Process context. Called by a provider that destroys a QP while a connection uses it. If @qp is
 * bound to @cm_id, drops iw_cm's reference by iw_rem_ref(); otherwise has no effect. The provider
 * ends the connection by the usual events.
 */
void iw_cm_unbind_qp(struct iw_cm_id *cm_id, struct ib_qp *qp);

/**
 * iw_cm_get_qp - find a QP by its number
 * @device: a registered device
 * @qpn: number of the QP
 *
 * Process context. The creator of the QP must not destroy the QP during the call.
 *
 * Return: the QP, with a reference that the caller drops with qp->device->ops.iw_rem_ref(); NULL if
 * there is no QP of that number, or the device has no iWARP.
 */
struct ib_qp *iw_cm_get_qp(struct ib_device *device, int qpn);

/**
 * iw_cm_uses_port_mapper - whether ports of a device are mapped
 * @device: the device
 *
 * Return: whether iw_cm_map(), iw_cm_listen() and iw_cm_connect() ask the port mapper's daemon, for
 * which they may wait. The answer may change at any time.
 */
bool iw_cm_uses_port_mapper(const struct ib_device *device);

/**
 * iw_cm_map - ask the port mapper before iw_cm_connect()
 * @cm_id: new identifier, with local_addr, remote_addr and map_first set
 *
 * Process context, sleeps. Waits for the port mapper's daemon for up to 14 s. If map_first is set,
 * iw_cm_connect() does not wait for the daemon, so that it may be called with locks held that
 * iw_cm_map() is called without. The result is used by all later calls of iw_cm_connect(), until
 * the next call of iw_cm_map().
 *
 * The wait ends early when another thread calls iw_cm_cancel() or iw_destroy_cm_id(), or the device
 * is removed.
 *
 * Return: 0; -EINVAL if the addresses are not both IPv4 or both IPv6, or the identifier is not new;
 * -ENODEV if the device is removed; -ECANCELED if the wait ended early; -EINTR if the process was
 * killed; or another error of the route look-up or the port mapper.
 */
int iw_cm_map(struct iw_cm_id *cm_id);

/**
 * iw_cm_cancel - end waits for the port mapper
 * @cm_id: identifier that the client will destroy
 *
 * Process context, does not sleep. The present call of iw_cm_map(), iw_cm_listen() or
 * iw_cm_connect() and later ones do not wait for the port mapper's daemon, and fail with -ECANCELED
 * if they would have to.
 */
void iw_cm_cancel(struct iw_cm_id *cm_id);

/**
 * iw_cm_listen - listen for connections
 * @cm_id: new identifier, with local_addr set
 * @backlog: number of requests that may be unanswered at a time; further requests are refused. 0 or
 *	less stands for 256; the limit is 4096.
 *
 * Process context, sleeps. Requests that come in before the provider's method has succeeded are
 * delivered afterwards.
 *
 * Return: 0; -EINVAL if the address is neither IPv4 nor IPv6, or the identifier is not new; -ENODEV
 * if the device is removed; -ECANCELED if it is removed, or iw_cm_cancel() is called, while the
 * function waits for the port mapper; or an error of the port mapper or the provider. After an
 * error the identifier is as before.
 */
int iw_cm_listen(struct iw_cm_id *cm_id, int backlog);

/**
 * iw_cm_accept - accept a request
 * @cm_id: identifier from CONNECT_REQUEST
 * @iw_param: QP, private data and limits
 *
 * Process context, sleeps; may be called from the handler. ESTABLISHED reports the result, and may
 * be delivered before this function returns.
 *
 * After an error no event follows. The request is still unanswered if an argument was wrong
 * (-EINVAL), or iw_cm had no memory (-ENOMEM). After every other error, such as -EINVAL and -ENOMEM
 * from the provider, the request has ended. The caller need not know which of the two is the case:
 * it calls iw_cm_reject() or iw_destroy_cm_id(), which are allowed in both cases.
 *
 * Return: 0; -EINVAL if @iw_param is NULL, the private data is longer than 512 bytes or has a
 * length but no address, or there is no such QP; -EINVAL also if @cm_id has no unanswered request,
 * perhaps because the peer has closed the connection; -ENOMEM; -ENODEV if the device is removed;
 * -ECONNRESET if the peer closes the connection during the call; or the provider's error.
 */
int iw_cm_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param);

/**
 * iw_cm_reject - reject a request
 * @cm_id: identifier from CONNECT_REQUEST
 * @private_data: data for the peer's client, or NULL; the caller may reuse the memory on return
 * @private_data_len: number of bytes at @private_data. (In Linux 6.1, at most 255.)
 *
 * Process context, sleeps; may be called from the handler. No event follows, neither after success
 * nor after an error. After -EINVAL for the private data the request is still unanswered; after
 * every other result it has ended.
 *
 * Return: 0; -EINVAL if the private data is longer than 512 bytes, or than 255 if the provider has
 * no iw_reject_data(), or has a length but no address; -EINVAL also if @cm_id has no unanswered
 * request, perhaps because the peer has closed the connection; -ENODEV if the device is removed;
 * -ECONNRESET if the peer closes the connection during the call; or the provider's error.
 */
int iw_cm_reject(struct iw_cm_id *cm_id, const void *private_data, u16 private_data_len);

/**
 * iw_cm_connect - connect to a peer
 * @cm_id: new identifier, with local_addr and remote_addr set
 * @iw_param: QP, private data and limits
 *
 * Process context, sleeps; may be called from the handler. CONNECT_REPLY reports the result, and
 * may be delivered before this function returns. After an error the identifier is as before, and no
 * event follows.
 *
 * Return: 0; -EINVAL if @iw_param is NULL, the private data is longer than 512 bytes or has a
 * length but no address, the addresses are not both IPv4 or both IPv6, there is no such QP, or the
 * identifier is not new; -ENOMEM; -ENODEV if the device is removed; -ECANCELED as from
 * iw_cm_listen(); or an error of the route look-up, the port mapper or the provider.
 */
int iw_cm_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param);

/**
 * iw_cm_disconnect - close a connection
 * @cm_id: identifier of an established connection
 * @abrupt: 0: send what is queued, then close the connection (the QP goes to %IB_QPS_SQD); 1: reset
 *	the connection (the QP goes to %IB_QPS_ERR)
 *
 * Process context, sleeps; may be called from the handler. CLOSE reports the end of the connection;
 * until then the identifier is in use. If the connection is closing already, an orderly close still
 * closes our side after the peer has closed its side, and a reset still resets the connection after
 * an orderly close.
 *
 * Return: 0, also if the connection is closing, or has ended and CLOSE has not been delivered yet;
 * -EINVAL if @cm_id is not connected; -ENODEV if the device is removed, which ends the connection;
 * or the error of ib_modify_qp(), after which the connection is as before.
 */
int iw_cm_disconnect(struct iw_cm_id *cm_id, int abrupt);

/**
 * iw_cm_init_qp_attr - get the attributes that a connection's QP needs
 * @cm_id: identifier that is new, connecting or connected, or has an unanswered request
 * @qp_attr: in: qp_state, the state that the QP is to go to; out: the attributes for ib_modify_qp()
 * @qp_attr_mask: out: mask of the attributes that are valid, for ib_modify_qp()
 *
 * Process context. For %IB_QPS_INIT and %IB_QPS_RTR the attributes are the state and the access
 * rights local write, remote write and remote read. For %IB_QPS_RTS no attribute is valid: the
 * provider itself moves the QP to that state.
 *
 * Return: 0; -EINVAL if a pointer is NULL, for another qp_state, or if @cm_id listens or its
 * connection is closing; -ENODEV if the device is removed.
 */
int iw_cm_init_qp_attr(struct iw_cm_id *cm_id, struct ib_qp_attr *qp_attr, int *qp_attr_mask);

/**
 * iwcm_reject_msg - get a text for a failed connection
 * @reason: status of CONNECT_REPLY, a negative errno
 *
 * Any context.
 *
 * Return: a constant string, never NULL.
 */
const char *iwcm_reject_msg(int reason) __attribute_const__;

#endif /* _RDMA_IW_CM_H_ */
