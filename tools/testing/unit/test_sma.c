// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests the attributes of subnet management: encoding, decoding, and what a Set may do. */

#include <string.h>

#include "ibwire/nodeinfo.h"
#include "ibwire/notice.h"
#include "ibwire/portinfo.h"
#include "ibwire/smtable.h"
#include "unit.h"

/* PortInfo with a different value in each member, written down from the specification. */
#define PORT_INFO						\
	"1122334455667788 fe80000000000001 0010 0020 "		\
	"02000840 0304 0506 07 03 03 02 "			\
	"73 52 c5 47 54 43 08 20 21 65 6a 4a "			\
	"0111 0222 0333 20 92 08 ab 0444 00 0a0b0c 00000000"

static void port_info(void)
{
	struct bytes in = bytes_of_hex(PORT_INFO);
	u8 out[PORTINFO_LEN + 1];
	struct portinfo p;

	CHECK_EQ(in.len, PORTINFO_LEN);
	portinfo_parse(in.at, &p);
	CHECK_EQ(p.mkey, 0x1122334455667788);
	CHECK_EQ(p.gid_prefix, 0xfe80000000000001);
	CHECK_EQ(p.lid, 0x10);
	CHECK_EQ(p.sm_lid, 0x20);
	CHECK_EQ(p.cap_mask, PORT_CAP_REREGISTER | PORT_CAP_SYSTEM_GUID | PORT_CAP_SL_MAPPING);
	CHECK_EQ(p.diag_code, 0x304);
	CHECK_EQ(p.mkey_lease, 0x506);
	CHECK_EQ(p.local_port, 7);
	CHECK_EQ(p.width_enabled, 3);
	CHECK_EQ(p.width_supported, 3);
	CHECK_EQ(p.width_active, 2);
	CHECK_EQ(p.speed_supported, 7);
	CHECK_EQ(p.state, PORT_STATE_ARMED);
	CHECK_EQ(p.phys_state, PORT_PHYS_LINK_UP);
	CHECK_EQ(p.down_default, PORT_PHYS_POLLING);
	CHECK_EQ(p.mkey_protect, 3);
	CHECK_EQ(p.lmc, 5);
	CHECK_EQ(p.speed_active, 4);
	CHECK_EQ(p.speed_enabled, 7);
	CHECK_EQ(p.neighbor_mtu, 5);
	CHECK_EQ(p.sm_sl, 4);
	CHECK_EQ(p.vl_cap, 4);
	CHECK_EQ(p.init_type, 3);
	CHECK_EQ(p.vl_high_limit, 8);
	CHECK_EQ(p.vl_arb_high_cap, 0x20);
	CHECK_EQ(p.vl_arb_low_cap, 0x21);
	CHECK_EQ(p.init_type_reply, 6);
	CHECK_EQ(p.mtu_cap, 5);
	CHECK_EQ(p.vl_stall_count, 3);
	CHECK_EQ(p.hoq_life, 10);
	CHECK_EQ(p.operational_vls, 4);
	CHECK_EQ(p.enforce, PORT_ENFORCE_PKEY_IN | PORT_FILTER_RAW_IN);
	CHECK_EQ(p.mkey_violations, 0x111);
	CHECK_EQ(p.pkey_violations, 0x222);
	CHECK_EQ(p.qkey_violations, 0x333);
	CHECK_EQ(p.guid_cap, 32);
	CHECK(p.reregister);
	CHECK_EQ(p.subnet_timeout, 18);
	CHECK_EQ(p.resp_time, 8);
	CHECK_EQ(p.phy_errors, 10);
	CHECK_EQ(p.overrun_errors, 11);
	CHECK_EQ(p.max_credit_hint, 0x444);
	CHECK_EQ(p.latency, 0x0a0b0c);
	memset(out, 0xee, sizeof(out));
	portinfo_build(out, &p);
	CHECK_BYTES(out, PORTINFO_LEN, PORT_INFO);
	CHECK_EQ(out[PORTINFO_LEN], 0xee);
}

/* A port in state @state that has all that the checks look at, and a Set that changes nothing. */
static struct portinfo port_in(u8 state)
{
	return (struct portinfo) {
		.width_enabled = 3, .width_supported = 3, .speed_supported = 7, .speed_enabled = 7,
		.state = state, .phys_state = PORT_PHYS_LINK_UP, .neighbor_mtu = 4, .mtu_cap = 5,
		.vl_cap = 4, .operational_vls = 1, .down_default = PORT_PHYS_POLLING, .lid = 8,
		.sm_lid = 1, .mkey_violations = 5, .pkey_violations = 6, .qkey_violations = 7,
	};
}

static struct portinfo same(const struct portinfo *info)
{
	struct portinfo wanted = *info;

	wanted.state = 0;
	wanted.phys_state = 0;
	return wanted;
}

/* A member of a Set, of one or two bytes, and its value. */
struct change {
	size_t offset, size;
	u16 value;
};

#define WITH(member, value)						\
	{ offsetof(struct portinfo, member), sizeof(((struct portinfo *)0)->member), value }

static void port_info_values(void)
{
	static const struct {
		enum portinfo_kind kind;
		struct change change;
		bool valid;
	} rows[] = {
		{ PORTINFO_CA, WITH(lid, 0), false },
		{ PORTINFO_SWITCH_0, WITH(lid, 0), false },
		{ PORTINFO_SWITCH, WITH(lid, 0), true },
		{ PORTINFO_CA, WITH(lid, 0xbfff), true },
		{ PORTINFO_CA, WITH(lid, 0xc000), false },
		{ PORTINFO_CA, WITH(lid, 0xffff), false },
		{ PORTINFO_SWITCH, WITH(lid, 0xffff), true },
		{ PORTINFO_CA, WITH(sm_lid, 0xc000), false },
		{ PORTINFO_CA, WITH(lmc, 3), true },
		{ PORTINFO_SWITCH_0, WITH(lmc, 3), false },
		{ PORTINFO_SWITCH, WITH(lmc, 4), true },
		{ PORTINFO_CA, WITH(lmc, 4), false },	/* LID 8 */
		{ PORTINFO_CA, WITH(width_enabled, 0), true },
		{ PORTINFO_CA, WITH(width_enabled, 255), true },
		{ PORTINFO_CA, WITH(width_enabled, 4), false },
		{ PORTINFO_SWITCH_0, WITH(width_enabled, 4), true },
		{ PORTINFO_CA, WITH(speed_enabled, 15), true },
		{ PORTINFO_CA, WITH(speed_enabled, 8), false },
		{ PORTINFO_CA, WITH(down_default, 0), true },
		{ PORTINFO_CA, WITH(down_default, 3), false },
		{ PORTINFO_CA, WITH(neighbor_mtu, 0), false },
		{ PORTINFO_CA, WITH(neighbor_mtu, 1), true },
		{ PORTINFO_CA, WITH(neighbor_mtu, 5), true },
		{ PORTINFO_CA, WITH(neighbor_mtu, 6), false },
		{ PORTINFO_SWITCH_0, WITH(neighbor_mtu, 0), true },
		{ PORTINFO_CA, WITH(operational_vls, 0), true },
		{ PORTINFO_CA, WITH(operational_vls, 4), true },
		{ PORTINFO_CA, WITH(operational_vls, 5), false },
		{ PORTINFO_CA, WITH(phys_state, 3), true },
		{ PORTINFO_CA, WITH(phys_state, 4), false },
		{ PORTINFO_CA, WITH(phys_state, 5), false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct portinfo info = port_in(PORT_STATE_INIT), wanted = same(&info), old = info;
		enum portinfo_link link;

		unit_input("row %zu", i);
		if (rows[i].change.size == 1)
			((u8 *)&wanted)[rows[i].change.offset] = (u8)rows[i].change.value;
		else
			memcpy((u8 *)&wanted + rows[i].change.offset, &rows[i].change.value,
			       sizeof(u16));
		CHECK_EQ(portinfo_set(&info, &wanted, rows[i].kind, &link),
			 rows[i].valid ? 0 : MAD_STATUS_BAD_VALUE);
		if (!rows[i].valid)
			CHECK(!memcmp(&info, &old, sizeof(info)));
	}
}

/* A port without a LID stays so while other members are set. Without a LID there is no LMC. */
static void port_info_no_lid(void)
{
	struct portinfo info = port_in(PORT_STATE_INIT), wanted;
	enum portinfo_link link;

	info.lid = 0;
	wanted = same(&info);
	CHECK_EQ(portinfo_set(&info, &wanted, PORTINFO_CA, &link), 0);
	wanted.lmc = 1;
	CHECK_EQ(portinfo_set(&info, &wanted, PORTINFO_CA, &link), MAD_STATUS_BAD_VALUE);
	wanted.lid = 2;
	CHECK_EQ(portinfo_set(&info, &wanted, PORTINFO_CA, &link), 0);
	CHECK_EQ(info.lid, 2);
}

static void port_info_states(void)
{
	/* By the state, a letter for each state that is asked for: x: refused. */
	static const char *const results[] = {
		[PORT_STATE_DOWN] = "11xxxx", [PORT_STATE_INIT] = "22x3xx",
		[PORT_STATE_ARMED] = "33x34x", [PORT_STATE_ACTIVE] = "44xx4x",
	};

	for (u8 from = PORT_STATE_DOWN; from <= PORT_STATE_ACTIVE; from++) {
		for (u8 to = 0; results[from][to]; to++) {
			struct portinfo info = port_in(from), wanted = same(&info);
			bool refused = results[from][to] == 'x';
			enum portinfo_link link;

			unit_input("%d to %d", from, to);
			wanted.state = to;
			CHECK_EQ(portinfo_set(&info, &wanted, PORTINFO_SWITCH, &link),
				 refused ? MAD_STATUS_BAD_VALUE : 0);
			if (refused)
				continue;
			CHECK_EQ(info.state, results[from][to] - '0');
			CHECK_EQ(link, to == PORT_STATE_DOWN ? PORTINFO_LINK_DOWN :
							       PORTINFO_LINK_KEEP);
			/* A change of the physical state goes with no other change but down. */
			wanted.phys_state = PORT_PHYS_DISABLED;
			CHECK_EQ(portinfo_set(&info, &wanted, PORTINFO_SWITCH, &link),
				 to > PORT_STATE_DOWN ? MAD_STATUS_BAD_VALUE : 0);
		}
	}
}

static void port_info_changes(void)
{
	struct portinfo info = port_in(PORT_STATE_INIT), wanted = same(&info);
	enum portinfo_link link;

	wanted.width_enabled = PORT_WIDTH_ALL;
	wanted.speed_enabled = PORT_SPEED_SDR;
	wanted.cap_mask = 0xffffffff;
	wanted.mtu_cap = 1;
	wanted.guid_cap = 200;
	wanted.mkey = 77;
	wanted.mkey_protect = 2;
	wanted.enforce = PORT_ENFORCE_PKEY_IN;
	wanted.mkey_violations = 0;
	wanted.pkey_violations = 1;
	wanted.phys_state = PORT_PHYS_POLLING;
	CHECK_EQ(portinfo_set(&info, &wanted, PORTINFO_CA, &link), 0);
	CHECK_EQ(link, PORTINFO_LINK_POLL);
	CHECK_EQ(info.width_enabled, 3);
	CHECK_EQ(info.speed_enabled, PORT_SPEED_SDR);
	CHECK_EQ(info.mkey, 77);
	CHECK_EQ(info.mkey_protect, 2);
	/* What a port can do cannot be set, and a CA enforces nothing for others. */
	CHECK_EQ(info.cap_mask, 0);
	CHECK_EQ(info.mtu_cap, 5);
	CHECK_EQ(info.guid_cap, 0);
	CHECK_EQ(info.enforce, 0);
	CHECK_EQ(info.mkey_violations, 0);
	CHECK_EQ(info.pkey_violations, 6);

	wanted = same(&info);
	wanted.mkey = 5;
	wanted.enforce = PORT_ENFORCE_PKEY_OUT;
	wanted.phys_state = PORT_PHYS_SLEEP;
	CHECK_EQ(portinfo_set(&info, &wanted, PORTINFO_SWITCH, &link), 0);
	CHECK_EQ(link, PORTINFO_LINK_SLEEP);
	CHECK_EQ(info.mkey, 77);
	CHECK_EQ(info.enforce, PORT_ENFORCE_PKEY_OUT);
}

static void node_info(void)
{
	const struct nodeinfo info = {
		.type = NODE_TYPE_SWITCH, .num_ports = 36, .system_guid = 0x1111111111111111,
		.node_guid = 0x2222222222222222, .port_guid = 0x3333333333333333,
		.partition_cap = 64, .device_id = 0x4444, .revision = 0x55555555, .local_port = 6,
		.vendor_id = 0x777777,
	};
	u8 out[NODEINFO_LEN + 1];

	memset(out, 0xee, sizeof(out));
	nodeinfo_build(out, &info);
	CHECK_BYTES(out, 12, "01 01 02 24 1111111111111111");
	CHECK_BYTES(out + 12, 16, "2222222222222222 3333333333333333");
	CHECK_BYTES(out + 28, 12, "0040 4444 55555555 06 777777");
	CHECK_EQ(out[NODEINFO_LEN], 0xee);
}

#define SWITCH_INFO "c000 0000 0400 0123 ff 05 06 94 0001 0040 c0 00 c010"

static void switch_info(void)
{
	struct bytes in = bytes_of_hex(SWITCH_INFO);
	struct switchinfo s, wanted, old;
	u8 out[SWITCHINFO_LEN];

	switchinfo_parse(in.at, &s);
	CHECK_EQ(s.linear_cap, 0xc000);
	CHECK_EQ(s.multicast_cap, 1024);
	CHECK_EQ(s.linear_top, 0x123);
	CHECK_EQ(s.default_port, SWITCH_PORT_NONE);
	CHECK_EQ(s.default_mcast_primary, 5);
	CHECK_EQ(s.default_mcast_other, 6);
	CHECK_EQ(s.life_time, 18);
	CHECK(s.state_change);
	CHECK_EQ(s.lids_per_port, 1);
	CHECK_EQ(s.enforcement_cap, 64);
	CHECK_EQ(s.enforces, SWITCH_ENFORCES_IN | SWITCH_ENFORCES_OUT);
	CHECK_EQ(s.multicast_top, 0xc010);
	switchinfo_build(out, &s);
	CHECK_BYTES(out, sizeof(out), SWITCH_INFO);

	wanted = s;
	wanted.linear_top = 0xbfff;
	wanted.default_port = 3;
	wanted.default_mcast_primary = 2;
	wanted.default_mcast_other = 1;
	wanted.life_time = 7;
	wanted.multicast_top = 0xc3ff;
	wanted.state_change = false;
	wanted.multicast_cap = 1;
	CHECK_EQ(switchinfo_set(&s, &wanted, 8), 0);
	CHECK_EQ(s.linear_top, 0xbfff);
	CHECK_EQ(s.default_port, 3);
	CHECK_EQ(s.default_mcast_primary, 2);
	CHECK_EQ(s.default_mcast_other, 1);
	CHECK_EQ(s.life_time, 7);
	CHECK_EQ(s.multicast_top, 0xc3ff);
	CHECK_EQ(s.multicast_cap, 1024);
	CHECK(s.state_change);
	wanted.state_change = true;
	CHECK_EQ(switchinfo_set(&s, &wanted, 8), 0);
	CHECK(!s.state_change);

	old = s;
	for (int i = 0; i < 6; i++) {
		unit_input("fault %d", i);
		wanted = old;
		if (i == 0)
			wanted.linear_top = 0xc000;
		else if (i == 1)
			wanted.default_port = 9;
		else if (i == 2)
			wanted.default_mcast_primary = 254;
		else if (i == 3)
			wanted.default_mcast_other = 9;
		else
			wanted.multicast_top = i == 4 ? 0xc400 : 0xbffe;
		CHECK_EQ(switchinfo_set(&s, &wanted, 8), MAD_STATUS_BAD_VALUE);
		CHECK(!memcmp(&s, &old, sizeof(s)));
	}
	wanted = old;
	wanted.multicast_top = 0xbfff;
	CHECK_EQ(switchinfo_set(&s, &wanted, 8), 0);
	wanted.multicast_top = 0;
	CHECK_EQ(switchinfo_set(&s, &wanted, 8), 0);
}

static void led_info(void)
{
	bool on = false;

	CHECK_EQ(ledinfo_set(bytes_of_hex("80000000").at, &on), 0);
	CHECK(on);
	CHECK_EQ(ledinfo_set(bytes_of_hex("80000001").at, &on), MAD_STATUS_BAD_VALUE);
	CHECK(on);
	CHECK_EQ(ledinfo_set(bytes_of_hex("00000000").at, &on), 0);
	CHECK(!on);
}

static void modifiers(void)
{
	struct smtable_at at;

	CHECK(smtable_at_pkeys(0x00240001, &at));
	CHECK_EQ(at.port, 36);
	CHECK_EQ(at.block, 1);
	CHECK(smtable_at_pkeys(0xffff, &at));
	CHECK_EQ(at.block, 0xffff);
	CHECK(!smtable_at_pkeys(0x01000000, &at));
	CHECK(smtable_at_sl_to_vl(0x0305, &at));
	CHECK_EQ(at.in_port, 3);
	CHECK_EQ(at.port, 5);
	CHECK(!smtable_at_sl_to_vl(0x10000, &at));
	CHECK(smtable_at_vl_arb(0x30007, &at));
	CHECK_EQ(at.block, 3);
	CHECK_EQ(at.port, 7);
	CHECK(!smtable_at_vl_arb(0x30107, &at));
	CHECK(smtable_at_linear(767, &at));
	CHECK_EQ(at.block, 767);
	CHECK(!smtable_at_linear(0x10000, &at));
	CHECK(smtable_at_multicast(0x200001ff, &at));
	CHECK_EQ(at.position, 2);
	CHECK_EQ(at.block, 511);
	CHECK(!smtable_at_multicast(0x200, &at));
}

static void pkeys(void)
{
	static const struct {
		u16 a, b;
		bool match, same;
	} rows[] = {
		{ 0xffff, 0xffff, true, true }, { 0xffff, 0x7fff, true, true },
		{ 0x7fff, 0x7fff, false, true }, { 0x8001, 0x8001, true, true },
		{ 0x8001, 0x0001, true, true }, { 0x8001, 0x8002, false, false },
		{ 0x8000, 0x8000, false, false }, { 0, 0, false, false },
	};
	u8 data[2 * PKEYS_PER_BLOCK], out[sizeof(data)];
	u16 keys[PKEYS_PER_BLOCK];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_input("%#x %#x", rows[i].a, rows[i].b);
		CHECK_EQ(pkey_matches(rows[i].a, rows[i].b), rows[i].match);
		CHECK_EQ(pkey_matches(rows[i].b, rows[i].a), rows[i].match);
		CHECK_EQ(pkey_is_same(rows[i].a, rows[i].b), rows[i].same);
		CHECK_EQ(pkey_is_same(rows[i].b, rows[i].a), rows[i].same);
	}
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (u8)(i + 1);
	pkeys_parse(data, keys);
	CHECK_EQ(keys[0], 0x0102);
	CHECK_EQ(keys[31], 0x3f40);
	pkeys_build(out, keys);
	CHECK(!memcmp(data, out, sizeof(data)));
}

static void tables(void)
{
	struct bytes sl = bytes_of_hex("0123456789abcdef");
	u8 block[64] = { 0 };

	for (u8 i = 0; i < SL_COUNT; i++)
		CHECK_EQ(sl_to_vl(sl.at, i), i);
	CHECK_EQ(sl_to_vl(sl.at, 16), 0);

	block[63] = 8;
	CHECK(linear_is_valid(block, 8));
	CHECK(!linear_is_valid(block, 7));
	block[0] = SWITCH_PORT_NONE;
	CHECK(linear_is_valid(block, 8));
	block[0] = 254;
	CHECK(!linear_is_valid(block, 253));
	CHECK(linear_is_valid(block, 254));

	memset(block, 0, sizeof(block));
	block[63] = 0x10;	/* port 4 of the position */
	CHECK(multicast_is_valid(block, 0, 4));
	CHECK(!multicast_is_valid(block, 0, 3));
	CHECK(multicast_is_valid(block, 2, 36));
	CHECK(!multicast_is_valid(block, 2, 35));
	CHECK(!multicast_is_valid(block, 3, 36));
	memset(block, 0xff, sizeof(block));
	CHECK(multicast_is_valid(block, 0, 15));
	CHECK(!multicast_is_valid(block, 0, 14));
	CHECK(multicast_is_valid(block, 1, 36));
}

static void notices(void)
{
	struct notice notice = {
		.trap = TRAP_LINK_STATE, .producer = NODE_TYPE_SWITCH, .lid = 0x1234,
		.cap_mask = 0xffffffff, .changes = 0xff,
	};
	u8 data[NOTICE_LEN];

	memset(data, 0xee, sizeof(data));
	notice_build(data, &notice);
	CHECK_BYTES(data, 24, "81 000002 0080 1234 0000 1234 000000000000000000000000");
	for (size_t i = 24; i < sizeof(data); i++)
		CHECK_EQ(data[i], 0);
	CHECK_EQ(notice_trap(data), 128);
	notice = (struct notice) {
		.trap = TRAP_CAPABILITIES, .producer = NODE_TYPE_CA, .lid = 0x1234,
		.cap_mask = 0x02000a42,
	};
	notice_build(data, &notice);
	CHECK_BYTES(data, 24, "84 000001 0090 1234 0000 0000 1234 00 00 02000a42 00 00 0000");
	notice.changes = NOTICE_NODE_DESC;
	notice_build(data, &notice);
	CHECK_BYTES(data, 24, "84 000001 0090 1234 0000 0000 1234 00 01 02000a42 00 01 0000");
	CHECK_EQ(notice_trap(data), 144);
	data[0] = 0x04;
	CHECK_EQ(notice_trap(data), 0);
}

/* Notices, written down from the specification. */
#define MKEY_BY_LID	\
	"82 000001 0100 1234 0000 0000 0102 0000 02 00 0015 80000001 " \
	"1122334455667788 00 00 000000000000000000000000000000 " \
	"000000000000000000000000000000"

#define MKEY_DIRECTED	\
	"82 000001 0100 1234 0000 0000 0102 ffff 02 00 0015 80000001 " \
	"1122334455667788 00 9d 000102030405060708090a0b0c0d0e " \
	"0f101112131415161718191a1b1c1d"

#define PKEY_NOTICE	\
	"82 000002 0101 1234 0000 0000 0102 c003 00008001 50abcdef 00ffffff " \
	"00000000000000000000000000000000 00000000000000000000000000000000 00000000"

#define QKEY_NOTICE	\
	"82 000002 0102 1234 0000 0000 0102 c003 80010000 50abcdef 00ffffff " \
	"11111111111111111111111111111111 22222222222222222222222222222222 00000000"

#define SWITCH_NOTICE	\
	"82 000002 0103 1234 0000 03ff 0102 c003 7001 50abcdef 00ffffff " \
	"11111111111111111111111111111111 22222222222222222222222222222222 1234 09 " \
	"000000"

#define SWITCH_NO_GIDS	\
	"82 000002 0103 1234 0000 033f 0102 c003 7001 50abcdef 00ffffff " \
	"00000000000000000000000000000000 00000000000000000000000000000000 1234 09 " \
	"000000"

/* An SMP by LID; one with a directed route; one whose route is longer than the notice. */
static void mkey_notices(void)
{
	struct notice notice = {
		.trap = TRAP_BAD_MKEY, .producer = NODE_TYPE_CA, .lid = 0x1234,
		.mkey = {
			.slid = 0x0102, .method = 2, .attr_id = 0x15, .attr_mod = 0x80000001,
			.mkey = 0x1122334455667788, .dr_slid = 0xffff, .hops = 29,
		},
	};
	u8 data[NOTICE_LEN];

	for (size_t i = 0; i < NOTICE_PATH_LEN; i++)
		notice.mkey.path[i] = (u8)i;
	notice_build(data, &notice);
	CHECK_BYTES(data, 64, MKEY_BY_LID);
	CHECK_EQ(notice_trap(data), 256);
	notice.mkey.directed = true;
	notice_build(data, &notice);
	CHECK_BYTES(data, 64, MKEY_DIRECTED);
	notice.mkey.hops = 30;
	notice_build(data, &notice);
	CHECK_EQ(data[33], 0x80 | 0x40 | 30);
	notice.mkey.hops = 63;
	notice_build(data, &notice);
	CHECK_EQ(data[33], 0xff);
}

static void key_notices(void)
{
	struct notice notice = {
		.trap = TRAP_BAD_PKEY, .producer = NODE_TYPE_SWITCH, .lid = 0x1234,
		.keys = {
			.slid = 0x0102, .dlid = 0xc003, .key = 0x8001, .sl = 5, .sqpn = 0xabcdef,
			.dqpn = 0xffffff, .port = 9,
		},
	};
	u8 data[NOTICE_LEN];

	memset(notice.keys.sgid, 0x11, GID_LEN);
	memset(notice.keys.dgid, 0x22, GID_LEN);
	notice_build(data, &notice);
	CHECK_BYTES(data, 64, PKEY_NOTICE);
	notice.keys.has_gids = true;
	notice.trap = TRAP_BAD_QKEY;
	notice.keys.key = 0x80010000;
	notice_build(data, &notice);
	CHECK_BYTES(data, 64, QKEY_NOTICE);
	notice.trap = TRAP_SWITCH_PKEY;
	notice.keys.key = 0x7001;
	notice_build(data, &notice);
	CHECK_BYTES(data, 64, SWITCH_NOTICE);
	notice.keys.has_gids = false;
	notice_build(data, &notice);
	CHECK_BYTES(data, 64, SWITCH_NO_GIDS);
}

void test_sma(void)
{
	unit_run("sma: PortInfo", port_info);
	unit_run("sma: values of PortInfo", port_info_values);
	unit_run("sma: a port without a LID", port_info_no_lid);
	unit_run("sma: states of a port", port_info_states);
	unit_run("sma: what a Set of PortInfo changes", port_info_changes);
	unit_run("sma: NodeInfo", node_info);
	unit_run("sma: SwitchInfo", switch_info);
	unit_run("sma: LedInfo", led_info);
	unit_run("sma: notices", notices);
	unit_run("sma: notices of wrong M_Keys", mkey_notices);
	unit_run("sma: notices of wrong P_Keys and Q_Keys", key_notices);
	unit_run("sma: modifiers of tables", modifiers);
	unit_run("sma: P_Keys", pkeys);
	unit_run("sma: tables of VLs and forwarding", tables);
}
