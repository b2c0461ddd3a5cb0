/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Identifiers of all connection managers in the resource table.
 *
 * The table has only the consumer's identifier of a connection. For example, rdma_cm, which is
 * based on iw_cm, enters its own identifiers into the table. For the identifiers that rdma_cm makes
 * in iw_cm, rdma_cm passes NULL instead of a caller's name to __iw_create_cm_id(), so iw_cm does
 * not enter them.
 */
#ifndef _RDMA_RESTRACK_CM_H_
#define _RDMA_RESTRACK_CM_H_

#include <linux/socket.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_user_cm.h>

struct rdma_cm_id;

/**
 * enum rdma_cm_state - states of an identifier, with the numbers that `rdma resource` knows
 * @RDMA_CM_IDLE: new
 * @RDMA_CM_ADDR_QUERY: its addresses are being resolved
 * @RDMA_CM_ADDR_RESOLVED: its addresses are known
 * @RDMA_CM_ROUTE_QUERY: its route is being resolved
 * @RDMA_CM_ROUTE_RESOLVED: its route is known
 * @RDMA_CM_CONNECT: connecting, connected, or a request that has not been answered yet
 * @RDMA_CM_DISCONNECT: the connection is ending, or has ended
 * @RDMA_CM_ADDR_BOUND: bound to an address
 * @RDMA_CM_LISTEN: listening
 * @RDMA_CM_DEVICE_REMOVAL: its device is being removed
 * @RDMA_CM_DESTROYING: being destroyed
 */
enum rdma_cm_state {
	RDMA_CM_IDLE,
	RDMA_CM_ADDR_QUERY,
	RDMA_CM_ADDR_RESOLVED,
	RDMA_CM_ROUTE_QUERY,
	RDMA_CM_ROUTE_RESOLVED,
	RDMA_CM_CONNECT,
	RDMA_CM_DISCONNECT,
	RDMA_CM_ADDR_BOUND,
	RDMA_CM_LISTEN,
	RDMA_CM_DEVICE_REMOVAL,
	RDMA_CM_DESTROYING
};

/**
 * struct rdma_cm_res_info - reported attributes of an identifier; members that do not apply are 0
 * @port: port of the device
 * @ps: port space
 * @state: state of the identifier
 * @qpn: number of the QP
 * @qp_type: transport service of the QP, valid with @qpn
 * @local: our address and port
 * @remote: the peer's address and port
 */
struct rdma_cm_res_info {
	u32			port;
	enum rdma_ucm_port_space ps;
	enum rdma_cm_state	state;
	u32			qpn;
	u8			qp_type;
	struct sockaddr_storage	local;
	struct sockaddr_storage	remote;
};

/**
 * struct rdma_cm_res - what the resource table needs of an identifier; member of its structure
 * @res: entry in the resource table, of type RDMA_RESTRACK_CM_ID
 * @device: the identifier's device
 * @id: argument of the provider's fill_res_cm_id_entry(); NULL: that method is not called
 * @describe: fills in the attributes to be reported. Process context; the identifier is not
 *	destroyed during the call
 */
struct rdma_cm_res {
	struct rdma_restrack_entry res;
	struct ib_device	*device;
	struct rdma_cm_id	*id;
	void			(*describe)(struct rdma_cm_res *cm, struct rdma_cm_res_info *info);
};

#endif /* _RDMA_RESTRACK_CM_H_ */
