/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The fabric: traps of a port. */
#ifndef SIB_MODEL_TRAP_H
#define SIB_MODEL_TRAP_H

#include <linux/list.h>
#include <linux/types.h>

#include "ibwire/notice.h"

struct sib_port;

/* Traps of a port, by their place in sib_traps.of. */
enum sib_trap_kind {
	SIB_TRAP_LINK_STATE,
	SIB_TRAP_CAPABILITIES,
	SIB_TRAP_MKEY,
	SIB_TRAP_PKEY,
	SIB_TRAP_QKEY,
	SIB_TRAP_SWITCH_PKEY,
	SIB_TRAP_KINDS
};

/**
 * struct sib_trap - a trap that is sent until the SM represses it
 * @pending: the SM has not repressed the trap yet
 * @tid: transaction, a new one each time that there is news; 0: there was none yet
 * @at: time in jiffies from which on the trap, or the next one, may be sent
 * @sent_tid: transaction of the trap that was sent last
 * @distance: jiffies between the news that were sent last and the next ones; 0: none were sent yet
 * @news_at: time in jiffies from which on news may be sent, once @distance is set
 * @notice: what has happened
 */
struct sib_trap {
	bool pending;
	u32 tid;
	unsigned long at;
	u32 sent_tid;
	unsigned long distance;
	unsigned long news_at;
	struct notice notice;
};

/**
 * struct sib_traps - traps of a port; protected by sib_fabric.trap_lock
 * @entry: entry in sib_fabric.trapping while a trap is pending
 * @port: the port, of a CA or port 0 of a switch
 * @gone: the port goes, and sends no more traps
 * @last_tid: transaction of the newest trap; the SM would not answer two at once with the same one
 * @of: the traps
 */
struct sib_traps {
	struct list_head entry;
	struct sib_port *port;
	bool gone;
	u32 last_tid;
	struct sib_trap of[SIB_TRAP_KINDS];
};

#endif /* SIB_MODEL_TRAP_H */
