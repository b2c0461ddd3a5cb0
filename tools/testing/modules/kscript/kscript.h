/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kscript: a ULP that does what is written to /dev/kscript. See COMMANDS for what that is.
 */
#ifndef KSCRIPT_H
#define KSCRIPT_H

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

#define KS_NAME_LEN	16
#define KS_MAX_LINE	16384
#define KS_MAX_WORDS	24
#define KS_MAX_SGE	8
#define KS_MAX_PDATA	1024
#define KS_MAX_REPORT	12288
#define KS_WAIT		(5 * HZ)

/* In the order in which a session that ends destroys them. */
enum ks_kind {
	KS_RID,
	KS_CM,
	KS_QP,
	KS_SRQ,
	KS_MR,
	KS_CQ,
	KS_NR_KINDS
};

/**
 * struct ks_reports - lines on their way to the reader
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
struct ks_reports {
	struct mutex reading; /* first, first_pos, first_len */
	char first[KS_MAX_REPORT];
	unsigned int first_pos;
	unsigned int first_len;
	wait_queue_head_t wait;
	spinlock_t lock; /* guards what follows; irq, innermost */
	char line[KS_MAX_REPORT];
	struct kfifo_rec_ptr_2 lines;
	unsigned int lost;
};

/**
 * struct ks_session - an open file
 * @entry: in the list of main.c
 * @life: one attaches to a device, resets or ends the session at a time; outside of all locks here
 * @dev: device; changes under @life while nobody is inside
 * @pd: for all objects that do not ask for the other
 * @other_pd: see ks_pd()
 * @events: of the device
 * @reports: see there
 * @lock: guards all below
 * @dying: no command begins, those that sleep return
 * @active: commands inside
 * @handlers: handlers of the connection manager that run; those that have destroyed their own
 *	identifier are waited for by nobody else
 * @idle: woken when one of these leaves, and when @dying is set
 * @objs: objects by name, struct ks_obj
 * @graves: identifiers that were destroyed, to tell whose a late event is
 * @rules: what handlers do, struct rule
 * @wrs: requests that have not completed
 * @requests: connection requests so far
 */
struct ks_session {
	struct list_head entry;
	struct mutex life; /* one begins or ends it at a time */
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_pd *other_pd;
	struct ib_event_handler events;
	struct ks_reports reports;

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

struct ks_args;

/* session.c */
struct ks_session *ks_session_new(void);
int ks_session_attach(struct ks_session *s, struct ib_device *dev, unsigned int pd_flags);
/* What `pd=other` chooses, or its absence; ERR_PTR() if it is neither. */
struct ib_pd *ks_pd(const struct ks_session *s, struct ks_args *args);
/* Destroys all there is; afterwards there is no device. */
void ks_session_detach(struct ks_session *s);
void ks_session_free(struct ks_session *s);
/* Destroys all but the device; under @life. */
void ks_session_reset(struct ks_session *s);
int ks_session_enter(struct ks_session *s);
void ks_session_leave(struct ks_session *s);
void ks_handler_begins(struct ks_session *s);
void ks_handler_ends(struct ks_session *s);
void ks_session_sleep(struct ks_session *s, unsigned int ms);

/* report.c */
int ks_reports_init(struct ks_reports *reports);
void ks_reports_free(struct ks_reports *reports);
void ks_reports_clear(struct ks_reports *reports);
/* A line that ends with " @key=" and @bytes in hexadecimal, if there are any; in any context. */
__printf(5, 6) void ks_report_bytes(struct ks_session *s, const char *key, const void *bytes,
				    u32 len, const char *fmt, ...);
#define ks_report(s, ...)	ks_report_bytes(s, NULL, NULL, 0, __VA_ARGS__)
ssize_t ks_reports_read(struct ks_reports *reports, char __user *to, size_t len, bool nonblock);
bool ks_reports_ready(struct ks_reports *reports);

/* names.c: how enumerators are written in reports and commands */
const char *ks_event_name(enum ib_event_type event);
const char *ks_cm_event_name(enum iw_cm_event_type event);
const char *ks_rdma_cm_event_name(enum rdma_cm_event_type event);
const char *ks_status_name(enum ib_wc_status status);
const char *ks_state_name(enum ib_qp_state state);
int ks_state_of(const char *name);

/**
 * struct ks_args - a command in words
 * @word: the command
 * @name: word behind it without '=', or NULL
 * @num: further words
 * @words: they
 * @used: which of them were asked for
 * @bad: something is wrong: missing, malformed
 * @in_handler: it runs in a handler of the connection manager
 */
struct ks_args {
	const char *word;
	const char *name;
	int num;
	char *words[KS_MAX_WORDS];
	bool used[KS_MAX_WORDS];
	bool bad;
	bool in_handler;
};

/* parse.c: words. Faults are gathered in @bad, for ks_args_end(). */
int ks_args_split(struct ks_args *args, char *line);
const char *ks_arg(struct ks_args *args, const char *key);
u64 ks_number(struct ks_args *args, const char *key, u64 otherwise);
u64 ks_needs_number(struct ks_args *args, const char *key);
bool ks_flag(struct ks_args *args, const char *word);
u32 ks_bytes(struct ks_args *args, const char *key, u8 *to, u32 max);
int ks_access(struct ks_args *args, const char *key);
void ks_address(struct ks_args *args, const char *key, u16 port, struct sockaddr_storage *addr);
/* -EINVAL if anything was wrong, or was not asked for. */
int ks_args_end(struct ks_args *args);

/**
 * struct ks_obj - what all objects have
 * @entry: in ks_session.objs or .graves
 * @ref: of the list, and of each user
 * @kind: which
 * @name: its name
 * @s: session
 * @use: users for reading, the one who destroys it for writing. Not for identifiers, which are
 *	used while they are destroyed
 * @dead: destroyed; under @use
 */
struct ks_obj {
	struct list_head entry;
	struct kref ref;
	enum ks_kind kind;
	char name[KS_NAME_LEN];
	struct ks_session *s;
	struct rw_semaphore use;
	bool dead;
};

/* obj.c */
int ks_obj_init(struct ks_obj *obj, struct ks_session *s, enum ks_kind kind, const char *name);
int ks_obj_add(struct ks_obj *obj);
struct ks_obj *ks_obj_find(struct ks_session *s, const char *name);
void ks_obj_unfind(struct ks_obj *obj);
/* For use, until ks_obj_put(). */
struct ks_obj *ks_obj_get(struct ks_session *s, enum ks_kind kind, const char *name);
void ks_obj_put(struct ks_obj *obj);
int ks_obj_destroy(struct ks_obj *obj);
void ks_obj_destroy_all(struct ks_session *s);

/**
 * struct ks_buf - memory, kept by all requests that use it
 * @ref: of the MR, and of each request
 * @dev: device that it is mapped for
 * @pages: as it was allocated
 * @room: bytes there
 * @mem: first byte
 * @size: bytes from there
 * @dma: address for the device
 */
struct ks_buf {
	struct kref ref;
	struct ib_device *dev;
	void *pages;
	u32 room;
	u8 *mem;
	u32 size;
	u64 dma;
};

struct ks_mr {
	struct ks_obj obj;
	struct ks_buf *buf;
	struct ib_mr *mr;
};

/* mr.c */
void ks_buf_put(struct ks_buf *buf);
int ks_mr_destroy(struct ks_obj *obj);
void ks_mr_free(struct ks_obj *obj);
int ks_cmd_mr(struct ks_session *s, struct ks_args *args);
int ks_cmd_reg(struct ks_session *s, struct ks_args *args);
int ks_cmd_poke(struct ks_session *s, struct ks_args *args);
int ks_cmd_fill(struct ks_session *s, struct ks_args *args);
int ks_cmd_peek(struct ks_session *s, struct ks_args *args);
int ks_cmd_check(struct ks_session *s, struct ks_args *args);

/**
 * struct ks_cq - a CQ of its own, or one of a QP
 * @obj: object; of a QP's it is not in the session's list
 * @cq: the CQ
 * @direct: somebody has to poll it
 * @users: QPs
 */
struct ks_cq {
	struct ks_obj obj;
	struct ib_cq *cq;
	bool direct;
	atomic_t users;
};

/**
 * struct ks_qp - a QP
 * @obj: object
 * @qp: the QP
 * @cq: where all completes; counted in its users
 * @own: @cq is the QP's own
 * @repeats: requests were posted that post themselves again
 */
struct ks_qp {
	struct ks_obj obj;
	struct ib_qp *qp;
	struct ks_cq *cq;
	bool own;
	bool repeats;
};

/* queue.c */
int ks_cq_destroy(struct ks_obj *obj);
void ks_cq_free(struct ks_obj *obj);
int ks_qp_destroy(struct ks_obj *obj);
void ks_qp_free(struct ks_obj *obj);
int ks_cmd_cq(struct ks_session *s, struct ks_args *args);
int ks_cmd_arm(struct ks_session *s, struct ks_args *args);
int ks_cmd_poll(struct ks_session *s, struct ks_args *args);
int ks_cmd_qp(struct ks_session *s, struct ks_args *args);
int ks_cmd_modify(struct ks_session *s, struct ks_args *args);
int ks_cmd_query(struct ks_session *s, struct ks_args *args);
int ks_cmd_drain(struct ks_session *s, struct ks_args *args);

struct ks_srq {
	struct ks_obj obj;
	struct ib_srq *srq;
};

/* srq.c */
int ks_srq_destroy(struct ks_obj *obj);
void ks_srq_free(struct ks_obj *obj);
int ks_srq_modify(struct ks_obj *obj, struct ks_args *args);
int ks_srq_query(struct ks_obj *obj);
int ks_cmd_srq(struct ks_session *s, struct ks_args *args);

/* wr.c */
void ks_wrs_free(struct ks_session *s);
/* Registers and waits for the completion. */
int ks_wr_reg(struct ks_qp *qp, struct ib_mr *mr, u32 key, int access);
int ks_cmd_recv(struct ks_session *s, struct ks_args *args);
int ks_cmd_srqrecv(struct ks_session *s, struct ks_args *args);
int ks_cmd_send(struct ks_session *s, struct ks_args *args);
int ks_cmd_write(struct ks_session *s, struct ks_args *args);
int ks_cmd_cas(struct ks_session *s, struct ks_args *args);
int ks_cmd_faa(struct ks_session *s, struct ks_args *args);
int ks_cmd_read(struct ks_session *s, struct ks_args *args);
int ks_cmd_linv(struct ks_session *s, struct ks_args *args);

/**
 * struct ks_cm - an identifier
 * @obj: object
 * @id: the identifier; NULL: being destroyed or destroyed. Guarded by ks_session.lock
 * @gone: no event may come any more
 * @ird: of the request
 * @ord: of the request
 */
struct ks_cm {
	struct ks_obj obj;
	struct iw_cm_id *id;
	bool gone;
	u32 ird;
	u32 ord;
};

/* cm.c */
int ks_cm_destroy(struct ks_obj *obj);
void ks_cm_free(struct ks_obj *obj);
void ks_graves_free(struct ks_session *s);
int ks_cmd_id(struct ks_session *s, struct ks_args *args);
int ks_cmd_listen(struct ks_session *s, struct ks_args *args);
int ks_cmd_connect(struct ks_session *s, struct ks_args *args);
int ks_cmd_accept(struct ks_session *s, struct ks_args *args);
int ks_cmd_reject(struct ks_session *s, struct ks_args *args);
int ks_cmd_disconnect(struct ks_session *s, struct ks_args *args);

/**
 * struct ks_rid - an identifier of rdma_cm
 * @obj: object
 * @id: the identifier; NULL: being destroyed or destroyed. Guarded by ks_session.lock
 * @users: commands that use @id, outside of its handler. Guarded by ks_session.lock
 * @gone: no event may come any more
 * @ird: of the request
 * @ord: of the request
 */
struct ks_rid {
	struct ks_obj obj;
	struct rdma_cm_id *id;
	int users;
	bool gone;
	u8 ird;
	u8 ord;
};

/* rid.c */
int ks_rid_destroy(struct ks_obj *obj);
void ks_rid_free(struct ks_obj *obj);
int ks_cmd_rid(struct ks_session *s, struct ks_args *args);
/* Any call on an identifier: rbind, rresolve ... */
int ks_cmd_rid_call(struct ks_session *s, struct ks_args *args);

/* rule.c: what handlers do */
int ks_rule_on(struct ks_session *s, char *line);
int ks_rule_off(struct ks_session *s, char *line);
void ks_rules_clear(struct ks_session *s);
/* Does what the rules of @name say to @subject; what the handler is to return. */
int ks_rules_run(struct ks_session *s, const char *name, const char *event, const char *subject);

/* command.c */
int ks_command(struct ks_session *s, char *line, bool in_handler);

/* main.c */
int ks_attach_by_name(struct ks_session *s, const char *name, unsigned int pd_flags);

#endif /* KSCRIPT_H */
