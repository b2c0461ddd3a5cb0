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

/*
 * Returns the value of ${@name}. The value of ${*} are the given words that no `default` line
 * names. Bytes become hex digits, the notation of the host's commands.
 */
static const char *parameter(struct run *run, struct scope *scope, const char *name)
{
	struct args words = {};
	struct bytes bytes = {};
	const char *value = "";
	char *hex;

	if (!strcmp(name, "*")) {
		for (int i = 0; i < scope->given.num; i++) {
			const struct arg *arg = &scope->given.arg[i];

			if (!arg->value)
				value = run_text(run, "%s %s", value, arg->key);
			else if (!default_of(scope, arg->key))
				value = run_text(run, "%s %s=\"%s\"", value, arg->key, arg->value);
		}
		return value;
	}
	args_parse(run, &words, run->words ?: "");
	value = args_text(&scope->given, name) ?: default_of(scope, name) ?:
		args_text(&words, name);
	if (value)
		return value;
	if (!strchr(name, ':'))
		return run_text(run, "%#llx", number(run, name));
	bytes_of(run, name, &bytes);
	hex = run_alloc(run, 2 * bytes.len + 1);
	for (size_t i = 0; i < bytes.len; i++)
		sprintf(hex + 2 * i, "%02x", bytes.at[i]);
	return hex;
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

static void do_use(struct run *run, struct scope *scope, const char *name, const char *text)
{
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

/* Executes `host:` and so on. Returns false if @statement is none of those. */
static bool exec_host(struct run *run, const char *statement, const char *text)
{
	const char *rest, *word = first_word(run, text, &rest);
	int err = errno_of(word);

	if (strncmp(statement, "host", 4) || strlen(statement) != 5)
		return false;
	switch (statement[4]) {
	case ':':
		host_command(run, text, 0);
		return true;
	case '!':
		if (!err)
			run_fail(run, "no such error: %s", word);
		host_command(run, rest, err);
		return true;
	case '?':
		host_expect(run, text);
		return true;
	case '~':
		host_allow(run, text);
		return true;
	case '-':
		host_expect_not(run, number(run, word), rest);
		return true;
	}
	return false;
}

/*
 * Executes a statement about the host's state before and after the run. Returns false if @word is
 * no such statement.
 */
static bool exec_check(struct run *run, const char *word, const char *text)
{
	const char *rest, *name = first_word(run, text, &rest);

	if (!strcmp(word, "count") || !strcmp(word, "count?")) {
		bool await = !strcmp(word, "count?"), any = !await && !strcmp(rest, "any");
		long delta = any ? 0 : number(run, rest + (*rest == '+'));

		leak_check_count(run, name, any, delta, await);
	} else if (!strcmp(word, "log")) {
		leak_check_allow_log(run, text);
	} else if (!strcmp(word, "set")) {
		leak_check_set(run, name, rest);
	} else if (!strcmp(word, "slab")) {
		if (!strcmp(text, "begin"))
			leak_check_slab_begin(run);
		else
			leak_check_slab_end(run, number(run, text));
	} else {
		return false;
	}
	return true;
}

static void exec_line(struct run *run, struct scope *scope, const char *line)
{
	const char *text = substitute(run, scope, line);
	const char *word = first_word(run, text, &text);
	const char *rest, *name, *end;
	struct args args;
	int peer = 1;

	if (run->options->verbose)
		printf("# %s:%d: %s %s\n", run->file, run->line, word, text);
	if (!strncmp(word, "peer", 4)) {
		end = word + 4;
		if (isdigit((unsigned char)*end))
			peer = *end++ - '0';
		if (!strcmp(end, ":") || !strcmp(end, "?")) {
			peer_line(run, peer, *end == '?', text);
			return;
		}
	}
	if (exec_host(run, word, text) || exec_check(run, word, text))
		return;
	name = first_word(run, text, &rest);
	if (!strcmp(word, "use")) {
		do_use(run, scope, name, rest);
	} else if (!strcmp(word, "default")) {
		args_parse(run, &args, text);
		for (int i = 0; i < args.num; i++) {
			if (scope->num_defaults == MAX_DEFAULTS || !args.arg[i].value)
				run_fail(run, "too many defaults, or a default without a value");
			scope->defaults[scope->num_defaults++] = args.arg[i];
		}
	} else if (!strcmp(word, "let")) {
		var_set(run, name, number(run, rest));
	} else if (!strcmp(word, "wait")) {
		usleep(number(run, text) * 1000);
	} else if (!strcmp(word, "limit")) {
		run->wait_ms = number(run, text);
	} else {
		run_fail(run, "no such statement: %s", word);
	}
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

static void exec_file(struct run *run, struct scope *scope, const char *path)
{
	char *text = load(run, path);
	char *line;

	run->file = path;
	run->line = 0;
	while ((line = strsep(&text, "\n"))) {
		char *end = line + strlen(line);

		run->line++;
		while (end > line && isspace((unsigned char)end[-1]))
			*--end = '\0';
		line += strspn(line, " \t");
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
		host_close(run);
	}
	peer_wait_closed(run);
	peer_close(run);
	if (run->leak_check)
		leak_check_verify(run);
}
