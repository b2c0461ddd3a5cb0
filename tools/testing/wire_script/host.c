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

struct host *host_open(struct run *run)
{
	struct host *host = run_alloc(run, sizeof(*host));

	host->end = &host->first;
	host->fd = open("/dev/kscript", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (host->fd < 0)
		run_fail(run, "/dev/kscript: %s", strerror(errno));
	run->host = host;
	host_command(run, run_text(run, "dev %s", run->options->dev), 0);
	return host;
}

/*
 * Returns the second word of a report, which is the name of an object. Returns NULL if the report
 * has no second word, or if that word has a value.
 */
static const char *object_of(const struct report *report)
{
	const struct args *words = &report->words;

	return words->num > 1 && !words->arg[1].value ? words->arg[1].key : NULL;
}

static bool is_number(const char *text)
{
	char *end;

	strtoull(text, &end, 0);
	return end > text && !*end;
}

static void set_variables(struct run *run, const struct report *report)
{
	const char *object = object_of(report);

	for (int i = 0; object && i < report->words.num; i++) {
		const struct arg *arg = &report->words.arg[i];

		if (arg->value && is_number(arg->value))
			var_set(run, run_text(run, "%s.%s", object, arg->key),
				strtoull(arg->value, NULL, 0));
	}
}

static bool is_kind(const struct report *report, const char *kind)
{
	return report->words.num && !strcmp(report->words.arg[0].key, kind);
}

static void add_report(struct run *run, const char *text)
{
	struct report *report = run_alloc(run, sizeof(*report));

	report->text = run_text(run, "%s", text);
	args_parse(run, &report->words, text);
	*run->host->end = report;
	run->host->end = &report->next;
	if (is_kind(report, "mr") || is_kind(report, "mw") || is_kind(report, "qp") ||
	    is_kind(report, "listen"))
		set_variables(run, report);
}

/* Reads all available reports. */
static void read_reports(struct run *run)
{
	char line[LINE_MAX_LEN + 1];
	ssize_t got;

	while ((got = read(run->host->fd, line, LINE_MAX_LEN)) > 0) {
		line[got] = '\0';
		line[strcspn(line, "\n")] = '\0';
		add_report(run, line);
	}
	if (got < 0 && errno != EAGAIN)
		run_fail(run, "/dev/kscript: read: %s", strerror(errno));
}

static void remember_qp(struct run *run, const char *text)
{
	struct host *host = run->host;
	struct args words;

	args_parse(run, &words, text);
	if (words.num < 2 || strcmp(words.arg[0].key, "qp") || host->num_qps == MAX_QPS)
		return;
	host->qps[host->num_qps++] = words.arg[1].key;
}

void host_command(struct run *run, const char *text, int want)
{
	int64_t begin = now_ms();
	int err = 0;

	if (!run->host)
		run_fail(run, "there is no host: run with --dev");
	if (write(run->host->fd, text, strlen(text)) < 0)
		err = errno;
	if (err != want)
		run_fail(run, "expected %s, seen %s", want ? strerror(want) : "success",
			 err ? strerror(err) : "success");
	if (now_ms() - begin > run->wait_ms)
		run_fail(run, "the command took %d ms, expected at most %d",
			 (int)(now_ms() - begin), run->wait_ms);
	if (!err)
		remember_qp(run, text);
	read_reports(run);
}

static const char *value_of(const struct args *words, const char *key)
{
	for (int i = 0; i < words->num; i++)
		if (words->arg[i].value && !strcmp(words->arg[i].key, key))
			return words->arg[i].value;
	return NULL;
}

static bool has_word(const struct args *words, const char *word)
{
	for (int i = 0; i < words->num; i++)
		if (!words->arg[i].value && !strcmp(words->arg[i].key, word))
			return true;
	return false;
}

static bool same_value(struct run *run, const char *key, const char *want, const char *seen)
{
	struct bytes a = {}, b = {};

	if (!seen)
		return !strcmp(want, "none");
	if (!strcmp(want, "*") || !strcmp(want, seen))
		return true;
	if (!strcmp(key, "hex") || !strcmp(key, "pdata")) {
		bytes_of(run, want, &a);
		bytes_of(run, seen, &b);
		return a.len == b.len && !memcmp(a.at, b.at, a.len);
	}
	return is_number(seen) && number(run, want) == strtoull(seen, NULL, 0);
}

static bool matches(struct run *run, const struct args *pattern, const struct report *report)
{
	for (int i = 0; i < pattern->num; i++) {
		const struct arg *arg = &pattern->arg[i];

		if (!arg->value) {
			if (!has_word(&report->words, arg->key))
				return false;
		} else if (!same_value(run, arg->key, arg->value,
				       value_of(&report->words, arg->key))) {
			return false;
		}
	}
	return true;
}

/*
 * Returns whether the first two words, kind and object, of @pattern and @report are equal. A word
 * that @pattern lacks, or has only as `key=value`, is not compared.
 */
static bool is_of(const struct args *pattern, const struct report *report)
{
	for (int i = 0; i < 2 && i < pattern->num && !pattern->arg[i].value; i++)
		if (i >= report->words.num ||
		    strcmp(pattern->arg[i].key, report->words.arg[i].key))
			return false;
	return true;
}

static struct report *next_of(struct run *run, const struct args *pattern)
{
	struct report *report;

	for (report = run->host->first; report; report = report->next)
		if (!report->taken && is_of(pattern, report))
			return report;
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

	args_parse(run, &pattern, text);
	while (!(report = next_of(run, &pattern)) && (now = now_ms()) < limit)
		wait_for_reports(run, limit - now);
	if (!report)
		run_fail(run, "waited for the report: %s\nseen:%s", text,
			 list_reports(run, true));
	if (!matches(run, &pattern, report))
		run_fail(run, "expected the report: %s\nseen: %s", text, report->text);
	report->taken = true;
	set_variables(run, report);
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
 * Returns whether a report needs no expectation, because it is a result of a command or an effect
 * of the end of a connection.
 */
static bool is_usual(const struct report *report)
{
	const char *status = value_of(&report->words, "status");

	if (is_kind(report, "wc"))
		return status && !strcmp(status, "WR_FLUSH_ERR");
	if (is_kind(report, "event"))
		return has_word(&report->words, "DISCONNECT") ||
		       has_word(&report->words, "CLOSE");
	if (is_kind(report, "async"))
		return value_of(&report->words, "dev");
	return !is_kind(report, "late") && !is_kind(report, "lost") &&
	       !is_kind(report, "removed") && !is_kind(report, "differs");
}

static bool is_allowed(struct run *run, const struct report *report)
{
	if (is_usual(report))
		return true;
	for (int i = 0; i < run->host->num_allowed; i++)
		if (matches(run, &run->host->allowed[i], report))
			return true;
	return false;
}

static void destroy_qps(struct run *run)
{
	struct host *host = run->host;

	for (int i = 0; i < host->num_qps; i++) {
		const char *text = run_text(run, "destroy %s", host->qps[i]);

		/* The error is ENOENT if the script has destroyed the QP itself. */
		if (write(host->fd, text, strlen(text)) < 0 && errno != ENOENT)
			run_fail(run, "%s: %s", text, strerror(errno));
	}
}

void host_finish(struct run *run)
{
	destroy_qps(run);
	read_reports(run);
	for (struct report *report = run->host->first; report; report = report->next)
		if (report->taken || is_allowed(run, report))
			report->taken = true;
		else
			run_fail(run, "reports that the script does not ask for:%s",
				 list_reports(run, false));
}

void host_close(struct host *host)
{
	close(host->fd);
}
