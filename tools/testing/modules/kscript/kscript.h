/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kscript: a ULP that executes the commands written to /dev/kscript. COMMANDS describes them.
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

#include "tools/testing/modules/support/sessions.h"

#define KS_NAME_LEN	16
#define KS_MAX_LINE	16384
#define KS_MAX_WORDS	24
#define KS_MAX_SGE	8
#define KS_MAX_PDATA	1024
#define KS_MAX_REPORT	12288
#define KS_WAIT		(5 * HZ)

/* The end of a session destroys its objects kind by kind, in the order of this enum. */
enum ks_kind {
	KS_RID,
	KS_CM,
	KS_QP,
	KS_SRQ,
	KS_MW,
	KS_FMR,
	KS_MR,
	KS_CQ,
	KS_NR_KINDS
};

/**
 * struct ks_reports - queue of report lines for the reader
 * @reading: protects @first, @first_pos and @first_len; taken before @lock
 * @first: the line that is being read
 * @first_pos: offset in @first of the first byte that has not been read
 * @first_len: bytes in @first; equal to @first_pos if all of them have been read
 * @wait: readers wait here for a line
 * @lock: protects the members below
 * @line: the line that is being formatted
 * @lines: the complete lines that follow @first
 * @lost: number of lines dropped for lack of room since the last "lost" report
 */
struct ks_reports {
	struct mutex reading; /* protects @first, @first_pos, @first_len */
	char first[KS_MAX_REPORT];
	unsigned int first_pos;
	unsigned int first_len;
	wait_queue_head_t wait;
	spinlock_t lock; /* protects the members below; taken last, with interrupts disabled */
	char line[KS_MAX_REPORT];
	struct kfifo_rec_ptr_2 lines;
	unsigned int lost;
};

/**
 * struct ks_session - an open file
 * @base: the session; its device changes under @life while no command runs
 * @life: serializes attaching a device, reset and the end of the session; taken before the other
 *	locks of the session
 * @command: ks_command(), which handlers use
 * @pd: protection domain of objects without pd=other
 * @other_pd: protection domain of objects with pd=other
 * @events: handler of the device's asynchronous events
 * @reports: lines for the reader
 * @lock: protects the members below
 * @dying: new commands are refused, and a sleeping command returns at once; also set while the
 *	session has no device
 * @active: number of running commands
 * @handlers: number of running handlers of connection managers; counted because nothing else waits
 *	for a handler that has destroyed its own identifier
 * @idle: woken when @active, @handlers or ks_rid.users drops, and when @dying is set
 * @objs: list of struct ks_obj: all objects that are not destroyed
 * @deferred: list of struct ks_obj: the objects of destroyed identifiers. These objects are freed
 *	only at a reset or at the end of the session: a late event still finds the object as the
 *	identifier's context, and is reported with the object's name
 * @rules: list of struct rule: the actions of handlers
 * @wrs: list of struct ks_wr: the work requests that have not completed
 * @requests: number of connection requests since the last reset
 */
struct ks_session {
	struct session base;
	struct mutex life; /* serializes attach, reset and end of the session */
	int (*command)(struct ks_session *s, char *line, bool in_handler);
	struct ib_pd *pd;
	struct ib_pd *other_pd;
	struct ib_event_handler events;
	struct ks_reports reports;

	spinlock_t lock; /* protects the members below; taken with interrupts disabled */
	bool dying;
	int active;
	int handlers;
	wait_queue_head_t idle;
	struct list_head objs;
	struct list_head deferred;
	struct list_head rules;
	struct list_head wrs;
	unsigned int requests;
};

struct ks_args;

/* session.c */
struct ks_session *ks_session_new(int (*command)(struct ks_session *s, char *line,
						 bool in_handler));
/* Gives the session the device @name. Returns 0, or an errno of session_attach() or of verbs. */
int ks_session_attach(struct ks_session *s, const char *name, unsigned int pd_flags);
/* Returns the PD that pd= chooses, or ERR_PTR(-EINVAL) if its value is unknown. */
struct ib_pd *ks_pd(const struct ks_session *s, struct ks_args *args);
/* session_ops.stop: destroys all objects, and detaches the device. Reports that it is removed. */
void ks_session_stop(struct session *base, struct ib_device *removed);
void ks_session_free(struct ks_session *s);
/* Destroys all objects, rules and reports, and keeps the device. */
void ks_session_reset(struct ks_session *s);
int ks_session_enter(struct ks_session *s);
void ks_session_leave(struct ks_session *s);
void ks_handler_begins(struct ks_session *s);
void ks_handler_ends(struct ks_session *s);
int ks_cmd_sleep(struct ks_session *s, struct ks_args *args);

/* report.c */
int ks_reports_init(struct ks_reports *reports);
void ks_reports_free(struct ks_reports *reports);
void ks_reports_clear(struct ks_reports *reports);
/*
 * Queues a line for the reader. If @len is not 0, the line ends in " KEY=BYTES" with @key and with
 * the @len bytes at @bytes in hexadecimal. May be called in any context.
 */
__printf(5, 6) void ks_report_bytes(struct ks_session *s, const char *key, const void *bytes,
				    u32 len, const char *fmt, ...);
#define ks_report(s, ...)	ks_report_bytes(s, NULL, NULL, 0, __VA_ARGS__)
ssize_t ks_reports_read(struct ks_reports *reports, char __user *to, size_t len, bool nonblock);
bool ks_reports_ready(struct ks_reports *reports);

/* names.c: names of enumerators in reports and commands */
enum ks_names { KS_EVENTS, KS_CM_EVENTS, KS_RDMA_CM_EVENTS, KS_STATUSES, KS_STATES };

const char *ks_name(enum ks_names table, unsigned int value);
int ks_state_of(const char *name);

/**
 * struct ks_args - a command, split into words
 * @word: first word, the command
 * @name: second word if it has no '=', else NULL
 * @num: number of words in @words
 * @words: the words that follow @word and @name
 * @used: for each of @words, whether the command has looked it up
 * @bad: an argument is missing, malformed or unknown to the command
 * @in_handler: the command runs in a handler of a connection manager
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

/*
 * parse.c: arguments. Only ks_args_split() returns an error at once; the other functions set
 * ks_args.bad instead, and ks_args_end() then returns -EINVAL.
 */
int ks_args_split(struct ks_args *args, char *line);
const char *ks_arg(struct ks_args *args, const char *key);
u64 ks_number(struct ks_args *args, const char *key, u64 otherwise);
u64 ks_needs_number(struct ks_args *args, const char *key);
bool ks_flag(struct ks_args *args, const char *word);
u32 ks_bytes(struct ks_args *args, const char *key, u8 *to, u32 max);
int ks_access(struct ks_args *args, const char *key);
void ks_address(struct ks_args *args, const char *key, u16 port, struct sockaddr_storage *addr);
/* Returns 0, or -EINVAL if an argument is missing, malformed or has not been looked up. */
int ks_args_end(struct ks_args *args);

/**
 * struct ks_obj - base, and first member, of all objects
 * @entry: entry in ks_session.objs or ks_session.deferred
 * @ref: reference count: the list and each user hold one
 * @kind: kind of the object
 * @destroy: destroys what the object stands for; changes nothing if it returns an error
 * @name: name of the object
 * @s: session
 * @use: held for reading while the object is used, for writing while it is destroyed. Not taken for
 *	identifiers, because a handler may destroy its identifier while it uses the identifier
 * @dead: the object is destroyed; protected by @use
 */
struct ks_obj {
	struct list_head entry;
	struct kref ref;
	enum ks_kind kind;
	int (*destroy)(struct ks_obj *obj);
	char name[KS_NAME_LEN];
	struct ks_session *s;
	struct rw_semaphore use;
	bool dead;
};

/* obj.c */
/*
 * Returns a new object of @size bytes, which kfree() frees until ks_obj_add() has added it, or
 * ERR_PTR(-EINVAL) if @name is no valid name.
 */
void *ks_obj_new(size_t size, struct ks_session *s, enum ks_kind kind,
		 int (*destroy)(struct ks_obj *obj), const char *name);
int ks_obj_add(struct ks_obj *obj);
struct ks_obj *ks_obj_find(struct ks_session *s, const char *name);
void ks_obj_unref(struct ks_obj *obj);
/*
 * Returns the object, which is not freed before ks_obj_put(). Unless it is an identifier, the
 * object is not destroyed before that either. Returns ERR_PTR(-EINVAL) if @name is NULL,
 * ERR_PTR(-ENOENT) if no such object exists, ERR_PTR(-EMEDIUMTYPE) if the object is not of @kind.
 */
struct ks_obj *ks_obj_get_nested(struct ks_session *s, enum ks_kind kind, const char *name,
				 int depth);

static inline struct ks_obj *ks_obj_get(struct ks_session *s, enum ks_kind kind, const char *name)
{
	return ks_obj_get_nested(s, kind, name, 0);
}

/* Does the same for an object of the same kind as one that the caller holds, with a lower name. */
static inline struct ks_obj *ks_obj_get_second(struct ks_session *s, enum ks_kind kind,
					       const char *name)
{
	return ks_obj_get_nested(s, kind, name, SINGLE_DEPTH_NESTING);
}

void ks_obj_put(struct ks_obj *obj);
int ks_obj_destroy(struct ks_obj *obj);
void ks_obj_destroy_all(struct ks_session *s);
/* Frees the objects of destroyed identifiers. */
void ks_objs_free_deferred(struct ks_session *s);
/* An event handler of verbs whose context is an object. */
void ks_event_report(struct ib_event *event, void *context);

/**
 * struct ks_buf - memory of an MR, kept allocated by the MR and by each work request that uses it
 * @ref: reference count: the MR and each work request hold one
 * @dev: device for which the buffer is mapped
 * @pages: start of the allocation
 * @room: size of the allocation in bytes
 * @mem: start of the buffer, `skew` bytes behind @pages
 * @size: size of the buffer in bytes
 * @dma: DMA address of @mem
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

/* buf.c */
struct ks_buf *ks_buf_new(struct ib_device *dev, u32 size, u32 skew);
void ks_buf_put(struct ks_buf *buf);

struct ks_mr {
	struct ks_obj obj;
	struct ks_buf *buf;
	struct ib_mr *mr;
};

static inline struct ks_mr *to_ks_mr(struct ks_obj *obj)
{
	return container_of(obj, struct ks_mr, obj);
}

/* mr.c */
int ks_cmd_mr(struct ks_session *s, struct ks_args *args);
int ks_cmd_reg(struct ks_session *s, struct ks_args *args);
int ks_cmd_map(struct ks_session *s, struct ks_args *args);
int ks_cmd_poke(struct ks_session *s, struct ks_args *args);
int ks_cmd_fill(struct ks_session *s, struct ks_args *args);
int ks_cmd_peek(struct ks_session *s, struct ks_args *args);
int ks_cmd_check(struct ks_session *s, struct ks_args *args);

/* mw.c */
int ks_cmd_mw(struct ks_session *s, struct ks_args *args);
int ks_cmd_bind(struct ks_session *s, struct ks_args *args);

/* fmr.c */
int ks_cmd_fmr(struct ks_session *s, struct ks_args *args);
int ks_cmd_fmap(struct ks_session *s, struct ks_args *args);
int ks_cmd_funmap(struct ks_session *s, struct ks_args *args);

/**
 * struct ks_cq - a CQ that the command "cq" has created, or the private CQ of a QP
 * @obj: object; not in the session's list if the CQ is private to a QP
 * @cq: the CQ
 * @direct: completions are handled only by the command "poll"
 * @users: number of QPs that use the CQ; 0 if the CQ is private to a QP
 */
struct ks_cq {
	struct ks_obj obj;
	struct ib_cq *cq;
	bool direct;
	atomic_t users;
};

static inline struct ks_cq *to_ks_cq(struct ks_obj *obj)
{
	return container_of(obj, struct ks_cq, obj);
}

/**
 * struct ks_qp - a QP
 * @obj: object
 * @qp: the QP
 * @cq: CQ of both queues; unless @own is set, ks_cq.users counts this QP
 * @own: @cq is private to the QP
 * @repeats: requests with `repeat` have been posted
 */
struct ks_qp {
	struct ks_obj obj;
	struct ib_qp *qp;
	struct ks_cq *cq;
	bool own;
	bool repeats;
};

static inline struct ks_qp *to_ks_qp(struct ks_obj *obj)
{
	return container_of(obj, struct ks_qp, obj);
}

/* queue.c */
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

static inline struct ks_srq *to_ks_srq(struct ks_obj *obj)
{
	return container_of(obj, struct ks_srq, obj);
}

/* srq.c */
int ks_srq_modify(struct ks_obj *obj, struct ks_args *args);
int ks_srq_query(struct ks_obj *obj);
int ks_cmd_srq(struct ks_session *s, struct ks_args *args);

/* wr.c */
void ks_wrs_free(struct ks_session *s);
/*
 * Post a REG_MR or BIND_MW and wait for its completion. Return 0, -EIO if the completion is an
 * error, -ETIMEDOUT if none comes within KS_WAIT, or the errno of the post.
 */
int ks_wr_reg(struct ks_qp *qp, struct ib_mr *mr, u32 key, int access);
int ks_wr_bind(struct ks_qp *qp, struct ib_mw *mw, u32 rkey, const struct ib_mw_bind_info *info);
int ks_cmd_recv(struct ks_session *s, struct ks_args *args);
int ks_cmd_srqrecv(struct ks_session *s, struct ks_args *args);
int ks_cmd_send(struct ks_session *s, struct ks_args *args);
int ks_cmd_rdma(struct ks_session *s, struct ks_args *args);
int ks_cmd_atomic(struct ks_session *s, struct ks_args *args);
int ks_cmd_linv(struct ks_session *s, struct ks_args *args);

/**
 * struct ks_cm - an identifier of iw_cm
 * @obj: object
 * @id: the identifier, NULL once its destruction has begun; protected by ks_session.lock
 * @gone: the identifier is destroyed; each further event is a bug, and is reported as late
 * @ird: IRD of the connection request
 * @ord: ORD of the connection request
 */
struct ks_cm {
	struct ks_obj obj;
	struct iw_cm_id *id;
	bool gone;
	u32 ird;
	u32 ord;
};

static inline struct ks_cm *to_ks_cm(struct ks_obj *obj)
{
	return container_of(obj, struct ks_cm, obj);
}

/* cm.c */
int ks_cmd_id(struct ks_session *s, struct ks_args *args);
int ks_cmd_listen(struct ks_session *s, struct ks_args *args);
int ks_cmd_connect(struct ks_session *s, struct ks_args *args);
/* Runs "accept", "reject" and "disconnect". */
int ks_cmd_cm_call(struct ks_session *s, struct ks_args *args);

/**
 * struct ks_rid - an identifier of rdma_cm
 * @obj: object
 * @id: the identifier, NULL once its destruction has begun; protected by ks_session.lock
 * @users: number of commands that use @id, also in handlers; protected by ks_session.lock
 * @gone: the identifier is destroyed; each further event is a bug, and is reported as late
 * @ird: IRD of the connection request
 * @ord: ORD of the connection request
 */
struct ks_rid {
	struct ks_obj obj;
	struct rdma_cm_id *id;
	int users;
	bool gone;
	u8 ird;
	u8 ord;
};

static inline struct ks_rid *to_ks_rid(struct ks_obj *obj)
{
	return container_of(obj, struct ks_rid, obj);
}

/* rdma_id.c */
int ks_cmd_rid(struct ks_session *s, struct ks_args *args);
/* Runs any of the commands that take an existing identifier: rbind, rresolve and others. */
int ks_cmd_rid_call(struct ks_session *s, struct ks_args *args);

/* rule.c: actions of handlers */
int ks_rule_on(struct ks_session *s, char *line);
int ks_rule_off(struct ks_session *s, char *line);
void ks_rules_clear(struct ks_session *s);
/*
 * Runs the actions of the identifier @name for @event. @subject names the identifier on which an
 * action works if the action names none or names ".". Returns the value that the handler must
 * return.
 */
int ks_rules_run(struct ks_session *s, const char *name, const char *event, const char *subject);

/* command.c */
int ks_command(struct ks_session *s, char *line, bool in_handler);

#endif /* KSCRIPT_H */
