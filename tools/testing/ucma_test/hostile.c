// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: hostile use. Several threads run random commands at once, on files and identifiers
 * that the other threads close and destroy at the same time.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ucma_test.h"
#include "tools/testing/lib/random.h"

#define THREADS		6
#define COMMANDS	4000
#define FILES		3
#define KINDS		(RDMA_USER_CM_CMD_JOIN_MCAST + 2)

static int files[FILES];

/*
 * For each command: the length of its structure, and the offsets of the identifier and of the
 * response pointer in the structure, or -1 if there is none.
 */
static const struct {
	uint16_t len;
	int16_t id;
	int16_t response;
} layouts[KINDS] = {
#define LAYOUT(number, type, with_response) \
	[RDMA_USER_CM_CMD_##number] = { sizeof(type), offsetof(type, id), with_response }
	[RDMA_USER_CM_CMD_CREATE_ID] = { sizeof(struct rdma_ucm_create_id), -1, 8 },
	[RDMA_USER_CM_CMD_GET_EVENT] = { sizeof(struct rdma_ucm_get_event), -1, 0 },
	LAYOUT(DESTROY_ID, struct rdma_ucm_destroy_id, 0),
	LAYOUT(BIND_IP, struct rdma_ucm_bind_ip, -1),
	LAYOUT(RESOLVE_IP, struct rdma_ucm_resolve_ip, -1),
	LAYOUT(RESOLVE_ROUTE, struct rdma_ucm_resolve_route, -1),
	LAYOUT(QUERY_ROUTE, struct rdma_ucm_query, 0),
	LAYOUT(CONNECT, struct rdma_ucm_connect, -1),
	LAYOUT(LISTEN, struct rdma_ucm_listen, -1),
	LAYOUT(ACCEPT, struct rdma_ucm_accept, -1),
	LAYOUT(REJECT, struct rdma_ucm_reject, -1),
	LAYOUT(DISCONNECT, struct rdma_ucm_disconnect, -1),
	LAYOUT(INIT_QP_ATTR, struct rdma_ucm_init_qp_attr, 0),
	LAYOUT(SET_OPTION, struct rdma_ucm_set_option, 0),
	LAYOUT(NOTIFY, struct rdma_ucm_notify, -1),
	LAYOUT(JOIN_IP_MCAST, struct rdma_ucm_join_ip_mcast, 0),
	LAYOUT(LEAVE_MCAST, struct rdma_ucm_destroy_id, 0),
	LAYOUT(MIGRATE_ID, struct rdma_ucm_migrate_id, 0),
	LAYOUT(QUERY, struct rdma_ucm_query, 0),
	LAYOUT(BIND, struct rdma_ucm_bind, -1),
	LAYOUT(RESOLVE_ADDR, struct rdma_ucm_resolve_addr, -1),
	LAYOUT(JOIN_MCAST, struct rdma_ucm_join_mcast, 0),
};

static void make_command(uint64_t *seed, uint32_t number, uint8_t *in, uint8_t *answer)
{
	uint64_t where = (uintptr_t)answer;
	uint32_t id = random_below(seed, 40);
	/* Somebody may listen there, so that some commands succeed. */
	struct sockaddr_in6 addr = address(device_address, PORT + random_below(seed, 4));

	for (int i = 0; i < layouts[number].len; i++)
		in[i] = random_below(seed, 3) ? 0 : random_below(seed, 256);
	if (layouts[number].response >= 0)
		memcpy(in + layouts[number].response, &where, sizeof(where));
	if (layouts[number].id >= 0)
		memcpy(in + layouts[number].id, &id, sizeof(id));
	switch (number) {
	case RDMA_USER_CM_CMD_CREATE_ID:
		((struct rdma_ucm_create_id *)in)->ps = RDMA_PS_TCP;
		break;
	case RDMA_USER_CM_CMD_BIND:
		memcpy(&((struct rdma_ucm_bind *)in)->addr, &addr, sizeof(addr));
		((struct rdma_ucm_bind *)in)->addr_size = sizeof(struct sockaddr_in);
		((struct rdma_ucm_bind *)in)->reserved = 0;
		break;
	case RDMA_USER_CM_CMD_RESOLVE_ADDR:
		memcpy(&((struct rdma_ucm_resolve_addr *)in)->dst_addr, &addr, sizeof(addr));
		((struct rdma_ucm_resolve_addr *)in)->dst_size = sizeof(struct sockaddr_in);
		((struct rdma_ucm_resolve_addr *)in)->src_size = 0;
		((struct rdma_ucm_resolve_addr *)in)->reserved = 0;
		break;
	case RDMA_USER_CM_CMD_MIGRATE_ID:
		((struct rdma_ucm_migrate_id *)in)->fd = files[random_below(seed, FILES)];
		break;
	}
}

static void *work(void *arg)
{
	uint64_t seed = (uintptr_t)arg;
	uint64_t room[128];
	uint8_t *in = (uint8_t *)room;
	uint8_t answer[4096];

	for (int i = 0; i < COMMANDS; i++) {
		uint32_t number = random_below(&seed, KINDS);
		int file = random_below(&seed, FILES);
		int len = layouts[number].len;

		make_command(&seed, number, in, answer);
		if (!random_below(&seed, 20))
			len = random_below(&seed, sizeof(room));
		command(files[file], number, in, len,
			random_below(&seed, 10) ? 1024 : random_below(&seed, 64));
		/* Replaces the file behind a descriptor while other threads use the descriptor. */
		if (!random_below(&seed, 200)) {
			int fd = channel_open();

			if (fd >= 0) {
				fcntl(fd, F_SETFL, O_NONBLOCK);
				dup2(fd, files[file]);
				close(fd);
			}
		}
	}
	return NULL;
}

static bool random_commands(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < FILES; i++) {
		TRY(files[i] = channel_open());
		fcntl(files[i], F_SETFL, O_NONBLOCK);
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		TRY(-pthread_create(&threads[i], NULL, work, (void *)(i + 1)));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < FILES; i++)
		close(files[i]);
	return true;
}

/* Creates thousands of identifiers, and closes the file without destroying them. */
static bool many_ids(void)
{
	int fd = channel_open(), id;

	TRY(fd);
	for (int i = 0; i < 3000; i++) {
		TRY(id = create(fd, i + 1));
		if (i % 3)
			TRY(resolve(fd, id, device_address, PORT));
	}
	close(fd);
	return true;
}

const struct test hostile_tests[] = {
	{ "random commands from several threads", random_commands },
	{ "3000 identifiers are left behind", many_ids },
	{}
};
