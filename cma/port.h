/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Ports of a network namespace.
 */
#ifndef _KRDMA_CMA_PORT_H_
#define _KRDMA_CMA_PORT_H_

struct cma_id;

int cma_ports_init(void);
void cma_ports_exit(void);

/**
 * cma_port_get - bind an identifier to the port of its source address
 * @id: identifier without a port; if the port of its address is 0, a free port is chosen and stored
 *	in the address
 *
 * Return: 0; -EADDRINUSE: an identifier that has the port does not share it; -EADDRNOTAVAIL: no
 * port is free; -EACCES: the process may not have this port; -EINTR: the process was killed;
 * -ENOMEM: no memory; or an error of the socket layer.
 */
int cma_port_get(struct cma_id *id);

/* Releases the identifier's port, if it has one. */
void cma_port_put(struct cma_id *id);

/**
 * cma_port_listen - change a bound identifier's state from ADDR_BOUND to LISTEN
 * @id: the identifier
 *
 * Return: 0; -EADDRINUSE: another identifier has the port and does not share it with a listener;
 * -EINVAL: the identifier is not bound.
 */
int cma_port_listen(struct cma_id *id);

#endif /* _KRDMA_CMA_PORT_H_ */
