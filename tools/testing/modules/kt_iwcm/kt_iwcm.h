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

#include "../support/fakedev.h"
#include "../support/ktap.h"

extern const struct ktap_suite kt_iwcm_connect_suite, kt_iwcm_listen_suite, kt_iwcm_table_suite;
extern const struct ktap_suite kt_iwcm_destroy_suite, kt_iwcm_device_suite, kt_iwcm_many_suite;
extern const struct ktap_suite kt_iwcm_track_suite;

#define KT_NR_QPS	64

/* The provider's methods call functions of this type. */
typedef void (*kt_inside)(struct iw_cm_id *id);

enum kt_op { KT_CONNECT, KT_ACCEPT, KT_REJECT, KT_LISTEN, KT_UNLISTEN, KT_NR_OPS };

/**
 * struct kt_qp - a QP of the provider; the number of kt_prov.qps[i] is i + 1
 * @ibqp: the verbs object
 * @refs: number of references that iw_cm holds to the QP
 * @drains: number of modifications to a state other than ERR; iw_cm moves a QP to SQD to drain it
 * @aborts: number of modifications to ERR; iw_cm moves a QP to ERR to abort the connection
 * @id: identifier that connect or accept has bound to the QP last, with a reference, or NULL
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
 * @fd: the fake device
 * @dev: the ib_device of @fd
 * @ret: results that the methods return
 * @inside: functions that the methods call before they return, or NULL
 * @getting: function that get_qp calls, or NULL
 * @calls: number of calls of each method
 * @modify: function that modify_qp calls and whose result modify_qp returns; kt_close_on_abort()
 *	unless a test changes it
 * @reject_len: bytes of private data in the last call of reject
 * @backlog: backlog with which the provider was last asked to listen
 * @qps: the QPs
 */
struct kt_provider {
	struct fakedev *fd;
	struct ib_device *dev;
	int ret[KT_NR_OPS];
	kt_inside inside[KT_NR_OPS];
	void (*getting)(void);
	atomic_t calls[KT_NR_OPS];
	int (*modify)(struct kt_qp *qp, enum ib_qp_state to);
	u16 reject_len;
	int backlog;
	struct kt_qp qps[KT_NR_QPS];
};

extern struct kt_provider kt_prov;

/* The operations for iw_cm of the device that kt_iw_start() creates. */
extern const struct ib_device_ops kt_iw_ops;

/*
 * kt_iw_start() creates a test's device; kt_iw_end() destroys the device, and fails the test if
 * iw_cm still holds a reference to a QP. kt_iw_start() returns false and fails the test on error.
 */
bool kt_iw_start(struct ktap *t);
void kt_iw_end(struct ktap *t);
/* Unregisters the device, which stays allocated until kt_iw_end(). */
void kt_iw_unregister(void);

/*
 * Report an event of @id to iw_cm and return iw_cm's result. kt_report_data() adds @len bytes of
 * private data.
 */
int kt_report(struct iw_cm_id *id, enum iw_cm_event_type type, int status);
int kt_report_data(struct iw_cm_id *id, enum iw_cm_event_type type, int status, u16 len);

/*
 * Functions for kt_provider.modify, which return 0. For a modification to ERR, kt_close_on_abort()
 * reports CLOSE.
 */
int kt_close_on_abort(struct kt_qp *qp, enum ib_qp_state to);
int kt_do_nothing(struct kt_qp *qp, enum ib_qp_state to);

#define KT_MAX_SEEN	16

/**
 * struct kt_client - an identifier, and the events that its handler got
 * @id: the identifier
 * @nr: number of events that the handler has handled
 * @seen: type of each of the first KT_MAX_SEEN events
 * @status: status of each event
 * @len: bytes of private data of each event
 * @ids: identifier with which each event was delivered
 * @data_ok: all private data was received as it was reported
 * @running: number of calls of the handler that have not returned
 * @overlapped: two calls of the handler have run at the same time
 * @hook: function that the handler calls and whose result the handler returns, or NULL
 * @entered: completed when kt_block() begins
 * @go: completion that kt_block() waits for
 * @wait: wait queue that is woken after each event
 * @child: client that gets the identifiers of connection requests, or NULL
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
/*
 * Initializes a client and creates its identifier, with addresses. Returns false and fails the test
 * on error.
 */
bool kt_client_open(struct ktap *t, struct kt_client *c);
void kt_set_addresses(struct iw_cm_id *id);
int kt_connect(struct kt_client *c, u32 qpn);
/*
 * Opens a client, connects it with QP @qpn, reports that the connection is established, and waits
 * until the client has handled this event. Returns false and fails the test on error.
 */
bool kt_establish(struct ktap *t, struct kt_client *c, u32 qpn);
bool kt_listen(struct ktap *t, struct kt_client *c, int backlog);
int kt_accept(struct iw_cm_id *id, u32 qpn);
void kt_close(struct kt_client *c);

/* Waits until @nr events were handled, 5 seconds at most. Returns whether they were. */
bool kt_wait_events(struct kt_client *c, int nr);
/* Waits 20 ms. Returns whether at most @nr events have been delivered by the end of that time. */
bool kt_no_more_events(struct kt_client *c, int nr);

/*
 * Functions for kt_client.hook. kt_block() waits for c->go, 60 seconds at most, and returns 0;
 * kt_destroy_inside() destroys the identifier and returns 0; kt_return_error() returns -EIO;
 * kt_destroy_and_error() does both.
 */
int kt_block(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event);
int kt_destroy_inside(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event);
int kt_return_error(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event);
int kt_destroy_and_error(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event);

/* A hook as the argument of a case, see ktap_arg(). */
struct kt_hook {
	int (*hook)(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event);
};

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
/* Returns true if the identifier's destruction is still running after 30 ms. */
bool kt_destroy_waits(struct kt_destroyer *d);
/*
 * Waits until the identifier's destruction has returned. Returns false if that took more than 5
 * seconds.
 */
bool kt_destroy_finish(struct kt_destroyer *d);

#endif /* _KRDMA_TESTING_KT_IWCM_H_ */
