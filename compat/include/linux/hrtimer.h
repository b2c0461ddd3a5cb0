/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_HRTIMER_H
#define KRDMA_COMPAT_LINUX_HRTIMER_H

#include <krdma/has.h>
#include_next <linux/hrtimer.h>

#if !KRDMA_HAS_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
