/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages on their way to the daemon.
 */
#ifndef _KRDMA_IWPM_OUTBOX_H_
#define _KRDMA_IWPM_OUTBOX_H_

#include <linux/skbuff.h>
#include <linux/types.h>

struct iwpm_net;

/* Returns 0 or -ENOMEM. */
int iwpm_outbox_init(struct iwpm_net *ns);

/* Stops the transmission. Called after ns->dead was set and ns->active has become 0. */
void iwpm_outbox_stop(struct iwpm_net *ns);

/**
 * iwpm_outbox_multicast - send a message to all sockets that listen
 * @ns: the namespace, whose daemon is not known
 * @skb: the message, which is consumed
 *
 * Return: 0; -ENODEV if the namespace is going away; -ECONNREFUSED if no socket listens; -EAGAIN if
 * the receive buffers are full; -ENOMEM.
 */
int iwpm_outbox_multicast(struct iwpm_net *ns, struct sk_buff *skb);

/* The functions below are called with ns->lock held. */

/* Consumes a message: it is sent to the daemon soon, or freed if no daemon is known. */
void iwpm_outbox_add(struct iwpm_net *ns, struct sk_buff *skb);
/* Removes the message of request @seq from the outbox. Returns false if the message was sent. */
bool iwpm_outbox_cancel(struct iwpm_net *ns, u32 seq);
/*
 * Removes all messages but those of open requests, because the daemon has gone, has been replaced
 * or has started. If the daemon has gone, the caller has ended the open requests before. If
 * @same_daemon is true, one answer to a hello stays, because the daemon may ask for the mappings
 * before it has received the answer to its hello.
 */
void iwpm_outbox_clear(struct iwpm_net *ns, bool same_daemon);

#endif /* _KRDMA_IWPM_OUTBOX_H_ */
