/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Listening sockets (lsocks). Each accepts connections for the listeners (backlog.h) of one or more
 * devices. Process context.
 */
#ifndef SIW_LISTEN_H
#define SIW_LISTEN_H

struct iw_cm_id;
struct siw_device;
struct siw_net;

/* Begin and end listening; the operations iw_create_listen and iw_destroy_listen of a device. */
int siw_create_listen(struct iw_cm_id *cm_id, int backlog);
int siw_destroy_listen(struct iw_cm_id *cm_id);

/*
 * Moves the device's wildcard listeners to sockets of the VRF that the netdev is in now. Called
 * with RTNL held, after the netdev has got another master.
 */
void siw_listeners_follow_vrf(struct siw_device *dev);

void siw_lsocks_init_net(struct siw_net *sn);
/* Closes the listening sockets of a network namespace that is being destroyed. */
void siw_lsocks_exit_net(struct siw_net *sn);

#endif /* SIW_LISTEN_H */
