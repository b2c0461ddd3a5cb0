// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * iwscript: an iWARP peer over plain TCP that executes scripts. A script says what the peer sends
 * and what the host must send. Documentation/wire_scripts.rst describes the language. iwscript
 * prints KTAP, one result for each script.
 */

#include <ctype.h>
#include <fnmatch.h>
#include <getopt.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "conn.h"
#include "exec.h"
#include "host.h"
#include "leak_check.h"
#include "peer.h"

#define WAIT_MS		10000
#define MAX_WORDS	64

/**
 * struct head - the comments at the beginning of a script
 * @title: name of the behaviour that is tested
 * @rule: section of a standard, or of our documentation, that requires the behaviour
 * @segments: bytes of a TCP segment; the script runs once with each size. 0 means that each write
 *	is sent whole
 * @num_segments: number of @segments
 * @names: names of the variables, such as "a,b", that differ between runs of the script
 * @values: values of the variables in each run, such as "1,2"
 * @num_values: number of @values
 * @fails: regular expression that the message of the script's failure must match; empty if the
 *	script must succeed
 */
struct head {
	char title[160];
	char rule[160];
	unsigned int segments[MAX_WORDS];
	int num_segments;
	char names[160];
	char values[MAX_WORDS][160];
	int num_values;
	char fails[160];
};

/* Parses a line "# KEY: TEXT", and ignores other lines. */
static void parse_head_line(struct head *head, char *line)
{
	char *text = strchr(line, ':'), *word;

	if (line[0] != '#' || !text)
		return;
	*text++ = '\0';
	text += strspn(text, " ");
	text[strcspn(text, "\n")] = '\0';
	if (!strcmp(line, "# title")) {
		snprintf(head->title, sizeof(head->title), "%s", text);
	} else if (!strcmp(line, "# rule")) {
		snprintf(head->rule, sizeof(head->rule), "%s", text);
	} else if (!strcmp(line, "# fails")) {
		snprintf(head->fails, sizeof(head->fails), "%s", text);
	} else if (!strcmp(line, "# segments")) {
		head->num_segments = 0;
		while ((word = strsep(&text, " ")))
			if (*word && head->num_segments < MAX_WORDS)
				head->segments[head->num_segments++] = atoi(word);
	} else if (!strcmp(line, "# vary")) {
		snprintf(head->names, sizeof(head->names), "%s", strsep(&text, " "));
		while ((word = strsep(&text, " ")))
			if (*word && head->num_values < MAX_WORDS)
				snprintf(head->values[head->num_values++], sizeof(head->values[0]),
					 "%s", word);
	}
}

/*
 * Reads the head of a script. Without "# segments" the script runs twice: with whole writes, and
 * with segments of one byte. Returns false if the script cannot be read or has no title.
 */
static bool read_head(struct head *head, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[1024];

	*head = (struct head) { .segments = { 0, 1 }, .num_segments = 2 };
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file) && (line[0] == '#' || line[0] == '\n'))
		parse_head_line(head, line);
	fclose(file);
	return head->title[0];
}

/*
 * Sets the variables head->names to the values head->values[n]. A value that is no number is added
 * to run->words.
 */
static void set_values(struct run *run, const struct head *head, int n)
{
	char names[160], values[160];
	char *name = names, *value = values, *one;

	if (!head->num_values)
		return;
	snprintf(names, sizeof(names), "%s", head->names);
	snprintf(values, sizeof(values), "%s", head->values[n]);
	while ((one = strsep(&name, ",")) && value) {
		char *text = strsep(&value, ","), *end;
		u64 number = strtoull(text, &end, 0);

		if (*end)
			run->words = run_text(run, "%s %s=%s", run->words ?: "", one, text);
		else
			var_set(run, one, number);
	}
}

/* Ends a run after success or failure: closes what is open, restores settings, frees memory. */
static void clean_up(struct run *run)
{
	peer_close(run);
	if (run->host)
		host_close(run);
	if (run->leak_check && !setjmp(run->on_fail))
		leak_check_end(run);
	run_free(run);
	free(run);
}

static bool run_once(const struct options *options, const struct head *head, const char *path,
		     unsigned int segment, int n, char *why, size_t size)
{
	struct run *run = calloc(1, sizeof(*run));
	bool good;

	run->options = options;
	run->segment = segment;
	run->wait_ms = options->wait_ms;
	run->thorough = !head;
	run->file = path;
	if (!setjmp(run->on_fail)) {
		if (head)
			set_values(run, head, n);
		exec_script(run, path);
		good = true;
	} else {
		good = false;
		snprintf(why, size, "%s:%d: %s", run->file, run->line, run->why);
	}
	clean_up(run);
	return good;
}

static void print_failure(const char *why)
{
	putchar('#');
	putchar(' ');
	for (; *why; why++) {
		putchar(*why);
		if (*why == '\n')
			fputs("# ", stdout);
	}
	putchar('\n');
}

/*
 * Returns whether the result of a script is as expected: success, or, if the script has `fails`, a
 * failure with a message that matches.
 */
static bool is_expected(const struct head *head, bool good, const char *why)
{
	regex_t regex;
	bool found;

	if (!head->fails[0])
		return good;
	if (good || regcomp(&regex, head->fails, REG_EXTENDED | REG_NOSUB))
		return false;
	found = !regexec(&regex, why, 0, NULL, 0);
	regfree(&regex);
	return found;
}

/*
 * Runs a script with each size of segments and each value. Then runs probe.iw, which expects that a
 * new connection works, and that the device has no more objects than before the first script.
 */
static bool run_all(const struct options *options, const struct head *head, const char *path)
{
	int values = head->num_values ?: 1;
	char why[20000], probe[4096];

	for (int i = 0; i < head->num_segments * values; i++) {
		unsigned int segment = head->segments[i / values];
		const char *value = head->num_values ? head->values[i % values] : "";
		bool good;

		if (options->only >= 0 && segment != (unsigned int)options->only)
			continue;
		strcpy(why, "success\n");
		good = run_once(options, head, path, segment, i % values, why, sizeof(why));
		if (is_expected(head, good, why))
			continue;
		printf("# with segments of %u bytes (0: whole writes)", segment);
		if (*value)
			printf(", %s = %s", head->names, value);
		printf("; rule: %s\n", head->rule);
		print_failure(why);
		return false;
	}
	snprintf(probe, sizeof(probe), "%s/probe.iw", options->macros);
	if (!options->dev || run_once(options, NULL, probe, 0, 0, why, sizeof(why)))
		return true;
	puts("# probe.iw failed after the script:");
	print_failure(why);
	return false;
}

static const char usage[] =
	"usage: iwscript [OPTION...] SCRIPT...\n"
	"  --dev NAME      RDMA device of the host; without it, scripts cannot use a host\n"
	"  --addr ADDR     the host's address (127.0.0.1)\n"
	"  --netns FILE    the host's network namespace, to look for sockets that are left\n"
	"  --macros DIR    folder of the files that `use` names (.)\n"
	"  --segments N    run with segments of N bytes only\n"
	"  --wait MS       longest time of each wait (10000)\n"
	"  --verbose       print each line before it runs";

static const struct option long_options[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "addr", required_argument, NULL, 'a' },
	{ "netns", required_argument, NULL, 'n' },
	{ "macros", required_argument, NULL, 'm' },
	{ "segments", required_argument, NULL, 's' },
	{ "wait", required_argument, NULL, 'w' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

/* Returns false if an option is unknown or no script is named. */
static bool parse_options(struct options *options, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case 'd':
			options->dev = optarg;
			break;
		case 'a':
			options->addr = optarg;
			break;
		case 'n':
			options->netns = optarg;
			break;
		case 'm':
			options->macros = optarg;
			break;
		case 's':
			options->only = atoi(optarg);
			break;
		case 'w':
			options->wait_ms = atoi(optarg);
			break;
		case 'v':
			options->verbose = true;
			break;
		default:
			return false;
		}
	}
	return optind < argc;
}

int main(int argc, char **argv)
{
	struct options options = { .addr = "127.0.0.1", .macros = ".", .wait_ms = WAIT_MS,
				   .only = -1 };
	int failed = 0;

	if (!parse_options(&options, argc, argv)) {
		puts(usage);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (options.dev &&
	    !leak_check_resources(options.dev, options.resources, sizeof(options.resources)))
		fprintf(stderr, "iwscript: `rdma resource show %s` prints nothing\n", options.dev);
	printf("KTAP version 1\n1..%d\n", argc - optind);
	for (int i = optind; i < argc; i++) {
		struct head head;
		bool good = read_head(&head, argv[i]) && run_all(&options, &head, argv[i]);

		printf("%s %d %s\n", good ? "ok" : "not ok", i - optind + 1,
		       head.title[0] ? head.title : argv[i]);
		failed += !good;
	}
	return failed ? 1 : 0;
}
