// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: a process: several threads that share everything; one of them opens connections. The
 * first thread only interrupts the others with signals, and exits at the end, unless the parent has
 * killed the process before.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "uverbs_fuzz.h"

#define THREADS		4
#define LIFETIME_MS	6000
#define ALARM_S		60
/*
 * One in CORRUPT requests of a thread is corrupted. For the thread that opens connections, this is
 * one in CORRUPT_CONNECT.
 */
#define CORRUPT		5
#define CORRUPT_CONNECT	60

static struct fuzzer fuzzers[THREADS];
static pthread_t threads[THREADS];

void any_act(struct fuzzer *f)
{
	struct verbs_file *file = any_file(f);
	unsigned int chance = pick(&f->rng, 1000);

	if (chance < 350)
		any_command(f, file);
	else if (chance < 550)
		any_method(f, file);
	else if (chance < 700)
		any_cm_command(f);
	else if (chance < 910)
		work_on_rings(f, file);
	else if (chance < 960)
		any_reading(f, file);
	else if (chance < 975)
		disturb_mapping(f, file);
	else if (chance < 990)
		scribble(f, file);
	else
		any_file_act(f, file);
}

void any_step(struct fuzzer *f)
{
	bool connect = one_in(&f->rng, 3);

	f->corrupt = connect ? CORRUPT_CONNECT : CORRUPT;
	if (connect)
		run_connections(f);
	else
		any_act(f);
}

static void *fuzz_thread(void *arg)
{
	struct fuzzer *f = arg;

	f->corrupt = CORRUPT;
	for (;;)
		any_act(f);
	return NULL;
}

static void *connect_thread(void *arg)
{
	struct fuzzer *f = arg;

	f->corrupt = CORRUPT_CONNECT;
	for (;;)
		run_connections(f);
	return NULL;
}

/* The handler does nothing: the signal is to interrupt a system call. */
static void on_signal(int sig)
{
	(void)sig;
}

void process_init(struct fuzzer *f, uint64_t seed)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	signal(SIGIO, SIG_IGN);
	memory_init();
	fuzzer_init(f, seed);
}

void process_open(struct fuzzer *f, unsigned int files)
{
	pool_init(files);
	cm_init();
	connect_init();
	for (unsigned int i = 0; i < files; i++)
		pool_open(f, &verbs_files[i]);
}

/*
 * Allocates all threads' memory, before anything is mapped. A mapping that fails leaves a gap
 * between the queues; memory that was allocated in this gap would be overwritten by the next
 * mapping.
 */
static void init_threads(uint64_t seed)
{
	for (int i = 0; i < THREADS; i++)
		fuzzer_init(&fuzzers[i], mix(seed, i + 1));
}

static void start_threads(void)
{
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, i ? fuzz_thread : connect_thread,
				   &fuzzers[i]))
			abort();
}

static void interrupt_threads(struct rng *rng, int64_t end)
{
	while (now_ms() < end) {
		usleep(1000 + pick(rng, 20000));
		pthread_kill(threads[pick(rng, THREADS)], SIGUSR1);
	}
}

/*
 * Exits while other threads are in system calls. In half of the cases, closes all files explicitly
 * before.
 */
static void exit_process(struct rng *rng)
{
	if (one_in(rng, 2))
		close_range(3, ~0u, 0);
	_exit(0);
}

void process_run(uint64_t seed)
{
	static struct fuzzer first;
	struct rng rng = { .state = mix(seed, THREADS + 1) };

	alarm(ALARM_S * setting.slow);
	if (one_in(&rng, 2) && setuid(NOBODY))
		abort();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	process_init(&first, seed);
	init_threads(seed);
	process_open(&first, FILES_EACH);
	start_threads();
	interrupt_threads(&rng, now_ms() + 300 + pick(&rng, LIFETIME_MS * setting.slow));
	exit_process(&rng);
	abort();
}
