// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The management key.
 *
 * The lease has no timer: whether it has ended matters to the next SMP only, which looks at the
 * clock.
 */
#include "drivers/sib/mkey.h"

#include <linux/jiffies.h>

#include "ibwire/mad.h"

/* Levels of protection: the key may be read; a wrong key reads 0; a wrong key cannot read. */
#define PROTECT_NO_KEY		1
#define PROTECT_NO_GET		2

static void end_lease(struct sib_port *port)
{
	if (!port->mkey_leased || time_before(jiffies, port->mkey_end))
		return;
	port->mkey_leased = false;
	port->info.mkey_protect = 0;
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

bool sib_mkey_allows(struct sib_port *port, u8 method, u64 key, bool *hide)
{
	struct portinfo *info = &port->info;

	lockdep_assert_held(&port->node->mgmt);
	end_lease(port);
	*hide = false;
	if (!info->mkey || key == info->mkey) {
		port->mkey_leased = false;
		return true;
	}
	if (method == MAD_METHOD_GET && info->mkey_protect < PROTECT_NO_GET) {
		*hide = info->mkey_protect == PROTECT_NO_KEY;
		return true;
	}
	violate(port);
	return false;
}
