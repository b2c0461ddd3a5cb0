/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages to the daemon.
 */
#ifndef _KRDMA_IWPM_MESSAGE_H_
#define _KRDMA_IWPM_MESSAGE_H_

#include <linux/skbuff.h>
#include <linux/socket.h>
#include <linux/types.h>

struct iwpm_request;
struct iwpm_sa_data;

/* The next two functions return a message, or NULL if there is no memory. */
struct sk_buff *iwpm_msg_request(const struct iwpm_request *req, u16 version);
struct sk_buff *iwpm_msg_hello(u16 version);
/* Returns an empty message, large enough for the contents that iwpm_msg_put_*() adds. */
struct sk_buff *iwpm_msg_new(gfp_t gfp);

/*
 * Returns a message that asks the daemon to remove the mapping of @local. Waits until there is
 * memory for the message, because without it the daemon would keep the mapping for ever.
 */
struct sk_buff *iwpm_msg_remove(const struct sockaddr_storage *local);

void iwpm_msg_put_mapinfo(struct sk_buff *skb, const struct iwpm_sa_data *sa, u16 version);
void iwpm_msg_put_mapinfo_num(struct sk_buff *skb, u32 num);

#endif /* _KRDMA_IWPM_MESSAGE_H_ */
