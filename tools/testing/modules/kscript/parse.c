// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: splits a command into words, and parses the arguments.
 */
#include <linux/hex.h>
#include <linux/inet.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "tools/testing/modules/kscript/kscript.h"

/* Splits @line in place: the words of @args point into @line. */
int ks_args_split(struct ks_args *args, char *line)
{
	char *word;

	while ((word = strsep(&line, " \t"))) {
		if (!*word)
			continue;
		if (!args->word) {
			args->word = word;
			continue;
		}
		if (!args->name && !args->num && !strchr(word, '=')) {
			args->name = word;
			continue;
		}
		if (args->num == KS_MAX_WORDS)
			return -EINVAL;
		args->words[args->num++] = word;
	}
	return args->word ? 0 : -EINVAL;
}

/* Returns the value of @key, or NULL if the command has no argument @key. */
const char *ks_arg(struct ks_args *args, const char *key)
{
	size_t len = strlen(key);
	int i;

	for (i = 0; i < args->num; i++) {
		if (strncmp(args->words[i], key, len) || args->words[i][len] != '=')
			continue;
		args->used[i] = true;
		return args->words[i] + len + 1;
	}
	return NULL;
}

u64 ks_number(struct ks_args *args, const char *key, u64 otherwise)
{
	const char *text = ks_arg(args, key);
	long long negative;
	u64 value;

	if (!text)
		return otherwise;
	if (*text == '-' && !kstrtoll(text, 0, &negative))
		return negative;
	if (!kstrtoull(text, 0, &value))
		return value;
	args->bad = true;
	return otherwise;
}

u64 ks_needs_number(struct ks_args *args, const char *key)
{
	if (!ks_arg(args, key))
		args->bad = true;
	return ks_number(args, key, 0);
}

bool ks_flag(struct ks_args *args, const char *word)
{
	int i;

	for (i = 0; i < args->num; i++) {
		if (strcmp(args->words[i], word))
			continue;
		args->used[i] = true;
		return true;
	}
	return false;
}

/*
 * Converts the hexadecimal value of @key to at most @max bytes. Returns the number of bytes, 0 if
 * the command has no argument @key or its value is malformed.
 */
u32 ks_bytes(struct ks_args *args, const char *key, u8 *to, u32 max)
{
	const char *text = ks_arg(args, key);
	size_t len = text ? strlen(text) : 0;

	if (!len)
		return 0;
	if (len % 2 || len / 2 > max || hex2bin(to, text, len / 2)) {
		args->bad = true;
		return 0;
	}
	return len / 2;
}

static const struct {
	const char *word;
	int flags;
} rights[] = {
	{ "lw", IB_ACCESS_LOCAL_WRITE },
	{ "rw", IB_ACCESS_REMOTE_WRITE },
	{ "rr", IB_ACCESS_REMOTE_READ },
	{ "at", IB_ACCESS_REMOTE_ATOMIC },
	{ "mw", IB_ACCESS_MW_BIND },
	{ "none", 0 },
};

int ks_access(struct ks_args *args, const char *key)
{
	const char *text = ks_arg(args, key);
	int flags = 0, i;

	while (text && *text) {
		size_t len = strcspn(text, ",");

		for (i = 0; i < ARRAY_SIZE(rights); i++)
			if (strlen(rights[i].word) == len && !strncmp(rights[i].word, text, len))
				break;
		if (i == ARRAY_SIZE(rights)) {
			args->bad = true;
			return 0;
		}
		flags |= rights[i].flags;
		text += len + (text[len] == ',');
	}
	return flags;
}

/*
 * Parses the value of @key, ADDR[,PORT] with an IPv4 or IPv6 address; @port is the default port. If
 * the command has no argument @key, @addr is unchanged.
 */
void ks_address(struct ks_args *args, const char *key, u16 port, struct sockaddr_storage *addr)
{
	const char *text = ks_arg(args, key);
	char ip[INET6_ADDRSTRLEN + 16], digits[8];
	size_t len;

	if (!text)
		return;
	len = strcspn(text, ",");
	if (text[len] == ',' && kstrtou16(text + len + 1, 10, &port))
		args->bad = true;
	snprintf(digits, sizeof(digits), "%u", port);
	if (len >= sizeof(ip)) {
		args->bad = true;
		return;
	}
	strscpy(ip, text, len + 1);
	if (inet_pton_with_scope(&init_net, AF_UNSPEC, ip, digits, addr))
		args->bad = true;
}

int ks_args_end(struct ks_args *args)
{
	int i;

	for (i = 0; i < args->num; i++)
		if (!args->used[i])
			args->bad = true;
	return args->bad ? -EINVAL : 0;
}
