/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Fabrics in configfs: /sys/kernel/config/sib. */
#ifndef SIB_CONFIG_H
#define SIB_CONFIG_H

#include <linux/kconfig.h>

#if IS_ENABLED(CONFIG_CONFIGFS_FS)

/* Called when the module is loaded and unloaded. sib_config_init() returns 0 or an errno. */
int sib_config_init(void);
void sib_config_exit(void);

#else

static inline int sib_config_init(void)
{
	return 0;
}

static inline void sib_config_exit(void)
{
}

#endif

#endif /* SIB_CONFIG_H */
