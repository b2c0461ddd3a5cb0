/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * siw: soft-iWARP over the kernel's TCP. The device and the limits that it advertises.
 */
#ifndef SIW_H
#define SIW_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/settings.h"
#include "drivers/siw/stats.h"

#define SIW_MAX_QP		(64 * 1024)
#define SIW_MAX_QP_WR		(32 * 1024)
#define SIW_MAX_CQ		(128 * 1024)
#define SIW_MAX_CQE		(1024 * 1024)
#define SIW_MAX_SRQ		(64 * 1024)
#define SIW_MAX_SRQ_WR		(32 * 1024)
#define SIW_MAX_MR		(512 * 1024)
#define SIW_MAX_PD		(64 * 1024)
#define SIW_SGE_MAX		6
#define SIW_INLINE_MAX		(SIW_SGE_MAX * sizeof(struct ib_sge))
#define SIW_MAX_IRD		128
#define SIW_MAX_ORD		128
#define SIW_MAX_MSG		(1u << 31)
#define SIW_MAX_PAGE_LIST	8192

/* Bytes of a process's region: the array of its pages' addresses has to fit into an allocation. */
#define SIW_MAX_MR_SIZE		(1ULL << 39)

/* The local DMA lkey has STag index 0, which no peer's request matches. */
#define SIW_LOCAL_DMA_LKEY	0

/**
 * struct siw_device - a soft-iWARP device on a netdev
 * @base: the core's object, at offset 0
 * @netdev: carries our TCP connections; referenced until the device is unregistered
 * @netdev_tracker: of that reference
 * @settings: of handshakes; copied when one begins
 * @stats: counters, per CPU
 * @qps: QPs by number; looked up under RCU
 * @stags: memory by STag index; looked up under RCU
 * @next_qpn: where the search for a free QP number continues; under the lock of @qps
 * @num_qp: existing QPs, at most SIW_MAX_QP
 * @num_cq: existing CQs
 * @num_srq: existing SRQs
 * @num_mr: existing MRs
 * @num_pd: existing PDs
 * @link_up: the port's state as last dispatched to consumers; under RTNL
 * @has_files: the settings are in sysfs; under RTNL
 * @cm_lock: protects @ceps and @cm_down; taken under siw_cep.lock and lsocks_mutex
 * @ceps: connection endpoints that have a socket
 * @cm_down: no connection or listener may begin any more
 * @cm_idle: woken when @ceps becomes empty
 * @num_half_open: half-open connections of all listeners
 */
struct siw_device {
	struct ib_device base;
	struct net_device *netdev;
	netdevice_tracker netdev_tracker;
	struct siw_settings settings;
	struct siw_stats __percpu *stats;

	struct xarray qps;
	struct xarray stags;
	u32 next_qpn;

	atomic_t num_qp;
	atomic_t num_cq;
	atomic_t num_srq;
	atomic_t num_mr;
	atomic_t num_pd;

	bool link_up;
	bool has_files;

	spinlock_t cm_lock; /* protects ceps and cm_down */
	struct list_head ceps;
	bool cm_down;
	wait_queue_head_t cm_idle;
	atomic_t num_half_open;
};

/* A protection domain, which the core allocates by its size; siw keeps no state in it. */
struct siw_pd {
	struct ib_pd base;
};

static inline struct siw_device *to_siw_dev(const struct ib_device *base)
{
	return container_of(base, struct siw_device, base);
}

/* Charges objects of a process to its memory cgroup; the kernel's own objects have no @uobject. */
static inline gfp_t siw_gfp(const struct ib_uobject *uobject)
{
	return uobject ? GFP_KERNEL_ACCOUNT : GFP_KERNEL;
}

/* main.c */
extern struct rdma_link_ops siw_link_ops;

#endif /* SIW_H */
