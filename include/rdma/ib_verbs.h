/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kernel verbs API. This header includes those under rdma/verbs/, one for each object.
 */
#ifndef _RDMA_IB_VERBS_H_
#define _RDMA_IB_VERBS_H_

#ifdef IB_VERBS_H
#error "the kernel's <rdma/ib_verbs.h> was included before krdma's"
#endif
#define IB_VERBS_H

/* Consumers rely on these headers, which this one does not need. */
#include <linux/dim.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/irq_poll.h>
#include <linux/mmu_notifier.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <rdma/rdma_counter.h>
#include <rdma/restrack.h>
#include <rdma/signature.h>

#include <rdma/verbs/types.h>
#include <rdma/verbs/rate.h>
#include <rdma/verbs/event.h>
#include <rdma/verbs/pd.h>
#include <rdma/verbs/gid.h>
#include <rdma/verbs/hdr.h>
#include <rdma/verbs/pkey.h>
#include <rdma/verbs/ah.h>
#include <rdma/verbs/wr.h>
#include <rdma/verbs/wc.h>
#include <rdma/verbs/cq.h>
#include <rdma/verbs/qp.h>
#include <rdma/verbs/xrc.h>
#include <rdma/verbs/mcast.h>
#include <rdma/verbs/netdev.h>
#include <rdma/verbs/srq.h>
#include <rdma/verbs/wq.h>
#include <rdma/verbs/mr.h>
#include <rdma/verbs/mw.h>
#include <rdma/verbs/fmr.h>
#include <rdma/verbs/dm.h>
#include <rdma/verbs/flow.h>
#include <rdma/verbs/counters.h>
#include <rdma/verbs/stats.h>
#include <rdma/verbs/port.h>
#include <rdma/verbs/ops.h>
#include <rdma/verbs/device.h>
#include <rdma/verbs/alloc.h>
#include <rdma/verbs/vf.h>
#include <rdma/verbs/cgroup.h>
#include <rdma/verbs/user.h>
#include <rdma/verbs/cap.h>
#include <rdma/verbs/printk.h>
#include <rdma/verbs/post.h>
#include <rdma/verbs/dma.h>

#endif /* _RDMA_IB_VERBS_H_ */
