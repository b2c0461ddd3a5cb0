/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Subnet management of InfiniBand. Drivers of other transports include this header for the
 * capabilities of ports, which <rdma/ib_mad.h> has. krdma has no subnet management.
 */
#ifndef _RDMA_IB_SMI_H_
#define _RDMA_IB_SMI_H_

#ifdef IB_SMI_H
#error "the kernel's <rdma/ib_smi.h> was included before krdma's"
#endif
#define IB_SMI_H

#include <rdma/ib_mad.h>

#endif /* _RDMA_IB_SMI_H_ */
