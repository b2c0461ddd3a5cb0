/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers of the tests of datagrams.
 */
#ifndef _KRDMA_TESTING_KT_MEMDEV_UD_H_
#define _KRDMA_TESTING_KT_MEMDEV_UD_H_

#include "kt_memdev.h"

/* Bytes of the network header in front of a datagram. */
#define KTM_GRH		40

/* Start two devices with a UD QP each, in RTS. */
bool ktm_start_ud(struct ktap *t, struct ktm_pair *p);

/*
 * Sends @length bytes of @h->buf from @offset as a datagram with these properties. The request has
 * wr_id 77, and a completion only if it fails.
 */
void ktm_post_datagram(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, struct ib_ud_wr *wr,
		       u32 offset, u32 length);
/* Does the same with a completion, waits for it, and expects @status. */
void ktm_datagram(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, struct ib_ud_wr *wr,
		  u32 offset, u32 length, enum ib_wc_status status);

/* Returns an address on port 1 of @h, or port 0 of a switch; that of the first port of @to. */
struct rdma_ah_attr ktm_ah_attr(struct ktm_host *h, struct ktm_host *to);

#endif /* _KRDMA_TESTING_KT_MEMDEV_UD_H_ */
