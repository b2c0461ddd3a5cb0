/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_UNALIGNED_H
#define KRDMA_COMPAT_LINUX_UNALIGNED_H

#include <krdma/has.h>

#if KRDMA_HAS_UNALIGNED_IN_LINUX
#include_next <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif
