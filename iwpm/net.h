/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * References to the port mapper's state in a network namespace, and users of the namespace itself.
 */
#ifndef _KRDMA_IWPM_NET_H_
#define _KRDMA_IWPM_NET_H_

#include <linux/types.h>

struct iwpm_net;
struct net;

/* Returns the state of @net with one reference, or NULL if there is no memory. */
struct iwpm_net *iwpm_net_new(struct net *net);
void iwpm_net_put(struct iwpm_net *ns);

/**
 * iwpm_net_tryget - begin to use the network namespace
 * @ns: state in that namespace, to which the caller has a reference
 *
 * Return: true if ns->net stays valid until iwpm_net_put_active(); false if the namespace is going
 * away.
 */
bool iwpm_net_tryget(struct iwpm_net *ns);
void iwpm_net_put_active(struct iwpm_net *ns);

#endif /* _KRDMA_IWPM_NET_H_ */
