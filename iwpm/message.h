/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages to the daemon.
 */
#ifndef _KRDMA_IWPM_MESSAGE_H_
#define _KRDMA_IWPM_MESSAGE_H_

#include <linux/skbuff.h>
#include <linux/socket.h>
#include <linux/types.h>

struct iwpm_net;
struct iwpm_request;
struct iwpm_sa_data;

/* These functions return a message for iwpm_msg_send(), or NULL if there is no memory. */
struct sk_buff *iwpm_msg_request(const struct iwpm_request *req, u16 version);
struct sk_buff *iwpm_msg_remove(u32 seq, const struct sockaddr_storage *local);
struct sk_buff *iwpm_msg_hello(u16 version);
struct sk_buff *iwpm_msg_mapinfo(const struct iwpm_sa_data *sa, u16 version);
struct sk_buff *iwpm_msg_mapinfo_num(u32 seq, u32 num);

/**
 * iwpm_msg_send - send a message to the daemon
 * @ns: the namespace
 * @skb: the message, which is consumed; NULL: it could not be allocated
 * @portid: the daemon's netlink port; 0: all sockets that listen
 *
 * Process context, does not wait for an answer.
 *
 * Return: 0; -ENOMEM; -ENODEV if the namespace is going away; -ECONNREFUSED if no daemon listens;
 * -EAGAIN if its receive buffer is full.
 */
int iwpm_msg_send(struct iwpm_net *ns, struct sk_buff *skb, u32 portid);

#endif /* _KRDMA_IWPM_MESSAGE_H_ */
