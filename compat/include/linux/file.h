/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_FILE_H
#define KRDMA_COMPAT_LINUX_FILE_H

#include_next <linux/file.h>

#ifndef fd_file
#define fd_file(fd)	((fd).file)
#endif

#endif
