/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Announced peers: the daemon has sent the kernel a message (handled by iwpm_remote_info_cb()) with
 * the real and the mapped address of a peer that is about to connect.
 */
#ifndef _KRDMA_IWPM_REMOTE_H_
#define _KRDMA_IWPM_REMOTE_H_

#include <linux/socket.h>

struct iwpm_net;
struct iwpm_sa_data;

/*
 * Adds an announced peer. Replaces an earlier announcement with equal mapped addresses. Returns 0
 * or -ENOMEM.
 */
int iwpm_remote_add(struct iwpm_net *ns, const struct iwpm_sa_data *sa);

/**
 * iwpm_remote_pop - find an announced peer and remove it
 * @ns: the namespace
 * @mapped_loc: our address on the wire
 * @mapped_rem: the peer's address on the wire
 * @real: out: the peer's real address
 *
 * Return: 0; -ENOENT if the peer was not announced within the last minute.
 */
int iwpm_remote_pop(struct iwpm_net *ns, const struct sockaddr_storage *mapped_loc,
		    const struct sockaddr_storage *mapped_rem, struct sockaddr_storage *real);
void iwpm_remote_clear(struct iwpm_net *ns);

#endif /* _KRDMA_IWPM_REMOTE_H_ */
