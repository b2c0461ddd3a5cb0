// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Violations of P_Keys and Q_Keys. */
#include "drivers/sib/violation.h"

#include "drivers/sib/trap_state.h"

/* Counts a violation. The number stays at its largest value. */
static void count_violation(atomic_t *violations)
{
	atomic_add_unless(violations, 1, U16_MAX);
}

/* Describes a packet, and the key of it that was wrong. */
static struct notice describe_packet(const struct sib_packet *p, u32 key)
{
	struct notice notice = {
		.keys = {
			.slid = p->slid,
			.dlid = p->dlid,
			.key = key,
			.sl = p->sl,
			.sqpn = p->sqpn,
			.dqpn = p->dqpn,
			.has_gids = p->has_grh,
		},
	};

	if (p->has_grh) {
		memcpy(notice.keys.sgid, p->grh.sgid, sizeof(notice.keys.sgid));
		memcpy(notice.keys.dgid, p->grh.dgid, sizeof(notice.keys.dgid));
	}
	return notice;
}

void sib_violation_of_pkey(struct sib_port *port, const struct sib_packet *packet)
{
	struct notice notice = describe_packet(packet, packet->pkey);

	count_violation(&port->pkey_violations);
	sib_trap_violation(port, SIB_TRAP_PKEY, &notice);
}

void sib_violation_of_qkey(struct sib_port *port, const struct sib_packet *packet)
{
	struct notice notice = describe_packet(packet, packet->qkey);

	count_violation(&port->qkey_violations);
	sib_trap_violation(port, SIB_TRAP_QKEY, &notice);
}

void sib_violation_at_switch(struct sib_port *port, const struct sib_packet *packet)
{
	struct notice notice = describe_packet(packet, packet->pkey);

	notice.keys.port = port->num;
	sib_trap_violation(sib_port_end(port), SIB_TRAP_SWITCH_PKEY, &notice);
}
