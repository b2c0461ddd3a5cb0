// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The management key.
 *
 * The lease has no timer: whether it has ended matters to the next SMP only, which looks at the
 * clock.
 */
#include "drivers/sib/mkey.h"

#include <linux/jiffies.h>

#include "drivers/sib/trap_state.h"
#include "ibwire/smp.h"

/* Levels of protection: the key may be read; a wrong key reads 0; a wrong key cannot read. */
#define PROTECT_NO_KEY		1
#define PROTECT_NO_GET		2

#define HOP_COUNT_AT		7	/* offset in an SMP */

static void end_lease(struct sib_port *port)
{
	if (!port->mkey_leased || time_before(jiffies, port->mkey_end))
		return;
	port->mkey_leased = false;
	port->info.mkey_protect = 0;
}

/* Has the SM hear of an SMP with a wrong key. */
static void raise_trap(struct sib_port *port, const u8 *smp, const struct mad *mad, u16 slid)
{
	struct notice notice = {
		.mkey = {
			.slid = slid,
			.method = mad->method,
			.attr_id = mad->attr_id,
			.attr_mod = mad->attr_mod,
			.mkey = get_unaligned_be64(smp + SMP_MKEY),
			.directed = mad->mgmt_class == MAD_CLASS_SMP_DIRECTED,
		},
	};

	if (notice.mkey.directed) {
		notice.mkey.dr_slid = get_unaligned_be16(smp + SMP_DR_SLID);
		notice.mkey.hops = smp[HOP_COUNT_AT];
		memcpy(notice.mkey.path, smp + SMP_RETURN_PATH, sizeof(notice.mkey.path));
	}
	sib_trap_violation(port, SIB_TRAP_MKEY, &notice);
}

static void violate(struct sib_port *port)
{
	struct portinfo *info = &port->info;

	if (info->mkey_violations < U16_MAX)
		info->mkey_violations++;
	if (port->mkey_leased || !info->mkey_lease)
		return;
	port->mkey_leased = true;
	port->mkey_end = jiffies + (unsigned long)info->mkey_lease * HZ;
}

bool sib_mkey_allows(struct sib_port *port, const u8 *smp, const struct mad *mad, u16 slid,
		     bool *hide)
{
	struct portinfo *info = &port->info;

	lockdep_assert_held(&port->node->mgmt);
	end_lease(port);
	*hide = false;
	if (!info->mkey || get_unaligned_be64(smp + SMP_MKEY) == info->mkey) {
		port->mkey_leased = false;
		return true;
	}
	if (mad->method == MAD_METHOD_GET && info->mkey_protect < PROTECT_NO_GET) {
		*hide = info->mkey_protect == PROTECT_NO_KEY;
		return true;
	}
	violate(port);
	raise_trap(port, smp, mad, slid);
	return false;
}
