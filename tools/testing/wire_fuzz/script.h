/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A recorded connection: what each side sent, as MPA frame and FPDUs, and in which order. */
#ifndef REPLAY_SCRIPT_H
#define REPLAY_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum side { CLIENT, SERVER };

/* An FPDU with the longest ULPDU there is. */
#define ITEM_MAX	(2 + 65535 + 3 + 4)

/**
 * struct item - the MPA frame that a side began with, or an FPDU
 * @data: its bytes
 * @len: how many
 * @after: so many items of the other side had come before
 */
struct item {
	uint8_t *data;
	uint32_t len;
	uint32_t after;
};

static inline bool item_is_mpa(const struct item *item)
{
	return item && item->len > 8 && !memcmp(item->data, "MPA ID R", 8);
}

/* What a side sent. */
struct track {
	struct item *items;
	uint32_t count;
};

struct script {
	char name[32];
	struct track track[2];
};

struct scripts {
	struct script *all;
	uint32_t count;
};

/* All files named *.stream in @dir, by name. Ends the program if there is none. */
struct scripts scripts_load(const char *dir);

/* A line of such a file. */
void script_write_item(FILE *file, enum side from, uint32_t after, const uint8_t *data, size_t len);

/**
 * struct splitter - takes a side's stream apart
 * @buf: the item so far
 * @have: bytes of it
 * @count: items that were whole
 * @lost: what came is no MPA frame; no further item is found
 */
struct splitter {
	uint8_t *buf;
	uint32_t have;
	uint32_t count;
	bool lost;
};

/*
 * Takes bytes up to the end of an item; *@whole says that it is in @buf until the next call. What
 * an initiator repeats while nothing comes back is taken, too, and is none.
 */
size_t splitter_push(struct splitter *s, enum side from, const uint8_t *data, size_t len,
		     bool *whole);
void splitter_free(struct splitter *s);

#endif /* REPLAY_SCRIPT_H */
