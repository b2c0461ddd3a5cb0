/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Look-up of the port mapper's state in a network namespace.
 */
#ifndef _KRDMA_IWPM_PERNET_H_
#define _KRDMA_IWPM_PERNET_H_

struct iwpm_net;
struct net;

int iwpm_pernet_init(void);
void iwpm_pernet_exit(void);

/**
 * iwpm_net_of - find the port mapper's state in a network namespace
 * @net: the namespace; the caller ensures that it exists as long as the caller uses the state
 *
 * Return: the state, without a reference; NULL if the namespace is going away.
 */
struct iwpm_net *iwpm_net_of(const struct net *net);

/*
 * Returns the port mapper's state in @net with a reference, which iwpm_net_put() drops, or NULL if
 * @net is going away. The caller ensures that @net exists during the call.
 */
struct iwpm_net *iwpm_net_get(const struct net *net);

/*
 * Removes, in all network namespaces, the peers that the daemon has announced (see remote.h) and
 * the mappings that iwpm_create_mapinfo() has stored.
 */
void iwpm_net_clear_all(void);

#endif /* _KRDMA_IWPM_PERNET_H_ */
