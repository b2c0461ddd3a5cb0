/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The device to which a connection belongs that a wildcard listener has accepted.
 */
#ifndef SIW_OWNER_H
#define SIW_OWNER_H

#include <linux/list.h>

struct siw_listener;
struct socket;

/*
 * Returns the entry of @listeners, linked by siw_listener.lsock_entry, whose device a connection
 * belongs to; NULL: the connection belongs to none of the devices. Process context. The caller
 * keeps the list from changing.
 */
struct siw_listener *siw_owner_find(const struct list_head *listeners, struct socket *sock);

#endif /* SIW_OWNER_H */
