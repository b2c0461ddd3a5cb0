/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The daemon of a network namespace.
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
 * @version: protocol version, as iwpm_daemon_version() has chosen it
 * @registered: true: the daemon has answered a registration; false: it has just started, and has no
 *	mappings
 *
 * If another daemon was set before, the open requests end with -ECONNREFUSED. If the daemon is new
 * to us or has just started, the unsent messages are dropped, except those of requests that are
 * still open, and except one answer to a hello of the same daemon.
 */
void iwpm_daemon_set(struct iwpm_net *ns, u32 portid, u16 version, bool registered);

/**
 * iwpm_daemon_set_unresponsive - note that a daemon did not answer
 * @ns: the namespace
 * @portid: netlink port of the daemon that did not answer; 0 if no daemon was known
 *
 * The open requests end with -ETIMEDOUT, and no registration is sent for a minute. Has no effect if
 * @portid is not the present daemon's.
 */
void iwpm_daemon_set_unresponsive(struct iwpm_net *ns, u32 portid);

/**
 * iwpm_daemon_version - choose the protocol version
 * @theirs: the newest version that the daemon supports
 * @common: out: the newest version that both sides support
 *
 * Return: 0, or -EPROTO if there is no common version.
 */
int iwpm_daemon_version(u16 theirs, u16 *common);

#endif /* _KRDMA_IWPM_DAEMON_H_ */
