/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The default fabric of a network namespace. The first device makes it; it goes with the last one,
 * and all go with the namespace.
 */
#ifndef SIB_NET_H
#define SIB_NET_H

struct net;
struct sib_device;

/* Called when the module is loaded and unloaded. sib_net_init() returns 0 or an errno. */
int sib_net_init(void);
void sib_net_exit(void);

/**
 * sib_net_join() - give a device a CA of the default fabric
 * @net: network namespace
 * @dev: device, whose fabric and node are set
 * @name: name that the device is to have
 *
 * Process context. The caller ensures that the namespace does not end meanwhile.
 *
 * Return: 0; -EUSERS if the fabric has no room for another CA; -ENOMEM.
 */
int sib_net_join(struct net *net, struct sib_device *dev, const char *name);

/**
 * sib_net_leave() - take the CA of a device away
 * @dev: device without QPs
 *
 * Process context.
 */
void sib_net_leave(struct sib_device *dev);

#endif /* SIB_NET_H */
