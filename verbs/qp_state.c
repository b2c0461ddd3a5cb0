// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The state transitions of QPs, after the InfiniBand Architecture Specification, volume 1, 10.3.1
 * and 11.2.5.2.
 */
#include "verbs/qp_state.h"

#include "verbs/verbs.h"

#define T(type)		BIT(IB_QPT_##type)
#define S(state)	BIT(IB_QPS_##state)
#define A(attr)		IB_QP_##attr

/* Sets of service types that share rules, and the set of all states. */
enum {
	MANAGEMENT	= T(SMI) | T(GSI),
	DATAGRAM	= T(UD) | MANAGEMENT,
	REQUESTER	= T(RC) | T(XRC_INI),	/* waits for acknowledgments */
	RESPONDER	= T(RC) | T(XRC_TGT),	/* acknowledges */
	RELIABLE	= REQUESTER | RESPONDER,
	CONNECTED	= RELIABLE | T(UC),
	UNRELIABLE	= DATAGRAM | T(UC) | T(RAW_PACKET),
	EVERY		= CONNECTED | UNRELIABLE,
	ANY_STATE	= BIT(IB_QPS_ERR + 1) - 1,
};

/*
 * A rule for transitions of QPs. A rule covers a transition if the old state, the new state and the
 * QP's type match. A transition is allowed if at least one rule covers it. If several rules cover a
 * transition, an attribute is required if one of the rules requires it, and is accepted if one of
 * the rules requires it or has it as optional. The new state, IB_QP_STATE, is always accepted.
 */
struct rule {
	u8 from;	/* set of old states */
	u8 to;		/* the new state */
	u16 types;	/* set of service types */
	u32 required;
	u32 optional;
};

static const struct rule rules[] = {
	{ ANY_STATE, IB_QPS_RESET, EVERY },
	{ ANY_STATE & ~S(RESET), IB_QPS_ERR, EVERY },

	{ S(RESET), IB_QPS_INIT, CONNECTED, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS) },
	{ S(RESET), IB_QPS_INIT, DATAGRAM, A(PKEY_INDEX) | A(QKEY) },
	{ S(RESET), IB_QPS_INIT, T(UD) | T(RAW_PACKET), A(PORT) },

	{ S(INIT), IB_QPS_INIT, CONNECTED, 0, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS) },
	{ S(INIT), IB_QPS_INIT, DATAGRAM, 0, A(PKEY_INDEX) | A(QKEY) },
	{ S(INIT), IB_QPS_INIT, T(UD), 0, A(PORT) },
	{ S(INIT), IB_QPS_INIT, T(RAW_PACKET) },

	{ S(INIT), IB_QPS_RTR, CONNECTED, A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN),
	  A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) },
	{ S(INIT), IB_QPS_RTR, RESPONDER, A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER) },
	{ S(INIT), IB_QPS_RTR, DATAGRAM, 0, A(PKEY_INDEX) | A(QKEY) },
	{ S(INIT), IB_QPS_RTR, T(RAW_PACKET) },

	{ S(RTR), IB_QPS_RTS, CONNECTED | DATAGRAM, A(SQ_PSN), A(CUR_STATE) },
	{ S(RTR), IB_QPS_RTS, RELIABLE, A(TIMEOUT) },
	{ S(RTR), IB_QPS_RTS, REQUESTER, A(RETRY_CNT) | A(RNR_RETRY) | A(MAX_QP_RD_ATOMIC) },
	{ S(RTR) | S(RTS) | S(SQD), IB_QPS_RTS, CONNECTED, 0,
	  A(CUR_STATE) | A(ALT_PATH) | A(ACCESS_FLAGS) | A(PATH_MIG_STATE) },
	{ S(RTR) | S(RTS) | S(SQD), IB_QPS_RTS, RESPONDER, 0, A(MIN_RNR_TIMER) },
	{ S(RTR) | S(RTS) | S(SQD), IB_QPS_RTS, DATAGRAM, 0, A(CUR_STATE) | A(QKEY) },
	{ S(RTR) | S(RTS), IB_QPS_RTS, T(RAW_PACKET), 0, A(RATE_LIMIT) },
	{ S(SQD), IB_QPS_RTS, T(RAW_PACKET) },

	{ S(RTS), IB_QPS_SQD, CONNECTED | DATAGRAM, 0, A(EN_SQD_ASYNC_NOTIFY) },
	{ S(RTS), IB_QPS_SQD, T(RAW_PACKET) },

	{ S(SQD), IB_QPS_SQD, CONNECTED, 0,
	  A(AV) | A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) | A(PATH_MIG_STATE) },
	{ S(SQD), IB_QPS_SQD, RELIABLE, 0, A(PORT) | A(TIMEOUT) },
	{ S(SQD), IB_QPS_SQD, REQUESTER, 0, A(RETRY_CNT) | A(RNR_RETRY) | A(MAX_QP_RD_ATOMIC) },
	{ S(SQD), IB_QPS_SQD, RESPONDER, 0, A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER) },
	{ S(SQD), IB_QPS_SQD, DATAGRAM, 0, A(PKEY_INDEX) | A(QKEY) },
	{ S(SQD), IB_QPS_SQD, T(RAW_PACKET) },

	/* Reliable services never enter SQE: their errors end in ERR. */
	{ S(SQE), IB_QPS_RTS, T(UC), 0, A(CUR_STATE) | A(ACCESS_FLAGS) },
	{ S(SQE), IB_QPS_RTS, DATAGRAM, 0, A(CUR_STATE) | A(QKEY) },
	{ S(SQE), IB_QPS_RTS, T(RAW_PACKET) },
};

static bool covers(const struct rule *rule, u8 from, enum ib_qp_type type)
{
	return (rule->from & from) && type < IB_QPT_MAX && (rule->types & BIT(type));
}

bool __ib_modify_qp_is_ok(enum ib_qp_state cur_state, enum ib_qp_state next_state,
			  enum ib_qp_type type, enum ib_qp_attr_mask mask)
{
	u32 required = 0, accepted = IB_QP_STATE;
	const struct rule *rule;
	bool allowed = false;

	if ((unsigned int)cur_state > IB_QPS_ERR)
		return false;

	for (rule = rules; rule < rules + ARRAY_SIZE(rules); rule++) {
		if (rule->to != next_state || !covers(rule, BIT(cur_state), type))
			continue;
		allowed = true;
		required |= rule->required;
		accepted |= rule->required | rule->optional;
	}
	return allowed && !(required & ~mask) && !(mask & ~accepted);
}
EXPORT_SYMBOL(__ib_modify_qp_is_ok);

bool verbs_qp_mask_valid(enum ib_qp_type type, const struct ib_qp_attr *attr, u32 mask)
{
	u32 accepted = IB_QP_STATE | IB_QP_CUR_STATE;
	const struct rule *rule;

	for (rule = rules; rule < rules + ARRAY_SIZE(rules); rule++) {
		if ((mask & IB_QP_STATE) && rule->to != attr->qp_state)
			continue;
		if (covers(rule, ANY_STATE, type))
			accepted |= rule->required | rule->optional;
	}
	return !(mask & IB_QP_ATTR_STANDARD_BITS & ~accepted);
}
