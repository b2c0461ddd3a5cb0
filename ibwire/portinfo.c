// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* PortInfo. */

#include "portinfo.h"
#include "lrh.h"

/* Layout of PortInfo. Names of several parts have several fields, the upper bits first. */
struct portinfo_wire {
	__be64 mkey;
	__be64 gid_prefix;
	__be16 lid;
	__be16 sm_lid;
	__be32 cap_mask;
	__be16 diag_code;
	__be16 mkey_lease;
	u8 local_port;
	u8 width_enabled;
	u8 width_supported;
	u8 width_active;
	u8 speed_supported_state;	/* 4, 4 bits */
	u8 phys_down_default;		/* 4, 4 */
	u8 protect_lmc;			/* 2, 3 reserved, 3 */
	u8 speed_active_enabled;	/* 4, 4 */
	u8 mtu_sm_sl;			/* 4, 4 */
	u8 vl_cap_init_type;		/* 4, 4 */
	u8 vl_high_limit;
	u8 vl_arb_high_cap;
	u8 vl_arb_low_cap;
	u8 reply_mtu_cap;		/* 4, 4 */
	u8 stall_hoq;			/* 3, 5 */
	u8 vls_enforce;			/* 4, 4 */
	__be16 mkey_violations;
	__be16 pkey_violations;
	__be16 qkey_violations;
	u8 guid_cap;
	u8 reregister_timeout;		/* 1, 2 reserved, 5 */
	u8 resp_time;			/* 3 reserved, 5 */
	u8 phy_overrun;			/* 4, 4 */
	__be16 max_credit_hint;
	u8 reserved;
	u8 latency[3];
	u8 extended[4];
};

static_assert(sizeof(struct portinfo_wire) == PORTINFO_LEN);

#define HIGH_4		0xf0
#define LOW_4		0x0f
#define PROTECT		0xc0
#define LMC		0x07
#define STALL		0xe0
#define LOW_5		0x1f
#define REREGISTER	0x80

#define BOTH(high, low)	((u8)(FIELD_PREP(HIGH_4, high) | FIELD_PREP(LOW_4, low)))

void portinfo_parse(const u8 *data, struct portinfo *info)
{
	struct portinfo_wire w;

	memcpy(&w, data, sizeof(w));
	*info = (struct portinfo) {
		.mkey = be64_to_cpu(w.mkey),
		.gid_prefix = be64_to_cpu(w.gid_prefix),
		.lid = be16_to_cpu(w.lid),
		.sm_lid = be16_to_cpu(w.sm_lid),
		.cap_mask = be32_to_cpu(w.cap_mask),
		.diag_code = be16_to_cpu(w.diag_code),
		.mkey_lease = be16_to_cpu(w.mkey_lease),
		.local_port = w.local_port,
		.width_enabled = w.width_enabled,
		.width_supported = w.width_supported,
		.width_active = w.width_active,
		.speed_supported = FIELD_GET(HIGH_4, w.speed_supported_state),
		.state = FIELD_GET(LOW_4, w.speed_supported_state),
		.phys_state = FIELD_GET(HIGH_4, w.phys_down_default),
		.down_default = FIELD_GET(LOW_4, w.phys_down_default),
		.mkey_protect = FIELD_GET(PROTECT, w.protect_lmc),
		.lmc = FIELD_GET(LMC, w.protect_lmc),
		.speed_active = FIELD_GET(HIGH_4, w.speed_active_enabled),
		.speed_enabled = FIELD_GET(LOW_4, w.speed_active_enabled),
		.neighbor_mtu = FIELD_GET(HIGH_4, w.mtu_sm_sl),
		.sm_sl = FIELD_GET(LOW_4, w.mtu_sm_sl),
		.vl_cap = FIELD_GET(HIGH_4, w.vl_cap_init_type),
		.init_type = FIELD_GET(LOW_4, w.vl_cap_init_type),
		.vl_high_limit = w.vl_high_limit,
		.vl_arb_high_cap = w.vl_arb_high_cap,
		.vl_arb_low_cap = w.vl_arb_low_cap,
		.init_type_reply = FIELD_GET(HIGH_4, w.reply_mtu_cap),
		.mtu_cap = FIELD_GET(LOW_4, w.reply_mtu_cap),
		.vl_stall_count = FIELD_GET(STALL, w.stall_hoq),
		.hoq_life = FIELD_GET(LOW_5, w.stall_hoq),
		.operational_vls = FIELD_GET(HIGH_4, w.vls_enforce),
		.enforce = FIELD_GET(LOW_4, w.vls_enforce),
		.mkey_violations = be16_to_cpu(w.mkey_violations),
		.pkey_violations = be16_to_cpu(w.pkey_violations),
		.qkey_violations = be16_to_cpu(w.qkey_violations),
		.guid_cap = w.guid_cap,
		.reregister = w.reregister_timeout & REREGISTER,
		.subnet_timeout = FIELD_GET(LOW_5, w.reregister_timeout),
		.resp_time = FIELD_GET(LOW_5, w.resp_time),
		.phy_errors = FIELD_GET(HIGH_4, w.phy_overrun),
		.overrun_errors = FIELD_GET(LOW_4, w.phy_overrun),
		.max_credit_hint = be16_to_cpu(w.max_credit_hint),
		.latency = (u32)w.latency[0] << 16 | w.latency[1] << 8 | w.latency[2],
	};
}

void portinfo_build(u8 *data, const struct portinfo *info)
{
	const struct portinfo_wire w = {
		.mkey = cpu_to_be64(info->mkey),
		.gid_prefix = cpu_to_be64(info->gid_prefix),
		.lid = cpu_to_be16(info->lid),
		.sm_lid = cpu_to_be16(info->sm_lid),
		.cap_mask = cpu_to_be32(info->cap_mask),
		.diag_code = cpu_to_be16(info->diag_code),
		.mkey_lease = cpu_to_be16(info->mkey_lease),
		.local_port = info->local_port,
		.width_enabled = info->width_enabled,
		.width_supported = info->width_supported,
		.width_active = info->width_active,
		.speed_supported_state = BOTH(info->speed_supported, info->state),
		.phys_down_default = BOTH(info->phys_state, info->down_default),
		.protect_lmc = (u8)(FIELD_PREP(PROTECT, info->mkey_protect) |
				    FIELD_PREP(LMC, info->lmc)),
		.speed_active_enabled = BOTH(info->speed_active, info->speed_enabled),
		.mtu_sm_sl = BOTH(info->neighbor_mtu, info->sm_sl),
		.vl_cap_init_type = BOTH(info->vl_cap, info->init_type),
		.vl_high_limit = info->vl_high_limit,
		.vl_arb_high_cap = info->vl_arb_high_cap,
		.vl_arb_low_cap = info->vl_arb_low_cap,
		.reply_mtu_cap = BOTH(info->init_type_reply, info->mtu_cap),
		.stall_hoq = (u8)(FIELD_PREP(STALL, info->vl_stall_count) |
				  FIELD_PREP(LOW_5, info->hoq_life)),
		.vls_enforce = BOTH(info->operational_vls, info->enforce),
		.mkey_violations = cpu_to_be16(info->mkey_violations),
		.pkey_violations = cpu_to_be16(info->pkey_violations),
		.qkey_violations = cpu_to_be16(info->qkey_violations),
		.guid_cap = info->guid_cap,
		.reregister_timeout = (u8)((info->reregister ? REREGISTER : 0) |
					   FIELD_PREP(LOW_5, info->subnet_timeout)),
		.resp_time = (u8)FIELD_PREP(LOW_5, info->resp_time),
		.phy_overrun = BOTH(info->phy_errors, info->overrun_errors),
		.max_credit_hint = cpu_to_be16(info->max_credit_hint),
		.latency = { (u8)(info->latency >> 16), (u8)(info->latency >> 8),
			     (u8)info->latency },
	};

	memcpy(data, &w, sizeof(w));
}

static bool address_is_valid(const struct portinfo *info, const struct portinfo *w,
			     enum portinfo_kind kind)
{
	if (w->lid > LID_UNICAST_MAX || w->sm_lid > LID_UNICAST_MAX)
		return false;
	/* A port keeps its LID, or gets another one. Until it has one, other members can be set. */
	if (!w->lid && (info->lid || w->lmc))
		return false;
	/* Port 0 of a switch that is not enhanced has a single LID. */
	if (kind == PORTINFO_SWITCH_0 && w->lmc)
		return false;
	/* The lowest bits of the LID select a path, so the last LID is a unicast one, too. */
	return !(w->lid & ((1u << w->lmc) - 1));
}

static bool width_is_valid(const struct portinfo *info, u8 wanted)
{
	return wanted == PORT_WIDTH_KEEP || wanted == PORT_WIDTH_ALL ||
	       !(wanted & ~info->width_supported);
}

static bool speed_is_valid(const struct portinfo *info, u8 wanted)
{
	return wanted == PORT_SPEED_KEEP || wanted == PORT_SPEED_ALL ||
	       !(wanted & ~info->speed_supported);
}

/* Checks a change of the states. Only one of the two may be asked for, except that both go down. */
static bool state_is_valid(const struct portinfo *info, const struct portinfo *w)
{
	if (w->phys_state > PORT_PHYS_DISABLED)
		return false;
	switch (w->state) {
	case 0:
	case PORT_STATE_DOWN:
		return true;
	case PORT_STATE_ARMED:
		return !w->phys_state &&
		       (info->state == PORT_STATE_INIT || info->state == PORT_STATE_ARMED);
	case PORT_STATE_ACTIVE:
		return !w->phys_state &&
		       (info->state == PORT_STATE_ARMED || info->state == PORT_STATE_ACTIVE);
	default:
		return false;
	}
}

static bool link_is_valid(const struct portinfo *info, const struct portinfo *w)
{
	return width_is_valid(info, w->width_enabled) && speed_is_valid(info, w->speed_enabled) &&
	       state_is_valid(info, w) && w->down_default <= PORT_PHYS_POLLING &&
	       w->neighbor_mtu >= PORT_MTU_256 && w->neighbor_mtu <= info->mtu_cap &&
	       w->operational_vls <= info->vl_cap;
}

static void keep_violations(u16 *counter, u16 wanted)
{
	if (!wanted)
		*counter = 0;
}

static void set_address(struct portinfo *info, const struct portinfo *w)
{
	info->mkey = w->mkey;
	info->gid_prefix = w->gid_prefix;
	info->lid = w->lid;
	info->sm_lid = w->sm_lid;
	info->mkey_lease = w->mkey_lease;
	info->mkey_protect = w->mkey_protect;
	info->lmc = w->lmc;
	info->sm_sl = w->sm_sl;
	info->init_type_reply = w->init_type_reply;
	info->subnet_timeout = w->subnet_timeout;
	keep_violations(&info->mkey_violations, w->mkey_violations);
	keep_violations(&info->pkey_violations, w->pkey_violations);
	keep_violations(&info->qkey_violations, w->qkey_violations);
}

static enum portinfo_link link_change(const struct portinfo *w)
{
	switch (w->phys_state) {
	case PORT_PHYS_SLEEP:
		return PORTINFO_LINK_SLEEP;
	case PORT_PHYS_POLLING:
		return PORTINFO_LINK_POLL;
	case PORT_PHYS_DISABLED:
		return PORTINFO_LINK_DISABLE;
	default:
		return w->state == PORT_STATE_DOWN ? PORTINFO_LINK_DOWN : PORTINFO_LINK_KEEP;
	}
}

static void set_link(struct portinfo *info, const struct portinfo *w)
{
	if (w->width_enabled != PORT_WIDTH_KEEP)
		info->width_enabled = w->width_enabled & info->width_supported;
	if (w->speed_enabled != PORT_SPEED_KEEP)
		info->speed_enabled = w->speed_enabled & info->speed_supported;
	if (w->down_default)
		info->down_default = w->down_default;
	if (w->operational_vls)
		info->operational_vls = w->operational_vls;
	if (w->state >= PORT_STATE_ARMED)
		info->state = w->state;
	info->neighbor_mtu = w->neighbor_mtu;
	info->vl_high_limit = w->vl_high_limit;
	info->vl_stall_count = w->vl_stall_count;
	info->hoq_life = w->hoq_life;
	info->phy_errors = w->phy_errors;
	info->overrun_errors = w->overrun_errors;
}

u16 portinfo_set(struct portinfo *info, const struct portinfo *wanted, enum portinfo_kind kind,
		 enum portinfo_link *link)
{
	if (kind != PORTINFO_SWITCH && !address_is_valid(info, wanted, kind))
		return MAD_STATUS_BAD_VALUE;
	if (kind != PORTINFO_SWITCH_0 && !link_is_valid(info, wanted))
		return MAD_STATUS_BAD_VALUE;
	*link = PORTINFO_LINK_KEEP;
	if (kind != PORTINFO_SWITCH)
		set_address(info, wanted);
	if (kind != PORTINFO_SWITCH_0) {
		set_link(info, wanted);
		*link = link_change(wanted);
	}
	if (kind == PORTINFO_SWITCH)
		info->enforce = wanted->enforce;
	return 0;
}
