/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers of the tests over memdev: devices, connections between them, requests and completions.
 */
#ifndef _KRDMA_TESTING_KT_MEMDEV_H_
#define _KRDMA_TESTING_KT_MEMDEV_H_

#include "../support/ktap.h"
#include "../support/pattern.h"
#include "../memdev/memdev.h"

extern const struct ktap_suite ktm_rc_suite, ktm_errors_suite, ktm_mem_suite, ktm_uc_suite;
extern const struct ktap_suite ktm_srq_suite, ktm_ud_suite, ktm_mcast_suite, ktm_xrc_suite;
extern const struct ktap_suite ktm_state_suite, ktm_cq_suite, ktm_roce_suite;
extern const struct ktap_suite ktm_rw_suite, ktm_mw_suite, ktm_fmr_suite;
extern const struct ktap_suite ktm_dif_suite;

#define KTM_BUF		16384
#define KTM_QKEY	0x1234
#define KTM_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct ktm_host - a device with what a test needs of it
 * @fd: the device
 * @dev: the same device
 * @pd: protection domain
 * @cq: CQ of all QPs, for sends and receives
 * @buf: KTM_BUF bytes of memory
 * @mr: region of @buf, if ktm_register() was called
 * @sg: list that @mr is made of
 * @qp_events: events of QPs, as bits
 * @cq_events: number of calls of the CQ's completion handler
 * @cq_errors: number of events of the CQ
 */
struct ktm_host {
	struct fakedev *fd;
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	u8 *buf;
	struct ib_mr *mr;
	struct scatterlist sg;
	unsigned long qp_events;
	atomic_t cq_events;
	atomic_t cq_errors;
};

/* Two devices, with a QP each, which may be connected. */
struct ktm_pair {
	struct ktm_host a, b;
	struct ib_qp *qa, *qb;
};

/* Start and end a device. After an error the test has failed. */
bool ktm_start(struct ktap *t, struct ktm_host *h, const struct memdev_config *config);
void ktm_end(struct ktap *t, struct ktm_host *h);

/* Returns attributes of a QP with queues of 16 requests of 4 elements. */
struct ib_qp_init_attr ktm_init_attr(struct ktm_host *h, enum ib_qp_type type);
struct ib_qp *ktm_qp(struct ktap *t, struct ktm_host *h, enum ib_qp_type type);

/* Returns all attributes of a QP of host @h that is connected to QP @qpn of host @to. */
struct ib_qp_attr ktm_attr(struct ktm_host *h, struct ktm_host *to, u32 qpn);
/* Returns the attributes that a QP of this type needs to go to @state from the state before it. */
int ktm_mask(enum ib_qp_type type, enum ib_qp_state state);
/* Takes a QP from RESET through INIT and RTR to @last. */
void ktm_ready(struct ktap *t, struct ib_qp *qp, const struct ib_qp_attr *attr,
	       enum ib_qp_state last);
enum ib_qp_state ktm_state(struct ib_qp *qp);
int ktm_modify(struct ib_qp *qp, enum ib_qp_state state);

/* Start two devices, connect two QPs of a type. Returns false if the test has failed. */
bool ktm_start_pair(struct ktap *t, struct ktm_pair *p, enum ib_qp_type type);
/* The same with QPs that are not connected. */
bool ktm_make_pair(struct ktap *t, struct ktm_pair *p, enum ib_qp_type type);
void ktm_connect(struct ktap *t, struct ktm_pair *p);
/* Resets both QPs and connects them again. */
void ktm_reconnect(struct ktap *t, struct ktm_pair *p);
void ktm_end_pair(struct ktap *t, struct ktm_pair *p);

/* Makes @h->mr a region of @h->buf with these rights, by a request on @qp. */
bool ktm_register(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, int access);
int ktm_post_reg(struct ib_qp *qp, struct ib_mr *mr, u32 key, int access);
/* Posts an invalidation, with wr_id 0x11f. */
int ktm_post_inv(struct ib_qp *qp, u32 key);

/* A request of any operation of a connection, with one element, or none if the length is 0. */
struct ktm_wr {
	union {
		struct memdev_xrc_wr xrc;
		struct ib_atomic_wr atomic;
	};
	struct ib_sge sge;
};

/* Fill in a request for @length bytes of @h->buf from @offset, with wr_id @id, signaled. */
struct ib_send_wr *ktm_wr(struct ktm_wr *w, struct ktm_host *h, enum ib_wr_opcode opcode, u64 id,
			  u32 offset, u32 length);
struct ib_send_wr *ktm_rdma_wr(struct ktm_wr *w, struct ktm_host *h, enum ib_wr_opcode opcode,
			       u64 id, u32 offset, u32 length, u64 addr, u32 rkey);
int ktm_send(struct ib_qp *qp, struct ktm_host *h, enum ib_wr_opcode opcode, u64 id, u32 offset,
	     u32 length);
int ktm_rdma(struct ib_qp *qp, struct ktm_host *h, enum ib_wr_opcode opcode, u64 id, u32 offset,
	     u32 length, u64 addr, u32 rkey);
int ktm_recv(struct ib_qp *qp, struct ktm_host *h, u64 id, u32 offset, u32 length);
int ktm_srq_recv(struct ib_srq *srq, struct ktm_host *h, u64 id, u32 offset, u32 length);

/* Waits for the next completion of the host's CQ, and expects these values. */
struct ib_wc ktm_expect(struct ktap *t, struct ktm_host *h, u64 id, enum ib_wc_status status,
			enum ib_wc_opcode opcode);
#define KTM_EXPECT(t, h, id, result, operation)					\
({										\
	struct ib_wc __wc = ktm_expect(t, h, id, IB_WC_##result, IB_WC_##operation); \
										\
	if (__wc.wr_id != (id) || __wc.status != IB_WC_##result)		\
		ktap_note(t, "at line %d", __LINE__);				\
	__wc;									\
})

/*
 * Has @p->qa write 8 bytes of @p->a.buf to the peer's memory, or read them, and expects this
 * status. Connects again after an error.
 */
void ktm_expect_rdma(struct ktap *t, struct ktm_pair *p, enum ib_wr_opcode opcode, u64 addr,
		     u32 key, enum ib_wc_status status);

/* Expects that the CQ has no more completions, once all that was posted has been executed. */
void ktm_expect_none(struct ktap *t, struct ktm_host *h);

#define KTM_EXPECT_EVENT(t, h, event) KT_WAIT(t, test_bit(IB_EVENT_##event, &(h)->qp_events))

#endif /* _KRDMA_TESTING_KT_MEMDEV_H_ */
