// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The attribute Notice. */

#include "notice.h"

#define NOTICE_GENERIC	0x80	/* the trap is one of IBTA's */
#define NOTICE_URGENT	1
#define NOTICE_SECURITY	2
#define NOTICE_INFO	4

struct notice_wire {
	u8 type;
	u8 producer[3];
	__be16 trap;
	__be16 issuer;
	__be16 toggle;
	u8 details[54];
};

static_assert(sizeof(struct notice_wire) == NOTICE_LEN);

struct link_wire {
	__be16 lid;
} __packed;

struct cap_wire {
	__be16 reserved;
	__be16 lid;
	u8 reserved2;
	u8 other;	/* 7 reserved bits, 1 */
	__be32 cap_mask;
	u8 reserved3;
	u8 changes;
} __packed;

struct mkey_wire {
	__be16 reserved;
	__be16 lid;
	__be16 dr_slid;
	u8 method;
	u8 reserved2;
	__be16 attr_id;
	__be32 attr_mod;
	__be64 mkey;
	u8 reserved3;
	u8 dr_hops;	/* 1, 1, 6 bits */
	u8 path[NOTICE_PATH_LEN];
} __packed;

struct keys_wire {
	__be16 reserved;
	__be16 slid;
	__be16 dlid;
	__be32 key;
	__be32 sl_sqpn;	/* 4, 4 reserved, 24 bits */
	__be32 dqpn;
	u8 sgid[GID_LEN];
	u8 dgid[GID_LEN];
} __packed;

struct switch_wire {
	__be16 valid;
	__be16 slid;
	__be16 dlid;
	__be16 pkey;
	__be32 sl_sqpn;	/* 4, 4 reserved, 24 bits */
	__be32 dqpn;
	u8 sgid[GID_LEN];
	u8 dgid[GID_LEN];
	__be16 lid;
	u8 port;
} __packed;

#define DR_NOTICE	0x80
#define DR_TRUNCATED	0x40
#define DR_HOPS		0x3f
#define KEYS_QPN		0x00ffffff
#define KEYS_SL		0xf0000000

/* TRAP_SWITCH_PKEY: members that are set: all but the GIDs, and these. */
#define VALID_ALL	0x033f
#define VALID_GIDS	0x00c0

static void build_link(u8 *details, const struct notice *notice)
{
	const struct link_wire w = { .lid = cpu_to_be16(notice->lid) };

	memcpy(details, &w, sizeof(w));
}

static void build_capabilities(u8 *details, const struct notice *notice)
{
	const struct cap_wire w = {
		.lid = cpu_to_be16(notice->lid),
		.other = !!notice->changes,
		.cap_mask = cpu_to_be32(notice->cap_mask),
		.changes = notice->changes,
	};

	memcpy(details, &w, sizeof(w));
}

static void build_mkey(u8 *details, const struct notice_mkey *mkey)
{
	struct mkey_wire w = {
		.lid = cpu_to_be16(mkey->slid),
		.method = mkey->method,
		.attr_id = cpu_to_be16(mkey->attr_id),
		.attr_mod = cpu_to_be32(mkey->attr_mod),
		.mkey = cpu_to_be64(mkey->mkey),
	};

	if (mkey->directed) {
		w.dr_slid = cpu_to_be16(mkey->dr_slid);
		w.dr_hops = DR_NOTICE | (mkey->hops & DR_HOPS);
		/* Entry 0 of a path is not used. */
		if (mkey->hops >= NOTICE_PATH_LEN)
			w.dr_hops |= DR_TRUNCATED;
		memcpy(w.path, mkey->path, sizeof(w.path));
	}
	memcpy(details, &w, sizeof(w));
}

static __be32 sl_sqpn(const struct notice_keys *keys)
{
	return cpu_to_be32(FIELD_PREP(KEYS_SL, keys->sl) | (keys->sqpn & KEYS_QPN));
}

static void build_keys(u8 *details, const struct notice_keys *keys)
{
	struct keys_wire w = {
		.slid = cpu_to_be16(keys->slid),
		.dlid = cpu_to_be16(keys->dlid),
		.key = cpu_to_be32(keys->key),
		.sl_sqpn = sl_sqpn(keys),
		.dqpn = cpu_to_be32(keys->dqpn & KEYS_QPN),
	};

	if (keys->has_gids) {
		memcpy(w.sgid, keys->sgid, sizeof(w.sgid));
		memcpy(w.dgid, keys->dgid, sizeof(w.dgid));
	}
	memcpy(details, &w, sizeof(w));
}

static void build_switch(u8 *details, const struct notice *notice)
{
	const struct notice_keys *keys = &notice->keys;
	struct switch_wire w = {
		.valid = cpu_to_be16(VALID_ALL | (keys->has_gids ? VALID_GIDS : 0)),
		.slid = cpu_to_be16(keys->slid),
		.dlid = cpu_to_be16(keys->dlid),
		.pkey = cpu_to_be16((u16)keys->key),
		.sl_sqpn = sl_sqpn(keys),
		.dqpn = cpu_to_be32(keys->dqpn & KEYS_QPN),
		.lid = cpu_to_be16(notice->lid),
		.port = keys->port,
	};

	if (keys->has_gids) {
		memcpy(w.sgid, keys->sgid, sizeof(w.sgid));
		memcpy(w.dgid, keys->dgid, sizeof(w.dgid));
	}
	memcpy(details, &w, sizeof(w));
}

static u8 type_of(u16 trap)
{
	switch (trap) {
	case TRAP_LINK_STATE:
		return NOTICE_URGENT;
	case TRAP_CAPABILITIES:
		return NOTICE_INFO;
	default:
		return NOTICE_SECURITY;
	}
}

void notice_build(u8 *data, const struct notice *notice)
{
	struct notice_wire w = {
		.type = NOTICE_GENERIC | type_of(notice->trap),
		.producer = { 0, 0, notice->producer },
		.trap = cpu_to_be16(notice->trap),
		.issuer = cpu_to_be16(notice->lid),
	};

	switch (notice->trap) {
	case TRAP_LINK_STATE:
		build_link(w.details, notice);
		break;
	case TRAP_CAPABILITIES:
		build_capabilities(w.details, notice);
		break;
	case TRAP_BAD_MKEY:
		build_mkey(w.details, &notice->mkey);
		break;
	case TRAP_SWITCH_PKEY:
		build_switch(w.details, notice);
		break;
	default:
		build_keys(w.details, &notice->keys);
		break;
	}
	memcpy(data, &w, sizeof(w));
}

u16 notice_trap(const u8 *data)
{
	struct notice_wire w;

	memcpy(&w, data, sizeof(w));
	return w.type & NOTICE_GENERIC ? be16_to_cpu(w.trap) : 0;
}
