/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the device of a connection that a wildcard listener has accepted.
 */
#ifndef SIW_OWNER_H
#define SIW_OWNER_H

#include <linux/list.h>

struct siw_listener;
struct socket;

/*
 * Returns the listener in @listeners (linked by siw_listener.lsock_entry) to whose device the
 * connection of @socket belongs, or NULL if there is none. Process context. The caller keeps the
 * list from changing.
 */
struct siw_listener *siw_owner_find(const struct list_head *listeners, struct socket *sock);

#endif /* SIW_OWNER_H */
