// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads and writes recordings, and splits streams into items. A recording is text with an item in
 * each line: "c AFTER HEX" from the client, "s AFTER HEX" from the server. AFTER is the number of
 * items that the other side had sent before.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "iwarp/mpa.h"
#include "wire_fuzz.h"
#include "script.h"

void script_write_item(FILE *file, enum side from, uint32_t after, const uint8_t *data, size_t len)
{
	fprintf(file, "%c %u ", from == CLIENT ? 'c' : 's', after);
	for (size_t i = 0; i < len; i++)
		fprintf(file, "%02x", data[i]);
	fputc('\n', file);
}

static void add_item(struct script *script, const char *line, const char *path)
{
	struct track *track;
	struct item item = {};
	unsigned int byte;
	char side;
	int begin;

	if (sscanf(line, "%c %u %n", &side, &item.after, &begin) != 2)
		die("%s: not a recording", path);
	track = &script->track[side == 'c' ? CLIENT : SERVER];
	item.data = malloc(strlen(line) / 2 + 1);
	if (!item.data)
		die("no memory");
	while (item.len < ITEM_MAX && sscanf(line + begin + 2 * item.len, "%2x", &byte) == 1)
		item.data[item.len++] = byte;
	track->items = realloc(track->items, (track->count + 1) * sizeof(item));
	if (!track->items)
		die("no memory");
	track->items[track->count++] = item;
}

static void load(struct script *script, const char *dir, const char *name)
{
	char path[4096], *line = NULL;
	size_t room = 0;
	FILE *file;

	*script = (struct script) {};
	snprintf(script->name, sizeof(script->name), "%.*s", (int)strcspn(name, "."), name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		die("cannot read %s", path);
	while (getline(&line, &room, file) > 0)
		add_item(script, line, path);
	free(line);
	fclose(file);
	if (script->track[CLIENT].count < 2 || script->track[SERVER].count < 2)
		die("%s: fewer than two items from a side", path);
}

static int is_stream(const struct dirent *entry)
{
	const char *dot = strchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".stream");
}

struct scripts scripts_load(const char *dir)
{
	struct scripts scripts = {};
	struct dirent **names;
	int n = scandir(dir, &names, is_stream, alphasort);

	if (n <= 0)
		die("no recordings in %s", dir);
	scripts.all = calloc(n, sizeof(*scripts.all));
	if (!scripts.all)
		die("no memory");
	for (int i = 0; i < n; i++) {
		load(&scripts.all[scripts.count++], dir, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return scripts;
}

/*
 * Returns the number of bytes that the item lacks or, while the item's length is unknown, the
 * number of bytes needed to determine the length. Sets s->lost if the first item is not an MPA
 * frame.
 */
static size_t wanted(struct splitter *s, enum side from)
{
	struct mpa_frame frame;
	uint16_t private_len;

	if (!s->count) {
		if (s->have < MPA_HDR_LEN)
			return MPA_HDR_LEN - s->have;
		s->lost = mpa_frame_parse_header(s->buf, from == CLIENT ? MPA_REQUEST : MPA_REPLY,
						 &frame, &private_len) != IWARP_OK;
		return MPA_HDR_LEN + private_len - s->have;
	}
	if (s->have < MPA_LEN_LEN)
		return MPA_LEN_LEN - s->have;
	return mpa_fpdu_size(get_unaligned_be16(s->buf)) - s->have;
}

/*
 * An initiator that receives nothing sends empty Writes as probes. Probes do not count as items,
 * because the number of probes, unlike the rest of the stream, depends on how long the other side
 * takes.
 */
static bool is_probe(const struct splitter *s, enum side from)
{
	struct ddp_segment seg;

	return from == CLIENT && s->count > 1 && !ddp_segment_parse(s->buf, s->have, &seg) &&
	       seg.opcode == RDMAP_WRITE && !seg.payload_len;
}

size_t splitter_push(struct splitter *s, enum side from, const uint8_t *data, size_t len,
		     bool *whole)
{
	size_t taken = 0, n;

	*whole = false;
	if (!s->buf)
		s->buf = malloc(ITEM_MAX);
	if (!s->buf)
		die("no memory");
	while (taken < len && !s->lost) {
		n = wanted(s, from);
		if (s->lost)
			break;
		n = n < len - taken ? n : len - taken;
		memcpy(s->buf + s->have, data + taken, n);
		s->have += n;
		taken += n;
		if (wanted(s, from) || s->lost)
			continue;
		*whole = !is_probe(s, from);
		s->count += *whole;
		s->have = 0;
		return taken;
	}
	return s->lost ? len : taken;
}

void splitter_free(struct splitter *s)
{
	free(s->buf);
}
