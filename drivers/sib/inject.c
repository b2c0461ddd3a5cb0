// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Injection: a packet as bytes comes to a port, as if the link had brought it. A bad packet is
 * dropped and counted, and the writer is not told, because no wire answers.
 */
#include "drivers/sib/inject.h"

#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "drivers/sib/access.h"
#include "drivers/sib/datagram.h"
#include "drivers/sib/place.h"
#include "drivers/sib/smp.h"
#include "drivers/sib/tap.h"
#include "ibwire/datagram.h"

/* Bytes of the longest packet that PktLen can tell. */
#define PACKET_MAX		(LRH_PKT_LEN_MASK * 4 + VCRC_LEN)

static int inject_open(struct inode *inode, struct file *file)
{
	return sib_access() ?: stream_open(inode, file);
}

/* Sends a good packet on. */
static void deliver(struct sib_port *port, struct sib_packet *packet)
{
	unsigned long flags;

	if (packet->vl == VL_MANAGEMENT) {
		sib_smp_arrive(port, packet);
		return;
	}
	rcu_read_lock();
	local_irq_save(flags);
	sib_datagram_arrive(port, packet);
	local_irq_restore(flags);
	rcu_read_unlock();
}

/* Lets a packet come to a port. Counts it there, and by what is wrong with it. */
static void take_packet(struct sib_port *port, u8 *bytes, size_t len)
{
	struct sib_fabric *fabric = port->node->fabric;
	const struct datagram_limits limits = {
		.num_vls = READ_ONCE(port->num_vls),
		.mtu = READ_ONCE(port->mtu),
	};
	struct sib_packet packet;
	struct ibwire_packet wire;
	enum ibwire_fault fault;

	lockdep_assert_held(&fabric->topology);
	fault = datagram_parse(bytes, len, &limits, &wire);
	sib_tap_bytes(fabric->tap,
		      rcu_dereference_protected(port->peer, lockdep_is_held(&fabric->topology)),
		      port, bytes, len, fault);
	atomic64_inc(&fabric->tap->injected[fault]);
	sib_count(port, SIB_RCV_PACKETS);
	sib_count_add(port, SIB_RCV_DATA, len / 4);
	if (fault) {
		sib_count(port, SIB_RCV_ERRORS);
		return;
	}
	sib_packet_decode(&packet, &wire, bytes);
	deliver(port, &packet);
}

/* Takes a line that names the port, and a packet. Returns 0 or an errno. */
static int inject(struct sib_fabric *fabric, u8 *buf, size_t len)
{
	u8 *end = memchr(buf, '\n', min(len, SIB_PLACE_MAX + 1));
	struct sib_place place;
	struct sib_node *node;
	int ret;

	if (!end || sib_place_parse(buf, end - buf, &place) || place.port == SIB_PLACE_ANY)
		return -EINVAL;
	if (buf + len - ++end > PACKET_MAX)
		return -EMSGSIZE;
	/* A switch's port 0 has no link. */
	if (!place.port)
		return -ENOENT;
	down_read(&fabric->topology);
	ret = sib_place_find(fabric, &place, &node);
	if (!ret)
		take_packet(&node->ports[place.port], end, buf + len - end);
	up_read(&fabric->topology);
	return ret;
}

static const char *inject_reason(int err)
{
	switch (err) {
	case -EINVAL:
		return "the first line is not NODE:PORT";
	case -ENOENT:
		return "no such node or port";
	default:
		return "the packet is too long";
	}
}

static ssize_t inject_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	struct sib_fabric *fabric = file_inode(file)->i_private;
	int ret = -EMSGSIZE;
	u8 *buf;

	if (count <= SIB_PLACE_MAX + 1 + PACKET_MAX) {
		buf = memdup_user(from, count);
		if (IS_ERR(buf))
			return PTR_ERR(buf);
		ret = inject(fabric, buf, count);
		kfree(buf);
	}
	if (ret)
		pr_info_ratelimited("sib: %s: inject: %s\n", fabric->name, inject_reason(ret));
	return ret ? ret : count;
}

const struct file_operations sib_inject_fops = {
	.owner = THIS_MODULE,
	.open = inject_open,
	.write = inject_write,
};
