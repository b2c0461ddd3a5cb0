/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kpuppet: a ULP that does what is written to /dev/kpuppet. See COMMANDS for what that is.
 */
#ifndef KPUPPET_H
#define KPUPPET_H

#include <linux/completion.h>
#include <linux/kfifo.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>
#include <rdma/rdma_cm.h>

#define KP_NAME_LEN	16
#define KP_MAX_LINE	16384
#define KP_MAX_WORDS	24
#define KP_MAX_SGE	8
#define KP_MAX_PDATA	1024
#define KP_MAX_REPORT	12288
#define KP_WAIT		(5 * HZ)

/* In the order in which a session that ends destroys them. */
enum kp_kind {
	KP_RID,
	KP_CM,
	KP_QP,
	KP_SRQ,
	KP_MR,
	KP_CQ,
	KP_NR_KINDS
};

/**
 * struct kp_reports - lines on their way to the reader
 * @reading: guards @first to @first_len; outside of @lock
 * @first: the line that is being read
 * @first_pos: where the rest of it begins
 * @first_len: where it ends; @first_pos: there is none
 * @wait: readers
 * @lock: guards all below
 * @line: the one that is being written
 * @lines: those behind @first
 * @lost: lines without room since one was told of them
 */
struct kp_reports {
	struct mutex reading; /* first, first_pos, first_len */
	char first[KP_MAX_REPORT];
	unsigned int first_pos;
	unsigned int first_len;
	wait_queue_head_t wait;
	spinlock_t lock; /* guards what follows; irq, innermost */
	char line[KP_MAX_REPORT];
	struct kfifo_rec_ptr_2 lines;
	unsigned int lost;
};

/**
 * struct kp_session - an open file
 * @entry: in the list of main.c
 * @life: one attaches to a device, resets or ends the session at a time; outside of all locks here
 * @dev: device; changes under @life while nobody is inside
 * @pd: for all objects that do not ask for the other
 * @other_pd: see kp_pd()
 * @events: of the device
 * @reports: see there
 * @lock: guards all below
 * @dying: no command begins, those that sleep return
 * @active: commands inside
 * @handlers: handlers of the connection manager that run; those that have destroyed their own
 *	identifier are waited for by nobody else
 * @idle: woken when one of these leaves, and when @dying is set
 * @objs: objects by name, struct kp_obj
 * @graves: identifiers that were destroyed, to tell whose a late event is
 * @rules: what handlers do, struct rule
 * @wrs: requests that have not completed
 * @requests: connection requests so far
 */
struct kp_session {
	struct list_head entry;
	struct mutex life; /* one begins or ends it at a time */
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_pd *other_pd;
	struct ib_event_handler events;
	struct kp_reports reports;

	spinlock_t lock; /* guards what follows; irq */
	bool dying;
	int active;
	int handlers;
	wait_queue_head_t idle;
	struct list_head objs;
	struct list_head graves;
	struct list_head rules;
	struct list_head wrs;
	unsigned int requests;
};

struct kp_args;

/* session.c */
struct kp_session *kp_session_new(void);
int kp_session_attach(struct kp_session *s, struct ib_device *dev, unsigned int pd_flags);
/* What `pd=other` chooses, or its absence; ERR_PTR() if it is neither. */
struct ib_pd *kp_pd(const struct kp_session *s, struct kp_args *args);
/* Destroys all there is; afterwards there is no device. */
void kp_session_detach(struct kp_session *s);
void kp_session_free(struct kp_session *s);
/* Destroys all but the device; under @life. */
void kp_session_reset(struct kp_session *s);
int kp_session_enter(struct kp_session *s);
void kp_session_leave(struct kp_session *s);
void kp_handler_begins(struct kp_session *s);
void kp_handler_ends(struct kp_session *s);
void kp_session_sleep(struct kp_session *s, unsigned int ms);

/* report.c */
int kp_reports_init(struct kp_reports *reports);
void kp_reports_free(struct kp_reports *reports);
void kp_reports_clear(struct kp_reports *reports);
/* A line that ends with " @key=" and @bytes in hexadecimal, if there are any; in any context. */
__printf(5, 6) void kp_report_bytes(struct kp_session *s, const char *key, const void *bytes,
				    u32 len, const char *fmt, ...);
#define kp_report(s, ...)	kp_report_bytes(s, NULL, NULL, 0, __VA_ARGS__)
ssize_t kp_reports_read(struct kp_reports *reports, char __user *to, size_t len, bool nonblock);
bool kp_reports_ready(struct kp_reports *reports);

/* names.c: how enumerators are written in reports and commands */
const char *kp_event_name(enum ib_event_type event);
const char *kp_cm_event_name(enum iw_cm_event_type event);
const char *kp_rdma_cm_event_name(enum rdma_cm_event_type event);
const char *kp_status_name(enum ib_wc_status status);
const char *kp_state_name(enum ib_qp_state state);
int kp_state_of(const char *name);

/**
 * struct kp_args - a command in words
 * @word: the command
 * @name: word behind it without '=', or NULL
 * @num: further words
 * @words: they
 * @used: which of them were asked for
 * @bad: something is wrong: missing, malformed
 * @in_handler: it runs in a handler of the connection manager
 */
struct kp_args {
	const char *word;
	const char *name;
	int num;
	char *words[KP_MAX_WORDS];
	bool used[KP_MAX_WORDS];
	bool bad;
	bool in_handler;
};

/* parse.c: words. Faults are gathered in @bad, for kp_args_end(). */
int kp_args_split(struct kp_args *args, char *line);
const char *kp_arg(struct kp_args *args, const char *key);
u64 kp_number(struct kp_args *args, const char *key, u64 otherwise);
u64 kp_needs_number(struct kp_args *args, const char *key);
bool kp_flag(struct kp_args *args, const char *word);
u32 kp_bytes(struct kp_args *args, const char *key, u8 *to, u32 max);
int kp_access(struct kp_args *args, const char *key);
void kp_address(struct kp_args *args, const char *key, u16 port, struct sockaddr_storage *addr);
/* -EINVAL if anything was wrong, or was not asked for. */
int kp_args_end(struct kp_args *args);

/**
 * struct kp_obj - what all objects have
 * @entry: in kp_session.objs or .graves
 * @ref: of the list, and of each user
 * @kind: which
 * @name: its name
 * @s: session
 * @use: users for reading, the one who destroys it for writing. Not for identifiers, which are
 *	used while they are destroyed
 * @dead: destroyed; under @use
 */
struct kp_obj {
	struct list_head entry;
	struct kref ref;
	enum kp_kind kind;
	char name[KP_NAME_LEN];
	struct kp_session *s;
	struct rw_semaphore use;
	bool dead;
};

/* obj.c */
int kp_obj_init(struct kp_obj *obj, struct kp_session *s, enum kp_kind kind, const char *name);
int kp_obj_add(struct kp_obj *obj);
struct kp_obj *kp_obj_find(struct kp_session *s, const char *name);
void kp_obj_unfind(struct kp_obj *obj);
/* For use, until kp_obj_put(). */
struct kp_obj *kp_obj_get(struct kp_session *s, enum kp_kind kind, const char *name);
void kp_obj_put(struct kp_obj *obj);
int kp_obj_destroy(struct kp_obj *obj);
void kp_obj_destroy_all(struct kp_session *s);

/**
 * struct kp_buf - memory, kept by all requests that use it
 * @ref: of the MR, and of each request
 * @dev: device that it is mapped for
 * @pages: as it was allocated
 * @room: bytes there
 * @mem: first byte
 * @size: bytes from there
 * @dma: address for the device
 */
struct kp_buf {
	struct kref ref;
	struct ib_device *dev;
	void *pages;
	u32 room;
	u8 *mem;
	u32 size;
	u64 dma;
};

struct kp_mr {
	struct kp_obj obj;
	struct kp_buf *buf;
	struct ib_mr *mr;
};

/* mr.c */
void kp_buf_put(struct kp_buf *buf);
int kp_mr_destroy(struct kp_obj *obj);
void kp_mr_free(struct kp_obj *obj);
int kp_cmd_mr(struct kp_session *s, struct kp_args *args);
int kp_cmd_reg(struct kp_session *s, struct kp_args *args);
int kp_cmd_poke(struct kp_session *s, struct kp_args *args);
int kp_cmd_fill(struct kp_session *s, struct kp_args *args);
int kp_cmd_peek(struct kp_session *s, struct kp_args *args);
int kp_cmd_check(struct kp_session *s, struct kp_args *args);

/**
 * struct kp_cq - a CQ of its own, or one of a QP
 * @obj: object; of a QP's it is not in the session's list
 * @cq: the CQ
 * @direct: somebody has to poll it
 * @users: QPs
 */
struct kp_cq {
	struct kp_obj obj;
	struct ib_cq *cq;
	bool direct;
	atomic_t users;
};

/**
 * struct kp_qp - a QP
 * @obj: object
 * @qp: the QP
 * @cq: where all completes; counted in its users
 * @own: @cq is the QP's own
 * @repeats: requests were posted that post themselves again
 */
struct kp_qp {
	struct kp_obj obj;
	struct ib_qp *qp;
	struct kp_cq *cq;
	bool own;
	bool repeats;
};

/* queue.c */
int kp_cq_destroy(struct kp_obj *obj);
void kp_cq_free(struct kp_obj *obj);
int kp_qp_destroy(struct kp_obj *obj);
void kp_qp_free(struct kp_obj *obj);
int kp_cmd_cq(struct kp_session *s, struct kp_args *args);
int kp_cmd_arm(struct kp_session *s, struct kp_args *args);
int kp_cmd_poll(struct kp_session *s, struct kp_args *args);
int kp_cmd_qp(struct kp_session *s, struct kp_args *args);
int kp_cmd_modify(struct kp_session *s, struct kp_args *args);
int kp_cmd_query(struct kp_session *s, struct kp_args *args);
int kp_cmd_drain(struct kp_session *s, struct kp_args *args);

struct kp_srq {
	struct kp_obj obj;
	struct ib_srq *srq;
};

/* srq.c */
int kp_srq_destroy(struct kp_obj *obj);
void kp_srq_free(struct kp_obj *obj);
int kp_srq_modify(struct kp_obj *obj, struct kp_args *args);
int kp_srq_query(struct kp_obj *obj);
int kp_cmd_srq(struct kp_session *s, struct kp_args *args);

/* wr.c */
void kp_wrs_free(struct kp_session *s);
/* Registers and waits for the completion. */
int kp_wr_reg(struct kp_qp *qp, struct ib_mr *mr, u32 key, int access);
int kp_cmd_recv(struct kp_session *s, struct kp_args *args);
int kp_cmd_srqrecv(struct kp_session *s, struct kp_args *args);
int kp_cmd_send(struct kp_session *s, struct kp_args *args);
int kp_cmd_write(struct kp_session *s, struct kp_args *args);
int kp_cmd_cas(struct kp_session *s, struct kp_args *args);
int kp_cmd_faa(struct kp_session *s, struct kp_args *args);
int kp_cmd_read(struct kp_session *s, struct kp_args *args);
int kp_cmd_linv(struct kp_session *s, struct kp_args *args);

/**
 * struct kp_cm - an identifier
 * @obj: object
 * @id: the identifier; NULL: being destroyed or destroyed. Guarded by kp_session.lock
 * @gone: no event may come any more
 * @ird: of the request
 * @ord: of the request
 */
struct kp_cm {
	struct kp_obj obj;
	struct iw_cm_id *id;
	bool gone;
	u32 ird;
	u32 ord;
};

/* cm.c */
int kp_cm_destroy(struct kp_obj *obj);
void kp_cm_free(struct kp_obj *obj);
void kp_graves_free(struct kp_session *s);
int kp_cmd_id(struct kp_session *s, struct kp_args *args);
int kp_cmd_listen(struct kp_session *s, struct kp_args *args);
int kp_cmd_connect(struct kp_session *s, struct kp_args *args);
int kp_cmd_accept(struct kp_session *s, struct kp_args *args);
int kp_cmd_reject(struct kp_session *s, struct kp_args *args);
int kp_cmd_disconnect(struct kp_session *s, struct kp_args *args);

/**
 * struct kp_rid - an identifier of rdma_cm
 * @obj: object
 * @id: the identifier; NULL: being destroyed or destroyed. Guarded by kp_session.lock
 * @users: commands that use @id, outside of its handler. Guarded by kp_session.lock
 * @gone: no event may come any more
 * @ird: of the request
 * @ord: of the request
 */
struct kp_rid {
	struct kp_obj obj;
	struct rdma_cm_id *id;
	int users;
	bool gone;
	u8 ird;
	u8 ord;
};

/* rid.c */
int kp_rid_destroy(struct kp_obj *obj);
void kp_rid_free(struct kp_obj *obj);
int kp_cmd_rid(struct kp_session *s, struct kp_args *args);
/* Any call on an identifier: rbind, rresolve ... */
int kp_cmd_rid_call(struct kp_session *s, struct kp_args *args);

/* rule.c: what handlers do */
int kp_rule_on(struct kp_session *s, char *line);
int kp_rule_off(struct kp_session *s, char *line);
void kp_rules_clear(struct kp_session *s);
/* Does what the rules of @name say to @subject; what the handler is to return. */
int kp_rules_run(struct kp_session *s, const char *name, const char *event, const char *subject);

/* command.c */
int kp_command(struct kp_session *s, char *line, bool in_handler);

/* main.c */
int kp_attach_by_name(struct kp_session *s, const char *name, unsigned int pd_flags);

#endif /* KPUPPET_H */
