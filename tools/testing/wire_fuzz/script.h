/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A recorded connection: the MPA frame and the FPDUs of each side, and their order. */
#ifndef WIRE_FUZZ_SCRIPT_H
#define WIRE_FUZZ_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum side { CLIENT, SERVER };

/* Size of an FPDU with the longest possible ULPDU: length field, ULPDU, pad, CRC. */
#define ITEM_MAX	(2 + 65535 + 3 + 4)

/**
 * struct item - the MPA frame that a side began with, or an FPDU
 * @data: bytes of the item
 * @len: length of @data
 * @after: number of items that the other side had sent before
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

/* The items that one side sent. */
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

/* Loads all files *.stream in @dir, in the order of their names. Dies if there are none. */
struct scripts scripts_load(const char *dir);

/* Writes a line of a recording: an item of @from, sent after @after items of the other side. */
void script_write_item(FILE *file, enum side from, uint32_t after, const uint8_t *data, size_t len);

/**
 * struct splitter - splits the stream of one side into items
 * @buf: the incomplete item
 * @have: bytes in @buf
 * @count: number of complete items
 * @lost: the stream does not begin with an MPA frame, so items cannot be found
 */
struct splitter {
	uint8_t *buf;
	uint32_t have;
	uint32_t count;
	bool lost;
};

/*
 * Consumes bytes up to the end of an item, and returns the number of bytes consumed. Sets *@whole
 * if an item is complete; the item is in s->buf until the next call. Consumes the probes of an
 * initiator without counting them as items.
 */
size_t splitter_push(struct splitter *s, enum side from, const uint8_t *data, size_t len,
		     bool *whole);
void splitter_free(struct splitter *s);

#endif /* WIRE_FUZZ_SCRIPT_H */
