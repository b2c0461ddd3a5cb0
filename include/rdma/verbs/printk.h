/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Log lines that begin with the device's name.
 */
#ifndef _RDMA_VERBS_PRINTK_H_
#define _RDMA_VERBS_PRINTK_H_

#include <linux/dynamic_debug.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>

struct ib_device;

/**
 * ibdev_printk - print a line that begins with driver and device
 * @level: KERN_*
 * @ibdev: the device, or NULL
 * @format: format of printk(), with a line feed at its end
 *
 * Any context. A line looks like "siw siw0: the text". Callers use the macros ibdev_emerg() to
 * ibdev_dbg(), one for each level.
 */
__printf(3, 4) __cold
void ibdev_printk(const char *level, const struct ib_device *ibdev, const char *format, ...);

#define ibdev_emerg(ibdev, fmt, ...)	ibdev_printk(KERN_EMERG, (ibdev), fmt, ##__VA_ARGS__)
#define ibdev_alert(ibdev, fmt, ...)	ibdev_printk(KERN_ALERT, (ibdev), fmt, ##__VA_ARGS__)
#define ibdev_crit(ibdev, fmt, ...)	ibdev_printk(KERN_CRIT, (ibdev), fmt, ##__VA_ARGS__)
#define ibdev_err(ibdev, fmt, ...)	ibdev_printk(KERN_ERR, (ibdev), fmt, ##__VA_ARGS__)
#define ibdev_warn(ibdev, fmt, ...)	ibdev_printk(KERN_WARNING, (ibdev), fmt, ##__VA_ARGS__)
#define ibdev_notice(ibdev, fmt, ...)	ibdev_printk(KERN_NOTICE, (ibdev), fmt, ##__VA_ARGS__)
#define ibdev_info(ibdev, fmt, ...)	ibdev_printk(KERN_INFO, (ibdev), fmt, ##__VA_ARGS__)

/* ibdev_dbg() prints only if dynamic debug, or a build with DEBUG, enables the line. */
#if defined(CONFIG_DYNAMIC_DEBUG) || \
	(defined(CONFIG_DYNAMIC_DEBUG_CORE) && defined(DYNAMIC_DEBUG_MODULE))
#define ibdev_dbg(ibdev, fmt, ...)						\
	_dynamic_func_call_no_desc(fmt, ibdev_printk, KERN_DEBUG, (ibdev), fmt, ##__VA_ARGS__)
#elif defined(DEBUG)
#define ibdev_dbg(ibdev, fmt, ...)	ibdev_printk(KERN_DEBUG, (ibdev), fmt, ##__VA_ARGS__)
#else
#define ibdev_dbg(ibdev, fmt, ...)						\
do {										\
	if (0)									\
		ibdev_printk(KERN_DEBUG, (ibdev), fmt, ##__VA_ARGS__);		\
} while (0)
#endif

/* Limit the rate of lines that a peer or a user can cause. */
#define ibdev_level_ratelimited(ibdev_level, ibdev, fmt, ...)			\
do {										\
	static DEFINE_RATELIMIT_STATE(_rs, DEFAULT_RATELIMIT_INTERVAL,		\
				      DEFAULT_RATELIMIT_BURST);			\
										\
	if (__ratelimit(&_rs))							\
		ibdev_level((ibdev), fmt, ##__VA_ARGS__);			\
} while (0)

#define ibdev_emerg_ratelimited(ibdev, fmt, ...)				\
	ibdev_level_ratelimited(ibdev_emerg, ibdev, fmt, ##__VA_ARGS__)
#define ibdev_alert_ratelimited(ibdev, fmt, ...)				\
	ibdev_level_ratelimited(ibdev_alert, ibdev, fmt, ##__VA_ARGS__)
#define ibdev_crit_ratelimited(ibdev, fmt, ...)				\
	ibdev_level_ratelimited(ibdev_crit, ibdev, fmt, ##__VA_ARGS__)
#define ibdev_err_ratelimited(ibdev, fmt, ...)					\
	ibdev_level_ratelimited(ibdev_err, ibdev, fmt, ##__VA_ARGS__)
#define ibdev_warn_ratelimited(ibdev, fmt, ...)					\
	ibdev_level_ratelimited(ibdev_warn, ibdev, fmt, ##__VA_ARGS__)
#define ibdev_notice_ratelimited(ibdev, fmt, ...)				\
	ibdev_level_ratelimited(ibdev_notice, ibdev, fmt, ##__VA_ARGS__)
#define ibdev_info_ratelimited(ibdev, fmt, ...)					\
	ibdev_level_ratelimited(ibdev_info, ibdev, fmt, ##__VA_ARGS__)
#define ibdev_dbg_ratelimited(ibdev, fmt, ...)				\
	ibdev_level_ratelimited(ibdev_dbg, ibdev, fmt, ##__VA_ARGS__)

#endif /* _RDMA_VERBS_PRINTK_H_ */
