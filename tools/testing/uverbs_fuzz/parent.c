// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: the parent starts processes, kills them at any moment, and expects that they end in
 * time. As a subreaper, it also gets the children that these processes leave behind.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uverbs_fuzz.h"

#define MAX_PROCESSES	32
#define LIFETIME_MS	5000
#define END_MS		20000
#define TICK_US		10000
#define EXTENSION	3

/**
 * struct process - a process that was started
 * @pid: the process id, or 0 if no process runs
 * @kill_at: when the process is to be killed, or when it was killed; on the clock of now_ms()
 * @killed: whether the process was killed
 */
struct process {
	pid_t pid;
	int64_t kill_at;
	bool killed;
};

static struct process processes[MAX_PROCESSES];
static struct rng rng;

/* --- what a process that does not end is doing --- */

static void print_task(pid_t pid, const char *task)
{
	static const char *const files[] = { "comm", "wchan", "syscall", "stack" };
	char path[512], line[256];
	FILE *file;

	printf("# task %s\n", task);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/%s", pid, task, files[i]);
		file = fopen(path, "r");
		printf("#   %s:", files[i]);
		while (file && fgets(line, sizeof(line), file)) {
			line[strcspn(line, "\n")] = 0;
			printf(" %s", line);
		}
		printf("\n");
		if (file)
			fclose(file);
	}
}

static void print_process(pid_t pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	printf("# process %d does not end\n", pid);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			print_task(pid, entry->d_name);
	closedir(dir);
}

/* --- how processes end --- */

/*
 * Collects children that have ended. Returns true if no child is left. Counts a process as crashed
 * if it was ended by a signal that nobody sent. Such a signal may mean that the kernel has written
 * to the wrong memory.
 */
static bool collect(struct outcome *outcome)
{
	int status, sig;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		if (sig && sig != SIGKILL && sig != SIGALRM) {
			printf("# process %d was ended by signal %d\n", pid, sig);
			outcome->crashed++;
		}
		for (int i = 0; i < MAX_PROCESSES; i++)
			if (processes[i].pid == pid)
				processes[i].pid = 0;
	}
	return pid < 0 && errno == ECHILD;
}

/* --- how processes are started and killed --- */

static void start(struct outcome *outcome, struct process *process)
{
	unsigned int number = outcome->started++;
	uint64_t seed = mix(setting.seed, number);
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		process_run(seed);
	if (pid < 0)
		return;
	printf("# process %u, pid %d: seed 0x%llx\n", number, pid, (unsigned long long)seed);
	*process = (struct process) {
		.pid = pid,
		.kill_at = now_ms() + 200 + pick(&rng, LIFETIME_MS * setting.slow),
	};
}

static void kill_one(struct outcome *outcome, struct process *process)
{
	kill(process->pid, SIGKILL);
	process->killed = true;
	process->kill_at = now_ms();
	outcome->killed++;
}

/*
 * Starts processes and kills them, until the time is over. A slow run is extended until each kind
 * of request has succeeded, but to EXTENSION times its planned length at most. Returns false if a
 * process has not ended in time.
 */
static bool keep_running(struct outcome *outcome)
{
	int64_t begin = now_ms(), planned = setting.seconds * 1000ll;

	while (now_ms() - begin < EXTENSION * planned &&
	       (now_ms() - begin < planned || !stats_complete())) {
		collect(outcome);
		for (unsigned int i = 0; i < setting.processes; i++) {
			struct process *process = &processes[i];

			if (!process->pid)
				start(outcome, process);
			else if (!process->killed && now_ms() >= process->kill_at)
				kill_one(outcome, process);
			else if (process->killed &&
				 now_ms() >= process->kill_at + END_MS * setting.slow)
				return false;
		}
		usleep(TICK_US);
	}
	return true;
}

static bool end_all(struct outcome *outcome)
{
	int64_t end = now_ms() + END_MS * setting.slow;

	for (unsigned int i = 0; i < setting.processes; i++)
		if (processes[i].pid && !processes[i].killed)
			kill_one(outcome, &processes[i]);
	while (!collect(outcome)) {
		if (now_ms() >= end)
			return false;
		usleep(TICK_US);
	}
	return true;
}

void parent_run(struct outcome *outcome)
{
	bool good;
	char path[64], pid[16] = "";
	FILE *file;

	rng.state = mix(setting.seed, ~0ull);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (setting.processes > MAX_PROCESSES)
		setting.processes = MAX_PROCESSES;
	good = keep_running(outcome);
	if (end_all(outcome) && good)
		return;
	outcome->stuck++;
	/* Prints all children, including those that other processes have left behind. */
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	file = fopen(path, "r");
	while (file && fscanf(file, "%15s", pid) == 1)
		print_process(atoi(pid));
	if (file)
		fclose(file);
}
