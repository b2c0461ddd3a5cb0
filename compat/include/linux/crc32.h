/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_CRC32_H
#define KRDMA_COMPAT_LINUX_CRC32_H

#include <krdma/has.h>
#include_next <linux/crc32.h>

#if !KRDMA_HAS_CRC32C_IN_CRC32
#include <linux/crc32c.h>
#endif

#endif
