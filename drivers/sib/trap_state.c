// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Traps that the subnet manager has to hear of. News of a kind that come together are one trap. */
#include "drivers/sib/trap_state.h"

#include <linux/jiffies.h>

/* News of a kind have this distance at least, so that they are no storm. */
#define NEWS_MS		20

/*
 * Has the work item run in NEWS_MS. If it is due earlier, that stays so, because news without a
 * pause would put it off for ever.
 */
static void run_trap_work(struct sib_fabric *fabric)
{
	struct delayed_work *work = &fabric->trap_work;
	const unsigned long wait = msecs_to_jiffies(NEWS_MS);

	if (!queue_delayed_work(fabric->wq, work, wait) &&
	    time_after(READ_ONCE(work->timer.expires), jiffies + wait))
		mod_delayed_work(fabric->wq, work, wait);
}

void sib_trap_raise(struct sib_port *port, enum sib_trap_kind kind, u8 changes)
{
	struct sib_trap *trap = &port->traps[kind];
	const unsigned long soon = jiffies + msecs_to_jiffies(NEWS_MS);

	lockdep_assert_held(&port->node->mgmt);
	if (!trap->pending)
		trap->changes = 0;
	if (!trap->pending || time_after(trap->at, soon))
		trap->at = soon;
	WRITE_ONCE(trap->pending, true);
	trap->changes |= changes;
	trap->tid++;
	run_trap_work(port->node->fabric);
}

bool sib_trap_repress(struct sib_port *port, u16 trap, u64 tid)
{
	struct sib_trap *sent;

	if (trap == TRAP_LINK_STATE)
		sent = &port->traps[SIB_TRAP_LINK_STATE];
	else if (trap == TRAP_CAPABILITIES)
		sent = &port->traps[SIB_TRAP_CAPABILITIES];
	else
		return false;
	mutex_lock(&port->node->mgmt);
	if (sent->tid == tid)
		sent->pending = false;
	mutex_unlock(&port->node->mgmt);
	return true;
}
