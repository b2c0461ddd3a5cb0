/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_HEX_H
#define KRDMA_COMPAT_LINUX_HEX_H

#include <krdma/has.h>

#if KRDMA_HAS_HEX
#include_next <linux/hex.h>
#else
#include <linux/kernel.h>
#endif

#endif
