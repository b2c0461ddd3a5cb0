// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Nodes and their ports, as they are when the power comes on. */
#include "drivers/sib/node.h"

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "drivers/sib/sampler.h"
#include "drivers/sib/trap_state.h"

#define SUBNET_PREFIX_DEFAULT	0xfe80000000000000ULL
#define VL_CAP			4	/* 8 VLs */
#define RESPONSE_TIME		8	/* 4.096 us * 2^8: a millisecond */
#define SUBNET_TIMEOUT		18	/* a second */
#define WIDTHS			(PORT_WIDTH_1X | PORT_WIDTH_4X)
#define SPEEDS			(PORT_SPEED_SDR | PORT_SPEED_DDR | PORT_SPEED_QDR)

#define CAPS	(PORT_CAP_TRAP | PORT_CAP_SL_MAPPING | PORT_CAP_LED_INFO |	\
		 PORT_CAP_SYSTEM_GUID | PORT_CAP_MASK_NOTICE | PORT_CAP_REREGISTER |	\
		 PORT_CAP_OTHER_NOTICE)

/* Sets what the administrator may change of a port. */
static void set_defaults(struct sib_port *port)
{
	port->guid = port->node->guid + port->num;
	sib_port_set_width(port, WIDTHS);
	sib_port_set_speed(port, SPEEDS);
	sib_port_set_mtu(port, PORT_MTU_4096);
	sib_port_set_vls(port, VL_CAP);
}

static void init_port(struct sib_node *node, u8 num)
{
	struct sib_port *port = &node->ports[num];
	bool is_end;

	port->node = node;
	port->num = num;
	is_end = sib_port_kind(port) != PORTINFO_SWITCH;
	port->phys_wanted = PORT_PHYS_POLLING;
	port->info = (struct portinfo) {
		.state = PORT_STATE_DOWN,
		.phys_state = PORT_PHYS_POLLING,
		.down_default = PORT_PHYS_POLLING,
		.vl_arb_high_cap = SIB_VL_ARB_LEN / 2,
		.vl_arb_low_cap = SIB_VL_ARB_LEN / 2,
		.resp_time = RESPONSE_TIME,
	};
	set_defaults(port);
	if (is_end) {
		port->info.gid_prefix = SUBNET_PREFIX_DEFAULT;
		port->info.cap_mask = CAPS;
		port->info.guid_cap = SIB_GUIDS;
		port->info.subnet_timeout = SUBNET_TIMEOUT;
	}
	if (sib_port_kind(port) == PORTINFO_SWITCH_0) {
		port->info.cap_mask |= PORT_CAP_MCAST_TOP;
		/* Port 0 has no link, and is always there. */
		port->info.state = PORT_STATE_ACTIVE;
		port->info.phys_state = PORT_PHYS_LINK_UP;
	}
	sib_port_publish(port);
}

void sib_switch_publish(struct sib_switch *sw)
{
	WRITE_ONCE(sw->linear_top, sw->info.linear_top);
	WRITE_ONCE(sw->mcast_top, sw->info.multicast_top);
	WRITE_ONCE(sw->mcast_primary, sw->info.default_mcast_primary);
	WRITE_ONCE(sw->mcast_other, sw->info.default_mcast_other);
}

static void init_switch(struct sib_switch *sw, u8 num_ports)
{
	sw->positions = num_ports / PORTS_PER_POSITION + 1;
	sw->info = (struct switchinfo) {
		.linear_cap = SIB_LINEAR_CAP,
		.multicast_cap = SIB_MULTICAST_CAP,
		.default_port = SWITCH_PORT_NONE,
		.default_mcast_primary = SWITCH_PORT_NONE,
		.default_mcast_other = SWITCH_PORT_NONE,
		.enforcement_cap = SIB_PKEYS,
		.enforces = SWITCH_ENFORCES_IN | SWITCH_ENFORCES_OUT,
	};
	sib_switch_publish(sw);
}

struct sib_node *sib_node_create(struct sib_fabric *fabric, const char *name, u8 type,
				 u8 num_ports, u64 guid, const char *desc)
{
	struct sib_node *node = kvzalloc(struct_size(node, ports, num_ports + 1), GFP_KERNEL);
	int num;

	if (!node)
		return NULL;
	node->fabric = fabric;
	strscpy(node->name, name, sizeof(node->name));
	node->type = type;
	node->num_ports = num_ports;
	node->guid = guid;
	node->system_guid = guid;
	strscpy(node->desc, desc, sizeof(node->desc));
	mutex_init(&node->mgmt);
	if (sib_node_is_switch(node))
		init_switch(&node->sw, num_ports);
	for (num = !sib_node_is_switch(node); num <= num_ports; num++)
		init_port(node, num);
	return node;
}

static void free_tables(struct sib_port *port)
{
	kfree(port->cleared);
	kfree(port->traps);
	kfree(port->vl_arb);
	kfree(port->guids);
	kfree(rcu_dereference_protected(port->pkeys, true));
	kfree(rcu_dereference_protected(port->sl_to_vl, true));
}

static void free_node(struct rcu_head *rcu)
{
	struct sib_node *node = container_of(rcu, struct sib_node, rcu);
	int num;

	for (num = 0; num <= node->num_ports; num++)
		free_tables(&node->ports[num]);
	kvfree(rcu_dereference_protected(node->sw.lft, true));
	kvfree(rcu_dereference_protected(node->sw.mft, true));
	mutex_destroy(&node->mgmt);
	kvfree(node);
}

void sib_node_free(struct sib_node *node)
{
	if (!node)
		return;
	sib_sampler_free(node->sampler);
	sib_trap_forget(node);
	call_rcu(&node->rcu, free_node);
}

void sib_node_describe(struct sib_node *node, const char *desc, size_t len)
{
	bool is_switch = sib_node_is_switch(node);
	int num = is_switch ? 0 : 1, last = is_switch ? 0 : node->num_ports;

	lockdep_assert_held(&node->mgmt);
	memset(node->desc, 0, sizeof(node->desc));
	memcpy(node->desc, desc, len);
	for (; num <= last; num++)
		sib_trap_raise(&node->ports[num], SIB_TRAP_CAPABILITIES, NOTICE_NODE_DESC);
}

void sib_port_set_width(struct sib_port *port, u8 widths)
{
	port->info.width_supported = widths;
	port->info.width_enabled = widths;
	port->info.width_active = rounddown_pow_of_two(widths);
}

void sib_port_set_speed(struct sib_port *port, u8 speeds)
{
	port->info.speed_supported = speeds;
	port->info.speed_enabled = speeds;
	port->info.speed_active = rounddown_pow_of_two(speeds);
}

void sib_port_set_mtu(struct sib_port *port, u8 mtu)
{
	port->info.mtu_cap = mtu;
	port->info.neighbor_mtu = mtu;
}

void sib_port_set_vls(struct sib_port *port, u8 vl_cap)
{
	port->info.vl_cap = vl_cap;
	port->info.operational_vls = vl_cap;
}

void sib_port_reset(struct sib_port *port)
{
	lockdep_assert_held(&port->node->mgmt);
	set_defaults(port);
	sib_port_publish(port);
}

/* Returns the number of VLs for the value of PortInfo. */
static u8 number_of_vls(u8 value)
{
	return value >= 5 ? 15 : 1 << (value - 1);
}

void sib_port_publish(struct sib_port *port)
{
	const struct portinfo *info = &port->info;

	WRITE_ONCE(port->gid_prefix, info->gid_prefix);
	WRITE_ONCE(port->lid, info->lid);
	WRITE_ONCE(port->lmc, info->lmc);
	WRITE_ONCE(port->state, info->state);
	WRITE_ONCE(port->mtu, 128 << info->neighbor_mtu);
	WRITE_ONCE(port->num_vls, number_of_vls(info->operational_vls));
	WRITE_ONCE(port->enforce, info->enforce);
}

bool sib_port_has_gid(const struct sib_port *port, const u8 *gid)
{
	u64 prefix = get_unaligned_be64(gid), guid = get_unaligned_be64(gid + 8);
	const u64 *guids;
	int i;

	if (prefix != READ_ONCE(port->gid_prefix) && prefix != SUBNET_PREFIX_DEFAULT)
		return false;
	if (guid == port->guid)
		return true;
	/* Pairs with smp_store_release() in sib_sma_set_guid_info(). */
	guids = smp_load_acquire(&port->guids);
	if (!guids || !guid)
		return false;
	for (i = 0; i < SIB_GUIDS - 1; i++)
		if (READ_ONCE(guids[i]) == guid)
			return true;
	return false;
}

u16 sib_port_pkey(const struct sib_port *port, u16 index)
{
	const struct sib_pkeys *pkeys;
	u16 key;

	rcu_read_lock();
	pkeys = rcu_dereference(port->pkeys);
	if (pkeys)
		key = pkeys->key[index];
	else
		key = index ? 0 : PKEY_DEFAULT;
	rcu_read_unlock();
	return key;
}

/* Finds the first P_Key in a port's table that fits. Returns its index, or -ENOENT. */
static int find_fitting(const struct sib_port *port, u16 pkey, bool (*fits)(u16 pkey, u16 entry))
{
	const struct sib_pkeys *pkeys;
	int ret = -ENOENT, i;

	rcu_read_lock();
	pkeys = rcu_dereference(port->pkeys);
	if (!pkeys && fits(pkey, PKEY_DEFAULT))
		ret = 0;
	for (i = 0; pkeys && ret < 0 && i < SIB_PKEYS; i++)
		if (fits(pkey, pkeys->key[i]))
			ret = i;
	rcu_read_unlock();
	return ret;
}

int sib_port_find_pkey(const struct sib_port *port, u16 pkey)
{
	return find_fitting(port, pkey, pkey_matches);
}

bool sib_port_has_partition(const struct sib_port *port, u16 pkey)
{
	return find_fitting(port, pkey, pkey_is_same) >= 0;
}

u64 sib_port_guid(const struct sib_port *port, u16 index)
{
	lockdep_assert_held(&port->node->mgmt);
	if (!index)
		return port->guid;
	return port->guids ? port->guids[index - 1] : 0;
}
