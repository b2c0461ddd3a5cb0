// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Compares the host's state before and after a run. A counter of traffic is compared only if the
 * script names the counter. Every other counter is always compared; the expected difference is 0 if
 * the script does not name the counter.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "leak_check.h"

#define MAX_COUNTERS	64
#define MAX_PATTERNS	32
#define MAX_SETTINGS	8
/* Longest time, in ms, that objects and sockets may exist after a run. */
#define CLEANUP_MS	7000
/* Longest time, in ms, until the counters have their values after a run. */
#define COUNTERS_MS	2000

struct counter {
	const char *name;
	u64 before;
	long delta;
	bool named;
	bool any;
};

struct setting {
	char *path;
	char old[32];
};

/**
 * struct leak_check - the host's state before a run, and the changes that are expected
 * @counters: counters of the device
 * @num_counters: number of @counters
 * @patterns: patterns of the lines that the kernel log may have
 * @num_patterns: number of @patterns
 * @settings: settings that the script has changed, with their old values
 * @num_settings: number of @settings
 * @slab: size of the kernel's slabs at the line "slab begin", in KiB
 * @kmsg: file that reads the kernel log from the beginning of the run on
 */
struct leak_check {
	struct counter counters[MAX_COUNTERS];
	int num_counters;
	regex_t patterns[MAX_PATTERNS];
	int num_patterns;
	struct setting settings[MAX_SETTINGS];
	int num_settings;
	long slab;
	int kmsg;
};

static bool read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, buf, size - 1);
	close(fd);
	if (got < 0)
		return false;
	buf[got] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) >= 0;
	int err = errno;

	if (fd >= 0)
		close(fd);
	errno = err;
	return good;
}

/* Counters */

static u64 read_counter(struct run *run, const char *name)
{
	char path[PATH_MAX], text[32];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/%s",
		 run->options->dev, name);
	if (!read_file(path, text, sizeof(text)))
		run_fail(run, "%s: %s", path, strerror(errno));
	return strtoull(text, NULL, 0);
}

static void read_counters(struct run *run)
{
	const char *path = run_text(run, "/sys/class/infiniband/%s/ports/1/hw_counters",
				    run->options->dev);
	struct leak_check *check = run->leak_check;
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		run_fail(run, "%s: %s", path, strerror(errno));
	while ((entry = readdir(dir))) {
		const char *name = run_text(run, "%s", entry->d_name);

		if (name[0] == '.' || !strcmp(name, "lifespan"))
			continue;
		if (check->num_counters == MAX_COUNTERS)
			run_fail(run, "too many counters");
		check->counters[check->num_counters++] = (struct counter) {
			.name = name,
			.before = read_counter(run, name),
		};
	}
	closedir(dir);
}

void leak_check_count(struct run *run, const char *name, bool any, long delta, bool await)
{
	struct leak_check *check = run->leak_check;
	int64_t limit = now_ms() + run->wait_ms;
	struct counter *counter = NULL;
	long seen;

	if (!check)
		run_fail(run, "there is no host: run with --dev");
	for (int i = 0; i < check->num_counters && !counter; i++)
		if (!strcmp(check->counters[i].name, name))
			counter = &check->counters[i];
	if (!counter)
		run_fail(run, "no counter %s", name);
	counter->any |= any;
	counter->named = true;
	counter->delta += delta;
	while (await && (seen = read_counter(run, name) - counter->before) != counter->delta) {
		if (now_ms() > limit)
			run_fail(run, "counter %s: expected %+ld, seen %+ld", name, counter->delta,
				 seen);
		usleep(5000);
	}
}

/* Lists the counters with unexpected values. Returns NULL if there are none. */
static const char *wrong_counters(struct run *run)
{
	struct leak_check *check = run->leak_check;
	const char *list = NULL;

	for (int i = 0; i < check->num_counters; i++) {
		const struct counter *counter = &check->counters[i];
		const char *name = counter->name;
		bool traffic = (!strncmp(name, "rx_", 3) || !strncmp(name, "tx_", 3)) &&
			       !strstr(name, "terminates") && !strstr(name, "errors");
		long delta;

		if (counter->any || (!counter->named && traffic))
			continue;
		delta = read_counter(run, name) - counter->before;
		if (delta != counter->delta)
			list = run_text(run, "%s\n  %s: expected %+ld, seen %+ld", list ?: "",
					name, counter->delta, delta);
	}
	return list;
}

/* Kernel log */

void leak_check_allow_log(struct run *run, const char *regex)
{
	struct leak_check *check = run->leak_check;

	if (!check)
		return;
	if (check->num_patterns == MAX_PATTERNS ||
	    regcomp(&check->patterns[check->num_patterns], regex, REG_EXTENDED | REG_NOSUB))
		run_fail(run, "too many patterns, or not a regular expression: %s", regex);
	check->num_patterns++;
}

/* Returns whether the script allows a line of the kernel log, or another part logs it at times. */
static bool may_log(const struct leak_check *check, const char *text)
{
	static const char * const unrelated[] = {
		"IPv6: ADDRCONF", "random: ", "clocksource: ", "hrtimer: interrupt took",
		"perf: interrupt took",
	};

	for (size_t i = 0; i < ARRAY_SIZE(unrelated); i++)
		if (!strncmp(text, unrelated[i], strlen(unrelated[i])))
			return true;
	for (int i = 0; i < check->num_patterns; i++)
		if (!regexec(&check->patterns[i], text, 0, NULL, 0))
			return true;
	/* The kernel's rate limit may have suppressed some of the allowed lines. */
	return check->num_patterns && strstr(text, "callbacks suppressed");
}

/*
 * Checks all records "PRIORITY,...;TEXT" of the kernel. The priority of a record that user space
 * wrote contains a facility other than 0.
 */
static void check_log(struct run *run)
{
	const char *list = NULL;
	char record[8192];
	ssize_t got;

	while ((got = read(run->leak_check->kmsg, record, sizeof(record) - 1)) > 0 ||
	       (got < 0 && errno == EPIPE)) {
		char *text;

		record[got > 0 ? got : 0] = '\0';
		text = strchr(record, ';');
		if (!text || strtoul(record, NULL, 10) >> 3)
			continue;
		text++;
		text[strcspn(text, "\n")] = '\0';
		if (!may_log(run->leak_check, text))
			list = run_text(run, "%s\n  %s", list ?: "", text);
	}
	if (list)
		run_fail(run, "lines in the kernel log that the script does not name:%s", list);
}

/* Resources */

bool leak_check_resources(const char *dev, char *text, size_t size)
{
	char command[128];
	FILE *pipe;
	bool good;

	snprintf(command, sizeof(command), "rdma resource show %s", dev);
	pipe = popen(command, "re");
	good = pipe && fgets(text, size, pipe);
	if (pipe)
		pclose(pipe);
	text[good ? strcspn(text, "\n") : 0] = '\0';
	return good;
}

/* Sockets */

#define TCP_TIME_WAIT	6

static int count_in(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned int state;
	char line[512];
	int sockets = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " %*[^ ] %*[^ ] %*[^ ] %2x", &state) == 1 &&
		    state != TCP_TIME_WAIT)
			sockets++;
	fclose(file);
	return sockets;
}

/*
 * Returns the number of TCP sockets of the host's network namespace. Enters that namespace to count
 * the sockets, and returns to its own.
 */
static int count_sockets(struct run *run)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int theirs = open(run->options->netns, O_RDONLY | O_CLOEXEC);
	int sockets = 0;

	if (own < 0 || theirs < 0 || setns(theirs, CLONE_NEWNET))
		run_fail(run, "%s: %s", run->options->netns, strerror(errno));
	sockets = count_in("/proc/thread-self/net/tcp") + count_in("/proc/thread-self/net/tcp6");
	if (setns(own, CLONE_NEWNET))
		run_fail(run, "cannot return from the namespace %s: %s", run->options->netns,
			 strerror(errno));
	close(own);
	close(theirs);
	return sockets;
}

static int wait_for_no_sockets(struct run *run)
{
	int64_t limit = now_ms() + CLEANUP_MS;
	int sockets;

	if (!run->options->netns)
		return 0;
	while ((sockets = count_sockets(run)) && now_ms() < limit)
		usleep(10000);
	return sockets;
}

/* Settings */

void leak_check_set(struct run *run, const char *name, const char *value)
{
	struct leak_check *check = run->leak_check;
	struct setting *setting;

	if (!check || check->num_settings == MAX_SETTINGS)
		run_fail(run, "there is no host (run with --dev), or too many settings");
	setting = &check->settings[check->num_settings];
	setting->path = *name == '/' ? run_text(run, "%s", name) :
			run_text(run, "/sys/class/infiniband/%s/siw/%s", run->options->dev, name);
	if (!read_file(setting->path, setting->old, sizeof(setting->old)) ||
	    !write_file(setting->path, value))
		run_fail(run, "%s: %s", setting->path, strerror(errno));
	check->num_settings++;
}

/* Returns the size of the kernel's slabs in KiB. The size includes its large contiguous buffers. */
static long slab_kib(struct run *run)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	long kib = -1;

	while (file && kib < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "Slab: %ld", &kib);
	if (file)
		fclose(file);
	if (kib < 0)
		run_fail(run, "/proc/meminfo has no line \"Slab\"");
	return kib;
}

void leak_check_slab_begin(struct run *run)
{
	if (!run->leak_check)
		run_fail(run, "there is no host: run with --dev");
	run->leak_check->slab = slab_kib(run);
}

void leak_check_slab_end(struct run *run, long kib)
{
	long grown;

	if (!run->leak_check)
		run_fail(run, "there is no host: run with --dev");
	grown = slab_kib(run) - run->leak_check->slab;
	if (grown > kib)
		run_fail(run, "slab: kernel memory has grown by %ld KiB, expected at most %ld",
			 grown, kib);
}

struct leak_check *leak_check_begin(struct run *run)
{
	struct leak_check *check = run_alloc(run, sizeof(*check));

	run->leak_check = check;
	check->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (check->kmsg >= 0)
		lseek(check->kmsg, 0, SEEK_END);
	read_counters(run);
	return check;
}

void leak_check_verify(struct run *run)
{
	const char *want = run->options->resources, *wrong;
	int sockets = wait_for_no_sockets(run);
	int64_t begin = now_ms();
	char now[RESOURCES_MAX];

	if (sockets)
		run_fail(run, "the host has %d sockets left after %d ms", sockets, CLEANUP_MS);
	if (run->thorough) {
		while (leak_check_resources(run->options->dev, now, sizeof(now)) &&
		       strcmp(now, want) && now_ms() - begin < CLEANUP_MS)
			usleep(50000);
		if (strcmp(now, want))
			run_fail(run, "objects of the device: expected %s\nseen %s", want, now);
	}
	begin = now_ms();
	while ((wrong = wrong_counters(run)) && now_ms() - begin < COUNTERS_MS)
		usleep(10000);
	if (wrong)
		run_fail(run, "counters:%s", wrong);
	check_log(run);
}

void leak_check_end(struct run *run)
{
	struct leak_check *check = run->leak_check;

	while (check->num_settings--)
		write_file(check->settings[check->num_settings].path,
			   check->settings[check->num_settings].old);
	while (check->num_patterns--)
		regfree(&check->patterns[check->num_patterns]);
	if (check->kmsg >= 0)
		close(check->kmsg);
	wait_for_no_sockets(run);
}
