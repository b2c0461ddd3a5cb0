/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Agents that note what their handlers are called with, and MADs for them.
 */
#ifndef _KRDMA_TESTING_KT_MAD_H_
#define _KRDMA_TESTING_KT_MAD_H_

#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include <rdma/krdma_mad.h>

#include "../memdev/memdev.h"
#include "../support/ktap.h"

#define KMD_EVENTS	512
#define KMD_VENDOR	0x30	/* a vendor's class with RMPP */
#define KMD_PLAIN	0x09	/* a class without RMPP */
#define KMD_SHORT	20	/* milliseconds: a time that passes in a test */
#define KMD_LONG	30000	/* milliseconds: a time that does not pass in a test */

/* A call of a handler: @recv is NULL if it was that of completions. */
struct kmd_event {
	struct ib_mad_send_buf *send;
	struct ib_mad_recv_wc *recv;
	enum ib_wc_status status;
	u32 vendor_err;
};

/**
 * struct kmd_agent - an agent of a test
 * @agent: the agent
 * @lock: protects @events and @nr
 * @nr: number of events
 * @events: the events
 * @answers: the agent answers requests
 * @answer_len: length of the data of answers by RMPP, in bytes; 0: they are plain MADs
 * @silent: the agent frees what it receives, and notes nothing
 * @ends_ahs: the agent destroys the address handle of each send that has completed
 * @gate: the handler of received MADs waits for it, if it is not NULL
 * @held: the handler waits
 */
struct kmd_agent {
	struct ib_mad_agent *agent;
	spinlock_t lock;	/* of those who change @events and @nr */
	unsigned int nr;
	struct kmd_event events[KMD_EVENTS];
	bool answers;
	int answer_len;
	bool silent;
	bool ends_ahs;
	struct completion *gate;
	bool held;
};

/* Two devices of one port, linked to each other, with an agent each. */
struct kmd_pair {
	struct fakedev *fa, *fb;
	struct ib_device *a, *b;
	struct kmd_agent from, to;
};

/* Describes an agent; @methods is a mask of the methods below 64. */
struct kmd_reg {
	enum ib_qp_type qp;
	u8 mgmt_class;
	u8 version;
	u8 rmpp;
	u32 flags;
	u64 methods;
};

#define KMD_GET		BIT(IB_MGMT_METHOD_GET)
#define KMD_SET		BIT(IB_MGMT_METHOD_SET)
#define KMD_SEND	BIT(IB_MGMT_METHOD_SEND)
#define KMD_TRAP	BIT(IB_MGMT_METHOD_TRAP)

/* Get, Set and Send of a class without RMPP. */
extern const struct kmd_reg kmd_plain;
/* The same of a vendor's class, with RMPP by ib_mad or by the agent. */
extern const struct kmd_reg kmd_rmpp, kmd_own_rmpp;

/* context[0] of a MAD that is freed when it has completed, without an event. */
#define KMD_FREED	((void *)1)

/* Registers an agent. Returns false, and fails the test, if that does not succeed. */
bool kmd_register(struct ktap *t, struct kmd_agent *a, struct ib_device *dev,
		  const struct kmd_reg *reg);
/* Unregisters an agent, and frees what it has received. */
void kmd_unregister(struct kmd_agent *a);

/* Starts two devices: the first agent sends MADs of @reg's class, and the second one wants them. */
bool kmd_start(struct ktap *t, struct kmd_pair *p, const struct kmd_reg *reg);
void kmd_end(struct kmd_pair *p);
/* Starts a sender of kmd_rmpp, and a receiver of kmd_own_rmpp. */
bool kmd_start_by_hand(struct ktap *t, struct kmd_pair *p);

/*
 * Makes a MAD from an agent to a LID. @len: length of the data of an RMPP message, or 0 for a
 * plain MAD. The data are those of kmd_byte(). kmd_free() frees it, with its address handle.
 */
struct ib_mad_send_buf *kmd_new(struct ktap *t, struct kmd_agent *a, u32 lid, u8 method,
				unsigned int len);
void kmd_free(struct ib_mad_send_buf *buf);
/* Has a MAD go to a GID of its destination. Returns false, and fails the test, if it cannot. */
bool kmd_use_gid(struct ktap *t, struct ib_mad_send_buf *buf, union ib_gid gid);
/* Returns a plain MAD's header. */
static inline struct ib_mad_hdr *kmd_hdr(struct ib_mad_send_buf *buf)
{
	return buf->mad;
}

u8 kmd_byte(unsigned int i);
/* Returns whether a message has @len bytes of kmd_byte() as data. */
bool kmd_is_whole(const struct ib_mad_recv_wc *wc, unsigned int len);

/* Posts a MAD, which has to be taken. */
void kmd_post(struct ktap *t, struct ib_mad_send_buf *buf);
/*
 * Sends a MAD of RMPP that the test has made, from an agent of kmd_own_rmpp without events, and
 * waits until it has completed. @tid 0: a new transaction.
 */
struct ib_mad_send_buf *kmd_post_by_hand(struct ktap *t, struct kmd_agent *a, u32 lid, u8 method,
					 __be64 tid, const struct ib_rmpp_hdr *hdr);
/* Returns how many events an agent has, which may be read. */
static inline unsigned int kmd_nr(const struct kmd_agent *a)
{
	/* Pairs with note(). */
	return smp_load_acquire(&a->nr);
}

/* Waits until an agent has @nr events, and returns the last one of those, or an empty one. */
struct kmd_event kmd_wait(struct ktap *t, struct kmd_agent *a, unsigned int nr);
static inline bool kmd_is_held(const struct kmd_agent *a)
{
	return READ_ONCE(a->held);
}

/* Returns how often the handler of completions was called for a MAD. */
unsigned int kmd_completions(struct kmd_agent *a, const struct ib_mad_send_buf *buf);
/* Frees all that an agent has received, and forgets its events. */
void kmd_forget(struct kmd_agent *a);
/* Waits for the one event of @buf, and expects that it is its completion with a status. */
#define KMD_ENDS(t, a, buf, wanted)						\
({										\
	struct kmd_event __event = kmd_wait(t, a, 1);				\
										\
	KT_EXPECT(t, !__event.recv && __event.send == (buf));			\
	KT_EXPECT_EQ(t, __event.status, wanted);				\
	kmd_forget(a);								\
})

/* Headers of RMPP: version, type, flags, status, segment, length. */
#define KMD_HDR(version, type, flags, status, segment, length)			\
	{ version, type, flags, status, cpu_to_be32(segment), cpu_to_be32(length) }
#define KMD_FIRST	(IB_MGMT_RMPP_FLAG_ACTIVE | IB_MGMT_RMPP_FLAG_FIRST)
#define KMD_LAST	(IB_MGMT_RMPP_FLAG_ACTIVE | IB_MGMT_RMPP_FLAG_LAST)

/* Waits until a counter of port 1 has a value. */
#define KMD_COUNTS(t, dev, name, value)						\
	KT_WAIT(t, krdma_mad_read(dev, rdma_start_port(dev), KRDMA_MAD_##name) == (value))

extern const struct ktap_suite kmd_agent_suite, kmd_send_suite, kmd_ends_suite, kmd_smp_suite,
	kmd_recv_suite, kmd_rmpp_suite, kmd_by_hand_suite, kmd_limits_suite, kmd_devices_suite,
	kmd_held_suite, kmd_roce_suite;

#endif /* _KRDMA_TESTING_KT_MAD_H_ */
