// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ib_umad.ko: the nodes umadN and issmN of the ports of all devices, and the answers to the netlink
 * command GET_CHARDEV.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

#include "umad/issm.h"
#include "umad/port.h"
#include "umad/umad.h"

KRDMA_NEEDS_IB_CORE;

/**
 * struct port_nodes - the nodes of a port
 * @number: N of umadN and issmN
 * @port: umadN; NULL: the port has no MADs
 * @issm: issmN; NULL: the port has no QP 0
 */
struct port_nodes {
	int number;
	struct umad_port *port;
	struct umad_issm *issm;
};

/**
 * struct umad_device - a device that has a port with MADs
 * @nr: number of ports
 * @ports: their nodes
 */
struct umad_device {
	u32 nr;
	struct port_nodes ports[];
};

static void remove_ports(struct umad_device *udev)
{
	struct port_nodes *nodes;

	for (nodes = udev->ports; nodes < udev->ports + udev->nr; nodes++) {
		if (nodes->issm)
			umad_issm_remove(nodes->issm);
		if (!nodes->port)
			continue;
		umad_port_remove(nodes->port);
		umad_number_free(nodes->number);
	}
}

static int add_port(struct port_nodes *nodes, struct ib_device *ibdev, u32 num)
{
	struct umad_port *port;
	struct umad_issm *issm;
	int number;

	number = umad_number_alloc(ibdev);
	if (number < 0)
		return number;
	port = umad_port_add(ibdev, num, number);
	if (IS_ERR(port)) {
		umad_number_free(number);
		return PTR_ERR(port);
	}
	nodes->number = number;
	nodes->port = port;
	if (!rdma_cap_ib_smi(ibdev, num))
		return 0;
	issm = umad_issm_add(ibdev, num, number);
	if (IS_ERR(issm))
		return PTR_ERR(issm);
	nodes->issm = issm;
	return 0;
}

/* Adds the nodes of all ports. After an error, those that were added are there. */
static int add_ports(struct umad_device *udev, struct ib_device *ibdev)
{
	int ret = -EOPNOTSUPP;
	u32 num;

	rdma_for_each_port(ibdev, num) {
		if (!rdma_cap_ib_mad(ibdev, num))
			continue;
		ret = add_port(&udev->ports[num - rdma_start_port(ibdev)], ibdev, num);
		if (ret)
			return ret;
	}
	return ret;
}

static struct ib_client umad_client;

static int add_device(struct ib_device *ibdev)
{
	u32 nr = rdma_end_port(ibdev) - rdma_start_port(ibdev) + 1;
	struct umad_device *udev;
	int ret;

	udev = kzalloc(struct_size(udev, ports, nr), GFP_KERNEL);
	if (!udev)
		return -ENOMEM;
	udev->nr = nr;
	ret = add_ports(udev, ibdev);
	if (ret) {
		remove_ports(udev);
		kfree(udev);
		return ret;
	}
	ib_set_client_data(ibdev, &umad_client, udev);
	return 0;
}

static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct umad_device *udev = client_data;

	remove_ports(udev);
	kfree(udev);
}

/* Finds the nodes of a port, if it has MADs. */
static struct port_nodes *find_nodes(struct ib_device *ibdev, u32 num)
{
	struct umad_device *udev = ib_get_client_data(ibdev, &umad_client);
	struct port_nodes *nodes;

	if (!udev)
		return ERR_PTR(-EOPNOTSUPP);
	if (!rdma_is_port_valid(ibdev, num))
		return ERR_PTR(-EINVAL);
	nodes = &udev->ports[num - rdma_start_port(ibdev)];
	return nodes->port ? nodes : ERR_PTR(-EOPNOTSUPP);
}

static int fill_umad_info(struct ib_device *ibdev, void *client_data,
			  struct ib_client_nl_info *res)
{
	struct port_nodes *nodes = find_nodes(ibdev, res->port);

	if (IS_ERR(nodes))
		return PTR_ERR(nodes);
	res->abi = IB_USER_MAD_ABI_VERSION;
	res->cdev = &nodes->port->node.dev;
	return 0;
}

static int fill_issm_info(struct ib_device *ibdev, void *client_data,
			  struct ib_client_nl_info *res)
{
	struct port_nodes *nodes = find_nodes(ibdev, res->port);

	if (IS_ERR(nodes))
		return PTR_ERR(nodes);
	if (!nodes->issm)
		return -EOPNOTSUPP;
	res->abi = IB_USER_MAD_ABI_VERSION;
	res->cdev = &nodes->issm->node.dev;
	return 0;
}

static struct ib_client umad_client = {
	.name = "umad",
	.add = add_device,
	.remove = remove_device,
	.get_nl_info = fill_umad_info,
};
MODULE_ALIAS_RDMA_CLIENT("umad");

/* Only answers GET_CHARDEV. Registered after the other client, whose data it uses. */
static struct ib_client issm_client = {
	.name = "issm",
	.get_nl_info = fill_issm_info,
};
MODULE_ALIAS_RDMA_CLIENT("issm");

static int __init umad_init(void)
{
	int ret;

	BUILD_BUG_ON(sizeof(struct ib_user_mad_hdr_old) != 56);
	BUILD_BUG_ON(sizeof(struct ib_user_mad_hdr) != 64);
	ret = umad_nodes_init();
	if (ret)
		return ret;
	ret = ib_register_client(&umad_client);
	if (ret)
		goto end_nodes;
	ret = ib_register_client(&issm_client);
	if (ret)
		goto unregister_umad;
	return 0;

unregister_umad:
	ib_unregister_client(&umad_client);
end_nodes:
	umad_nodes_exit();
	return ret;
}
module_init(umad_init);

static void __exit umad_exit(void)
{
	ib_unregister_client(&issm_client);
	ib_unregister_client(&umad_client);
	umad_nodes_exit();
}
module_exit(umad_exit);

MODULE_DESCRIPTION("Management datagrams for processes");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
