/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * For test modules that are built over the distribution's RDMA stack: there, KRDMA_NEEDS_IB_CORE,
 * which reports a wrong ib_core in krdma's own header, does nothing.
 */
#ifndef _RDMA_KRDMA_H_
#define _RDMA_KRDMA_H_

#define KRDMA_NEEDS_IB_CORE struct krdma_needs_nothing

#endif /* _RDMA_KRDMA_H_ */
