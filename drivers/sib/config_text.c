// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Text that is written to files of configfs, and the reasons why a write was refused. */
#include "drivers/sib/config_text.h"

#include <linux/kernel.h>
#include <linux/ratelimit.h>
#include <linux/string.h>

#include "drivers/sib/model.h"

int sib_config_value(const struct sib_config_word *table, const char *word)
{
	for (; table->word; table++)
		if (!strcmp(table->word, word))
			return table->value;
	return -EINVAL;
}

const char *sib_config_word(const struct sib_config_word *table, u8 value)
{
	for (; table->word; table++)
		if (table->value == value)
			return table->word;
	return "?";
}

/* Returns whether it is a control character of ASCII; bytes of UTF-8 are none. */
static bool is_control(u8 c)
{
	return c < ' ' || c == 0x7f;
}

bool sib_config_name_is_valid(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (*c == ':' || *c == ' ' || is_control(*c))
			return false;
	return c > name && c - name < SIB_NAME_LEN;
}

int sib_config_line(const char *page, size_t count, char *line, size_t size)
{
	size_t len = count, i;

	if (len && page[len - 1] == '\n')
		len--;
	if (len >= size)
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (is_control(page[i]))
			return -EINVAL;
	memcpy(line, page, len);
	line[len] = 0;
	return 0;
}

int sib_config_guid(const char *page, size_t count, u64 *guid)
{
	char line[24];

	if (sib_config_line(page, count, line, sizeof(line)) || kstrtou64(line, 0, guid))
		return -EINVAL;
	return 0;
}

static const char *reason(int err)
{
	switch (err) {
	case -EINVAL:
		return "not a valid value or name";
	case -ENOENT:
		return "no such node or port";
	case -EBUSY:
		return "a link, a device, or the directory of a port is in the way";
	case -EEXIST:
		return "there is one already";
	case -ENOTCONN:
		return "the port has no link";
	case -ENOSPC:
		return "there are as many as there can be";
	case -EOPNOTSUPP:
		return "a switch does not have this";
	case -EPERM:
		return "the writer may not make devices";
	case -ENOMEM:
		return "no memory";
	default:
		return "failed";
	}
}

/*
 * Prints the path of a file or directory in @item, from its fabric on. A name that was refused may
 * have any character.
 */
static void print_path(struct config_item *item, const char *name, char *path, size_t size)
{
	const char *above[3];
	size_t len = 0;
	int n = 0;

	/* The parent of the subsystem is the root of configfs, which has none. */
	for (; n < ARRAY_SIZE(above) && item->ci_parent->ci_parent; item = item->ci_parent)
		above[n++] = config_item_name(item);
	while (n--)
		len += scnprintf(path + len, size - len, "%s/", above[n]);
	scnprintf(path + len, size - len, "%*pE", (int)strlen(name), name);
}

void sib_config_refuse(struct config_item *item, const char *name, int err)
{
	static DEFINE_RATELIMIT_STATE(often, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);
	char path[4 * SIB_NAME_LEN];

	if (!err || !__ratelimit(&often))
		return;
	print_path(item, name, path, sizeof(path));
	pr_info("sib: %s: %s (%d)\n", path, reason(err), err);
}

ssize_t sib_config_done(struct config_item *item, const char *file, int err, size_t count)
{
	sib_config_refuse(item, file, err);
	return err ?: count;
}
