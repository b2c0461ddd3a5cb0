/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Text that is written to files of configfs, and the reasons why a write was refused. */
#ifndef SIB_CONFIG_TEXT_H
#define SIB_CONFIG_TEXT_H

#include <linux/configfs.h>

/**
 * struct sib_config_word - a word for a value
 * @word: the word; NULL ends a table
 * @value: the value
 */
struct sib_config_word {
	const char *word;
	u8 value;
};

/* Returns the value of a word, or -EINVAL if the table does not have it. */
int sib_config_value(const struct sib_config_word *table, const char *word);

/* Returns the word for a value that the table has. */
const char *sib_config_word(const struct sib_config_word *table, u8 value);

/**
 * sib_config_name_is_valid() - check a name of a fabric or a node
 * @name: the name
 *
 * Return: true if the name is shorter than SIB_NAME_LEN and has no colon, blank or control
 * character.
 */
bool sib_config_name_is_valid(const char *name);

/**
 * sib_config_line() - read the line that was written to a file
 * @page: what was written, with a 0 at the end
 * @count: its length
 * @line: out: the line without its newline
 * @size: size of @line
 *
 * Return: 0; -EINVAL if the line is too long, or has a control character.
 */
int sib_config_line(const char *page, size_t count, char *line, size_t size);

/* Reads a GUID. Returns 0; -EINVAL if the line is none. */
int sib_config_guid(const char *page, size_t count, u64 *guid);

/**
 * sib_config_refuse() - say why a directory was not made, or a write was refused
 * @item: directory that was made, or the parent of the one that was not; or that has the file
 * @name: name of the new directory or of the file
 * @err: the errno; 0: not refused, and nothing is said
 *
 * Process context. Logs a line, unless there were many.
 */
void sib_config_refuse(struct config_item *item, const char *name, int err);

/* Returns what a write returns: its length, or the errno, of which the log has the reason. */
ssize_t sib_config_done(struct config_item *item, const char *file, int err, size_t count);

#endif /* SIB_CONFIG_TEXT_H */
