/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_CLIENT_H_
#define _KRDMA_MAD_CLIENT_H_

#include "mad/port.h"

int mad_client_init(void);
void mad_client_exit(void);

/**
 * mad_port_get() - find a port with MADs
 * @device: the device
 * @num: number of the port
 *
 * Return: the port, with a reference; or NULL.
 */
struct mad_port *mad_port_get(struct ib_device *device, u32 num);

/**
 * mad_port_put() - drop the reference of mad_port_get()
 * @port: the port
 *
 * Process context, may sleep.
 */
void mad_port_put(struct mad_port *port);

#endif /* _KRDMA_MAD_CLIENT_H_ */
