// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: peers that retry to connect to a port before anybody listens there. Expects that each
 * connection that TCP accepts reaches the listener, even if the listener has only just been
 * created.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "ucma_test.h"

#define ROUNDS		200
#define PEERS		4
#define PATIENCE_MS	10000

/*
 * Retries to connect until somebody listens, and sends a request. Returns 0 if the request is
 * rejected, as the test expects, or a negative errno, such as -ECONNRESET.
 */
static void *peer(void *arg)
{
	int64_t end = now_ms() + PATIENCE_MS;
	intptr_t ret;

	(void)arg;
	do
		ret = peer_request(PORT);
	while (ret == -ECONNREFUSED && now_ms() < end);
	if (ret >= 0) {
		int fd = ret;

		ret = peer_reply(fd);
		close(fd);
	}
	return (void *)ret;
}

static bool serve(void)
{
	struct pair pair;
	int i;

	if (!begin_listening(&pair))
		return false;
	for (i = 0; i < PEERS; i++) {
		if (!take_request(&pair))
			return false;
		TRY(reject(pair.fd, pair.server, NULL, 0));
		TRY(destroy(pair.fd, pair.server));
	}
	TRY(destroy(pair.fd, pair.listener));
	close(pair.fd);
	return true;
}

static bool one_round(void)
{
	pthread_t threads[PEERS];
	void *results[PEERS];
	bool served = false;
	int i, begun, ret = 0;

	for (begun = 0; begun < PEERS && !ret; begun += !ret)
		ret = -pthread_create(&threads[begun], NULL, peer, NULL);
	if (!ret)
		served = serve();
	for (i = 0; i < begun; i++)
		pthread_join(threads[i], &results[i]);
	TRY(ret);
	for (i = 0; i < PEERS; i++)
		EXPECT(0, (intptr_t)results[i]);
	return served;
}

static bool early_peers(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		if (!one_round()) {
			printf("# in round %d\n", i + 1);
			return false;
		}
	return true;
}

const struct test early_tests[] = {
	{ "peers that connect as soon as somebody listens", early_peers },
	{}
};
