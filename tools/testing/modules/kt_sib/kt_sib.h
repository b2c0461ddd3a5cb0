/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers of the tests of soft InfiniBand: two CAs with a UD QP each, datagrams, completions and
 * counters. The ports of sib0 and sib1 are active, and have LIDs, before the module is loaded.
 * Nothing else sends on this fabric.
 */
#ifndef _KRDMA_TESTING_KT_SIB_H_
#define _KRDMA_TESTING_KT_SIB_H_

#include <rdma/ib_verbs.h>

#include "../support/ktap.h"

extern const struct ktap_suite ksb_data_suite, ksb_drop_suite, ksb_error_suite, ksb_state_suite;
extern const struct ktap_suite ksb_limit_suite, ksb_address_suite, ksb_cq_suite, ksb_port_suite;
extern const struct ktap_suite ksb_busy_suite, ksb_agent_suite;

#define KSB_BUF		16384
#define KSB_GRH		40	/* bytes in front of each datagram that is received */
#define KSB_MTU		4096
#define KSB_QKEY	0x1234
#define KSB_DEPTH	16	/* requests of each queue */
#define KSB_SGES	4
#define KSB_INLINE	64
#define KSB_STATS	24	/* counters of a device, at most */
#define KSB_SEND	77	/* wr_id of sends */

/**
 * struct ksb_host - a CA
 * @dev: its device
 * @lid: LID of its port
 * @pd: protection domain
 * @cq: CQ of all its QPs
 * @buf: KSB_BUF bytes of memory
 * @stats: room for the counters of the device
 * @noted: the counters when ksb_note() was called last
 * @cq_calls: calls of the completion handler
 * @cq_errors: events of the CQ
 */
struct ksb_host {
	struct ib_device *dev;
	u16 lid;
	struct ib_pd *pd;
	struct ib_cq *cq;
	u8 *buf;
	struct rdma_hw_stats *stats;
	u64 noted[KSB_STATS];
	atomic_t cq_calls;
	atomic_t cq_errors;
};

/* Two CAs with a QP each, in RTS, and the address of the second one. */
struct ksb_pair {
	struct ksb_host a, b;
	struct ib_qp *qa, *qb;
	struct ib_ah *ah;
};

/* A datagram: what is sent from the first host's memory, and to whom. */
struct ksb_msg {
	struct ib_ah *ah;
	u32 qpn;
	u32 qkey;
	u32 offset;
	u32 length;
	enum ib_wr_opcode opcode;
	int flags;
	u32 imm;
	u32 lkey;
};

/* Start and end two CAs. ksb_start() returns false if the test has failed. */
bool ksb_start(struct ktap *t, struct ksb_pair *p);
void ksb_end(struct ktap *t, struct ksb_pair *p);

/* Returns attributes of a QP with the sizes above. */
struct ib_qp_init_attr ksb_init_attr(struct ksb_host *h);
/* Makes a QP in RESET; takes a QP to a state by INIT and RTR; each fails the test on an error. */
struct ib_qp *ksb_qp(struct ktap *t, struct ksb_host *h);
void ksb_ready(struct ktap *t, struct ib_qp *qp, enum ib_qp_state last);
/* Returns the attributes that each change of the state needs, and the mask of them. */
struct ib_qp_attr ksb_attr(enum ib_qp_state state);
int ksb_mask(enum ib_qp_state from, enum ib_qp_state to);
int ksb_modify(struct ib_qp *qp, enum ib_qp_state state);
enum ib_qp_state ksb_state(struct ib_qp *qp);

/* Returns the address of a LID for port 1 of a host. */
struct rdma_ah_attr ksb_ah_attr(u16 lid);

/* Fill and compare memory with a pattern of this seed. */
void ksb_fill(void *data, u32 length, u8 seed);
bool ksb_is(const void *data, u32 length, u8 seed);

/* Returns a datagram of this length from the first CA's QP to the second one's, signalled. */
struct ksb_msg ksb_msg(struct ksb_pair *p, u32 length);
/* Posts a datagram; returns what ib_post_send() does. */
int ksb_post(struct ksb_host *h, struct ib_qp *qp, const struct ksb_msg *msg);
/* Sends a datagram from the first CA's QP, and expects the status of the completion. */
void ksb_send(struct ktap *t, struct ksb_pair *p, const struct ksb_msg *msg,
	      enum ib_wc_status status);
int ksb_recv(struct ksb_host *h, struct ib_qp *qp, u64 id, u32 offset, u32 length);

/* Takes the next completion of a host's CQ, and expects these values. */
struct ib_wc ksb_expect(struct ktap *t, struct ksb_host *h, u64 id, enum ib_wc_status status);
/* Expects that no completion is left: a datagram has arrived when its request has completed. */
void ksb_expect_none(struct ktap *t, struct ksb_host *h);

/* Notes the counters of a host. Then expects that @name has grown by @by, and no other has. */
void ksb_note(struct ksb_host *h);
void ksb_changed(struct ktap *t, struct ksb_host *h, const char *name, u64 by);

#endif /* _KRDMA_TESTING_KT_SIB_H_ */
