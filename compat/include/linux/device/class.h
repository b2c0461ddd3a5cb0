/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_DEVICE_CLASS_H
#define KRDMA_COMPAT_LINUX_DEVICE_CLASS_H

#include <krdma/has.h>
#include_next <linux/device/class.h>

/*
 * KRDMA_CLASS_CONST qualifies the device that is passed to the functions of a class. Newer kernels
 * declare this device const.
 */
#if KRDMA_HAS_CLASS_CONST_DEVICE
#define KRDMA_CLASS_CONST	const
#else
#define KRDMA_CLASS_CONST
#endif

/*
 * KRDMA_CLASS_SHOW_CONST qualifies both arguments of a class attribute's show(). Newer kernels
 * declare them const.
 */
#if KRDMA_HAS_CLASS_CONST_SHOW
#define KRDMA_CLASS_SHOW_CONST	const
#else
#define KRDMA_CLASS_SHOW_CONST
#endif

/*
 * KRDMA_CLASS_NS is the type to which class.namespace() returns a pointer. KRDMA_CLASS_NET()
 * converts a network namespace to such a pointer.
 */
#if KRDMA_HAS_CLASS_NS_COMMON
#define KRDMA_CLASS_NS		struct ns_common
#define KRDMA_CLASS_NET(net)	(&(net)->ns)
#else
#define KRDMA_CLASS_NS		void
#define KRDMA_CLASS_NET(net)	(net)
#endif

#endif
