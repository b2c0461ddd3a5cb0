/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the tests of iw_cm share: a provider that reports whatever a test wants, at any time, and a
 * client that writes down what it is told.
 */
#ifndef _KRDMA_TESTING_KT_IWCM_H_
#define _KRDMA_TESTING_KT_IWCM_H_

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/wait.h>
#include <rdma/iw_cm.h>

#include "fakedev.h"
#include "ktap.h"

extern const struct ktap_suite kt_iwcm_connect_suite, kt_iwcm_listen_suite, kt_iwcm_table_suite;
extern const struct ktap_suite kt_iwcm_destroy_suite, kt_iwcm_device_suite, kt_iwcm_many_suite;
extern const struct ktap_suite kt_iwcm_track_suite;

#define KT_NR_QPS	64

/* Called inside a method of the provider. */
typedef void (*kt_inside)(struct iw_cm_id *id);

enum kt_op { KT_CONNECT, KT_ACCEPT, KT_REJECT, KT_LISTEN, KT_UNLISTEN, KT_NR_OPS };

/**
 * struct kt_qp - a QP of the provider; its number is its index plus one
 * @ibqp: what the verbs see of it
 * @refs: references of iw_cm
 * @drains: how often it was told to drain (SQD)
 * @aborts: how often it was told to abort (ERR)
 * @id: identifier it was last connected with, with a reference
 */
struct kt_qp {
	struct ib_qp ibqp;
	atomic_t refs;
	atomic_t drains;
	atomic_t aborts;
	struct iw_cm_id *id;
};

/**
 * struct kt_provider - the provider, as a test sets it up and looks at it
 * @fd: the device
 * @dev: the device
 * @ret: results of the methods
 * @inside: called inside the methods, before they return
 * @calls: how often the methods were called
 * @modify: called inside modify_qp, decides its result; kt_close_on_abort() at first
 * @reject_len: private data of the last reject
 * @backlog: of the last listen
 * @qps: the QPs
 */
struct kt_provider {
	struct fakedev *fd;
	struct ib_device *dev;
	int ret[KT_NR_OPS];
	kt_inside inside[KT_NR_OPS];
	atomic_t calls[KT_NR_OPS];
	int (*modify)(struct kt_qp *qp, enum ib_qp_state to);
	u16 reject_len;
	int backlog;
	struct kt_qp qps[KT_NR_QPS];
};

extern struct kt_provider kt_prov;

/* A device for one test, and its end, which fails the test if a QP reference is left. */
bool kt_iw_start(struct ktap *t);
void kt_iw_end(struct ktap *t);
void kt_iw_unregister(void);

/* Reports an event; the result is iw_cm's. */
int kt_fire(struct iw_cm_id *id, enum iw_cm_event_type type, int status);
int kt_fire_data(struct iw_cm_id *id, enum iw_cm_event_type type, int status, u16 len);

/* What a well-behaved provider does when it is to abort, and what a deaf one does. */
int kt_close_on_abort(struct kt_qp *qp, enum ib_qp_state to);
int kt_do_nothing(struct kt_qp *qp, enum ib_qp_state to);

#define KT_MAX_SEEN	16

/**
 * struct kt_client - an identifier and what its handler was told
 * @id: the identifier
 * @nr: number of events
 * @seen: kinds of events
 * @status: their status
 * @len: length of their private data
 * @ids: identifiers they came with
 * @data_ok: all private data was as sent
 * @running: handlers that run
 * @overlapped: two ran at a time
 * @hook: called in the handler, decides its result; may be NULL
 * @entered: completed when a blocking hook begins
 * @go: what it waits for
 * @wait: woken after each event
 * @child: client that takes over the identifiers of requests, or NULL
 */
struct kt_client {
	struct iw_cm_id *id;
	atomic_t nr;
	enum iw_cm_event_type seen[KT_MAX_SEEN];
	int status[KT_MAX_SEEN];
	u16 len[KT_MAX_SEEN];
	struct iw_cm_id *ids[KT_MAX_SEEN];
	bool data_ok;
	atomic_t running;
	bool overlapped;
	int (*hook)(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event);
	struct completion entered;
	struct completion go;
	wait_queue_head_t wait;
	struct kt_client *child;
};

void kt_client_init(struct kt_client *c);
/* With an identifier. */
bool kt_client_open(struct ktap *t, struct kt_client *c);
void kt_addresses(struct iw_cm_id *id);
int kt_connect(struct kt_client *c, u32 qpn);
/* Connects and reports success. */
bool kt_establish(struct ktap *t, struct kt_client *c, u32 qpn);
bool kt_listen(struct ktap *t, struct kt_client *c, int backlog);
int kt_accept(struct iw_cm_id *id, u32 qpn);
void kt_close(struct kt_client *c);

/* Waits until @nr events were handled. */
bool kt_told(struct kt_client *c, int nr);
/* A moment later there are still not more than @nr. */
bool kt_quiet(struct kt_client *c, int nr);

/* Hooks: wait for c->go; destroy the identifier. */
int kt_block(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event);
int kt_destroy_inside(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event);
int kt_return_error(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event);

static inline struct kt_qp *kt_qp(u32 qpn)
{
	return &kt_prov.qps[qpn - 1];
}

static inline int kt_calls(enum kt_op op)
{
	return atomic_read(&kt_prov.calls[op]);
}

static inline int kt_refs(u32 qpn)
{
	return atomic_read(&kt_qp(qpn)->refs);
}

/* Destroys an identifier in another thread. */
struct kt_destroyer {
	struct work_struct work;
	struct iw_cm_id *id;
	struct completion done;
};

void kt_destroy_elsewhere(struct kt_destroyer *d, struct iw_cm_id *id);
/* Has it returned, now or a moment later? */
bool kt_destroyed(struct kt_destroyer *d);
bool kt_destroy_waits(struct kt_destroyer *d);

#endif /* _KRDMA_TESTING_KT_IWCM_H_ */
