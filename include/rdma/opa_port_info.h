/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * krdma does not offer the management datagrams of Omni-Path's ports. This file
 * keeps the compiler from taking the kernel's header instead, which does not fit krdma's.
 */
#error "krdma does not offer <rdma/opa_port_info.h>"
