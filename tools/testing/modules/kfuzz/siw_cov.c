// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The main file of siw_cov.ko includes the main file of siw, but without the alias by which
 * modprobe finds siw: other tests have to get siw itself.
 */
#include <rdma/rdma_netlink.h>

#undef MODULE_ALIAS_RDMA_LINK
#define MODULE_ALIAS_RDMA_LINK(type)

#include "drivers/siw/main.c"
