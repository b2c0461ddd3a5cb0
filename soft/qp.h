/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs: the part of a QP that its queues and windows need. A provider's QP embeds it.
 */
#ifndef SOFT_QP_H
#define SOFT_QP_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <rdma/ib_verbs.h>

#include "soft/rq.h"
#include "soft/sq.h"

/**
 * struct soft_qp - queue pair of a provider in software
 * @base: the verbs object, whose memory the core allocates and frees; has to be at offset 0
 * @state: verbs state; changed by the provider, and read without a lock where an outdated value
 *	does no harm. The provider flushes the queues after it has set IB_QPS_ERR
 * @stats: values of the set that the QP is bound to (counter.h), or NULL; read under RCU
 * @windows: windows of type 2 that are bound to the QP, protected by soft_device.mw_lock
 * @rq: receive queue; not used if the QP has an SRQ
 * @sq: send queue
 */
struct soft_qp {
	struct ib_qp base;
	enum ib_qp_state state;
	u64 __percpu *stats;
	struct list_head windows;
	struct soft_rq rq;
	struct soft_sq sq;
};

static inline struct soft_qp *to_soft_qp(struct ib_qp *base)
{
	return container_of(base, struct soft_qp, base);
}

/* Returns the protection domain that the lkeys of the QP's receives belong to. */
static inline struct ib_pd *soft_rq_pd(const struct soft_qp *qp)
{
	return qp->base.srq ? qp->base.srq->pd : qp->base.pd;
}

#endif /* SOFT_QP_H */
