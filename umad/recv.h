/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_UMAD_RECV_H_
#define _KRDMA_UMAD_RECV_H_

#include <rdma/ib_mad.h>

/* Handler of received MADs, see &ib_mad_recv_handler: queues the MAD for readers of the file. */
void umad_received(struct ib_mad_agent *base, struct ib_mad_send_buf *request,
		   struct ib_mad_recv_wc *received);

#endif /* _KRDMA_UMAD_RECV_H_ */
