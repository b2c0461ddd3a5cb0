// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "remove.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "configfs.h"

/*
 * Removes the folders of the ports of a node. That of port 1 belongs to the node, and configfs says
 * EPERM.
 */
static int remove_ports(int dir, const char *node)
{
	char path[CONFIGFS_PATH_LEN];
	struct names ports;
	int err = 0;

	if (configfs_list(dir, node, &ports))
		return -1;
	for (size_t i = 0; i < ports.count && !err; i++) {
		snprintf(path, sizeof(path), "%s/%s", node, ports.names[i]);
		if (configfs_rmdir(dir, path) && errno != EPERM)
			err = errno;
	}
	names_free(&ports);
	errno = err;
	return err ? -1 : 0;
}

static int remove_node(int dir, const char *node, struct fault *fault)
{
	if (!configfs_rmdir(dir, node))
		return 0;
	if (errno != ENOTEMPTY || remove_ports(dir, node) || configfs_rmdir(dir, node))
		return fault_errno(fault, node);
	return 0;
}

static int remove_nodes(int dir, const char *name, struct fault *fault)
{
	struct names nodes;
	int err = 0;

	if (configfs_list(dir, ".", &nodes))
		return fault_errno(fault, name);
	for (size_t i = 0; i < nodes.count && !err; i++)
		err = remove_node(dir, nodes.names[i], fault);
	names_free(&nodes);
	return err;
}

int fabric_remove(int root, const char *name, struct fault *fault)
{
	int dir = configfs_open(root, name), err;

	if (dir < 0)
		return fault_errno(fault, name);
	err = remove_nodes(dir, name, fault);
	configfs_close(dir);
	if (err)
		return -1;
	return configfs_rmdir(root, name) ? fault_errno(fault, name) : 0;
}
