/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Mappings and the table of them.
 */
#ifndef _KRDMA_IWPM_MAPINFO_H_
#define _KRDMA_IWPM_MAPINFO_H_

#include <linux/list.h>
#include <linux/skbuff.h>
#include <linux/socket.h>
#include <linux/types.h>

#include "iwpm/wait.h"

struct iwpm_net;

/**
 * struct iwpm_map - a mapping
 * @ns: its namespace, with a reference
 * @local: real address
 * @flags: as in struct iwpm_sa_data
 * @entry: entry in iwpm_net.maps; protected by iwpm_net.lock, like all fields below
 * @users: number of users of the mapping; the last iwpm_unmap() frees it
 * @daemon_refs: the daemon's count of requests for this address; at most @users
 * @pending: the first request to the daemon has no result yet
 * @resolved: set when the first request to the daemon has a result; users wait for it
 * @error: 0 if the first request has mapped the address; otherwise its negative errno
 * @by_client: the mapping was stored by iwpm_create_mapinfo()
 * @mapped: address on the wire
 */
struct iwpm_map {
	struct iwpm_net *ns;
	struct sockaddr_storage local;
	u32 flags;

	struct hlist_node entry;
	unsigned int users;
	unsigned int daemon_refs;
	bool pending;
	struct iwpm_result resolved;
	int error;
	bool by_client;
	struct sockaddr_storage mapped;
};

/* Returns a new mapping with one user, not yet in the table, or NULL if there is no memory. */
struct iwpm_map *iwpm_mapinfo_new(struct iwpm_net *ns, const struct sockaddr_storage *local,
				  u32 flags);
/* Frees a mapping that is not in the table. */
void iwpm_mapinfo_free(struct iwpm_map *map);

/*
 * Adds empty messages to the list @messages: one for each mapping, and one for the number of
 * mappings. iwpm_mapinfo_replay() fills the messages. Returns 0 or -ENOMEM.
 */
int iwpm_mapinfo_prepare(struct iwpm_net *ns, struct sk_buff_head *messages);

/*
 * Removes and frees the mappings that iwpm_create_mapinfo() has stored. Other mappings stay until
 * iwpm_unmap().
 */
void iwpm_mapinfo_clear(struct iwpm_net *ns);

/* The functions below are called with ns->lock held. */

struct iwpm_map *iwpm_mapinfo_find(struct iwpm_net *ns, const struct sockaddr_storage *local);
/* Returns 0, or -ENODEV if the namespace is going away. */
int iwpm_mapinfo_add(struct iwpm_net *ns, struct iwpm_map *map);
/* Sets daemon_refs of all mappings to 0. Called when the daemon is removed or replaced. */
void iwpm_mapinfo_reset(struct iwpm_net *ns);
/*
 * Tells a daemon that has started about all mappings: adds to the outbox a message for each mapping
 * and a message with their number. Takes empty messages from @messages, which
 * iwpm_mapinfo_prepare() has filled. Messages that are not needed stay in @messages.
 */
void iwpm_mapinfo_replay(struct iwpm_net *ns, struct sk_buff_head *messages);

#endif /* _KRDMA_IWPM_MAPINFO_H_ */
