// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Executes scripts line by line. `use` executes another file with parameters. `${NAME}` in a line
 * is replaced by the value of the parameter NAME. If there is no such parameter, NAME is the
 * description of bytes, which are inserted in hex, or an expression, whose value is inserted.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "exec.h"
#include "host.h"
#include "leak_check.h"
#include "peer.h"

#define MAX_DEPTH	8
#define MAX_DEFAULTS	32

/**
 * struct scope - parameters of a file
 * @outer: scope of the file whose `use` executes this file
 * @depth: number of enclosing `use` statements
 * @given: words after `use NAME`
 * @defaults: words of `default` lines
 * @num_defaults: number of @defaults
 */
struct scope {
	struct scope *outer;
	int depth;
	struct args given;
	struct arg defaults[MAX_DEFAULTS];
	int num_defaults;
};

static void exec_file(struct run *run, struct scope *scope, const char *path);

/* Substitution */

static const char *default_of(const struct scope *scope, const char *name)
{
	for (int i = 0; i < scope->num_defaults; i++)
		if (!strcmp(scope->defaults[i].key, name))
			return scope->defaults[i].value;
	return NULL;
}

/* Returns the value of ${*}: the given words that no `default` line names. */
static const char *rest_of(struct run *run, const struct scope *scope)
{
	const char *rest = "";

	for (int i = 0; i < scope->given.num; i++) {
		const struct arg *arg = &scope->given.arg[i];

		if (!arg->value)
			rest = run_text(run, "%s %s", rest, arg->key);
		else if (!default_of(scope, arg->key))
			rest = run_text(run, "%s %s=\"%s\"", rest, arg->key, arg->value);
	}
	return rest;
}

/* Returns bytes as hex digits, the notation of the host's commands. */
static const char *hex_of(struct run *run, const char *text)
{
	struct bytes bytes = {};
	char *hex;

	bytes_of(run, text, &bytes);
	hex = run_alloc(run, 2 * bytes.len + 1);
	for (size_t i = 0; i < bytes.len; i++)
		sprintf(hex + 2 * i, "%02x", bytes.at[i]);
	return hex;
}

/* Returns the value of the variable @name if the value is not a number, else NULL. */
static const char *word_of(struct run *run, const char *name)
{
	struct args words = {};

	args_parse(run, &words, run->words ?: "");
	return args_text(&words, name);
}

static const char *parameter(struct run *run, struct scope *scope, const char *name)
{
	const char *value;

	if (!strcmp(name, "*"))
		return rest_of(run, scope);
	value = args_text(&scope->given, name) ?: default_of(scope, name) ?: word_of(run, name);
	if (value)
		return value;
	if (strchr(name, ':'))
		return hex_of(run, name);
	return run_text(run, "%#llx", number(run, name));
}

static const char *substitute(struct run *run, struct scope *scope, const char *line)
{
	const char *done = "";
	const char *start, *end;

	while ((start = strstr(line, "${"))) {
		end = strchr(start, '}');
		if (!end)
			run_fail(run, "${ without }");
		done = run_text(run, "%s%.*s%s", done, (int)(start - line), line,
				parameter(run, scope, run_text(run, "%.*s",
							       (int)(end - start - 2),
							       start + 2)));
		line = end + 1;
	}
	return run_text(run, "%s%s", done, line);
}

/* Returns the first word of @text; *@rest points to the words after it. */
static const char *first_word(struct run *run, const char *text, const char **rest)
{
	size_t len = strcspn(text, " \t");

	*rest = text + len + strspn(text + len, " \t");
	return run_text(run, "%.*s", (int)len, text);
}

/* Statements */

static void do_use(struct run *run, struct scope *scope, const char *text)
{
	const char *name = first_word(run, text, &text);
	struct scope inner = { .outer = scope, .depth = scope->depth + 1 };
	const char *file = run->file;
	int line = run->line;

	if (inner.depth > MAX_DEPTH)
		run_fail(run, "`use` is nested too deeply");
	args_parse(run, &inner.given, text);
	exec_file(run, &inner, run_text(run, "%s/%s.iw", run->options->macros, name));
	run->file = file;
	run->line = line;
}

static void do_default(struct run *run, struct scope *scope, const char *text)
{
	struct args args;

	args_parse(run, &args, text);
	for (int i = 0; i < args.num; i++) {
		if (scope->num_defaults == MAX_DEFAULTS || !args.arg[i].value)
			run_fail(run, "too many defaults, or a default without a value");
		scope->defaults[scope->num_defaults++] = args.arg[i];
	}
}

static void do_let(struct run *run, struct scope *scope, const char *text)
{
	const char *name = first_word(run, text, &text);

	(void)scope;
	var_set(run, name, number(run, text));
}

static void do_host(struct run *run, struct scope *scope, const char *text)
{
	(void)scope;
	host_command(run, text, 0);
}

static void do_host_fails(struct run *run, struct scope *scope, const char *text)
{
	const char *name = first_word(run, text, &text);
	int err = errno_of(name);

	(void)scope;
	if (!err)
		run_fail(run, "no such error: %s", name);
	host_command(run, text, err);
}

static void do_host_reports(struct run *run, struct scope *scope, const char *text)
{
	(void)scope;
	if (!run->host)
		run_fail(run, "there is no host: run with --dev");
	host_expect(run, text);
}

static void do_host_may(struct run *run, struct scope *scope, const char *text)
{
	(void)scope;
	host_allow(run, text);
}

static void do_host_never(struct run *run, struct scope *scope, const char *text)
{
	const char *ms = first_word(run, text, &text);

	(void)scope;
	host_expect_not(run, number(run, ms), text);
}

static void do_count(struct run *run, struct scope *scope, const char *text)
{
	const char *name = first_word(run, text, &text);

	(void)scope;
	if (!strcmp(text, "any"))
		leak_check_ignore_counter(run, name);
	else
		leak_check_add_delta(run, name, number(run, text + (*text == '+')));
}

static void do_log(struct run *run, struct scope *scope, const char *text)
{
	(void)scope;
	leak_check_allow_log(run, text);
}

static void do_set(struct run *run, struct scope *scope, const char *text)
{
	const char *name = first_word(run, text, &text);

	(void)scope;
	leak_check_set(run, name, text);
}

static void do_slab(struct run *run, struct scope *scope, const char *text)
{
	(void)scope;
	if (!strcmp(text, "begin"))
		leak_check_slab_begin(run);
	else
		leak_check_slab_end(run, number(run, text));
}

static void do_wait(struct run *run, struct scope *scope, const char *text)
{
	(void)scope;
	usleep(number(run, text) * 1000);
}

static void do_limit(struct run *run, struct scope *scope, const char *text)
{
	(void)scope;
	run->wait_ms = number(run, text);
}

static const struct {
	const char *name;
	void (*run)(struct run *run, struct scope *scope, const char *text);
} statements[] = {
	{ "use", do_use }, { "default", do_default }, { "let", do_let },
	{ "host:", do_host }, { "host!", do_host_fails }, { "host?", do_host_reports },
	{ "host~", do_host_may }, { "host-", do_host_never },
	{ "count", do_count }, { "log", do_log }, { "set", do_set },
	{ "slab", do_slab }, { "wait", do_wait }, { "limit", do_limit },
};

/* Executes "peer:", "peer?", "peer2:" and so on. Returns false if @word is none of those. */
static bool exec_peer(struct run *run, const char *word, const char *text)
{
	int number = 1;

	if (strncmp(word, "peer", 4))
		return false;
	word += 4;
	if (isdigit((unsigned char)*word))
		number = *word++ - '0';
	if (!strcmp(word, ":"))
		peer_do(run, number, text);
	else if (!strcmp(word, "?"))
		peer_expect(run, number, text);
	else
		return false;
	return true;
}

static void exec_line(struct run *run, struct scope *scope, const char *line)
{
	const char *text = substitute(run, scope, line);
	const char *word = first_word(run, text, &text);

	if (run->options->verbose)
		printf("# %s:%d: %s %s\n", run->file, run->line, word, text);
	if (exec_peer(run, word, text))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(statements); i++)
		if (!strcmp(statements[i].name, word)) {
			statements[i].run(run, scope, text);
			return;
		}
	run_fail(run, "no such statement: %s", word);
}

/* Returns the text of a file. */
static char *load(struct run *run, const char *path)
{
	FILE *file = fopen(path, "re");
	char *text;
	long size;

	if (!file)
		run_fail(run, "%s: %s", path, strerror(errno));
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	text = run_alloc(run, size + 1);
	if (fread(text, 1, size, file) != (size_t)size)
		text[0] = '\0';
	fclose(file);
	return text;
}

static char *trim(char *line)
{
	char *end;

	line += strspn(line, " \t");
	end = line + strlen(line);
	while (end > line && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return line;
}

static void exec_file(struct run *run, struct scope *scope, const char *path)
{
	char *text = load(run, path);
	char *line;

	run->file = path;
	run->line = 0;
	while ((line = strsep(&text, "\n"))) {
		run->line++;
		line = trim(line);
		if (*line && *line != '#')
			exec_line(run, scope, line);
	}
}

void exec_script(struct run *run, const char *path)
{
	struct scope *scope = run_alloc(run, sizeof(*scope));

	scope->given.run = run;
	if (run->options->dev) {
		leak_check_begin(run);
		host_open(run);
	}
	exec_file(run, scope, path);

	run->line = 0;
	peer_finish(run);
	if (run->host) {
		host_finish(run);
		host_close(run->host);
		run->host = NULL;
	}
	peer_wait_closed(run);
	peer_close(run);
	if (run->leak_check)
		leak_check_verify(run);
}
