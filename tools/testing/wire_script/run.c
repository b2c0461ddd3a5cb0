// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The memory, variables, bytes and failures of a run. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "run.h"

/* An allocation of a run. run_free() frees all allocations. */
struct block {
	struct block *next;
	max_align_t data[];
};

void run_fail(struct run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(run->why, sizeof(run->why), format, args);
	va_end(args);
	longjmp(run->on_fail, 1);
}

void *run_alloc(struct run *run, size_t size)
{
	struct block *block = calloc(1, sizeof(*block) + size);

	if (!block)
		run_fail(run, "no memory");
	block->next = run->blocks;
	run->blocks = block;
	return block->data;
}

char *run_text(struct run *run, const char *format, ...)
{
	va_list args, again;
	char *text;
	int len;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	text = run_alloc(run, len + 1);
	vsnprintf(text, len + 1, format, again);
	va_end(again);
	va_end(args);
	return text;
}

void run_free(struct run *run)
{
	struct block *block;

	while ((block = run->blocks)) {
		run->blocks = block->next;
		free(block);
	}
}

void bytes_add(struct run *run, struct bytes *bytes, const void *data, size_t len)
{
	if (bytes->room < bytes->len + len) {
		size_t room = 2 * (bytes->len + len) + 64;
		u8 *at = run_alloc(run, room);

		if (bytes->len)
			memcpy(at, bytes->at, bytes->len);
		bytes->at = at;
		bytes->room = room;
	}
	if (len)
		memcpy(bytes->at + bytes->len, data, len);
	bytes->len += len;
}

#define DUMP_MAX	512

const char *bytes_dump(struct run *run, const u8 *at, size_t len)
{
	size_t shown = len < DUMP_MAX ? len : DUMP_MAX;
	char *text = run_alloc(run, 4 * DUMP_MAX + 64);
	char *end = text;

	for (size_t i = 0; i < shown; i++) {
		if (!(i % 16))
			end += sprintf(end, "%s  %04zx:", i ? "\n" : "", i);
		end += sprintf(end, " %02x", at[i]);
	}
	if (shown < len)
		end += sprintf(end, "\n  ... %zu in all", len);
	if (!len)
		sprintf(end, "  (none)");
	return text;
}

void bytes_expect(struct run *run, const char *what, const u8 *got, size_t got_len,
		  const u8 *want, size_t want_len)
{
	size_t same = 0;

	while (same < got_len && same < want_len && got[same] == want[same])
		same++;
	if (same == got_len && same == want_len)
		return;
	run_fail(run, "%s: differs from byte %zu on\nexpected %zu bytes:\n%s\nseen %zu bytes:\n%s",
		 what, same, want_len, bytes_dump(run, want, want_len), got_len,
		 bytes_dump(run, got, got_len));
}

const u64 *var_find(const struct run *run, const char *name)
{
	for (int i = 0; i < run->num_vars; i++)
		if (!strcmp(run->vars[i].name, name))
			return &run->vars[i].value;
	return NULL;
}

void var_set(struct run *run, const char *name, u64 value)
{
	u64 *old = (u64 *)var_find(run, name);
	struct var *var = &run->vars[run->num_vars];

	if (old) {
		*old = value;
		return;
	}
	if (run->num_vars == RUN_MAX_VARS || strlen(name) >= sizeof(var->name))
		run_fail(run, "too many variables, or too long a name: %s", name);
	strcpy(var->name, name);
	var->value = value;
	run->num_vars++;
}
