/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A provider whose QPs exchange messages in the memory of this machine, with the semantics of an
 * InfiniBand or RoCE adapter. All devices are on one fabric, on which every port reaches every
 * other port of its link layer, and itself.
 *
 * memdev uses nothing of soft/, and has regions, windows, lists and queues of its own. Results over
 * a provider that links soft/ can be compared with those over memdev, because a mistake in soft/ is
 * not in memdev as well.
 */
#ifndef _KRDMA_TESTING_MEMDEV_H_
#define _KRDMA_TESTING_MEMDEV_H_

#include <rdma/ib_verbs.h>

#include "../support/fakedev.h"

/* The largest payload of a datagram, the MTU of all ports. */
#define MEMDEV_MTU		4096
#define MEMDEV_MAX_SGE		8
#define MEMDEV_MAX_INLINE	256
#define MEMDEV_MAX_MSG		(16U << 20)
#define MEMDEV_MAX_WR		1024
#define MEMDEV_MAX_SRQ_WR	4096
/* The largest number of RDMA reads and atomic operations between two QPs. */
#define MEMDEV_MAX_RD_ATOMIC	16
/* The number of GIDs of an InfiniBand port. */
#define MEMDEV_GIDS		3
/* The largest number of pages of a region of the kernel. */
#define MEMDEV_MAX_PAGES	512
/* The largest number of pages of data, and as many of protection information, of a region. */
#define MEMDEV_MAX_PI_PAGES	16

/**
 * struct memdev_config - properties of a device
 * @name: name of the device, or pattern of the name; NULL means "mem%d"
 * @node_type: RDMA_NODE_IB_SWITCH for a switch, which sends and receives on port 0, and says that
 *	all datagrams come by port 1; 0 means an adapter
 * @nr_ports: number of ports; 0 means one port
 * @ndev: network interface of port 1, whose addresses are the port's GIDs; the device is a RoCE
 *	device, of version 2 only. NULL: an InfiniBand device
 * @driver_id: RDMA_DRIVER_HFI1 or RDMA_DRIVER_QIB if processes can open the device, by the library
 *	for that driver; RDMA_DRIVER_UNKNOWN if the device is for the kernel only
 * @prepare: called when the device is registered, before clients use it, or NULL; for
 *	fakedev_fail(), and changes of attributes and operations
 */
struct memdev_config {
	const char *name;
	u8 node_type;
	u32 nr_ports;
	struct net_device *ndev;
	enum rdma_driver_id driver_id;
	void (*prepare)(struct fakedev *fd);
};

/*
 * memdev_create() makes and registers a device; a @config of NULL means a structure of zeros.
 * Returns the device or an ERR_PTR(). memdev_destroy() unregisters and frees the device. Process
 * context, may sleep.
 *
 * fakedev_fail() makes operations of the device fail. The QPs, SRQs and regions of the device are
 * not those of fakedev.h, but PDs, CQs, address handles and XRC domains are.
 */
struct fakedev *memdev_create(const struct memdev_config *config);
void memdev_destroy(struct fakedev *fd);

/* Returns the LID of an InfiniBand port, which is unique on the fabric. */
u16 memdev_lid(struct ib_device *ibdev, u32 port);
/* Returns the GID at an index, less than MEMDEV_GIDS, of an InfiniBand port. */
union ib_gid memdev_gid(struct ib_device *ibdev, u32 port, int index);

/*
 * Links two InfiniBand ports: what one of them sends to the permissive LID comes to the other one.
 * Without a link it comes back to the port itself. The link ends with either device.
 */
void memdev_link(struct ib_device *a, u32 port_a, struct ib_device *b, u32 port_b);

/*
 * Has @lose decide which datagrams to QP 0 and QP 1 are lost; NULL: none of them. @lose is called
 * with the first bytes, MEMDEV_MAD_LEN at most, and may not sleep for long. Returns when the old
 * function is not running any more.
 */
#define MEMDEV_MAD_LEN		256
void memdev_lose(bool (*lose)(void *context, const u8 *data, u32 length), void *context);

/*
 * Has QP 0 or QP 1 of a port execute no sends until it is let go with @hold false, or is in an
 * error state.
 */
void memdev_hold(struct ib_device *ibdev, u32 port, u32 qpn, bool hold);

/**
 * struct memdev_xrc_wr - a request for an XRC_INI QP, on which all requests have this form
 * @rdma: common part
 * @srq_num: number of the peer's XRC SRQ, whose PD the peer's R_Keys belong to
 *
 * The structures of the kernel's interface have no member for the number of the SRQ.
 */
struct memdev_xrc_wr {
	struct ib_rdma_wr rdma;
	u32 srq_num;
};

#endif /* _KRDMA_TESTING_MEMDEV_H_ */
