// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: the guided mode. The coverage is that of krdma_cov.ko, whose counts include work
 * items and softirqs. A child plays the programs, and shares what it does with its parent, which
 * prints the program during which the child has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guided.h"
#include "program.h"

#define COVERAGE	"/dev/krdma_cov"
#define MAX_KEPT	4096
/* The newest programs of the corpus are changed more often than others. */
#define NEWEST		64
/* Time in s after which a program counts as stuck. */
#define ALARM_S		30
/* A system call that blocks is interrupted after this time, and again. */
#define TICK_MS		20
/* How long work items of a program may run after its end before coverage is read. */
#define SETTLE_US	300
/* The journal has this many programs at most, and the kernel log a line for each so many. */
#define JOURNAL_MAX	64
#define REPORT_MS	10000
/* The time to open and to close all, in times of a step. */
#define OPEN_COST	10
/* Out of so many programs, at least one is new, and at least one is a changed one. */
#define LEAST_SHARE	12

/**
 * struct progress - what the player shares with its parent
 * @program: the program that is played
 * @number: the number of this program
 * @edges: how many edges have been run
 * @kept: how many programs are in the corpus
 * @mutated: how many of these were made by changing programs of the corpus
 * @seconds: for how long programs have been played
 * @tainted: the kernel has reported a fault
 * @bad_file: a file that the options name cannot be used
 */
struct progress {
	struct program program;
	uint64_t number;
	uint64_t edges;
	unsigned int kept;
	unsigned int mutated;
	unsigned int seconds;
	bool tainted;
	bool bad_file;
};

/**
 * struct yield - how well a way to make programs has worked lately
 * @kept: how many of its programs were kept
 * @cost: what its programs have cost, in steps
 *
 * Both are weighted: the last programs count most.
 */
struct yield {
	double kept;
	double cost;
};

/**
 * struct player - the process that plays
 * @f: what plays the steps
 * @rng: the generator of programs
 * @coverage: descriptor of the number of edges
 * @kmsg: descriptor of the kernel log
 * @first_fd: descriptors from this one on belong to the program
 * @corpus: file to which kept programs are added, or NULL
 * @journal: file of the last programs, or NULL
 * @timer: interrupts system calls that block
 * @programs: the kept programs
 * @num_programs: the number of @programs
 * @num_old: the number of @programs that came from a file
 * @yields: yields of new programs [0] and of changed ones [1]
 * @taint: the kernel's taint flags at the beginning
 */
struct player {
	struct fuzzer f;
	struct rng rng;
	int coverage;
	int kmsg;
	int first_fd;
	FILE *corpus;
	FILE *journal;
	timer_t timer;
	struct program *programs;
	unsigned int num_programs;
	unsigned int num_old;
	struct yield yields[2];
	unsigned long taint;
};

static struct progress *progress;

static void fail(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	progress->bad_file = true;
	_exit(1);
}

/* --- files of the player --- */

/* The kernel is tainted when it reports a fault of itself or of a module. */
static unsigned long read_taint(void)
{
	unsigned long taint = 0;
	FILE *file = fopen("/proc/sys/kernel/tainted", "r");

	if (!file || fscanf(file, "%lu", &taint) != 1)
		fail("/proc/sys/kernel/tainted");
	fclose(file);
	return taint;
}

static void load_programs(struct player *player, const char *path)
{
	static char line[PROGRAM_TEXT + 64];
	FILE *file = fopen(path, "r");

	if (!file && errno == ENOENT && !setting.replay)
		return;
	if (!file)
		fail(path);
	while (player->num_programs < MAX_KEPT && fgets(line, sizeof(line), file))
		if (program_parse(line, &player->programs[player->num_programs]))
			player->num_programs++;
	fclose(file);
	player->num_old = player->num_programs;
}

static FILE *open_text(const char *path, const char *mode)
{
	FILE *file = path ? fopen(path, mode) : NULL;

	if (path && !file)
		fail(path);
	return file;
}

static void open_files(struct player *player)
{
	close_range(3, ~0u, 0);
	player->coverage = open(COVERAGE, O_RDWR | O_CLOEXEC);
	if (player->coverage < 0 || write(player->coverage, "0", 1) != 1)
		fail(COVERAGE);
	player->kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	player->programs = calloc(MAX_KEPT, sizeof(*player->programs));
	if (!player->programs)
		fail("memory");
	if (setting.replay || setting.corpus)
		load_programs(player, setting.replay ? setting.replay : setting.corpus);
	if (!setting.replay)
		player->corpus = open_text(setting.corpus, "a");
	player->journal = open_text(setting.journal, "w");
	player->taint = read_taint();
	player->first_fd = dup(STDOUT_FILENO);
	close(player->first_fd);
}

/* Writes to the kernel log, beside whose reports the line appears. */
static void log_program(const struct player *player, const char *what)
{
	char line[128];
	int len = snprintf(line, sizeof(line), "<6>uverbs_fuzz: seed %llu, program %llu%s\n",
			   (unsigned long long)setting.seed,
			   (unsigned long long)progress->number, what);

	if (write(player->kmsg, line, len) != len)
		fail("/dev/kmsg");
}

/* Writes the program to the journal, so that it is known if the machine crashes. */
static void write_journal(const struct player *player)
{
	if (progress->number % JOURNAL_MAX == 1) {
		log_program(player, "");
		if (player->journal && ftruncate(fileno(player->journal), 0))
			fail(setting.journal);
	}
	if (!player->journal)
		return;
	if (progress->number % JOURNAL_MAX == 1)
		rewind(player->journal);
	fprintf(player->journal, "%llu: ", (unsigned long long)progress->number);
	program_print(&progress->program, player->journal);
	fputc('\n', player->journal);
	fflush(player->journal);
}

/* --- playing --- */

/* Returns whether edges have been run that nothing had run before the last call. */
static bool has_new_edges(const struct player *player)
{
	uint64_t before = progress->edges;
	char text[24] = "";

	if (pread(player->coverage, text, sizeof(text) - 1, 0) <= 0)
		fail(COVERAGE);
	progress->edges = strtoull(text, NULL, 10);
	return progress->edges > before;
}

/*
 * Plays a program from the beginning. Returns how many of its tapes are needed to run the edges
 * that nothing had run before: 0 if there is no such edge.
 */
static unsigned int play(struct player *player, struct program *program)
{
	struct fuzzer *f = &player->f;
	int64_t begin = now_us();
	unsigned int needed = 0;
	const struct timespec tick = { .tv_nsec = TICK_MS * 1000000 };
	const struct itimerspec spec = { tick, tick };

	progress->program = *program;
	progress->number++;
	write_journal(player);
	alarm(ALARM_S * setting.slow);
	if (timer_settime(player->timer, 0, &spec, NULL))
		abort();
	for (unsigned int i = 0; i < program->num; i++) {
		struct tape *tape = &program->tapes[i];

		rng_play(&f->rng, tape);
		if (i) {
			any_step(f);
		} else {
			/* Opens files with the rights of root or of nobody. */
			if (one_in(&f->rng, 2) && seteuid(NOBODY))
				abort();
			process_open(f, one_in(&f->rng, 4) ? FILES_EACH : 1);
		}
		tape->drawn = f->rng.drawn;
		tape->hot = has_new_edges(player);
		if (tape->hot)
			needed = i + 1;
	}
	/* Closes everything that the program has opened, and waits for its children. */
	close_range(player->first_fd, ~0u, 0);
	memory_unmap_queues();
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	if (seteuid(0))
		abort();
	usleep(SETTLE_US);
	program->us = now_us() - begin;
	return has_new_edges(player) ? program->num : needed;
}

/* --- the corpus --- */

static void keep(struct player *player, const struct program *program)
{
	if (player->num_programs == MAX_KEPT)
		return;
	player->programs[player->num_programs++] = *program;
	progress->kept = player->num_programs;
	if (!player->corpus)
		return;
	program_print(program, player->corpus);
	fputc('\n', player->corpus);
	fflush(player->corpus);
}

static const struct program *any_kept(struct player *player)
{
	unsigned int newest = player->num_programs < NEWEST ? player->num_programs : NEWEST;

	if (one_in(&player->rng, 2))
		return &player->programs[player->num_programs - 1 - pick(&player->rng, newest)];
	return &player->programs[pick(&player->rng, player->num_programs)];
}

/* Takes the way that has yielded more lately, more often. */
static bool wants_change(struct player *player)
{
	double rates[2];

	if (setting.fresh || !player->num_programs)
		return false;
	for (int i = 0; i < 2; i++)
		rates[i] = (1 + player->yields[i].kept) / (1000 + player->yields[i].cost);
	if (one_in(&player->rng, LEAST_SHARE / 2))
		return one_in(&player->rng, 2);
	return pick(&player->rng, 1000) < 1000 * rates[1] / (rates[0] + rates[1]);
}

/* Makes a new program, or changes one of the corpus. Returns whether one was changed. */
static bool next_program(struct player *player, struct program *program)
{
	const struct program *a, *b;

	if (!wants_change(player)) {
		program_make(&player->rng, program);
		return false;
	}
	/* The faster one of two programs of the corpus. */
	a = any_kept(player);
	b = any_kept(player);
	*program = a->us < b->us ? *a : *b;
	program_mutate(&player->rng, program, any_kept(player));
	return true;
}

static void print_progress(int64_t ms)
{
	uint64_t requests = stats_total();
	uint64_t in_ms = ms ? ms : 1;

	printf("# %lld s: %llu programs, %llu a second; %llu requests, %llu a second; ",
	       (long long)ms / 1000, (unsigned long long)progress->number,
	       (unsigned long long)(progress->number * 1000 / in_ms),
	       (unsigned long long)requests, (unsigned long long)(requests * 1000 / in_ms));
	printf("%llu edges, %u programs kept, %u of them changed ones\n",
	       (unsigned long long)progress->edges, progress->kept, progress->mutated);
}

static void play_one(struct player *player)
{
	static struct program program;
	bool changed = next_program(player, &program);
	unsigned int needed = play(player, &program);
	struct yield *yield;

	yield = &player->yields[changed];
	yield->kept = yield->kept * 0.99 + !!needed;
	yield->cost = yield->cost * 0.99 + program.num + OPEN_COST;
	if (!needed)
		return;
	program.num = needed;
	keep(player, &program);
	progress->mutated += changed;
}

static void play_all(struct player *player)
{
	int64_t begin = now_ms(), reported = begin;
	unsigned int old = 0;

	progress->kept = player->num_programs;
	for (;;) {
		bool over = setting.replay || now_ms() - begin >= setting.seconds * 1000ll;

		if (read_taint() != player->taint) {
			progress->tainted = true;
			log_program(player, ": the kernel has reported a fault by now");
			break;
		}
		if (over && old == player->num_old)
			break;
		if (old < player->num_old)
			play(player, &player->programs[old++]);
		else
			play_one(player);
		if (now_ms() - reported >= REPORT_MS) {
			reported = now_ms();
			print_progress(reported - begin);
		}
	}
	print_progress(now_ms() - begin);
}

static void player_main(void)
{
	static struct player player;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	player.rng.state = setting.seed;
	open_files(&player);
	process_init(&player.f, setting.seed);
	if (timer_create(CLOCK_MONOTONIC, &event, &player.timer))
		fail("timer");
	play_all(&player);
	_exit(0);
}

/* --- the parent --- */

int guided_run(int *count)
{
	int status = 0, failed = 0;
	pid_t pid;

	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		abort();
	fflush(stdout);
	pid = fork();
	if (!pid)
		player_main();
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (progress->bad_file)
		return result(count, false, "the files can be used");
	if (WIFSIGNALED(status))
		printf("# the player was ended by signal %d\n", WTERMSIG(status));
	if (status || progress->tainted) {
		/* Prints the last program, which can be passed to --replay. */
		printf("# program %llu: ", (unsigned long long)progress->number);
		program_print(&progress->program, stdout);
		printf("\n");
	}
	failed += result(count, !status, "every program ends, and none crashes");
	failed += result(count, !progress->tainted, "the kernel reports no fault");
	printf("# edges %llu\n", (unsigned long long)progress->edges);
	if (setting.replay)
		return failed;
	if (!setting.fresh)
		failed += result(count, progress->mutated, "changed programs reach new code");
	return failed + stats_report(count, false);
}
