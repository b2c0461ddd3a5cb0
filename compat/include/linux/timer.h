/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_TIMER_H
#define KRDMA_COMPAT_LINUX_TIMER_H

#include_next <linux/timer.h>

#ifndef timer_container_of
#define timer_container_of(var, timer, member)	from_timer(var, timer, member)
#endif

#endif
