/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the files of kt_umem.ko share: tests of what ib_uverbs offers to drivers of RDMA devices.
 */
#ifndef _KRDMA_TESTING_KT_UMEM_H_
#define _KRDMA_TESTING_KT_UMEM_H_

#include <linux/sizes.h>
#include <rdma/ib_umem.h>
#include <rdma/iter.h>

#include "../support/fakedev.h"
#include "../support/ktap.h"

extern const struct ktap_suite kt_blocks_suite, kt_mmap_entry_suite, kt_dmabuf_suite;

#endif /* _KRDMA_TESTING_KT_UMEM_H_ */
