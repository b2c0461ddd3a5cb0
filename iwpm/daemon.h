/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The daemon of a namespace.
 */
#ifndef _KRDMA_IWPM_DAEMON_H_
#define _KRDMA_IWPM_DAEMON_H_

#include <linux/types.h>

struct iwpm_net;

int iwpm_daemon_init(void);
void iwpm_daemon_exit(void);

/**
 * iwpm_daemon_set - set the daemon that answers requests
 * @ns: the namespace; called with its lock held
 * @portid: the daemon's netlink port
 * @version: of the protocol, as iwpm_daemon_version() returned it
 * @registered: the daemon has answered a registration; else it has just started, and knows nothing
 *
 * Requests to another daemon end with -ECONNREFUSED.
 */
void iwpm_daemon_set(struct iwpm_net *ns, u32 portid, u16 version, bool registered);

/**
 * iwpm_daemon_del - remove the daemon
 * @ns: the namespace
 * @portid: netlink port of the daemon to remove, 0 if none was known; no effect if another daemon
 *	has been set since
 * @unresponsive: the daemon does not answer: no registration is sent for a minute
 *
 * Requests end with -ETIMEDOUT if the daemon is @unresponsive, else with -ECONNREFUSED.
 */
void iwpm_daemon_del(struct iwpm_net *ns, u32 portid, bool unresponsive);

/**
 * iwpm_daemon_version - choose the protocol version
 * @theirs: the newest version that the daemon speaks
 * @common: out: the newest version that both speak
 *
 * Return: 0, or -EPROTO if there is no common version.
 */
int iwpm_daemon_version(u16 theirs, u16 *common);

#endif /* _KRDMA_IWPM_DAEMON_H_ */
