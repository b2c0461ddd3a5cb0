/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers of the tests of iw_cm: a provider that reports the events that a test chooses, at any
 * time, and a client that records the events it gets.
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

/* A function that a method of the provider calls. */
typedef void (*kt_inside)(struct iw_cm_id *id);

enum kt_op { KT_CONNECT, KT_ACCEPT, KT_REJECT, KT_LISTEN, KT_UNLISTEN, KT_NR_OPS };

/**
 * struct kt_qp - a QP of the provider; its number is its index plus one
 * @ibqp: the verbs object
 * @refs: references of iw_cm
 * @drains: modifications to a state other than ERR; iw_cm asks for SQD, which drains
 * @aborts: modifications to ERR, by which iw_cm aborts the connection
 * @id: last identifier that connect or accept bound to the QP, with a reference
 */
struct kt_qp {
	struct ib_qp ibqp;
	atomic_t refs;
	atomic_t drains;
	atomic_t aborts;
	struct iw_cm_id *id;
};

/**
 * struct kt_provider - the provider; tests set and read its members
 * @fd: the device
 * @dev: the device
 * @ret: results of the methods
 * @inside: called inside the methods, before they return; may be NULL
 * @calls: number of calls of the methods
 * @modify: called inside modify_qp, whose result it decides; initially kt_close_on_abort()
 * @reject_len: length of the private data of the last reject
 * @backlog: backlog of the last listen
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

/* Create and destroy a test's device; kt_iw_end() fails the test if a QP reference is left. */
bool kt_iw_start(struct ktap *t);
void kt_iw_end(struct ktap *t);
/* Unregisters the device; until kt_iw_end(), the test has an unregistered one. */
void kt_iw_unregister(void);

/* Report an event, with @len bytes of private data; return the result of iw_cm. */
int kt_report(struct iw_cm_id *id, enum iw_cm_event_type type, int status);
int kt_report_data(struct iw_cm_id *id, enum iw_cm_event_type type, int status, u16 len);

/* Values of kt_provider.modify: report CLOSE when asked to abort; only return success. */
int kt_close_on_abort(struct kt_qp *qp, enum ib_qp_state to);
int kt_do_nothing(struct kt_qp *qp, enum ib_qp_state to);

#define KT_MAX_SEEN	16

/**
 * struct kt_client - an identifier, and the events that its handler got
 * @id: the identifier
 * @nr: number of events that were handled
 * @seen: types of the events
 * @status: status of the events
 * @len: length of the events' private data
 * @ids: identifiers that the events were delivered with
 * @data_ok: all private data was received as sent
 * @running: number of handlers that run
 * @overlapped: two handlers have run at the same time
 * @hook: called in the handler, whose result it decides; may be NULL
 * @entered: completed when kt_block() begins
 * @go: completion that kt_block() waits for
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
/* Initializes a client and creates its identifier, with addresses. */
bool kt_client_open(struct ktap *t, struct kt_client *c);
void kt_set_addresses(struct iw_cm_id *id);
int kt_connect(struct kt_client *c, u32 qpn);
/* Opens a client, connects it, and reports success. */
bool kt_establish(struct ktap *t, struct kt_client *c, u32 qpn);
bool kt_listen(struct ktap *t, struct kt_client *c, int backlog);
int kt_accept(struct iw_cm_id *id, u32 qpn);
void kt_close(struct kt_client *c);

/* Waits until @nr events were handled, 5 seconds at most. */
bool kt_wait_events(struct kt_client *c, int nr);
/* Waits 20 ms; returns whether at most @nr events were delivered by then. */
bool kt_no_more_events(struct kt_client *c, int nr);

/* Values of kt_client.hook: wait for c->go; destroy the identifier; return an error. */
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

/* A work item that destroys an identifier. */
struct kt_destroyer {
	struct work_struct work;
	struct iw_cm_id *id;
	struct completion done;
};

void kt_destroy_start(struct kt_destroyer *d, struct iw_cm_id *id);
/* Returns true if destruction is still under way after 30 ms. */
bool kt_destroy_waits(struct kt_destroyer *d);
/* Waits until destruction has returned. False if that took more than 5 seconds. */
bool kt_destroy_finish(struct kt_destroyer *d);

#endif /* _KRDMA_TESTING_KT_IWCM_H_ */
