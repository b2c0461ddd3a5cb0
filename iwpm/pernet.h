/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Look-up of the port mapper's state of a network namespace.
 */
#ifndef _KRDMA_IWPM_PERNET_H_
#define _KRDMA_IWPM_PERNET_H_

struct iwpm_net;
struct net;

int iwpm_pernet_init(void);
void iwpm_pernet_exit(void);

/**
 * iwpm_net_of - find the state of a network namespace
 * @net: the namespace, which the caller keeps
 *
 * Return: the state, without a reference, or NULL if the namespace is going away.
 */
struct iwpm_net *iwpm_net_of(const struct net *net);

/* As iwpm_net_of(), with a reference, to be dropped by iwpm_net_put(). */
struct iwpm_net *iwpm_net_get(const struct net *net);

/*
 * Removes the peers that were announced, and the mappings that iwpm_create_mapinfo() made, in all
 * namespaces.
 */
void iwpm_net_clear_all(void);

#endif /* _KRDMA_IWPM_PERNET_H_ */
