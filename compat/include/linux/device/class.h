/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_DEVICE_CLASS_H
#define KRDMA_COMPAT_LINUX_DEVICE_CLASS_H

#include <krdma/has.h>
#include_next <linux/device/class.h>

/* KRDMA_CLASS_CONST is how functions of a class take a device. */
#if KRDMA_HAS_CLASS_CONST_DEVICE
#define KRDMA_CLASS_CONST	const
#else
#define KRDMA_CLASS_CONST
#endif

/* KRDMA_CLASS_SHOW_CONST is how show() of a class's attribute takes the class and the attribute. */
#if KRDMA_HAS_CLASS_CONST_SHOW
#define KRDMA_CLASS_SHOW_CONST	const
#else
#define KRDMA_CLASS_SHOW_CONST
#endif

/* The type of the namespace of a class's device, and a network namespace as that type. */
#if KRDMA_HAS_CLASS_NS_COMMON
#define KRDMA_CLASS_NS		struct ns_common
#define KRDMA_CLASS_NET(net)	(&(net)->ns)
#else
#define KRDMA_CLASS_NS		void
#define KRDMA_CLASS_NET(net)	(net)
#endif

#endif
