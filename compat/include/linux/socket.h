/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_SOCKET_H
#define KRDMA_COMPAT_LINUX_SOCKET_H

#include <krdma/has.h>
#include_next <linux/socket.h>

#if !KRDMA_HAS_SOCKADDR_UNSIZED
#define sockaddr_unsized	sockaddr
#endif

#endif
