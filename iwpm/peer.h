/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Silent peers: hosts without a port mapper, which have not answered our daemon's query. For a
 * minute no query about a silent peer is made. All functions are called with ns->lock held.
 */
#ifndef _KRDMA_IWPM_PEER_H_
#define _KRDMA_IWPM_PEER_H_

#include <linux/socket.h>
#include <linux/types.h>

struct iwpm_net;

/*
 * Adds a peer to the silent peers, whatever the port in @addr. If there is no memory, the peer is
 * not added, and the next connection to it makes a query.
 */
void iwpm_peer_set_silent(struct iwpm_net *ns, const struct sockaddr_storage *addr);
bool iwpm_peer_is_silent(struct iwpm_net *ns, const struct sockaddr_storage *addr);
/* Forgets that the peer is silent. If @addr is NULL, forgets all silent peers. */
void iwpm_peer_clear_silent(struct iwpm_net *ns, const struct sockaddr_storage *addr);

#endif /* _KRDMA_IWPM_PEER_H_ */
