/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_UMAD_PORT_H_
#define _KRDMA_UMAD_PORT_H_

#include <linux/types.h>

struct ib_device;
struct umad_port;

/**
 * umad_port_add() - make the node umadN of a port
 * @ibdev: device of the port
 * @num: number of the port
 * @number: N
 *
 * Return: the port, to be given to umad_port_remove(); or an ERR_PTR.
 */
struct umad_port *umad_port_add(struct ib_device *ibdev, u32 num, int number);

/**
 * umad_port_remove() - remove the node of a port, whose device is removed
 * @port: the port
 *
 * Open files stay open. On return, none of them uses the device any more.
 */
void umad_port_remove(struct umad_port *port);

#endif /* _KRDMA_UMAD_PORT_H_ */
