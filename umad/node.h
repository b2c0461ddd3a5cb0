/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Nodes of ports, /dev/infiniband/umadN and issmN: their class, their numbers, and their attributes
 * in sysfs.
 */
#ifndef _KRDMA_UMAD_NODE_H_
#define _KRDMA_UMAD_NODE_H_

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/mutex.h>

struct file_operations;
struct ib_device;

/**
 * enum umad_node_kind - kinds of nodes
 * @UMAD_NODE_MAD: umadN, which sends and receives MADs
 * @UMAD_NODE_SM: issmN, which sets IsSM
 * @UMAD_NODE_KINDS: number of kinds
 */
enum umad_node_kind {
	UMAD_NODE_MAD,
	UMAD_NODE_SM,
	UMAD_NODE_KINDS
};

/**
 * struct umad_node - a node
 * @dev: device of the node; has the references to the structure that contains the node
 * @cdev: character device
 * @port: number of the port
 * @lock: protects @ibdev, and members of the structure that contains the node
 * @ibdev: device of the port; NULL: the device was removed. Also read without the lock, to see
 *	whether the device was removed
 */
struct umad_node {
	struct device dev;
	struct cdev cdev;
	u32 port;
	struct mutex lock;	/* protects @ibdev */
	struct ib_device *ibdev;
};

/**
 * umad_node_init() - initialize a node
 * @node: the node
 * @ibdev: device of the port
 * @port: number of the port
 * @release: frees the structure that contains the node; calls umad_node_destroy()
 *
 * The caller has a reference, to be dropped with put_device().
 */
void umad_node_init(struct umad_node *node, struct ib_device *ibdev, u32 port,
		    void (*release)(struct device *dev));
void umad_node_destroy(struct umad_node *node);

/**
 * umad_node_add() - show a node to processes
 * @node: the node
 * @kind: its kind
 * @number: its number, from umad_number_alloc()
 * @fops: its operations
 *
 * After an error, a process that has found an old node of this number may have opened this one.
 *
 * Return: 0 or a negative errno.
 */
int umad_node_add(struct umad_node *node, enum umad_node_kind kind, int number,
		  const struct file_operations *fops);

/**
 * umad_node_hide() - remove a node from /dev and sysfs
 * @node: the node
 *
 * Called without @lock held, because readers of the attributes take it. No open() begins after the
 * call, but an open() that has begun may still succeed until @ibdev is NULL.
 */
void umad_node_hide(struct umad_node *node);

/**
 * umad_node_access() - may the calling process open a node?
 * @node: the node; its lock is held
 *
 * Return: 0; -ENXIO: the device was removed; -EPERM: the network namespace of the process does not
 * have the device.
 */
int umad_node_access(const struct umad_node *node);

/**
 * umad_number_alloc() - get the number for the nodes of a port
 * @ibdev: device of the port
 *
 * Return: the number, which umad_number_free() gives back; -ENOSPC or -ENOMEM.
 */
int umad_number_alloc(const struct ib_device *ibdev);
void umad_number_free(int number);

int umad_nodes_init(void);
void umad_nodes_exit(void);

#endif /* _KRDMA_UMAD_NODE_H_ */
