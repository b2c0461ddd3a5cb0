// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Traps that the subnet manager has to hear of. A port has room for one trap of each kind, so that
 * neither news nor violations make a storm.
 */
#include "drivers/sib/trap_state.h"

#include <linux/jiffies.h>
#include <linux/slab.h>

/*
 * News of a kind have this distance at least, and DISTANCE_GROWTH times the one before while they
 * come without a pause, up to longest_distance_ms.
 */
#define NEWS_MS		20
#define DISTANCE_GROWTH	4

/*
 * OpenSM ignores a trap after it has come ten times with less than ten seconds between them. It
 * must not miss the last description; what it misses of links, its next sweep shows.
 */
static const unsigned int longest_distance_ms[SIB_TRAP_KINDS] = {
	[SIB_TRAP_LINK_STATE] = 1000,
	[SIB_TRAP_CAPABILITIES] = 12000,
};

static const u16 trap_numbers[SIB_TRAP_KINDS] = {
	[SIB_TRAP_LINK_STATE] = TRAP_LINK_STATE,
	[SIB_TRAP_CAPABILITIES] = TRAP_CAPABILITIES,
	[SIB_TRAP_MKEY] = TRAP_BAD_MKEY,
	[SIB_TRAP_PKEY] = TRAP_BAD_PKEY,
	[SIB_TRAP_QKEY] = TRAP_BAD_QKEY,
	[SIB_TRAP_SWITCH_PKEY] = TRAP_SWITCH_PKEY,
};

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

/* Makes a trap wait until @at, and has the work item look at the port. */
static void raise(struct sib_traps *traps, struct sib_trap *trap, unsigned long at)
{
	struct sib_fabric *fabric = traps->port->node->fabric;

	lockdep_assert_held(&fabric->trap_lock);
	if (traps->gone)
		return;
	WRITE_ONCE(trap->pending, true);
	trap->at = at;
	trap->tid = ++traps->last_tid;
	if (list_empty(&traps->entry))
		list_add_tail(&traps->entry, &fabric->trapping);
}

/* Returns the time from which on a trap with news may be sent: not before @soon if it is new. */
static unsigned long time_for_news(const struct sib_trap *trap, unsigned long soon)
{
	const unsigned long at = trap->pending && time_before(trap->at, soon) ? trap->at : soon;

	return trap->distance && time_before(at, trap->news_at) ? trap->news_at : at;
}

/* Puts the next news off the longer, the longer news have come without a pause. */
static void keep_distance(struct sib_trap *trap, enum sib_trap_kind kind)
{
	const unsigned long longest = msecs_to_jiffies(longest_distance_ms[kind]);

	if (!longest || trap->sent_tid == trap->tid)
		return;
	if (trap->distance && time_before(jiffies, trap->news_at + longest))
		trap->distance = min(trap->distance * DISTANCE_GROWTH, longest);
	else
		trap->distance = msecs_to_jiffies(NEWS_MS);
	trap->news_at = jiffies + trap->distance;
}

bool sib_trap_prepare(struct sib_port *port)
{
	struct sib_traps *traps;

	lockdep_assert_held(&port->node->mgmt);
	if (port->traps)
		return true;
	traps = kzalloc(sizeof(*traps), GFP_KERNEL);
	if (!traps)
		return false;
	INIT_LIST_HEAD(&traps->entry);
	traps->port = port;
	/* Pairs with the READ_ONCE() of traps_of(). */
	smp_store_release(&port->traps, traps);
	return true;
}

/* Returns the traps of a port, or NULL. What it returns stays until the node is freed. */
static struct sib_traps *traps_of(struct sib_port *port)
{
	return READ_ONCE(port->traps);
}

void sib_trap_raise(struct sib_port *port, enum sib_trap_kind kind, u8 changes)
{
	const unsigned long soon = jiffies + msecs_to_jiffies(NEWS_MS);
	struct sib_fabric *fabric = port->node->fabric;
	struct sib_traps *traps = traps_of(port);
	struct sib_trap *trap;
	unsigned long flags;

	if (!traps)
		return;
	trap = &traps->of[kind];
	spin_lock_irqsave(&fabric->trap_lock, flags);
	if (!trap->pending)
		trap->notice.changes = 0;
	trap->notice.changes |= changes;
	raise(traps, trap, time_for_news(trap, soon));
	spin_unlock_irqrestore(&fabric->trap_lock, flags);
	run_trap_work(fabric);
}

void sib_trap_violation(struct sib_port *port, enum sib_trap_kind kind,
			const struct notice *notice)
{
	const unsigned long soon = jiffies + msecs_to_jiffies(NEWS_MS);
	struct sib_fabric *fabric = port->node->fabric;
	struct sib_traps *traps = traps_of(port);
	struct sib_trap *trap;
	unsigned long flags;
	bool is_new;

	if (!traps)
		return;
	trap = &traps->of[kind];
	if (READ_ONCE(trap->pending))
		return;
	spin_lock_irqsave(&fabric->trap_lock, flags);
	is_new = !trap->pending;
	if (is_new) {
		trap->notice = *notice;
		/* The SM hears of the kind once a second. */
		raise(traps, trap, trap->tid && time_after(trap->at, soon) ? trap->at : soon);
	}
	spin_unlock_irqrestore(&fabric->trap_lock, flags);
	if (is_new)
		run_trap_work(fabric);
}

/* Returns the kind of a trap; SIB_TRAP_KINDS if there is none of this number. */
static enum sib_trap_kind kind_of(u16 number)
{
	int kind;

	for (kind = 0; kind < SIB_TRAP_KINDS; kind++)
		if (trap_numbers[kind] == number)
			break;
	return kind;
}

bool sib_trap_is_known(u16 trap)
{
	return kind_of(trap) < SIB_TRAP_KINDS;
}

void sib_trap_repress(struct sib_port *port, u16 trap, u64 tid)
{
	struct sib_fabric *fabric = port->node->fabric;
	struct sib_traps *traps = traps_of(port);
	enum sib_trap_kind kind = kind_of(trap);
	unsigned long flags;

	if (!traps || kind >= SIB_TRAP_KINDS)
		return;
	spin_lock_irqsave(&fabric->trap_lock, flags);
	if (traps->of[kind].tid == tid)
		WRITE_ONCE(traps->of[kind].pending, false);
	spin_unlock_irqrestore(&fabric->trap_lock, flags);
}

unsigned long sib_trap_take(struct sib_port *port, enum sib_trap_kind kind, struct sib_trap *trap)
{
	struct sib_fabric *fabric = port->node->fabric;
	struct sib_trap *due = &port->traps->of[kind];
	unsigned long wait = MAX_JIFFY_OFFSET;

	spin_lock_irq(&fabric->trap_lock);
	if (due->pending && time_before(jiffies, due->at)) {
		wait = due->at - jiffies;
	} else if (due->pending) {
		keep_distance(due, kind);
		due->sent_tid = due->tid;
		due->at = jiffies + HZ;
		*trap = *due;
		trap->notice.trap = trap_numbers[kind];
		wait = 0;
	}
	spin_unlock_irq(&fabric->trap_lock);
	return wait;
}

void sib_trap_forget(struct sib_node *node)
{
	struct sib_fabric *fabric = node->fabric;
	int num;

	spin_lock_irq(&fabric->trap_lock);
	for (num = 0; num <= node->num_ports; num++) {
		if (!node->ports[num].traps)
			continue;
		/* Packets may still come to the port, which is read under RCU. */
		node->ports[num].traps->gone = true;
		list_del_init(&node->ports[num].traps->entry);
	}
	spin_unlock_irq(&fabric->trap_lock);
}
