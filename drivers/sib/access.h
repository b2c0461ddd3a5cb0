/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Who may look into a fabric, and put packets into it. */
#ifndef SIB_ACCESS_H
#define SIB_ACCESS_H

#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <net/net_namespace.h>

/**
 * sib_access() - may the process use the files of a fabric?
 *
 * Process context. A fabric may belong to any network namespace, so that only the administrator of
 * the machine may, whatever the mode of the file was changed to.
 *
 * Return: 0; -EPERM.
 */
static inline int sib_access(void)
{
	if (!capable(CAP_NET_ADMIN) || !net_eq(current->nsproxy->net_ns, &init_net))
		return -EPERM;
	return 0;
}

#endif /* SIB_ACCESS_H */
