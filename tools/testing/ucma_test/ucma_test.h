/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ucma_test: tests /dev/infiniband/rdma_cm without librdmacm, which uses only a part of what the
 * ABI allows.
 */
#ifndef UCMA_TEST_H
#define UCMA_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>

#include "tools/testing/lib/clock.h"
#include "tools/testing/lib/steps.h"
#include "tools/testing/lib/tests.h"

/*
 * run.c. From the command line: the address of a siw device, and the numbers of unconnected QPs of
 * this device. Each QP can have one connection, so next_qpn() returns each number once.
 */
extern const char *device_address;
extern char **unused_qpns;
uint32_t next_qpn(void);

/* How many tests have been run or skipped, and how many of them have failed. */
extern int tests_run, tests_failed;
void skip(const char *name, const char *why);

#define PORT 7100

/*
 * channel.c: an open file and its commands. Functions return 0 or a negative errno, unless said
 * otherwise.
 */
int channel_open(void);
int command(int fd, uint32_t number, const void *in, size_t in_len, size_t out_len);
/* Run the command @number: ASK() with @out bytes of room for a response, COMMAND() without. */
#define ASK(fd, number, in, out)						\
	command((fd), RDMA_USER_CM_CMD_##number, &(in), sizeof(in), (out))
#define COMMAND(fd, number, in)	ASK((fd), number, in, 0)

/* Returns the identifier's number, or a negative errno. */
int create(int fd, uint64_t uid);
/* Returns how many of the identifier's events were fetched, or a negative errno. */
int destroy(int fd, uint32_t id);
int bind_to(int fd, uint32_t id, const char *address, uint16_t port);
int listen_on(int fd, uint32_t id, uint32_t backlog);
int resolve(int fd, uint32_t id, const char *address, uint16_t port);
int resolve_route(int fd, uint32_t id);
int connect_to(int fd, uint32_t id, uint32_t qpn, const void *data, uint8_t len);
int accept_as(int fd, uint32_t id, uint64_t uid, uint32_t qpn, const void *data, uint8_t len);
int reject(int fd, uint32_t id, const void *data, uint8_t len);
int disconnect(int fd, uint32_t id);
/*
 * Moves @id from the file @from to @fd. Returns how many events of @id were fetched, or a negative
 * errno.
 */
int migrate(int fd, uint32_t id, int from);
/* Waits up to 10 s for an event, which is not fetched. Returns -ETIMEDOUT if none comes. */
int await_event(int fd);
/* Fetches the next event. Returns -EAGAIN if there is none. */
int get_event_now(int fd, struct rdma_ucm_event_resp *event);
/*
 * Waits for the next event, and fetches it. If its kind or status differs from @kind and @status,
 * prints all four and returns -EPROTO.
 */
int expect_event(int fd, uint32_t kind, int status, struct rdma_ucm_event_resp *event);
struct sockaddr_in6 address(const char *text, uint16_t port);

/* peer.c: functions return 0 or a negative errno, unless said otherwise. */

/*
 * Connects a TCP socket to @host, or to @device_address, and sends an MPA request. Returns the
 * socket, or a negative errno.
 */
int peer_request_to(const char *host, uint16_t port);
int peer_request(uint16_t port);
/*
 * Waits up to 10 s for the reply. Returns 0 if the request is rejected, -EISCONN if it is accepted,
 * or another negative errno.
 */
int peer_reply(int fd);

/*
 * A file with a listener, a client's identifier, and the server's identifier, which the kernel
 * creates when the client's request comes.
 */
struct pair {
	int fd;
	uint32_t listener;
	uint32_t client;
	uint32_t server;
};

/* connections.c */
bool begin_listening(struct pair *pair);
bool begin_connecting(struct pair *pair, const void *data, uint8_t len);
bool take_request(struct pair *pair);

extern const struct test commands_tests[], connections_tests[], early_tests[], moves_tests[];
extern const struct test hostile_tests[];
void stalled(void);
void charge(void);
/*
 * waiting.c: daemon_log is the file with the output of an iwpmfake that does not answer additions
 * or, for asking_tests, queries.
 */
extern const char *daemon_log;
extern const struct test waiting_tests[], asking_tests[];

#endif /* UCMA_TEST_H */
