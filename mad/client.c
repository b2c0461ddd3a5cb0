// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ib_mad as a client of the core: the ports of devices come and go.
 *
 * Agents are clients of devices, too, and were registered as such after ib_mad; so they are gone
 * before ib_mad loses the device. One that is left can do no more than be unregistered.
 */
#include "mad/client.h"

#include <linux/kref.h>
#include <linux/slab.h>

#include "mad/recv.h"
#include "mad/send.h"

/**
 * struct mad_device - the ports of a device
 * @refs: references: one of the client, one of each agent
 * @rcu: frees the memory after look-ups
 * @ibdev: the device, with a reference to its memory, because agents may be left after it
 * @nr_ports: number of ports
 * @ports: the ports; those without MADs are zeros
 */
struct mad_device {
	struct kref refs;
	struct rcu_head rcu;
	struct ib_device *ibdev;
	u32 nr_ports;
	struct mad_port ports[];
};

static struct ib_client client;

static void free_device(struct kref *refs)
{
	struct mad_device *dev = container_of(refs, struct mad_device, refs);
	u32 i;

	for (i = 0; i < dev->nr_ports; i++)
		mad_port_free(&dev->ports[i]);
	put_device(&dev->ibdev->dev);
	kfree_rcu(dev, rcu);
}

struct mad_port *mad_port_get(struct ib_device *device, u32 num)
{
	struct mad_port *port = NULL;
	struct mad_device *dev;

	if (!rdma_is_port_valid(device, num))
		return NULL;
	rcu_read_lock();
	dev = ib_get_client_data(device, &client);
	if (dev) {
		port = &dev->ports[num - rdma_start_port(device)];
		if (!port->owner || !kref_get_unless_zero(&dev->refs))
			port = NULL;
	}
	rcu_read_unlock();
	return port;
}

void mad_port_put(struct mad_port *port)
{
	kref_put(&port->owner->refs, free_device);
}

/* Closes the first @nr ports. */
static void close_ports(struct mad_device *dev, u32 nr)
{
	struct mad_agent *agent;
	struct mad_port *port;

	for (port = dev->ports; port < dev->ports + nr; port++) {
		if (!port->owner)
			continue;
		mutex_lock(&port->tables);
		port->gone = true;
		list_for_each_entry(agent, &port->agents, in_port)
			mad_send_cancel_all(agent);
		mutex_unlock(&port->tables);
		mad_port_close(port);
		/* The handlers of what was cancelled may destroy address handles. */
		mutex_lock(&port->tables);
		list_for_each_entry(agent, &port->agents, in_port)
			flush_work(&agent->work);
		mutex_unlock(&port->tables);
		mad_port_end(port);
	}
}

static int open_ports(struct mad_device *dev, struct ib_device *ibdev)
{
	struct mad_port *port;
	int ret = -EOPNOTSUPP;
	u32 num;

	rdma_for_each_port(ibdev, num) {
		if (!rdma_cap_ib_mad(ibdev, num) || rdma_cap_opa_mad(ibdev, num))
			continue;
		port = &dev->ports[num - rdma_start_port(ibdev)];
		port->owner = dev;
		port->device = ibdev;
		port->num = num;
		ret = mad_port_open(port, mad_receive);
		if (!ret)
			continue;
		close_ports(dev, port - dev->ports);
		return ret;
	}
	return ret;
}

static int add_device(struct ib_device *ibdev)
{
	u32 nr = rdma_end_port(ibdev) - rdma_start_port(ibdev) + 1;
	struct mad_device *dev;
	int ret;

	dev = kzalloc(struct_size(dev, ports, nr), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	kref_init(&dev->refs);
	get_device(&ibdev->dev);
	dev->ibdev = ibdev;
	dev->nr_ports = nr;
	ret = open_ports(dev, ibdev);
	if (ret) {
		kref_put(&dev->refs, free_device);
		return ret;
	}
	ib_set_client_data(ibdev, &client, dev);
	return 0;
}

static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct mad_device *dev = client_data;

	/* mad_port_get() must fail before the reference in the client data is dropped. */
	ib_set_client_data(ibdev, &client, NULL);
	close_ports(dev, dev->nr_ports);
	kref_put(&dev->refs, free_device);
}

static struct ib_client client = {
	.name = "mad",
	.add = add_device,
	.remove = remove_device,
};

int mad_client_init(void)
{
	return ib_register_client(&client);
}

void mad_client_exit(void)
{
	ib_unregister_client(&client);
}

/**
 * krdma_mad_read() - read a counter of a port
 * @device: the device
 * @port_num: number of the port
 * @counter: the counter
 *
 * Process context.
 *
 * Return: the number; -EINVAL if the port has no MADs, or there is no such counter.
 */
long krdma_mad_read(struct ib_device *device, u32 port_num, enum krdma_mad_counter counter)
{
	struct mad_port *port;
	long value;

	if ((unsigned int)counter >= KRDMA_MAD_NR_COUNTERS)
		return -EINVAL;
	port = mad_port_get(device, port_num);
	if (!port)
		return -EINVAL;
	value = atomic_long_read(&port->counters[counter]);
	mad_port_put(port);
	return value;
}
EXPORT_SYMBOL(krdma_mad_read);
