/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * krdma does not offer the library for drivers that implement verbs in software. This file
 * keeps the compiler from taking the kernel's header instead, which does not fit krdma's.
 */
#error "krdma does not offer <rdma/rdmavt_qp.h>"
