// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the state transitions of QPs. The core's answers are compared with a table from the
 * InfiniBand specification, which has the required and the optional attributes of each transport
 * service and transition.
 */
#include "kt_verbs.h"

#define A(attr) IB_QP_##attr

struct expected {
	enum ib_qp_type type;
	enum ib_qp_state from;
	enum ib_qp_state to;
	u32 required;
	u32 optional;
};

#define TO_RTS_CONNECTED (A(CUR_STATE) | A(ALT_PATH) | A(ACCESS_FLAGS) | A(PATH_MIG_STATE))

/* All allowed transitions but those to RESET and ERR, which take no attributes. */
static const struct expected table[] = {
	{ IB_QPT_RC, IB_QPS_RESET, IB_QPS_INIT, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS), 0 },
	{ IB_QPT_RC, IB_QPS_INIT, IB_QPS_INIT, 0, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS) },
	{ IB_QPT_RC, IB_QPS_INIT, IB_QPS_RTR,
	  A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN) | A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER),
	  A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) },
	{ IB_QPT_RC, IB_QPS_RTR, IB_QPS_RTS,
	  A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(SQ_PSN) | A(MAX_QP_RD_ATOMIC),
	  TO_RTS_CONNECTED | A(MIN_RNR_TIMER) },
	{ IB_QPT_RC, IB_QPS_RTS, IB_QPS_RTS, 0, TO_RTS_CONNECTED | A(MIN_RNR_TIMER) },
	{ IB_QPT_RC, IB_QPS_RTS, IB_QPS_SQD, 0, A(EN_SQD_ASYNC_NOTIFY) },
	{ IB_QPT_RC, IB_QPS_SQD, IB_QPS_RTS, 0, TO_RTS_CONNECTED | A(MIN_RNR_TIMER) },
	{ IB_QPT_RC, IB_QPS_SQD, IB_QPS_SQD, 0,
	  A(PORT) | A(AV) | A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(MAX_QP_RD_ATOMIC) |
	  A(MAX_DEST_RD_ATOMIC) | A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) |
	  A(MIN_RNR_TIMER) | A(PATH_MIG_STATE) },

	{ IB_QPT_UC, IB_QPS_RESET, IB_QPS_INIT, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS), 0 },
	{ IB_QPT_UC, IB_QPS_INIT, IB_QPS_INIT, 0, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS) },
	{ IB_QPT_UC, IB_QPS_INIT, IB_QPS_RTR, A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN),
	  A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) },
	{ IB_QPT_UC, IB_QPS_RTR, IB_QPS_RTS, A(SQ_PSN), TO_RTS_CONNECTED },
	{ IB_QPT_UC, IB_QPS_RTS, IB_QPS_RTS, 0, TO_RTS_CONNECTED },
	{ IB_QPT_UC, IB_QPS_RTS, IB_QPS_SQD, 0, A(EN_SQD_ASYNC_NOTIFY) },
	{ IB_QPT_UC, IB_QPS_SQD, IB_QPS_RTS, 0, TO_RTS_CONNECTED },
	{ IB_QPT_UC, IB_QPS_SQD, IB_QPS_SQD, 0,
	  A(AV) | A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) | A(PATH_MIG_STATE) },
	{ IB_QPT_UC, IB_QPS_SQE, IB_QPS_RTS, 0, A(CUR_STATE) | A(ACCESS_FLAGS) },

	{ IB_QPT_UD, IB_QPS_RESET, IB_QPS_INIT, A(PKEY_INDEX) | A(PORT) | A(QKEY), 0 },
	{ IB_QPT_UD, IB_QPS_INIT, IB_QPS_INIT, 0, A(PKEY_INDEX) | A(PORT) | A(QKEY) },
	{ IB_QPT_UD, IB_QPS_INIT, IB_QPS_RTR, 0, A(PKEY_INDEX) | A(QKEY) },
	{ IB_QPT_UD, IB_QPS_RTR, IB_QPS_RTS, A(SQ_PSN), A(CUR_STATE) | A(QKEY) },
	{ IB_QPT_UD, IB_QPS_RTS, IB_QPS_RTS, 0, A(CUR_STATE) | A(QKEY) },
	{ IB_QPT_UD, IB_QPS_RTS, IB_QPS_SQD, 0, A(EN_SQD_ASYNC_NOTIFY) },
	{ IB_QPT_UD, IB_QPS_SQD, IB_QPS_RTS, 0, A(CUR_STATE) | A(QKEY) },
	{ IB_QPT_UD, IB_QPS_SQD, IB_QPS_SQD, 0, A(PKEY_INDEX) | A(QKEY) },
	{ IB_QPT_UD, IB_QPS_SQE, IB_QPS_RTS, 0, A(CUR_STATE) | A(QKEY) },

	{ IB_QPT_GSI, IB_QPS_RESET, IB_QPS_INIT, A(PKEY_INDEX) | A(QKEY), 0 },
	{ IB_QPT_GSI, IB_QPS_INIT, IB_QPS_INIT, 0, A(PKEY_INDEX) | A(QKEY) },
	{ IB_QPT_GSI, IB_QPS_INIT, IB_QPS_RTR, 0, A(PKEY_INDEX) | A(QKEY) },
	{ IB_QPT_GSI, IB_QPS_RTR, IB_QPS_RTS, A(SQ_PSN), A(CUR_STATE) | A(QKEY) },
	{ IB_QPT_GSI, IB_QPS_RTS, IB_QPS_RTS, 0, A(CUR_STATE) | A(QKEY) },
	{ IB_QPT_GSI, IB_QPS_RTS, IB_QPS_SQD, 0, A(EN_SQD_ASYNC_NOTIFY) },
	{ IB_QPT_GSI, IB_QPS_SQD, IB_QPS_RTS, 0, A(CUR_STATE) | A(QKEY) },
	{ IB_QPT_GSI, IB_QPS_SQD, IB_QPS_SQD, 0, A(PKEY_INDEX) | A(QKEY) },
	{ IB_QPT_GSI, IB_QPS_SQE, IB_QPS_RTS, 0, A(CUR_STATE) | A(QKEY) },

	{ IB_QPT_XRC_INI, IB_QPS_RESET, IB_QPS_INIT, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS), 0 },
	{ IB_QPT_XRC_INI, IB_QPS_INIT, IB_QPS_INIT, 0, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS) },
	{ IB_QPT_XRC_INI, IB_QPS_INIT, IB_QPS_RTR, A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN),
	  A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) },
	{ IB_QPT_XRC_INI, IB_QPS_RTR, IB_QPS_RTS,
	  A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(SQ_PSN) | A(MAX_QP_RD_ATOMIC),
	  TO_RTS_CONNECTED },
	{ IB_QPT_XRC_INI, IB_QPS_RTS, IB_QPS_RTS, 0, TO_RTS_CONNECTED },
	{ IB_QPT_XRC_INI, IB_QPS_RTS, IB_QPS_SQD, 0, A(EN_SQD_ASYNC_NOTIFY) },
	{ IB_QPT_XRC_INI, IB_QPS_SQD, IB_QPS_RTS, 0, TO_RTS_CONNECTED },
	{ IB_QPT_XRC_INI, IB_QPS_SQD, IB_QPS_SQD, 0,
	  A(PORT) | A(AV) | A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(MAX_QP_RD_ATOMIC) |
	  A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) | A(PATH_MIG_STATE) },

	{ IB_QPT_XRC_TGT, IB_QPS_RESET, IB_QPS_INIT, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS), 0 },
	{ IB_QPT_XRC_TGT, IB_QPS_INIT, IB_QPS_INIT, 0, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS) },
	{ IB_QPT_XRC_TGT, IB_QPS_INIT, IB_QPS_RTR,
	  A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN) | A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER),
	  A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) },
	{ IB_QPT_XRC_TGT, IB_QPS_RTR, IB_QPS_RTS, A(TIMEOUT) | A(SQ_PSN),
	  TO_RTS_CONNECTED | A(MIN_RNR_TIMER) },
	{ IB_QPT_XRC_TGT, IB_QPS_RTS, IB_QPS_RTS, 0, TO_RTS_CONNECTED | A(MIN_RNR_TIMER) },
	{ IB_QPT_XRC_TGT, IB_QPS_RTS, IB_QPS_SQD, 0, A(EN_SQD_ASYNC_NOTIFY) },
	{ IB_QPT_XRC_TGT, IB_QPS_SQD, IB_QPS_RTS, 0, TO_RTS_CONNECTED | A(MIN_RNR_TIMER) },
	{ IB_QPT_XRC_TGT, IB_QPS_SQD, IB_QPS_SQD, 0,
	  A(PORT) | A(AV) | A(TIMEOUT) | A(MAX_DEST_RD_ATOMIC) | A(ALT_PATH) | A(ACCESS_FLAGS) |
	  A(PKEY_INDEX) | A(MIN_RNR_TIMER) | A(PATH_MIG_STATE) },

	{ IB_QPT_RAW_PACKET, IB_QPS_RESET, IB_QPS_INIT, A(PORT), 0 },
	{ IB_QPT_RAW_PACKET, IB_QPS_INIT, IB_QPS_INIT, 0, 0 },
	{ IB_QPT_RAW_PACKET, IB_QPS_INIT, IB_QPS_RTR, 0, 0 },
	{ IB_QPT_RAW_PACKET, IB_QPS_RTR, IB_QPS_RTS, 0, A(RATE_LIMIT) },
	{ IB_QPT_RAW_PACKET, IB_QPS_RTS, IB_QPS_RTS, 0, A(RATE_LIMIT) },
	{ IB_QPT_RAW_PACKET, IB_QPS_RTS, IB_QPS_SQD, 0, 0 },
	{ IB_QPT_RAW_PACKET, IB_QPS_SQD, IB_QPS_RTS, 0, 0 },
	{ IB_QPT_RAW_PACKET, IB_QPS_SQD, IB_QPS_SQD, 0, 0 },
	{ IB_QPT_RAW_PACKET, IB_QPS_SQE, IB_QPS_RTS, 0, 0 },
};

static const enum ib_qp_type types[] = {
	IB_QPT_RC, IB_QPT_UC, IB_QPT_UD, IB_QPT_SMI, IB_QPT_GSI, IB_QPT_XRC_INI, IB_QPT_XRC_TGT,
	IB_QPT_RAW_PACKET,
};

/*
 * Fills in @e with the required and the optional attributes of a transition. Returns false if the
 * transition is forbidden. QPs of type SMI have the same entries as those of type GSI.
 */
static bool expected_for(enum ib_qp_type type, int from, int to, struct expected *e)
{
	int i;

	*e = (struct expected) { .type = type, .from = from, .to = to };
	if (to == IB_QPS_RESET || (to == IB_QPS_ERR && from != IB_QPS_RESET))
		return true;
	if (type == IB_QPT_SMI)
		type = IB_QPT_GSI;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].type != type || table[i].from != from || table[i].to != to)
			continue;
		*e = table[i];
		return true;
	}
	return false;
}

static void check(struct ktap *t, enum ib_qp_type type, int from, int to, u32 mask, bool wanted)
{
	if (__ib_modify_qp_is_ok(from, to, type, mask) != wanted)
		ktap_fail(t, "type %d, %d to %d, mask 0x%x: expected %s", type, from, to, mask,
			  wanted ? "allowed" : "refused");
}

/*
 * Checks masks with all required attributes, masks that lack one of these attributes, and masks
 * with one further attribute.
 */
static void check_allowed(struct ktap *t, enum ib_qp_type type, const struct expected *e)
{
	const u32 least = IB_QP_STATE | e->required, most = least | e->optional;
	int bit;

	check(t, type, e->from, e->to, least, true);
	check(t, type, e->from, e->to, most, true);
	check(t, type, e->from, e->to, most & ~IB_QP_STATE, true);
	for (bit = 1; bit < 32; bit++) {
		if (e->required & BIT(bit))
			check(t, type, e->from, e->to, most & ~BIT(bit), false);
		else
			check(t, type, e->from, e->to, least | BIT(bit), most & BIT(bit));
	}
}

static void check_forbidden(struct ktap *t, enum ib_qp_type type, int from, int to)
{
	int bit;

	check(t, type, from, to, IB_QP_STATE, false);
	check(t, type, from, to, IB_QP_ATTR_STANDARD_BITS, false);
	for (bit = 1; bit <= 20; bit++)
		check(t, type, from, to, IB_QP_STATE | BIT(bit), false);
}

static void test_qp_state_table(struct ktap *t)
{
	struct expected e;
	int i, from, to;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		for (from = IB_QPS_RESET; from <= IB_QPS_ERR; from++)
			for (to = IB_QPS_RESET; to <= IB_QPS_ERR; to++)
				if (expected_for(types[i], from, to, &e))
					check_allowed(t, types[i], &e);
				else
					check_forbidden(t, types[i], from, to);
}

static void test_invalid(struct ktap *t)
{
	static const int no_types[] = { -1, IB_QPT_RAW_IPV6, IB_QPT_RAW_ETHERTYPE, IB_QPT_MAX,
					IB_QPT_DRIVER, IB_QPT_RESERVED1, INT_MAX };
	static const int no_states[] = { -1, IB_QPS_ERR + 1, 31, 32, 64, 256, INT_MAX, INT_MIN };
	int i;

	for (i = 0; i < ARRAY_SIZE(no_types); i++)
		check(t, no_types[i], IB_QPS_RTS, IB_QPS_ERR, IB_QP_STATE, false);
	for (i = 0; i < ARRAY_SIZE(no_states); i++) {
		check(t, IB_QPT_RC, no_states[i], IB_QPS_RESET, IB_QP_STATE, false);
		check(t, IB_QPT_RC, IB_QPS_RTS, no_states[i], IB_QP_STATE, false);
	}
}

static const struct ktap_case qp_state_cases[] = {
	{ "every transition, its required and optional attributes", test_qp_state_table,
	  COVERS(ib_modify_qp_is_ok ib_qp_state ib_qp_type ib_qp_attr_mask IB_QPT_UD) },
	{ "states and types that do not exist are refused", test_invalid,
	  COVERS(ib_modify_qp_is_ok) },
};

KTAP_SUITE(kt_qp_state_suite, "qp_state", qp_state_cases);
