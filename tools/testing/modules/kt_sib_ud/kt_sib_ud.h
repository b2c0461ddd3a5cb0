/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers of the tests of datagrams over sib. A datagram has arrived, and its request has
 * completed, when the post of the request returns.
 */
#ifndef _KRDMA_TESTING_KT_SIB_UD_H_
#define _KRDMA_TESTING_KT_SIB_UD_H_

#include <rdma/ib_verbs.h>

#include "../support/ktap.h"

extern const struct ktap_suite kts_ud_suite, kts_state_suite, kts_mcast_suite;

#define KTS_QKEY	0x4321
#define KTS_GRH		40
#define KTS_MTU		4096
#define KTS_SLOT	(KTS_GRH + KTS_MTU + 8)	/* bytes of a receive */
#define KTS_SLOTS	4
#define KTS_DEPTH	8	/* requests in each queue of a QP */

/* wr_id of sends; receives have the number of their slot. */
#define KTS_SEND	77

/**
 * struct kts_host - a device with what a test needs of it
 * @dev: the device, referenced
 * @pd: protection domain
 * @cq: CQ of all QPs
 * @qp: QP in RTS
 * @data: memory of sends
 * @slots: memory of receives
 * @lid: LID of port 1
 * @events: events of QPs, as bits
 */
struct kts_host {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	u8 *data;
	u8 *slots;
	u16 lid;
	unsigned long events;
};

/* Open and close the device of a name. kts_close() may follow a kts_open() that has failed. */
bool kts_open(struct ktap *t, struct kts_host *h, const char *name);
void kts_close(struct kts_host *h);

/* Returns a QP in RTS, or NULL after the test has failed. @flags: enum ib_qp_create_flags. */
struct ib_qp *kts_qp(struct ktap *t, struct kts_host *h, u32 flags);
int kts_move(struct ib_qp *qp, enum ib_qp_state state);
enum ib_qp_state kts_state(struct ib_qp *qp);
/* Takes a QP from RESET to RTS. */
bool kts_ready(struct ktap *t, struct ib_qp *qp);

/* Returns an address of port 1 of @h. @dgid: the address has a global route there. */
struct ib_ah *kts_ah(struct ktap *t, struct kts_host *h, u16 dlid, const union ib_gid *dgid);

/**
 * struct kts_send - a send
 * @ah: where to
 * @qpn: to which QP
 * @qkey: with which Q_Key
 * @length: bytes
 * @seed: of the pattern that is sent
 * @flags: enum ib_send_flags
 * @imm: immediate data, if not 0
 */
struct kts_send {
	struct ib_ah *ah;
	u32 qpn;
	u32 qkey;
	u32 length;
	u8 seed;
	int flags;
	u32 imm;
};

/* Posts a send, signalled. Returns the result of ib_post_send(). */
int kts_post(struct kts_host *h, struct ib_qp *qp, const struct kts_send *send);
/* Posts a send, and expects that it completes with a status. */
void kts_send(struct ktap *t, struct kts_host *h, struct ib_qp *qp, const struct kts_send *send,
	      enum ib_wc_status status);
/* Posts a receive into a slot. */
int kts_recv(struct kts_host *h, struct ib_qp *qp, int slot, u32 length);

/* Takes the next completion, and expects these values. */
struct ib_wc kts_expect(struct ktap *t, struct kts_host *h, u64 id, enum ib_wc_status status);
void kts_expect_none(struct ktap *t, struct kts_host *h);
/* Expects that a datagram with the pattern of a seed has come to a slot. */
struct ib_wc kts_expect_data(struct ktap *t, struct kts_host *h, int slot, u32 length, u8 seed);

#endif /* _KRDMA_TESTING_KT_SIB_UD_H_ */
