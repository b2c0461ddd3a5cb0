/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * krdma does not offer paths of InfiniBand for connections, and their private settings. This file
 * keeps the compiler from taking the kernel's header instead, which does not fit krdma's.
 */
#error "krdma does not offer <rdma/rdma_cm_ib.h>"
