// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Parses words, expressions and bytes of scripts. */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "args.h"

/* Removes the quotes of a word and terminates it in place. Returns the text after the word. */
static char *end_word(struct run *run, char *at)
{
	char *to = at;
	bool quoted = false;

	for (; *at && (quoted || !isspace((unsigned char)*at)); at++) {
		if (*at == '"')
			quoted = !quoted;
		else
			*to++ = *at;
	}
	if (quoted)
		run_fail(run, "unmatched quotation mark");
	if (*at)
		at++;
	*to = '\0';
	return at;
}

void args_parse(struct run *run, struct args *args, const char *text)
{
	char *at = run_text(run, "%s", text);

	memset(args, 0, sizeof(*args));
	args->run = run;
	for (;;) {
		struct arg *arg = &args->arg[args->num];
		char *equals;

		while (isspace((unsigned char)*at))
			at++;
		if (!*at)
			return;
		if (args->num++ == ARGS_MAX)
			run_fail(run, "too many words");
		arg->key = at;
		at = end_word(run, at);
		equals = strchr(arg->key, '=');
		if (equals) {
			*equals = '\0';
			arg->value = equals + 1;
		}
	}
}

const char *args_word(struct args *args)
{
	for (int i = 0; i < args->num; i++) {
		struct arg *arg = &args->arg[i];

		if (arg->used)
			continue;
		if (arg->value)
			return NULL;
		arg->used = true;
		return arg->key;
	}
	return NULL;
}

/*
 * Returns the last word with @key, or NULL. The last one counts so that the user of a macro can
 * override the words of the macro.
 */
static struct arg *find(struct args *args, const char *key, bool has_value)
{
	struct arg *found = NULL;

	for (int i = 0; i < args->num; i++) {
		struct arg *arg = &args->arg[i];

		if (!!arg->value == has_value && !strcmp(arg->key, key)) {
			arg->used = true;
			found = arg;
		}
	}
	return found;
}

bool args_flag(struct args *args, const char *key)
{
	return find(args, key, false);
}

const char *args_text(struct args *args, const char *key)
{
	const struct arg *arg = find(args, key, true);

	return arg ? arg->value : NULL;
}

u64 args_number(struct args *args, const char *key, u64 otherwise)
{
	const char *text = args_text(args, key);

	return text ? number(args->run, text) : otherwise;
}

bool args_bytes(struct args *args, const char *key, struct bytes *bytes)
{
	const char *text = args_text(args, key);

	if (text)
		bytes_of(args->run, text, bytes);
	return text;
}

void args_expect(struct args *args, const char *key, u64 seen)
{
	u64 want = args_number(args, key, seen);

	if (want != seen)
		run_fail(args->run, "%s: expected %#llx, seen %#llx", key, want, seen);
}

void args_done(struct args *args)
{
	for (int i = 0; i < args->num; i++)
		if (!args->arg[i].used)
			run_fail(args->run, "unknown word: %s", args->arg[i].key);
}

static const struct {
	const char *name;
	int value;
} errnos[] = {
	{ "EPERM", EPERM }, { "ENOENT", ENOENT }, { "EIO", EIO }, { "EAGAIN", EAGAIN },
	{ "ENOMEM", ENOMEM }, { "EACCES", EACCES }, { "EBUSY", EBUSY }, { "EEXIST", EEXIST },
	{ "ENODEV", ENODEV }, { "EINVAL", EINVAL }, { "ERANGE", ERANGE }, { "EPROTO", EPROTO },
	{ "EBADMSG", EBADMSG }, { "EOVERFLOW", EOVERFLOW }, { "EOPNOTSUPP", EOPNOTSUPP },
	{ "EADDRINUSE", EADDRINUSE }, { "EADDRNOTAVAIL", EADDRNOTAVAIL },
	{ "ENETUNREACH", ENETUNREACH }, { "ECONNABORTED", ECONNABORTED },
	{ "ECONNRESET", ECONNRESET }, { "EISCONN", EISCONN }, { "ENOTCONN", ENOTCONN },
	{ "ETIMEDOUT", ETIMEDOUT }, { "ECONNREFUSED", ECONNREFUSED },
	{ "EHOSTUNREACH", EHOSTUNREACH }, { "EMEDIUMTYPE", EMEDIUMTYPE },
	{ "EMSGSIZE", EMSGSIZE }, { "ENOSPC", ENOSPC }, { "EDEADLK", EDEADLK },
};

int errno_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(errnos); i++)
		if (!strcmp(errnos[i].name, name))
			return errnos[i].value;
	return 0;
}

/* Returns the value of the number or name at *@at, and advances *@at beyond the number or name. */
static u64 operand(struct run *run, const char **at)
{
	char name[48];
	size_t len = 0;
	const u64 *value;
	char *end;
	u64 n;

	if (isdigit((unsigned char)**at)) {
		n = strtoull(*at, &end, 0);
		*at = end;
		return n;
	}
	while (isalnum((unsigned char)(*at)[len]) || strchr("._", (*at)[len] ?: ' '))
		len++;
	if (!len || len >= sizeof(name))
		run_fail(run, "a number or name expected at \"%s\"", *at);
	memcpy(name, *at, len);
	name[len] = '\0';
	*at += len;
	value = var_find(run, name);
	if (value)
		return *value;
	n = errno_of(name);
	if (!n)
		run_fail(run, "no variable %s", name);
	return n;
}

u64 number(struct run *run, const char *text)
{
	bool minus = *text == '-';
	const char *at = text + minus;
	u64 sum = operand(run, &at);

	if (minus)
		sum = -sum;
	while (*at) {
		char sign = *at++;

		if (sign != '+' && sign != '-')
			run_fail(run, "not an expression: %s", text);
		sum += sign == '+' ? operand(run, &at) : -operand(run, &at);
	}
	return sum;
}

/* Appends bytes LEN[:SEED[:OFFSET]] of the pattern with which kscript fills its memory. */
static void add_fill(struct run *run, char *text, struct bytes *bytes)
{
	char *save = NULL;
	const char *len = strtok_r(text, ":", &save);
	const char *seed = strtok_r(NULL, ":", &save);
	const char *offset = strtok_r(NULL, ":", &save);
	u64 n = number(run, len ?: "");
	u64 first = seed && n ? number(run, seed) : 0;
	u32 at = offset ? number(run, offset) : 0;

	for (; n; n--, at++) {
		u8 byte = first + at + (at >> 8);

		bytes_add(run, bytes, &byte, 1);
	}
}

static void add_number(struct run *run, const char *text, int size, struct bytes *bytes)
{
	__be64 n = cpu_to_be64(number(run, text));

	bytes_add(run, bytes, (u8 *)&n + sizeof(n) - size, size);
}

void bytes_of(struct run *run, const char *text, struct bytes *bytes)
{
	char *save = NULL, *inner = NULL;
	char *part = strtok_r(run_text(run, "%s", text), ",", &save);
	u8 byte;

	for (; part; part = strtok_r(NULL, ",", &save)) {
		if (!strncmp(part, "fill:", 5)) {
			add_fill(run, part + 5, bytes);
		} else if (!strncmp(part, "byte:", 5)) {
			byte = number(run, strtok_r(part + 5, ":", &inner) ?: "");
			for (u64 n = number(run, strtok_r(NULL, ":", &inner) ?: ""); n; n--)
				bytes_add(run, bytes, &byte, 1);
		} else if (!strncmp(part, "text:", 5)) {
			bytes_add(run, bytes, part + 5, strlen(part + 5));
		} else if (!strncmp(part, "be16:", 5)) {
			add_number(run, part + 5, 2, bytes);
		} else if (!strncmp(part, "be32:", 5)) {
			add_number(run, part + 5, 4, bytes);
		} else if (!strncmp(part, "be64:", 5)) {
			add_number(run, part + 5, 8, bytes);
		} else {
			for (const char *at = part; *at; at += 2) {
				if (!isxdigit((unsigned char)at[0]) ||
				    !isxdigit((unsigned char)at[1]))
					run_fail(run, "not hex bytes: %s", part);
				byte = strtoul((char[]) { at[0], at[1], '\0' }, NULL, 16);
				bytes_add(run, bytes, &byte, 1);
			}
		}
	}
}
