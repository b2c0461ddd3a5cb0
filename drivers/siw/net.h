/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * siw's part in the creation and destruction of network namespaces. Each namespace has a struct
 * siw_net (sock.h).
 */
#ifndef SIW_NET_H
#define SIW_NET_H

/* Called when the module is loaded and unloaded. siw_net_init() returns 0 or an errno. */
int siw_net_init(void);
void siw_net_exit(void);

#endif /* SIW_NET_H */
