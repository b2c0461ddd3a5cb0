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
 * @net: the namespace, which the caller keeps
 *
 * Return: the state, without a reference; NULL if the namespace is going away.
 */
struct iwpm_net *iwpm_net_of(const struct net *net);

/* Does what iwpm_net_of() does, but takes a reference, which iwpm_net_put() drops. */
struct iwpm_net *iwpm_net_get(const struct net *net);

/*
 * Removes the announced peers, and the mappings that iwpm_create_mapinfo() has stored, in all
 * network namespaces.
 */
void iwpm_net_clear_all(void);

#endif /* _KRDMA_IWPM_PERNET_H_ */
