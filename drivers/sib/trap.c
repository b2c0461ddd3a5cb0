// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Traps are sent to the LID of the SM, again each second until the SM represses them. A port that
 * has no LID, or no SM, sends none, because an SM that comes will look at everything.
 */
#include "drivers/sib/trap.h"

#include <linux/jiffies.h>
#include <linux/sched.h>

#include "drivers/sib/smp.h"
#include "drivers/sib/trap_state.h"
#include "ibwire/smp.h"

#define ATTR_NOTICE_ID		0x02
#define TRAP_CLASS_VERSION	1

/* Writes a trap to @smp. Returns the LID of the SM; 0 if the trap cannot be sent. */
static u16 build_trap(struct sib_port *port, struct sib_trap *trap, u8 *smp)
{
	const struct portinfo *info = &port->info;
	const struct mad mad = {
		.mgmt_class = MAD_CLASS_SMP,
		.class_version = TRAP_CLASS_VERSION,
		.method = MAD_METHOD_TRAP,
		.tid = trap->tid,
		.attr_id = ATTR_NOTICE_ID,
	};
	u16 to;

	mutex_lock(&port->node->mgmt);
	trap->notice.producer = port->node->type;
	trap->notice.lid = info->lid;
	trap->notice.cap_mask = info->cap_mask;
	memset(smp, 0, MAD_LEN);
	mad_build(smp, &mad);
	put_unaligned_be64(info->mkey, smp + SMP_MKEY);
	to = info->lid ? info->sm_lid : 0;
	mutex_unlock(&port->node->mgmt);
	notice_build(smp + SMP_DATA, &trap->notice);
	return to;
}

/* Sends a trap if it is due. Returns the time until it is due again; MAX_JIFFY_OFFSET: never. */
static unsigned long send_trap(struct sib_port *port, enum sib_trap_kind kind)
{
	struct sib_packet packet = { .vl = VL_MANAGEMENT, .len = MAD_LEN };
	struct sib_trap trap;
	unsigned long wait;
	u8 smp[MAD_LEN];

	wait = sib_trap_take(port, kind, &trap);
	if (wait)
		return wait;
	packet.dlid = build_trap(port, &trap, smp);
	if (!packet.dlid) {
		sib_trap_repress(port, trap.notice.trap, trap.tid);
		return MAX_JIFFY_OFFSET;
	}
	packet.slid = trap.notice.lid;
	packet.payload = smp;
	sib_smp_run(port, &packet);
	return HZ;
}

static unsigned long send_traps(struct sib_port *port)
{
	unsigned long wait = MAX_JIFFY_OFFSET;
	int kind;

	for (kind = 0; kind < SIB_TRAP_KINDS; kind++)
		wait = min(wait, send_trap(port, kind));
	return wait;
}

/* Takes the next of the ports on a list. Returns NULL if the list is empty. */
static struct sib_port *take_port(struct sib_fabric *fabric, struct list_head *todo)
{
	struct sib_traps *traps;

	spin_lock_irq(&fabric->trap_lock);
	traps = list_first_entry_or_null(todo, struct sib_traps, entry);
	if (traps)
		list_move_tail(&traps->entry, &fabric->trapping);
	spin_unlock_irq(&fabric->trap_lock);
	return traps ? traps->port : NULL;
}

/* Takes a port off the list that has no trap to send any more. */
static void leave_list(struct sib_port *port)
{
	struct sib_fabric *fabric = port->node->fabric;
	bool pending = false;
	int kind;

	spin_lock_irq(&fabric->trap_lock);
	for (kind = 0; kind < SIB_TRAP_KINDS; kind++)
		pending |= port->traps->of[kind].pending;
	if (!pending)
		list_del_init(&port->traps->entry);
	spin_unlock_irq(&fabric->trap_lock);
}

void sib_trap_work(struct work_struct *work)
{
	struct sib_fabric *fabric = container_of(work, struct sib_fabric, trap_work.work);
	unsigned long wait = MAX_JIFFY_OFFSET;
	struct sib_port *port;
	LIST_HEAD(todo);

	down_read(&fabric->topology);
	spin_lock_irq(&fabric->trap_lock);
	list_splice_init(&fabric->trapping, &todo);
	spin_unlock_irq(&fabric->trap_lock);
	while ((port = take_port(fabric, &todo))) {
		wait = min(wait, send_traps(port));
		leave_list(port);
		cond_resched();
	}
	up_read(&fabric->topology);
	if (wait != MAX_JIFFY_OFFSET)
		queue_delayed_work(fabric->wq, &fabric->trap_work, wait);
}
