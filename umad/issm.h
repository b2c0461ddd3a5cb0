/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_UMAD_ISSM_H_
#define _KRDMA_UMAD_ISSM_H_

#include <linux/wait.h>

#include "umad/node.h"

/**
 * struct umad_issm - a port with a node issmN
 * @node: the node; its lock protects @is_open, too
 * @wait: threads that wait in open(), until @is_open is cleared or the device is removed
 * @is_open: a file is open. Also read without the lock by threads that wait
 */
struct umad_issm {
	struct umad_node node;
	wait_queue_head_t wait;
	bool is_open;
};

/**
 * umad_issm_add() - make the node issmN of a port
 * @ibdev: device of the port
 * @num: number of the port
 * @number: N
 *
 * Return: the node, to be given to umad_issm_remove(); or an ERR_PTR.
 */
struct umad_issm *umad_issm_add(struct ib_device *ibdev, u32 num, int number);

/**
 * umad_issm_remove() - remove the node of a port, whose device is removed
 * @issm: the node
 *
 * Clears IsSM. A file that is open stays open, and threads that wait in open() get -ENXIO.
 */
void umad_issm_remove(struct umad_issm *issm);

#endif /* _KRDMA_UMAD_ISSM_H_ */
