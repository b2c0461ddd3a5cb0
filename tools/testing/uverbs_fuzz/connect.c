// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: the thread that opens connections with commands in the right order. The thread
 * listens, connects to listeners of this process and of others, and handles the events.
 */
#include <unistd.h>

#include "uverbs_fuzz.h"

enum { ADDR_RESOLVED = 0, ROUTE_RESOLVED = 2, CONNECT_REQUEST = 4, ESTABLISHED = 9 };

#define MAX_IDS		24
#define PAUSE_US	500

/* The address where this process listens, unless another thread has destroyed the listener. */
static struct sockaddr_in6 own_listener;
static bool listening;

void connect_init(void)
{
	listening = false;
}

static void listen_somewhere(struct fuzzer *f)
{
	unsigned int file = pick(&f->rng, CM_FILES);
	struct sockaddr_in6 addr = any_address(f, PORT + pick(&f->rng, PORTS));
	int id = cm_create(f, file);

	if (id < 0)
		return;
	listening = cm_listen_at(f, file, id, &addr);
	if (listening)
		own_listener = addr;
	else
		cm_destroy(f, file, id);
}

/*
 * Ends a connection. Marks its QP as disconnected, because a QP cannot be connected twice, and
 * mostly destroys the identifier.
 */
static void abandon(struct fuzzer *f, unsigned int file, uint32_t id)
{
	uint32_t qpn = cm_qpn(id);

	if (qpn)
		pool_set_use(qpn, DISCONNECTED);
	if (!one_in(&f->rng, 8))
		cm_destroy(f, file, id);
}

static void handle_event(struct fuzzer *f, unsigned int file,
			 const struct rdma_ucm_event_resp *event)
{
	if (event->status) {
		if (one_in(&f->rng, 3))
			listening = false;
		abandon(f, file, event->id);
		return;
	}
	switch (event->event) {
	case ADDR_RESOLVED:
		cm_resolve_route(f, file, event->id);
		break;
	case ROUTE_RESOLVED:
		if (!cm_connect(f, file, event->id))
			abandon(f, file, event->id);
		break;
	case CONNECT_REQUEST:
		cm_remember(file, event->id);
		if (one_in(&f->rng, 6))
			cm_reject(f, file, event->id);
		else if (!cm_accept(f, file, event->id))
			abandon(f, file, event->id);
		break;
	case ESTABLISHED:
		pool_set_use(cm_qpn(event->id), CONNECTED);
		if (one_in(&f->rng, 8))
			cm_disconnect(f, file, event->id);
		break;
	default:
		abandon(f, file, event->id);
		break;
	}
}

void run_connections(struct fuzzer *f)
{
	struct rdma_ucm_event_resp event;
	bool idle = true;

	if (!listening || one_in(&f->rng, 200))
		listen_somewhere(f);
	if (cm_number() < MAX_IDS) {
		unsigned int to = pick(&f->rng, CM_FILES);
		struct sockaddr_in6 addr = any_address(f, PORT + pick(&f->rng, PORTS));
		int id = cm_create(f, to);

		if (listening && id >= 0 && !one_in(&f->rng, 3))
			addr = own_listener;
		if (id >= 0)
			cm_resolve(f, to, id, &addr);
	} else if (one_in(&f->rng, 20)) {
		any_cm_command(f);
	}
	for (unsigned int file = 0; file < CM_FILES; file++)
		while (cm_event(f, file, &event)) {
			handle_event(f, file, &event);
			idle = false;
		}
	if (idle)
		usleep(PAUSE_US);
}
