/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * siw: soft-iWARP over the kernel's TCP. The device and the limits that it advertises.
 */
#ifndef SIW_H
#define SIW_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/base/port_replace.h"
#include "drivers/siw/base/settings.h"
#include "drivers/siw/base/stats.h"
#include "soft/device.h"

#define SIW_MAX_QP		(64 * 1024)
#define SIW_MAX_QP_WR		(32 * 1024)
#define SIW_MAX_CQ		(128 * 1024)
#define SIW_MAX_CQE		(1024 * 1024)
#define SIW_MAX_SRQ		(64 * 1024)
#define SIW_MAX_SRQ_WR		(32 * 1024)
#define SIW_MAX_MR		(512 * 1024)
#define SIW_MAX_MW		(64 * 1024)
#define SIW_MAX_PD		(64 * 1024)
#define SIW_MAX_IRD		128
#define SIW_MAX_ORD		128
#define SIW_MAX_PAGE_LIST	8192

/* Largest memory region of a process, in bytes: soft_mem.pages has to fit into one allocation. */
#define SIW_MAX_MR_SIZE		(1ULL << 39)

/* Delay of a retry after memory was short, in jiffies. */
#define SIW_RETRY_DELAY	max(HZ / 100, 1)

/**
 * struct siw_device - a soft-iWARP device on a netdev
 * @soft: the core's object, and the part that soft/ uses; has to be at offset 0
 * @netdev: carries our TCP connections; referenced until the device is unregistered
 * @netdev_tracker: tracks the reference to @netdev
 * @settings: settings of handshakes; a handshake copies them when it begins
 * @port_replace: the setting port_map
 * @guid_entry: entry in the list of devices with a GUID (guid.c)
 * @qps: QPs by number; looked up under RCU
 * @next_qpn: QP number from which the next search for a free one starts; protected by the lock of
 *	@qps, like @reserved_qpn
 * @reserved_qpn: number of the last QP that was destroyed, which is reserved; 0 if there is none
 * @last_cq_id: siw_user_cq.id of the CQ that a process created last
 * @num_qp: existing QPs
 * @num_pd: existing PDs
 * @link_up: whether the port was up at the last check; consumers get an event when this changes;
 *	protected by RTNL
 * @has_files: the files of the settings were created in sysfs; protected by RTNL
 * @cm_lock: protects the members from @ceps to @cm_down; nests in siw_cep.lock and in lsocks_mutex
 * @ceps: connection endpoints that have a socket, or are about to create one
 * @refused: endpoints in SIW_CEP_LINGER that never had a stream, oldest first
 * @closing: endpoints in SIW_CEP_LINGER that had a stream, oldest first
 * @num_lingering: number of entries in @refused and @closing
 * @cm_down: new connections and listeners are refused
 * @cm_idle: woken when @ceps becomes empty
 * @num_half_open: number of half-open connections of all listeners
 * @backlog_lock: protects @backlogs; taken with BHs off; nests in siw_listener.lock
 * @backlogs: listeners that have half-open connections
 */
struct siw_device {
	struct soft_device soft;
	struct net_device *netdev;
	netdevice_tracker netdev_tracker;
	struct siw_settings settings;
	struct siw_port_replace port_replace;
	struct list_head guid_entry;

	struct xarray qps;
	u32 next_qpn;
	u32 reserved_qpn;

	atomic_t last_cq_id;
	atomic_t num_qp;
	atomic_t num_pd;

	bool link_up;
	bool has_files;

	spinlock_t cm_lock; /* protects what follows, up to @cm_down */
	struct list_head ceps;
	struct list_head refused;
	struct list_head closing;
	unsigned int num_lingering;
	bool cm_down;
	wait_queue_head_t cm_idle;
	atomic_t num_half_open;
	spinlock_t backlog_lock; /* protects @backlogs */
	struct list_head backlogs;
};

/* The core allocates protection domains by the size of this struct. siw keeps no state in them. */
struct siw_pd {
	struct ib_pd base;
};

static inline struct siw_device *to_siw_dev(const struct ib_device *base)
{
	return container_of(base, struct siw_device, soft.base);
}

#endif /* SIW_H */
