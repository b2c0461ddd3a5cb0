/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers of the tests of soft InfiniBand: CAs with a UD QP each, datagrams, completions and
 * counters. The ports are active, and have LIDs, before the module is loaded. A datagram has
 * arrived, and its request has completed, when the post of the request returns.
 */
#ifndef _KRDMA_TESTING_KT_SIB_H_
#define _KRDMA_TESTING_KT_SIB_H_

#include <rdma/ib_verbs.h>

#include "../support/ktap.h"
#include "../support/pattern.h"

/* Of two CAs on a fabric where nothing else sends. */
extern const struct ktap_suite ksb_limit_suite, ksb_state_suite, ksb_data_suite, ksb_drop_suite;
extern const struct ktap_suite ksb_error_suite, ksb_address_suite, ksb_cq_suite, ksb_port_suite;
extern const struct ktap_suite ksb_agent_suite, ksb_busy_suite;
/* Of two CAs, where other nodes may send. */
extern const struct ktap_suite ksb_ud_suite, ksb_sqd_suite;
/* Of four CAs and a group. */
extern const struct ktap_suite ksb_mcast_suite;
/* Of a CA with two ports. */
extern const struct ktap_suite ksb_dual_suite;

#define KSB_GRH		40	/* bytes in front of each datagram that is received */
#define KSB_MTU		4096
#define KSB_QKEY	0x4321
#define KSB_DEPTH	16	/* requests of each queue */
#define KSB_SGES	4
#define KSB_INLINE	64
#define KSB_BUF		16384	/* bytes that can be sent */
#define KSB_SLOT	(KSB_GRH + KSB_MTU + 8)	/* bytes that a receive can have */
#define KSB_SLOTS	(KSB_DEPTH + 1)
#define KSB_UNTOUCHED	0xbb	/* each byte of a slot before a datagram comes */
#define KSB_STATS	24	/* counters of a device, at most */

/* wr_id of sends; receives have the number of their slot. */
#define KSB_SEND	77

/**
 * struct ksb_host - a CA
 * @dev: its device, referenced
 * @lid: LID of its port
 * @pd: protection domain
 * @cq: CQ of all its QPs
 * @qp: QP in RTS
 * @buf: KSB_BUF bytes of memory that sends read
 * @slots: KSB_SLOTS pieces of memory that receives write
 * @stats: room for the counters of the device
 * @noted: the counters when ksb_note() was called last
 * @qp_events: events of QPs, as bits
 * @cq_calls: calls of the completion handler
 * @cq_errors: events of the CQ
 */
struct ksb_host {
	struct ib_device *dev;
	u16 lid;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	u8 *buf;
	u8 *slots;
	struct rdma_hw_stats *stats;
	u64 noted[KSB_STATS];
	unsigned long qp_events;
	atomic_t cq_calls;
	atomic_t cq_errors;
};

/**
 * struct ksb_pair - two CAs
 * @a: the CA that sends
 * @b: the CA that receives
 * @ah: address of @b for @a
 * @own: address of @a for itself
 */
struct ksb_pair {
	struct ksb_host a, b;
	struct ib_ah *ah, *own;
};

/**
 * struct ksb_msg - a datagram
 * @from: CA that sends it
 * @qp: QP that sends it
 * @ah: where to
 * @qpn: to which QP
 * @qkey: with which Q_Key
 * @offset: where in the CA's memory it is
 * @length: bytes
 * @seed: of the pattern that it consists of
 * @data: what it consists of instead, if not NULL
 * @opcode: operation of the request
 * @flags: enum ib_send_flags
 * @imm: immediate data
 * @lkey: key of the memory, if not that of the CA's protection domain
 */
struct ksb_msg {
	struct ksb_host *from;
	struct ib_qp *qp;
	struct ib_ah *ah;
	u32 qpn;
	u32 qkey;
	u32 offset;
	u32 length;
	u8 seed;
	const void *data;
	enum ib_wr_opcode opcode;
	int flags;
	u32 imm;
	u32 lkey;
};

/* --- CAs --- */

/*
 * Open and close the CA of a name. ksb_open() returns false if the test has failed; ksb_close()
 * may follow then. It expects that no completion is left.
 */
bool ksb_open(struct ktap *t, struct ksb_host *h, const char *name);
void ksb_close(struct ktap *t, struct ksb_host *h);

struct ib_port_attr ksb_port(struct ktap *t, struct ksb_host *h);

/* Returns attributes of a QP with the sizes above. */
struct ib_qp_init_attr ksb_init_attr(struct ksb_host *h);
/*
 * Return a QP that has been taken from RESET to a state up to RTS, or NULL after the test has
 * failed.
 */
struct ib_qp *ksb_qp(struct ktap *t, struct ksb_host *h, enum ib_qp_state state);
struct ib_qp *ksb_qp_with(struct ktap *t, struct ib_pd *pd, struct ib_qp_init_attr *init,
			  enum ib_qp_state state);
/* Take a QP from RESET to a state, at a port or at port 1. Return false if the test has failed. */
bool ksb_ready_at(struct ktap *t, struct ib_qp *qp, u8 port, enum ib_qp_state last);
bool ksb_ready(struct ktap *t, struct ib_qp *qp, enum ib_qp_state last);
/* Return the attributes that each change of the state needs, and the mask of them. */
struct ib_qp_attr ksb_attr(enum ib_qp_state state);
int ksb_mask(enum ib_qp_state from, enum ib_qp_state to);
int ksb_modify(struct ib_qp *qp, enum ib_qp_state state);
enum ib_qp_state ksb_state(struct ib_qp *qp);

/* Return an address for port 1 of a CA: a LID, and with @dgid not NULL a global route. */
struct rdma_ah_attr ksb_ah_attr(u16 dlid, const union ib_gid *dgid);
/* Make a handle. Return NULL after the test has failed. */
struct ib_ah *ksb_ah_with(struct ktap *t, struct ksb_host *h, struct rdma_ah_attr *attr);
struct ib_ah *ksb_ah(struct ktap *t, struct ksb_host *h, u16 dlid, const union ib_gid *dgid);

/* --- cases with two CAs --- */

typedef void ksb_test(struct ktap *t, struct ksb_pair *p);

/* Runs the test of a case between the start and the end of sib0 and sib1. */
void ksb_run(struct ktap *t);

#define KSB_CASE(title, test)							\
	{ .name = (title), .run = ksb_run, .arg = (ksb_test * const[]) { test } }

/* --- datagrams --- */

/* Return a signalled datagram from the QP of a CA. */
struct ksb_msg ksb_msg_to(struct ksb_host *from, struct ib_ah *ah, u32 qpn, u32 length);
/* The same from the first CA to the QP of the second one, and to its own QP. */
struct ksb_msg ksb_msg(struct ksb_pair *p, u32 length);
struct ksb_msg ksb_own_msg(struct ksb_pair *p, u32 length);

/* Returns an element of memory of a CA. */
struct ib_sge ksb_sge(struct ksb_host *h, const void *at, u32 length);
/* Returns the request that sends these elements as a datagram. */
struct ib_ud_wr ksb_wr(const struct ksb_msg *msg, struct ib_sge *sge, int num_sge);

/* Posts a datagram. Returns the result of ib_post_send(). */
int ksb_post(const struct ksb_msg *msg);
/* Posts a datagram, and expects that it completes with a status. */
void ksb_send(struct ktap *t, const struct ksb_msg *msg, enum ib_wc_status status);

u8 *ksb_slot(struct ksb_host *h, int slot);
/* Post a receive of a slot, which is untouched then. ksb_recv() expects that it is posted. */
int ksb_post_recv(struct ksb_host *h, struct ib_qp *qp, int slot, u32 length);
void ksb_recv(struct ktap *t, struct ksb_host *h, int slot, u32 length);
/* Posts the slots from 0 to KSB_DEPTH - 1 to a QP that has no receive. */
void ksb_recv_all(struct ktap *t, struct ksb_host *h, struct ib_qp *qp, u32 length);
/* Returns whether no slot has been written to since it was posted. */
bool ksb_is_untouched(struct ksb_host *h);

/* Takes the next completion of a CA's CQ, and expects these values. */
struct ib_wc ksb_expect(struct ktap *t, struct ksb_host *h, u64 id, enum ib_wc_status status);
void ksb_expect_none(struct ktap *t, struct ksb_host *h);
/* Expects that a datagram has come to a slot, as it is and with all that its completion says. */
struct ib_wc ksb_expect_data(struct ktap *t, struct ksb_host *h, int slot,
			     const struct ksb_msg *msg);
/* The same, and that the request of the sender has completed after that. */
struct ib_wc ksb_expect_sent(struct ktap *t, struct ksb_host *h, int slot,
			     const struct ksb_msg *msg);
/* Sends a datagram to the QP of a CA, which receives it in slot 0. */
struct ib_wc ksb_deliver(struct ktap *t, struct ksb_host *to, const struct ksb_msg *msg);

/* --- counters --- */

/* Returns a counter of a CA; U64_MAX if it has none of this name. */
u64 ksb_value(struct ksb_host *h, const char *name);
/* Notes the counters of a CA. Then expects that @name has grown by @by, and no other has. */
void ksb_note(struct ksb_host *h);
void ksb_changed(struct ktap *t, struct ksb_host *h, const char *name, u64 by);

#endif /* _KRDMA_TESTING_KT_SIB_H_ */
