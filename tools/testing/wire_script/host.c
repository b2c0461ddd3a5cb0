// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A session of /dev/kscript. Reports are kept until an expectation takes them. A report that no
 * expectation has taken at the end fails the run, unless is_usual() or the script allows the
 * report.
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "host.h"

#define LINE_MAX_LEN	16384
#define MAX_QPS		64

/**
 * struct report - a line from /dev/kscript
 * @next: the next report
 * @text: the line
 * @words: the words of the line
 * @taken: an expectation has consumed the report
 */
struct report {
	struct report *next;
	const char *text;
	struct args words;
	bool taken;
};

/**
 * struct host - a session
 * @fd: /dev/kscript
 * @first: reports, oldest first
 * @end: pointer to which the next report is linked
 * @allowed: patterns of host_allow()
 * @num_allowed: number of @allowed
 * @qps: names of the QPs that were created
 * @num_qps: number of @qps
 */
struct host {
	int fd;
	struct report *first;
	struct report **end;
	struct args allowed[16];
	int num_allowed;
	char *qps[MAX_QPS];
	int num_qps;
};

/*
 * Returns the value of @key in a report or pattern, "" for a word @key without a value, or NULL if
 * there is none of them.
 */
static const char *find_word(const struct args *words, const char *key, bool has_value)
{
	for (int i = 0; i < words->num; i++)
		if (!!words->arg[i].value == has_value && !strcmp(words->arg[i].key, key))
			return words->arg[i].value ?: "";
	return NULL;
}

static bool is_number(const char *text, u64 *number)
{
	char *end;

	*number = strtoull(text, &end, 0);
	return end > text && !*end;
}

/*
 * Sets a variable for each number in a report about the object that is the report's second word.
 * Does nothing if there is no such word.
 */
static void set_variables(struct run *run, const struct args *words)
{
	u64 number;

	if (words->num < 2 || words->arg[1].value)
		return;
	for (int i = 0; i < words->num; i++)
		if (words->arg[i].value && is_number(words->arg[i].value, &number))
			var_set(run, run_text(run, "%s.%s", words->arg[1].key, words->arg[i].key),
				number);
}

/* Reads all available reports. Sets variables from those that a command has caused. */
static void read_reports(struct run *run)
{
	char line[LINE_MAX_LEN + 1];
	ssize_t got;

	while ((got = read(run->host->fd, line, LINE_MAX_LEN)) > 0) {
		struct report *report = run_alloc(run, sizeof(*report));
		const char *kind;

		line[got] = '\0';
		line[strcspn(line, "\n")] = '\0';
		report->text = run_text(run, "%s", line);
		args_parse(run, &report->words, line);
		*run->host->end = report;
		run->host->end = &report->next;
		kind = report->words.num ? report->words.arg[0].key : "";
		if (!strcmp(kind, "mr") || !strcmp(kind, "mw") || !strcmp(kind, "qp") ||
		    !strcmp(kind, "listen"))
			set_variables(run, &report->words);
	}
	if (got < 0 && errno != EAGAIN)
		run_fail(run, "/dev/kscript: read: %s", strerror(errno));
}

void host_command(struct run *run, const char *text, int want)
{
	struct host *host = run->host;
	int64_t begin = now_ms();
	struct args words;
	int err = 0;

	if (!host)
		run_fail(run, "there is no host: run with --dev");
	if (write(host->fd, text, strlen(text)) < 0)
		err = errno;
	if (err != want)
		run_fail(run, "expected %s, seen %s", want ? strerror(want) : "success",
			 err ? strerror(err) : "success");
	if (now_ms() - begin > run->wait_ms)
		run_fail(run, "the command took %d ms, expected at most %d",
			 (int)(now_ms() - begin), run->wait_ms);
	read_reports(run);
	if (err)
		return;
	args_parse(run, &words, text);
	if (words.num > 1 && !strcmp(words.arg[0].key, "qp") && host->num_qps < MAX_QPS)
		host->qps[host->num_qps++] = words.arg[1].key;
}

void host_open(struct run *run)
{
	struct host *host = run_alloc(run, sizeof(*host));

	host->end = &host->first;
	host->fd = open("/dev/kscript", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (host->fd < 0)
		run_fail(run, "/dev/kscript: %s", strerror(errno));
	run->host = host;
	host_command(run, run_text(run, "dev %s", run->options->dev), 0);
}

static bool same_value(struct run *run, const char *key, const char *want, const char *seen)
{
	struct bytes a = {}, b = {};
	u64 value;

	if (!seen)
		return !strcmp(want, "none");
	if (!strcmp(want, "*") || !strcmp(want, seen))
		return true;
	if (!strcmp(key, "hex") || !strcmp(key, "pdata")) {
		bytes_of(run, want, &a);
		bytes_of(run, seen, &b);
		return a.len == b.len && !memcmp(a.at, b.at, a.len);
	}
	return is_number(seen, &value) && number(run, want) == value;
}

static bool matches(struct run *run, const struct args *pattern, const struct report *report)
{
	for (int i = 0; i < pattern->num; i++) {
		const struct arg *arg = &pattern->arg[i];
		const char *seen = find_word(&report->words, arg->key, arg->value);

		if (arg->value ? !same_value(run, arg->key, arg->value, seen) : !seen)
			return false;
	}
	return true;
}

/*
 * Returns the first untaken report whose kind and object, the first two words, are those of
 * @pattern. A word that @pattern lacks, or has only as `key=value`, is not compared.
 */
static struct report *next_of(struct run *run, const struct args *pattern)
{
	struct report *report;

	for (report = run->host->first; report; report = report->next) {
		const struct args *words = &report->words;
		int same = 0;

		while (same < 2 && same < pattern->num && !pattern->arg[same].value &&
		       same < words->num && !strcmp(pattern->arg[same].key, words->arg[same].key))
			same++;
		if (!report->taken &&
		    (same == 2 || same == pattern->num || pattern->arg[same].value))
			return report;
	}
	return NULL;
}

static const char *list_reports(struct run *run, bool all)
{
	const char *list = "";

	for (struct report *report = run->host->first; report; report = report->next)
		if (all || !report->taken)
			list = run_text(run, "%s\n  %s%s", list, report->text,
					report->taken ? " (taken)" : "");
	return *list ? list : "\n  (none)";
}

static void wait_for_reports(struct run *run, int ms)
{
	struct pollfd poller = { .fd = run->host->fd, .events = POLLIN };

	poll(&poller, 1, ms);
	read_reports(run);
}

void host_expect(struct run *run, const char *text)
{
	int64_t limit = now_ms() + run->wait_ms;
	struct report *report;
	struct args pattern;
	int64_t now;

	if (!run->host)
		run_fail(run, "there is no host: run with --dev");
	args_parse(run, &pattern, text);
	while (!(report = next_of(run, &pattern)) && (now = now_ms()) < limit)
		wait_for_reports(run, limit - now);
	if (!report)
		run_fail(run, "waited for the report: %s\nseen:%s", text,
			 list_reports(run, true));
	if (!matches(run, &pattern, report))
		run_fail(run, "expected the report: %s\nseen: %s", text, report->text);
	report->taken = true;
	set_variables(run, &report->words);
}

void host_expect_not(struct run *run, int ms, const char *text)
{
	int64_t limit = now_ms() + ms;
	struct report *report;
	struct args pattern;
	int64_t now;

	args_parse(run, &pattern, text);
	do {
		now = now_ms();
		wait_for_reports(run, now < limit ? limit - now : 0);
		report = next_of(run, &pattern);
		if (report)
			run_fail(run, "a report that must not come: %s", report->text);
	} while (now < limit);
}

void host_allow(struct run *run, const char *text)
{
	struct host *host = run->host;

	if (host->num_allowed == ARRAY_SIZE(host->allowed))
		run_fail(run, "too many patterns");
	args_parse(run, &host->allowed[host->num_allowed++], text);
}

/*
 * Returns whether a report needs no expectation, because the script allows it, or because it is a
 * result of a command or an effect of the end of a connection.
 */
static bool is_allowed(struct run *run, const struct report *report)
{
	static const char * const wrong[] = { "late", "lost", "removed", "differs" };
	const struct args *words = &report->words;
	const char *kind = words->num ? words->arg[0].key : "";
	bool usual = true;

	if (!strcmp(kind, "wc"))
		usual = !strcmp(find_word(words, "status", true) ?: "", "WR_FLUSH_ERR");
	else if (!strcmp(kind, "event"))
		usual = find_word(words, "DISCONNECT", false) || find_word(words, "CLOSE", false);
	else if (!strcmp(kind, "async"))
		usual = find_word(words, "dev", true);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		usual = usual && strcmp(kind, wrong[i]);
	for (int i = 0; !usual && i < run->host->num_allowed; i++)
		usual = matches(run, &run->host->allowed[i], report);
	return usual;
}

void host_finish(struct run *run)
{
	struct host *host = run->host;

	for (int i = 0; i < host->num_qps; i++) {
		const char *text = run_text(run, "destroy %s", host->qps[i]);

		/* The error is ENOENT if the script has destroyed the QP itself. */
		if (write(host->fd, text, strlen(text)) < 0 && errno != ENOENT)
			run_fail(run, "%s: %s", text, strerror(errno));
	}
	read_reports(run);
	for (struct report *report = host->first; report; report = report->next)
		if (report->taken || is_allowed(run, report))
			report->taken = true;
		else
			run_fail(run, "reports that the script does not ask for:%s",
				 list_reports(run, false));
}

void host_close(struct run *run)
{
	close(run->host->fd);
	run->host = NULL;
}
