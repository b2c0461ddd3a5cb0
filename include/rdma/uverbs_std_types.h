/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * krdma does not offer macros for a driver's own objects and methods of ioctl(). This file
 * keeps the compiler from taking the kernel's header instead, which does not fit krdma's.
 */
#error "krdma does not offer <rdma/uverbs_std_types.h>"
