// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: commands of rdma_cm, and the identifiers that this process has there.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "uverbs_fuzz.h"

#define MAX_IDS		48
#define TIMEOUT_MS	2000
/* The size of struct sockaddr_ib in bytes. */
#define SOCKADDR_IB	48
/* The size in bytes of the option of level RDMA_OPTION_IB: flags and a path record. */
#define PATH_RECORD	72
/* The numbers of enum ib_event_type are smaller. */
#define EVENTS		20

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cm_id ids[MAX_IDS];
static atomic_int fds[CM_FILES];

/* --- files and identifiers --- */

int cm_fd(unsigned int file)
{
	return fds[file];
}

void cm_open(unsigned int file)
{
	fds[file] = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

void cm_close(unsigned int file)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < MAX_IDS; i++)
		if (ids[i].file == (int)file)
			ids[i].used = false;
	pthread_mutex_unlock(&lock);
	close(fds[file]);
}

void cm_init(void)
{
	memset(ids, 0, sizeof(ids));
	for (unsigned int i = 0; i < CM_FILES; i++)
		cm_open(i);
}

void cm_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
}

static struct cm_id *find(uint32_t id)
{
	for (int i = 0; i < MAX_IDS; i++)
		if (ids[i].used && ids[i].id == id)
			return &ids[i];
	return NULL;
}

int cm_remember(unsigned int file, uint32_t id)
{
	int place = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < MAX_IDS && place < 0; i++)
		if (!ids[i].used)
			place = i;
	if (place >= 0)
		ids[place] = (struct cm_id) { .id = id, .file = file, .used = true };
	pthread_mutex_unlock(&lock);
	return place;
}

void cm_forget(uint32_t id)
{
	struct cm_id *known;

	pthread_mutex_lock(&lock);
	known = find(id);
	if (known)
		known->used = false;
	pthread_mutex_unlock(&lock);
}

uint32_t cm_qpn(uint32_t id)
{
	struct cm_id *known;
	uint32_t qpn;

	pthread_mutex_lock(&lock);
	known = find(id);
	qpn = known ? known->qpn : 0;
	pthread_mutex_unlock(&lock);
	return qpn;
}

unsigned int cm_number(void)
{
	unsigned int number = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < MAX_IDS; i++)
		number += ids[i].used;
	pthread_mutex_unlock(&lock);
	return number;
}

/*
 * Returns an identifier and stores a file in *@file: mostly an identifier of this process and the
 * file that has it, otherwise a random number or file.
 */
static uint32_t any_id(struct fuzzer *f, unsigned int *file)
{
	const struct cm_id *known = &ids[pick(&f->rng, MAX_IDS)];

	*file = pick(&f->rng, CM_FILES);
	if (one_in(&f->rng, 32))
		return pick(&f->rng, 256);
	for (int i = 0; i < MAX_IDS && !known->used; i++)
		known = &ids[pick(&f->rng, MAX_IDS)];
	if (!one_in(&f->rng, 32))
		*file = known->file;
	return known->id;
}

/* --- a command --- */

#define NO_ANSWER	SIZE_MAX

/*
 * Runs a command. @response is the offset in @in of the pointer to the response, or NO_ANSWER; @out
 * is the length of the response. Returns the response, or NULL if the command failed or the place
 * of the response is not known.
 */
static void *run(struct fuzzer *f, int fd, uint32_t number, void *in, size_t len, size_t response,
		 size_t out)
{
	bool less = f->corrupt && out && one_in(&f->rng, 48);
	struct rdma_ucm_cmd_hdr hdr = {
		.cmd = number, .in = len, .out = less ? pick(&f->rng, out) : out,
	};
	void *answer = frame_answer(f, hdr.out);
	struct frame frame = {};
	int ret;

	if (response != NO_ANSWER)
		memcpy((uint8_t *)in + response, &(uint64_t) { (uintptr_t)answer },
		       sizeof(uint64_t));
	frame_add(&frame, &hdr, sizeof(hdr));
	frame.header = frame.len;
	frame.response = response == NO_ANSWER ? 0 : frame.len + response;
	frame_add(&frame, in, len);
	frame_corrupt(f, &frame);
	frame.lost |= less;
	ret = frame_write(f, fd, &frame);
	stats_count(CM, number, !ret);
	return ret || frame.lost ? NULL : answer;
}

#define RUN(f, file, number, cmd)						\
	run((f), cm_fd(file), RDMA_USER_CM_CMD_##number, &(cmd), sizeof(cmd), NO_ANSWER, 0)
#define ASK(f, file, number, cmd, type)						\
	run((f), cm_fd(file), RDMA_USER_CM_CMD_##number, &(cmd), sizeof(cmd),	\
	    offsetof(__typeof__(cmd), response), sizeof(type))

/* --- addresses --- */

struct sockaddr_in6 any_address(struct fuzzer *f, uint16_t port)
{
	struct sockaddr_in6 addr = setting.targets[pick(&f->rng, setting.num_targets)];

	addr.sin6_port = htons(port);
	if (one_in(&f->rng, 64))
		addr.sin6_family = one_in(&f->rng, 2) ? AF_IB : odd_value(&f->rng);
	return addr;
}

static uint16_t size_of(const struct sockaddr_in6 *addr)
{
	if (addr->sin6_family == AF_IB)
		return SOCKADDR_IB;
	return addr->sin6_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(*addr);
}

static uint16_t any_port(struct fuzzer *f)
{
	return number(&f->rng, PORT, PORT + PORTS - 1);
}

/* --- the commands that open connections --- */

static uint16_t any_port_space(struct fuzzer *f)
{
	static const uint16_t spaces[] = { RDMA_PS_IPOIB, RDMA_PS_IB, RDMA_PS_UDP };

	if (!one_in(&f->rng, 32))
		return RDMA_PS_TCP;
	return one_in(&f->rng, 2) ? odd_value(&f->rng) : spaces[pick(&f->rng, ARRAY_SIZE(spaces))];
}

int cm_create(struct fuzzer *f, unsigned int file)
{
	struct rdma_ucm_create_id cmd = {
		.uid = random_u64(&f->rng),
		.ps = any_port_space(f),
		.qp_type = number(&f->rng, RC, RC),
	};
	struct rdma_ucm_create_id_resp *resp = ASK(f, file, CREATE_ID, cmd, *resp);

	if (!resp)
		return -1;
	cm_remember(file, resp->id);
	return resp->id;
}

static bool bind_to(struct fuzzer *f, unsigned int file, uint32_t id,
		    const struct sockaddr_in6 *addr)
{
	struct rdma_ucm_bind cmd = { .id = id, .addr_size = size_of(addr) };

	memcpy(&cmd.addr, addr, sizeof(*addr));
	return RUN(f, file, BIND, cmd);
}

static bool listen_on(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_listen cmd = { .id = id, .backlog = number(&f->rng, 0, 16) };

	return RUN(f, file, LISTEN, cmd);
}

bool cm_listen_at(struct fuzzer *f, unsigned int file, uint32_t id, const struct sockaddr_in6 *addr)
{
	return bind_to(f, file, id, addr) && listen_on(f, file, id);
}

void cm_resolve(struct fuzzer *f, unsigned int file, uint32_t id, const struct sockaddr_in6 *addr)
{
	struct rdma_ucm_resolve_addr cmd = {
		.id = id,
		.timeout_ms = number(&f->rng, TIMEOUT_MS, TIMEOUT_MS),
		.dst_size = size_of(addr),
	};

	memcpy(&cmd.dst_addr, addr, sizeof(*addr));
	if (one_in(&f->rng, 6)) {
		struct sockaddr_in6 src = any_address(f, 0);

		cmd.src_size = size_of(&src);
		memcpy(&cmd.src_addr, &src, sizeof(src));
	}
	RUN(f, file, RESOLVE_ADDR, cmd);
}

void cm_resolve_route(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_resolve_route cmd = {
		.id = id,
		.timeout_ms = number(&f->rng, TIMEOUT_MS, TIMEOUT_MS),
	};

	RUN(f, file, RESOLVE_ROUTE, cmd);
}

/* Takes an unconnected QP, which belongs to the identifier from then on. */
static bool take_qp(struct fuzzer *f, uint32_t id, struct rdma_ucm_conn_param *param)
{
	struct object qp;
	struct cm_id *known;

	if (!supply_qp(f, &qp))
		return false;
	/* Members that iWARP does not use, and private data. */
	if (one_in(&f->rng, 8))
		odd_words(&f->rng, param, sizeof(*param));
	param->qp_num = one_in(&f->rng, 32) ? odd_value(&f->rng) : qp.qpn;
	param->responder_resources = number(&f->rng, 1, 8);
	param->initiator_depth = number(&f->rng, 1, 8);
	param->private_data_len = one_in(&f->rng, 4) ? odd_value(&f->rng) : 0;
	param->valid = !one_in(&f->rng, 64);
	pthread_mutex_lock(&lock);
	known = find(id);
	if (known)
		known->qpn = qp.qpn;
	pthread_mutex_unlock(&lock);
	return true;
}

/*
 * Runs a command of @size bytes whose last member, at @ece, is missing in its oldest layout, and
 * sometimes here.
 */
static bool run_with_ece(struct fuzzer *f, unsigned int file, uint32_t number, void *cmd,
			 size_t ece, size_t size)
{
	if (one_in(&f->rng, 8))
		odd_words(&f->rng, (uint8_t *)cmd + ece, size - ece);
	if (one_in(&f->rng, 8))
		size = ece;
	return run(f, cm_fd(file), number, cmd, size, NO_ANSWER, 0);
}

#define RUN_WITH_ECE(f, file, number, cmd)					\
	run_with_ece((f), (file), RDMA_USER_CM_CMD_##number, &(cmd),		\
		     offsetof(__typeof__(cmd), ece), sizeof(cmd))

bool cm_connect(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_connect cmd = { .id = id };

	return take_qp(f, id, &cmd.conn_param) && RUN_WITH_ECE(f, file, CONNECT, cmd);
}

bool cm_accept(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_accept cmd = { .id = id, .uid = random_u64(&f->rng) };

	return take_qp(f, id, &cmd.conn_param) && RUN_WITH_ECE(f, file, ACCEPT, cmd);
}

void cm_reject(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_reject cmd = {
		.id = id,
		.private_data_len = number(&f->rng, 0, 200),
		.reason = one_in(&f->rng, 8) ? odd_value(&f->rng) : 0,
	};

	RUN(f, file, REJECT, cmd);
}

void cm_disconnect(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_disconnect cmd = { .id = id };

	RUN(f, file, DISCONNECT, cmd);
}

void cm_destroy(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_destroy_id cmd = { .id = id };

	if (ASK(f, file, DESTROY_ID, cmd, struct rdma_ucm_destroy_id_resp))
		cm_forget(id);
}

bool cm_event(struct fuzzer *f, unsigned int file, struct rdma_ucm_event_resp *event)
{
	struct rdma_ucm_get_event cmd = {};
	struct rdma_ucm_event_resp *resp = ASK(f, file, GET_EVENT, cmd, *resp);

	if (!resp)
		return false;
	*event = *resp;
	stats_count(CM_EVENT, event->event, !event->status);
	return true;
}

/* --- any command, on any identifier --- */

static void do_create(struct fuzzer *f, unsigned int file, uint32_t id)
{
	cm_create(f, file);
	(void)id;
}

static void do_bind(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_bind_ip cmd = { .id = id, .addr = any_address(f, 0) };
	struct sockaddr_in6 addr = any_address(f, one_in(&f->rng, 2) ? 0 : any_port(f));

	if (pick(&f->rng, 7) < 4)
		bind_to(f, file, id, &addr);
	else
		RUN(f, file, BIND_IP, cmd);
}

static void do_listen(struct fuzzer *f, unsigned int file, uint32_t id)
{
	listen_on(f, file, id);
}

static void do_resolve(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct sockaddr_in6 addr = any_address(f, any_port(f));
	struct rdma_ucm_resolve_ip cmd = { .id = id, .timeout_ms = TIMEOUT_MS, .dst_addr = addr };

	if (one_in(&f->rng, 2)) {
		cm_resolve(f, file, id, &addr);
		return;
	}
	if (one_in(&f->rng, 2))
		cmd.src_addr = any_address(f, 0);
	RUN(f, file, RESOLVE_IP, cmd);
}

static void do_connect(struct fuzzer *f, unsigned int file, uint32_t id)
{
	if (one_in(&f->rng, 2))
		cm_connect(f, file, id);
	else
		cm_accept(f, file, id);
}

static void do_query(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_query cmd = { .id = id };
	struct rdma_ucm_init_qp_attr attr = { .id = id, .qp_state = number(&f->rng, 0, 6) };

	switch (pick(&f->rng, 3)) {
	case 0:
		ASK(f, file, QUERY_ROUTE, cmd, struct rdma_ucm_query_route_resp);
		break;
	case 1:
		cmd.option = number(&f->rng, 0, 2);
		ASK(f, file, QUERY, cmd, struct rdma_ucm_query_addr_resp);
		break;
	default:
		ASK(f, file, INIT_QP_ATTR, attr, struct ib_uverbs_qp_attr);
		break;
	}
}

/*
 * Puts the value of the option into this thread's memory for responses, because no other thread
 * writes there.
 */
static void do_set_option(struct fuzzer *f, unsigned int file, uint32_t id)
{
	uint32_t *value = frame_answer(f, PATH_RECORD);
	struct rdma_ucm_set_option cmd = {
		.id = id,
		.optval = one_in(&f->rng, 16) ? bad_pointer(f) : (uintptr_t)value,
		.level = number(&f->rng, RDMA_OPTION_ID, RDMA_OPTION_ID),
		.optname = number(&f->rng, 0, 4),
		.optlen = one_in(&f->rng, 2) ? 4 : 1,
	};

	if (one_in(&f->rng, 8)) {
		cmd.level = RDMA_OPTION_IB;
		cmd.optname = RDMA_OPTION_IB_PATH;
		cmd.optlen = PATH_RECORD * number(&f->rng, 1, 2);
	}

	*value = pick(&f->rng, 32);
	RUN(f, file, SET_OPTION, cmd);
}

static void do_notify(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_notify cmd = { .id = id, .event = number(&f->rng, 0, EVENTS) };

	RUN(f, file, NOTIFY, cmd);
}

static void do_join(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct sockaddr_in6 addr = any_address(f, 0);
	struct rdma_ucm_join_ip_mcast old = { .id = id, .addr = addr };
	struct rdma_ucm_join_mcast cmd = {
		.id = id,
		.uid = random_u64(&f->rng),
		.addr_size = size_of(&addr),
		.join_flags = number(&f->rng, 0, 1),
	};

	memcpy(&cmd.addr, &addr, sizeof(addr));
	if (one_in(&f->rng, 2))
		ASK(f, file, JOIN_IP_MCAST, old, struct rdma_ucm_create_id_resp);
	else
		ASK(f, file, JOIN_MCAST, cmd, struct rdma_ucm_create_id_resp);
}

static void do_leave(struct fuzzer *f, unsigned int file, uint32_t id)
{
	struct rdma_ucm_destroy_id cmd = { .id = id };

	ASK(f, file, LEAVE_MCAST, cmd, struct rdma_ucm_destroy_id_resp);
}

static void do_migrate(struct fuzzer *f, unsigned int file, uint32_t id)
{
	unsigned int to = pick(&f->rng, CM_FILES);
	struct rdma_ucm_migrate_id cmd = {
		.id = id, .fd = one_in(&f->rng, 32) ? pick(&f->rng, 32) : (uint32_t)cm_fd(file),
	};
	struct cm_id *known;

	if (!ASK(f, to, MIGRATE_ID, cmd, struct rdma_ucm_migrate_resp))
		return;
	pthread_mutex_lock(&lock);
	known = find(id);
	if (known)
		known->file = to;
	pthread_mutex_unlock(&lock);
}

static void do_unknown(struct fuzzer *f, unsigned int file, uint32_t id)
{
	uint64_t cmd[64];

	for (size_t i = 0; i < ARRAY_SIZE(cmd); i++)
		cmd[i] = one_in(&f->rng, 4) ? odd_value(&f->rng) : id;
	run(f, cm_fd(file), number(&f->rng, 0, 24), cmd, 8 * pick(&f->rng, ARRAY_SIZE(cmd)),
	    NO_ANSWER, pick(&f->rng, 512));
}

static const struct {
	void (*run)(struct fuzzer *f, unsigned int file, uint32_t id);
	unsigned int weight;
} acts[] = {
	{ do_create, 6 }, { do_bind, 7 }, { do_listen, 2 }, { do_resolve, 6 },
	{ cm_resolve_route, 3 }, { do_connect, 4 }, { cm_reject, 1 }, { cm_disconnect, 1 },
	{ do_query, 6 }, { do_set_option, 2 }, { do_notify, 1 }, { do_join, 1 }, { do_leave, 1 },
	{ do_migrate, 2 }, { cm_destroy, 4 }, { do_unknown, 2 },
};

void any_cm_command(struct fuzzer *f)
{
	unsigned int file;
	uint32_t id = any_id(f, &file);
	int new;

	/* Most identifiers are already bound or connected; a new one is not. */
	if (one_in(&f->rng, 8)) {
		new = cm_create(f, file);
		if (new >= 0)
			id = new;
	}
	any_of(&f->rng, acts, ARRAY_SIZE(acts))->run(f, file, id);
}
