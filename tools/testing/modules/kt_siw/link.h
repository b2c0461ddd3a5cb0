/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Two hosts in one module: A, whose regions are tested, and its peer B. The devices siwa and siwb
 * are in network namespaces of their own.
 */
#ifndef KT_SIW_LINK_H
#define KT_SIW_LINK_H

#include <linux/completion.h>
#include <linux/scatterlist.h>
#include <rdma/rdma_cm.h>

#include "../support/ktap.h"

#define KT_DIF_CTXS	4	/* contexts of rdma_rw of A's QP */

/* The completion of one request, or of a list of requests whose last one is signalled. */
struct kt_op {
	struct ib_cqe cqe;
	struct completion done;
	enum ib_wc_status status;
};

/* A host: its device, and what connections share. */
struct kt_host {
	struct ib_device *dev;
	struct net *net;
	struct ib_pd *pd;
	struct ib_cq *cq;
};

/* Two hosts, and the listener of B, whose next connection is @incoming. */
struct kt_hosts {
	struct kt_host a, b;
	struct rdma_cm_id *listener;
	struct kt_link *incoming;
};

/* A connection. */
struct kt_link {
	struct kt_hosts *hosts;
	struct rdma_cm_id *a, *b;
	struct completion step;
	struct completion accepted;
	int status;
	struct kt_op op[2], recv[2];	/* of A, and of B */
	bool plain_qp;
};

/*
 * kt_hosts_open() and kt_link_open() return false after a failure, or if there are no devices; the
 * close functions may follow a failure.
 */
bool kt_hosts_open(struct ktap *t, struct kt_hosts *hosts);
void kt_hosts_close(struct kt_hosts *hosts);
/* @plain_qp: A's QP is made without integrity. */
bool kt_link_open(struct ktap *t, struct kt_hosts *hosts, struct kt_link *link, bool plain_qp);
void kt_link_close(struct kt_link *link);

/* Prepares for a request with @op->cqe; waits for its completion and returns the status, or -1. */
void kt_op_begin(struct kt_op *op);
int kt_op_wait(struct kt_op *op);
/* Posts a list of requests, of which the last one is signalled. Returns the status, or -1. */
int kt_run(struct ib_qp *qp, struct kt_op *op, struct ib_send_wr *wr);

#endif /* KT_SIW_LINK_H */
