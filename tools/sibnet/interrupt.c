// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen;

static void remember(int number)
{
	(void)number;
	seen = 1;
}

void interrupt_catch(void)
{
	struct sigaction action = { .sa_handler = remember, .sa_flags = SA_RESTART };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

bool interrupt_seen(void)
{
	return seen;
}
