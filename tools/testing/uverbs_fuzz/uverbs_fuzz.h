/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uverbs_fuzz: hostile processes. Most of their requests are nearly valid: each process keeps a
 * pool of living objects and connections, builds commands from this pool that would succeed, and
 * corrupts some of the commands.
 */
#ifndef UVERBS_FUZZ_H
#define UVERBS_FUZZ_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_cm.h>
#include <rdma/siw-abi.h>

#include "tools/testing/lib/array.h"
#include "tools/testing/lib/clock.h"
#include "tools/testing/lib/command.h"
#include "tools/testing/lib/random.h"

#define PAGE			4096ul
#define MAX_TARGETS		8
#define MAX_NODES		8
/* The usual number of entries of a queue. */
#define QUEUE_DEPTH		64
/*
 * IB_QPT_RC, the type of reliable connected QPs. The kernel defines this constant in
 * include/rdma/ib_verbs.h, which only the kernel can include.
 */
#define RC			2
/* Listeners use the ports from PORT to PORT + PORTS - 1. */
#define PORT			7300
#define PORTS			16

/**
 * struct setting - what all processes know
 * @seed: the seed of all random choices
 * @seconds: the planned length of the run, in seconds
 * @processes: the number of processes that run at a time
 * @slow: the factor by which time limits grow
 * @guided: play programs in one thread, guided by coverage
 * @fresh: with @guided, each program is new, and coverage is only counted
 * @corpus: with @guided, a file of programs that are played first, and to which programs that reach
 *	new code are added; or NULL
 * @replay: with @guided, a file of programs, which are played instead of others; or NULL
 * @journal: with @guided, a file that has the programs that were played last; or NULL
 * @targets: addresses to bind and to connect to
 * @nodes: the numbers of the uverbs nodes. Those of our devices come first; a device is ours if it
 *	has one of the addresses
 * @num_ours: the number of nodes of our devices
 */
struct setting {
	uint64_t seed;
	unsigned int seconds;
	unsigned int processes;
	unsigned int slow;
	bool guided, fresh;
	const char *corpus, *replay, *journal;
	unsigned int num_targets;
	struct sockaddr_in6 targets[MAX_TARGETS];
	unsigned int num_nodes;
	unsigned int num_ours;
	unsigned int nodes[MAX_NODES];
};

extern struct setting setting;

/* random.c */
#define MAX_EDITS	8

/**
 * enum edit_kind - how a series of random numbers is changed
 * @REPLACE: another number is drawn instead
 * @INSERT: another number is drawn before
 * @OMIT: the number is left out
 * @EDIT_KINDS: number of kinds
 */
enum edit_kind { REPLACE, INSERT, OMIT, EDIT_KINDS };

struct edit {
	uint64_t value;
	uint16_t at;
	uint8_t kind;
};

/**
 * struct tape - a series of random numbers that can be drawn again
 * @seed: the seed of the series
 * @edits: what is different in this series; an edit's @at counts the numbers drawn before it
 * @num_edits: the number of @edits
 * @drawn: how many numbers were drawn when the tape was played last
 * @hot: whether new code was run then
 */
struct tape {
	uint64_t seed;
	struct edit edits[MAX_EDITS];
	unsigned int num_edits;
	unsigned int drawn;
	bool hot;
};

/**
 * struct rng - a generator of random numbers
 * @state: its state
 * @tape: the tape whose edits apply, or NULL
 * @drawn: the number of numbers that were drawn from the tape
 */
struct rng {
	uint64_t state;
	const struct tape *tape;
	unsigned int drawn;
};

uint64_t mix(uint64_t seed, uint64_t number);
/* Makes the generator draw the numbers of @tape, from the first one on. */
void rng_play(struct rng *rng, const struct tape *tape);
uint64_t random_u64(struct rng *rng);
uint32_t pick(struct rng *rng, uint32_t below);
bool one_in(struct rng *rng, uint32_t n);
/*
 * Returns a pointer to a random entry of an array of @len entries. The probability of an entry is
 * proportional to its member weight, which is an unsigned int.
 */
#define any_of(rng, entries, len)						\
	(&(entries)[weighted((rng), &(entries)->weight, sizeof(*(entries)), (len))])
unsigned int weighted(struct rng *rng, const unsigned int *first, size_t stride,
		      unsigned int len);
/*
 * Returns a number at an edge (0, 1, all ones, near a power of 2), a small number, or a random
 * number.
 */
uint64_t odd_value(struct rng *rng);
/* Fills @size bytes with words of 32 bits: half of them are odd_value(), the others 0. */
void odd_words(struct rng *rng, void *to, size_t size);
/* Returns a random number from @low to @high, but an odd_value() in one of 64 calls. */
uint32_t number(struct rng *rng, uint32_t low, uint32_t high);

/* stats.c: counters of the requests that were tried, in memory that all processes share */
enum group { WRITE, WRITE_EX, IOCTL, CM, CM_EVENT, COMPLETION, FILES, GROUPS };

enum file_act {
	MAP_RING, MAP_WRONG, UNMAP_RING, MOVE_RING, PROTECT_RING, ADVISE_RING,
	READ_ASYNC, READ_COMPLETION, POLL, CLOSE_VERBS, CLOSE_CM, CLOSE_EVENTS, DUP, OTHER_KIND,
	FORK, FILE_ACTS,
};

#define IOCTL_NUMBER(object, method)	((object) * 8 + (method))

/* Prints a KTAP result, with the number behind *@count. Returns whether it is a failure. */
int result(int *count, bool ok, const char *name);
void stats_init(void);
void stats_count(enum group group, uint32_t number, bool good);
/* Returns whether each kind of request that can succeed has succeeded at least once. */
bool stats_complete(void);
/* Returns how many requests were tried. */
uint64_t stats_total(void);
/*
 * Prints a table and a KTAP result for each group, and adds the number of results to *@count. A
 * group passes if each kind of request that can succeed has succeeded; unless @every is true, one
 * kind is enough. Returns the number of failed groups.
 */
int stats_report(int *count, bool every);

/**
 * struct fuzzer - a thread
 * @rng: the generator of the thread's random numbers
 * @corrupt: one in @corrupt requests is corrupted, or no request if this is 0
 * @requests_end: the end of the memory for requests; the page behind the end is not accessible
 * @answers_end: the end of the memory for responses; the page behind the end is not accessible
 */
struct fuzzer {
	struct rng rng;
	unsigned int corrupt;
	uint8_t *requests_end;
	uint8_t *answers_end;
};

/* memory.c */
#define DATA_PAGES	64
#define RING_SLOTS	64
#define SLOT_SIZE	(32 * PAGE)

void memory_init(void);
/* Removes all mappings of queues. */
void memory_unmap_queues(void);
void fuzzer_init(struct fuzzer *f, uint64_t seed);
/* Returns the memory that regions are registered from. */
uint8_t *data_memory(void);
/* Returns the address of a slot for a new mapping, which replaces an older mapping in this slot. */
uint8_t *next_slot(void);
uint8_t *any_slot(struct fuzzer *f);
/*
 * Returns a pointer to memory that is not mapped or not writable, to kernel memory, or to a queue.
 */
uint64_t bad_pointer(struct fuzzer *f);
/*
 * Calls @run with @f and @arg. Returns false if an access to memory that is not mapped has ended
 * the call.
 */
bool guarded(void (*run)(struct fuzzer *f, void *arg), struct fuzzer *f, void *arg);

/* frame.c */
#define FRAME_MAX	2048

/**
 * struct frame - a request, before it is passed to the kernel
 * @bytes: the bytes of the request
 * @len: the length of the request
 * @claimed: the length that is passed to the kernel
 * @header: the length of the header, which describes the rest
 * @fuzzable: the length of the part that may be changed at random; the bytes behind it may be
 *	pointers
 * @response: the offset of the pointer to the response, or 0 if there is none
 * @missing: the number of bytes at the end of the request that are in inaccessible memory
 * @bad_address: if not NULL, this is passed to the kernel instead of the address of the request
 * @lost: the request was corrupted, so the place of the response is not known
 */
struct frame {
	uint8_t bytes[FRAME_MAX];
	size_t len;
	size_t claimed;
	size_t header;
	size_t fuzzable;
	size_t response;
	size_t missing;
	void *bad_address;
	bool lost;
};

void frame_add(struct frame *frame, const void *bytes, size_t len);
/* Returns the address where a response of @len bytes is to be written. */
void *frame_answer(struct fuzzer *f, size_t len);
/* Corrupts one in f->corrupt frames. */
void frame_corrupt(struct fuzzer *f, struct frame *frame);
/*
 * Copies the request to the memory from which the kernel reads it. Returns the address to pass to
 * the kernel.
 */
void *frame_place(struct fuzzer *f, const struct frame *frame);
/* Returns 0 or a negative errno. */
int frame_write(struct fuzzer *f, int fd, const struct frame *frame);

/* pool.c: the objects of this process */
enum kind { PD, MR, CQ, QP, SRQ, MW, KINDS };

#define FILES_EACH	3
#define MAX_OBJECTS	12
#define MAX_DESTROYED	16
#define MAX_CHANNELS	4

struct ring {
	uint8_t *mem;
	uint32_t entries;
};

enum qp_use { UNUSED, TAKEN, CONNECTED, DISCONNECTED };

/**
 * struct object - what is known of an object
 * @handle: the handle of the object in its file
 * @pd: for an MR, an MW, a QP or an SRQ: the handle of its PD
 * @addr: for an MR: the address of its memory
 * @len: for an MR: the length of its memory in bytes
 * @stag: for an MR or an MW: its key
 * @sq: for a QP: its send queue
 * @rq: for a QP or an SRQ: its receive queue; for a CQ: the queue itself
 * @qpn: for a QP: the number that connections name
 * @use: for a QP: unused, reserved for a connection, connected, or disconnected
 */
struct object {
	uint32_t handle;
	uint32_t pd;
	uint64_t addr;
	uint32_t len;
	uint32_t stag;
	struct ring sq;
	struct ring rq;
	uint32_t qpn;
	enum qp_use use;
};

/**
 * struct verbs_file - an open uverbs node
 * @fd: the descriptor of the node
 * @ours: whether the device has one of the addresses in &struct setting
 * @async: the descriptor of asynchronous events
 * @channels: the descriptors of completion channels
 * @objects: the living objects of each kind, as far as they are known
 * @count: the number of entries of @objects for each kind
 * @destroyed: the handles of the objects that were destroyed last
 * @num_destroyed: the number of objects destroyed so far
 */
struct verbs_file {
	atomic_int fd;
	bool ours;
	atomic_int async;
	atomic_int channels[MAX_CHANNELS];
	struct object objects[KINDS][MAX_OBJECTS];
	unsigned int count[KINDS];
	uint32_t destroyed[MAX_DESTROYED];
	unsigned int num_destroyed;
};

extern struct verbs_file verbs_files[FILES_EACH];

/* Forgets all objects. any_file() returns one of the first @files files from then on. */
void pool_init(unsigned int files);
void pool_after_fork(void);
/* Forgets all objects of a file. */
void pool_clear(struct verbs_file *file);
struct verbs_file *any_file(struct fuzzer *f);
bool pool_full(struct verbs_file *file, enum kind kind);
void pool_add(struct verbs_file *file, enum kind kind, const struct object *object);
void pool_remove(struct verbs_file *file, enum kind kind, uint32_t handle);
/* Enters the result of a REREG_MR, whose response has @stag. */
void pool_change_mr(struct verbs_file *file, const struct ib_uverbs_rereg_mr *cmd, uint32_t stag);
/* Copies a random object of @kind. Returns false if the file has none. */
bool pool_any(struct fuzzer *f, struct verbs_file *file, enum kind kind, struct object *object);
/* Returns the handle of a living object of @kind, or sometimes another number. */
uint32_t pool_handle(struct fuzzer *f, struct verbs_file *file, enum kind kind);
/*
 * Returns the handle of an object of @kind to destroy. For a PD, this is a random PD, while
 * pool_handle() prefers the oldest PD.
 */
uint32_t pool_handle_to_destroy(struct fuzzer *f, struct verbs_file *file, enum kind kind);
/* Copies a QP whose use is @use, which becomes @to. Returns false if the file has none. */
bool pool_use_qp(struct fuzzer *f, struct verbs_file *file, enum qp_use use, enum qp_use to,
		 struct object *qp);
/* Copies a region of PD @pd, or seldom one of another PD. Returns false if no region was found. */
bool pool_region(struct fuzzer *f, struct verbs_file *file, uint32_t pd, struct object *mr);
void pool_set_use(uint32_t qpn, enum qp_use use);
void pool_add_channel(struct fuzzer *f, struct verbs_file *file, int fd);

/* commands.c: commands of uverbs, by write() or by the ioctl() method INVOKE_WRITE */

/**
 * struct command - a command
 * @number: its number
 * @extended: whether it is an extended command
 * @in: the request
 * @in_len: the length of the request in bytes
 * @driver_in: the length of the provider's request in bytes, a multiple of 8; command_run() adds it
 * @out: the length of the core's response in bytes
 * @driver_out: the length of the provider's response in bytes
 */
struct command {
	uint32_t number;
	bool extended;
	const void *in;
	size_t in_len;
	size_t driver_in;
	size_t out;
	size_t driver_out;
};

/*
 * Returns the core's response, which the provider's response follows, or NULL if the command failed
 * or the place of the response is not known.
 */
void *command_run(struct fuzzer *f, struct verbs_file *file, const struct command *command);

/* objects.c */
void new_context(struct fuzzer *f, struct verbs_file *file);
void new_pd(struct fuzzer *f, struct verbs_file *file);
void new_mr(struct fuzzer *f, struct verbs_file *file);
void new_channel(struct fuzzer *f, struct verbs_file *file);
void new_cq(struct fuzzer *f, struct verbs_file *file);
void new_qp(struct fuzzer *f, struct verbs_file *file);
void new_srq(struct fuzzer *f, struct verbs_file *file);
void ring_doorbell(struct fuzzer *f, struct verbs_file *file, uint32_t handle);
void any_command(struct fuzzer *f, struct verbs_file *file);

/* ioctl.c */
void context_by_ioctl(struct fuzzer *f, struct verbs_file *file);
void any_method(struct fuzzer *f, struct verbs_file *file);
/*
 * Returns 0 or a negative errno. On success, @attrs have the values that the kernel has written,
 * unless *@lost is true.
 */
int call_method(struct fuzzer *f, struct verbs_file *file, uint16_t object, uint16_t method,
		struct ib_uverbs_attr *attrs, unsigned int num, bool *lost);

/* mapping.c: mappings of the queues that are shared with siw */
struct ring ring_map(struct fuzzer *f, int fd, uint64_t key, uint32_t entries, size_t size);
void map_cq(struct fuzzer *f, struct verbs_file *file, struct object *cq,
	    const struct siw_uresp_create_cq *resp);
void map_qp(struct fuzzer *f, struct verbs_file *file, struct object *qp,
	    const struct siw_uresp_create_qp *resp);
void map_srq(struct fuzzer *f, struct verbs_file *file, struct object *srq,
	     const struct siw_uresp_create_srq *resp);
void disturb_mapping(struct fuzzer *f, struct verbs_file *file);

/* rings.c: what is in these queues */
void post_receives(struct fuzzer *f, struct verbs_file *file, const struct object *queue);
void work_on_rings(struct fuzzer *f, struct verbs_file *file);
void scribble(struct fuzzer *f, struct verbs_file *file);

/* supply.c */
/* Opens a node, creates a context and a few objects. */
void supply_open(struct fuzzer *f, struct verbs_file *file);
/*
 * Reserves an unused QP of one of our devices for a connection, and posts receives to the QP.
 * Returns false if there is no such QP.
 */
bool supply_qp(struct fuzzer *f, struct object *qp);

/* cm.c: identifiers of the connection manager, and commands on them */
#define CM_FILES	2

struct cm_id {
	uint32_t id;
	uint32_t qpn;
	int file;
	bool used;
};

void cm_init(void);
void cm_after_fork(void);
int cm_fd(unsigned int file);
void cm_open(unsigned int file);
void cm_close(unsigned int file);
void any_cm_command(struct fuzzer *f);
/*
 * The commands that open connections, in the right order. Functions that return an int return -1 on
 * failure.
 */
int cm_create(struct fuzzer *f, unsigned int file);
struct sockaddr_in6 any_address(struct fuzzer *f, uint16_t port);
bool cm_listen_at(struct fuzzer *f, unsigned int file, uint32_t id,
		  const struct sockaddr_in6 *addr);
void cm_resolve(struct fuzzer *f, unsigned int file, uint32_t id, const struct sockaddr_in6 *addr);
void cm_resolve_route(struct fuzzer *f, unsigned int file, uint32_t id);
bool cm_connect(struct fuzzer *f, unsigned int file, uint32_t id);
bool cm_accept(struct fuzzer *f, unsigned int file, uint32_t id);
void cm_reject(struct fuzzer *f, unsigned int file, uint32_t id);
void cm_disconnect(struct fuzzer *f, unsigned int file, uint32_t id);
void cm_destroy(struct fuzzer *f, unsigned int file, uint32_t id);
bool cm_event(struct fuzzer *f, unsigned int file, struct rdma_ucm_event_resp *event);
/* cm_remember() and cm_forget() keep the list of existing identifiers and of their files. */
int cm_remember(unsigned int file, uint32_t id);
void cm_forget(uint32_t id);
uint32_t cm_qpn(uint32_t id);
unsigned int cm_number(void);

/* connect.c */
void connect_init(void);
void run_connections(struct fuzzer *f);

/* files.c */
void any_file_act(struct fuzzer *f, struct verbs_file *file);
void any_reading(struct fuzzer *f, struct verbs_file *file);

/* process.c */
#define NOBODY		65534

void process_run(uint64_t seed) __attribute__((noreturn));
/* Prepares the process: its signals and its memory. */
void process_init(struct fuzzer *f, uint64_t seed);
/* Forgets all objects, opens @files nodes of uverbs, and creates a few objects. */
void process_open(struct fuzzer *f, unsigned int files);
/* Does one random action, or one step of opening connections. */
void any_step(struct fuzzer *f);

/* parent.c: checks that all processes end in time, and that none crashes */
struct outcome {
	unsigned int started;
	unsigned int killed;
	unsigned int crashed;
	unsigned int stuck;
};

void parent_run(struct outcome *outcome);

#endif /* UVERBS_FUZZ_H */
