/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The listening sockets (lsocks), behind which listeners of iw_cm stand (siw_backlog.h).
 */
#ifndef SIW_LISTEN_H
#define SIW_LISTEN_H

struct siw_net;

/* Releases the listening sockets of a network namespace that goes away. */
void siw_lsocks_exit_net(struct siw_net *sn);

#endif /* SIW_LISTEN_H */
