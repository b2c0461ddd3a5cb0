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
 * @id: identifier without a port; with port 0 in the address, a free one is chosen and put there
 *
 * Return: 0; -EADDRINUSE an identifier that has the port does not share it; -EADDRNOTAVAIL no port
 * is free; -EACCES a port that the process may not have; -ENOMEM, or an error of the socket layer.
 */
int cma_port_get(struct cma_id *id);

/* Releases the port of an identifier, if there is one. */
void cma_port_put(struct cma_id *id);

/**
 * cma_port_listen - change a bound identifier's state from ADDR_BOUND to LISTEN
 * @id: the identifier
 *
 * Return: 0; -EADDRINUSE another identifier has the port and does not allow this; -EINVAL the
 * identifier is not bound.
 */
int cma_port_listen(struct cma_id *id);

#endif /* _KRDMA_CMA_PORT_H_ */
