// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: a process: several threads that share everything; one of them opens connections. The
 * first thread only interrupts the others with signals, and exits at the end, unless the parent has
 * killed the process before.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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
#define CHILD_S		1
#define CHILD_ACTS	40

/* The first thread opens connections, the others do anything. */
static struct fuzzer fuzzers[THREADS];
static pthread_t threads[THREADS];

/* --- children that inherit all files --- */

static void any_act(struct fuzzer *f);

/* Runs in the child, which has one thread, all of the files, and copies of all mappings. */
static void child(struct fuzzer *f)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(CHILD_S * setting.slow);
	pool_after_fork();
	cm_after_fork();
	f->rng = (struct rng) { .state = mix(f->rng.state, 1) };
	if (one_in(&f->rng, 4) && setuid(NOBODY))
		_exit(1);
	for (int i = 0; i < CHILD_ACTS; i++)
		any_act(f);
	if (one_in(&f->rng, 4))
		raise(SIGKILL);
	_exit(0);
}

/*
 * Forks a child, and in half of the calls waits until the child ends. The child's alarm limits the
 * wait.
 */
static void fork_child(struct fuzzer *f)
{
	pid_t pid = fork();

	if (!pid)
		child(f);
	stats_count(FILES, FORK, pid > 0);
	if (pid > 0 && one_in(&f->rng, 2))
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
}

/* --- what a thread does --- */

static void any_act(struct fuzzer *f)
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
	else if (one_in(&f->rng, 8))
		fork_child(f);
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

static void *run_thread(void *arg)
{
	struct fuzzer *f = arg;

	for (;;)
		if (f == &fuzzers[0])
			run_connections(f);
		else
			any_act(f);
	return NULL;
}

/* --- the process --- */

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
		supply_open(f, &verbs_files[i]);
}

void process_run(uint64_t seed)
{
	static struct fuzzer first;
	struct rng rng = { .state = mix(seed, THREADS + 1) };
	int64_t end;

	alarm(ALARM_S * setting.slow);
	if (one_in(&rng, 2) && setuid(NOBODY))
		abort();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	process_init(&first, seed);
	/*
	 * Allocates all threads' memory, before anything is mapped. A mapping that fails leaves a
	 * gap between the queues; memory that was allocated in this gap would be overwritten by the
	 * next mapping.
	 */
	for (int i = 0; i < THREADS; i++) {
		fuzzer_init(&fuzzers[i], mix(seed, i + 1));
		fuzzers[i].corrupt = i ? CORRUPT : CORRUPT_CONNECT;
	}
	process_open(&first, FILES_EACH);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_thread, &fuzzers[i]))
			abort();
	end = now_ms() + 300 + pick(&rng, LIFETIME_MS * setting.slow);
	while (now_ms() < end) {
		usleep(1000 + pick(&rng, 20000));
		pthread_kill(threads[pick(&rng, THREADS)], SIGUSR1);
	}
	/*
	 * Exits while other threads are in system calls. In half of the cases, closes all files
	 * explicitly before.
	 */
	if (one_in(&rng, 2))
		close_range(3, ~0u, 0);
	_exit(0);
}
