// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Traps are sent to the LID of the SM, again each second until the SM represses them. A port that
 * has no LID, or no SM, sends none, because an SM that comes will look at everything.
 */
#include "drivers/sib/trap.h"

#include <linux/jiffies.h>

#include "drivers/sib/smp.h"
#include "ibwire/smp.h"

#define ATTR_NOTICE_ID		0x02
#define TRAP_CLASS_VERSION	1

static const u16 numbers[SIB_TRAP_KINDS] = {
	[SIB_TRAP_LINK_STATE] = TRAP_LINK_STATE,
	[SIB_TRAP_CAPABILITIES] = TRAP_CAPABILITIES,
};

/* Writes a trap that is due to @smp. Returns the LID of the SM; 0 if the trap cannot be sent. */
static u16 build_trap(struct sib_port *port, enum sib_trap_kind kind, u8 *smp)
{
	const struct portinfo *info = &port->info;
	const struct mad mad = {
		.mgmt_class = MAD_CLASS_SMP,
		.class_version = TRAP_CLASS_VERSION,
		.method = MAD_METHOD_TRAP,
		.tid = port->traps[kind].tid,
		.attr_id = ATTR_NOTICE_ID,
	};
	const struct notice notice = {
		.trap = numbers[kind],
		.producer = port->node->type,
		.lid = info->lid,
		.cap_mask = info->cap_mask,
		.changes = port->traps[kind].changes,
	};

	lockdep_assert_held(&port->node->mgmt);
	memset(smp, 0, MAD_LEN);
	mad_build(smp, &mad);
	put_unaligned_be64(info->mkey, smp + SMP_MKEY);
	notice_build(smp + SMP_DATA, &notice);
	return info->lid ? info->sm_lid : 0;
}

/* Sends a trap if it is due. Returns the time until it is due again; MAX_JIFFY_OFFSET: never. */
static unsigned long send_trap(struct sib_port *port, enum sib_trap_kind kind)
{
	struct sib_trap *trap = &port->traps[kind];
	struct sib_packet packet = { .vl = VL_MANAGEMENT, .len = MAD_LEN };
	unsigned long wait = MAX_JIFFY_OFFSET;
	u8 smp[MAD_LEN];

	/* Most of many nodes have no news. News that come now have the work item run again. */
	if (!READ_ONCE(trap->pending))
		return wait;
	mutex_lock(&port->node->mgmt);
	if (trap->pending && time_before(jiffies, trap->at)) {
		wait = trap->at - jiffies;
	} else if (trap->pending) {
		packet.dlid = build_trap(port, kind, smp);
		packet.slid = port->info.lid;
		trap->pending = packet.dlid;
		trap->at = jiffies + HZ;
		if (trap->pending)
			wait = HZ;
	}
	mutex_unlock(&port->node->mgmt);
	packet.payload = smp;
	if (packet.dlid)
		sib_smp_run(port, &packet);
	return wait;
}

static unsigned long send_traps(struct sib_node *node)
{
	bool is_switch = sib_node_is_switch(node);
	int num = is_switch ? 0 : 1, last = is_switch ? 0 : node->num_ports, kind;
	unsigned long wait = MAX_JIFFY_OFFSET;

	for (; num <= last; num++)
		for (kind = 0; kind < SIB_TRAP_KINDS; kind++)
			wait = min(wait, send_trap(&node->ports[num], kind));
	return wait;
}

void sib_trap_work(struct work_struct *work)
{
	struct sib_fabric *fabric = container_of(work, struct sib_fabric, trap_work.work);
	unsigned long wait = MAX_JIFFY_OFFSET;
	struct sib_node *node;

	down_read(&fabric->topology);
	list_for_each_entry(node, &fabric->nodes, entry)
		wait = min(wait, send_traps(node));
	up_read(&fabric->topology);
	if (wait != MAX_JIFFY_OFFSET)
		queue_delayed_work(fabric->wq, &fabric->trap_work, wait);
}
