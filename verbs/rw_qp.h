/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Requests and regions that the QP of rdma_rw contexts needs, and when a context takes regions. */
#ifndef _KRDMA_VERBS_RW_QP_H_
#define _KRDMA_VERBS_RW_QP_H_

#include <rdma/ib_verbs.h>

/**
 * verbs_rw_sink_needs_right - must the sink of a READ be a region that peers may write?
 * @dev: the device
 * @port_num: a valid port number
 *
 * True on iWARP, unless the device has IBK_READ_LOCAL_SINK, because the Read Request gives the peer
 * the STag of the sink, and the Read Response is a tagged message that writes to the sink.
 */
bool verbs_rw_sink_needs_right(const struct ib_device *dev, u32 port_num);

/**
 * verbs_rw_takes_mr - does a transfer take regions?
 * @dev: the device
 * @port_num: a valid port number
 * @dir: direction of the transfer
 * @nents: number of mapped elements
 */
bool verbs_rw_takes_mr(const struct ib_device *dev, u32 port_num, enum dma_data_direction dir,
		       u32 nents);

/**
 * verbs_rw_mr_pages - how many pages does a region of the pools hold?
 * @dev: the device
 * @integrity: the region has protection information
 */
u32 verbs_rw_mr_pages(const struct ib_device *dev, bool integrity);

/**
 * verbs_rw_prepare_qp - make room for the contexts' requests in the send queue of a new QP
 * @dev: the device
 * @attr: attributes of the QP; cap.max_send_wr may be raised
 *
 * Any context. Has no effect if the QP is to have no contexts.
 *
 * Return: 0; -EINVAL if the QP is to have contexts, and attr->port_num is not a valid port.
 */
int verbs_rw_prepare_qp(struct ib_device *dev, struct ib_qp_init_attr *attr);

/**
 * verbs_rw_fill_pools - allocate the regions that the contexts of a new QP take from its pools
 * @qp: the QP
 * @attr: attributes that the QP was created with
 *
 * Process context, may sleep. verbs_rw_empty_pools() destroys the regions.
 *
 * Return: 0 or the error of ib_mr_pool_init(), after which the pools are empty.
 */
int verbs_rw_fill_pools(struct ib_qp *qp, const struct ib_qp_init_attr *attr);

/**
 * verbs_rw_empty_pools - destroy the regions in the pools of a QP
 * @qp: the QP, which carries out no request any more
 *
 * Process context, may sleep.
 */
void verbs_rw_empty_pools(struct ib_qp *qp);

#endif /* _KRDMA_VERBS_RW_QP_H_ */
