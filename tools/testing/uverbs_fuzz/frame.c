// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: requests as bytes, and how they are corrupted.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "uverbs_fuzz.h"

void frame_add(struct frame *frame, const void *bytes, size_t len)
{
	memcpy(frame->bytes + frame->len, bytes, len);
	frame->len += len;
	frame->claimed = frame->len;
	frame->fuzzable = frame->len;
}

void *frame_answer(struct fuzzer *f, size_t len)
{
	return f->answers_end - len;
}

/*
 * Writes an odd_value() of @size bytes to a random place from @from to @to, at a multiple of @size.
 */
static void put_odd(struct fuzzer *f, struct frame *frame, size_t from, size_t to, size_t size)
{
	uint64_t value = odd_value(&f->rng);
	size_t at;

	at = from + pick(&f->rng, to - from + 1) / size * size;
	if (at + size <= frame->fuzzable)
		memcpy(frame->bytes + at, &value, size);
}

static void corrupt_bytes(struct fuzzer *f, struct frame *frame)
{
	switch (pick(&f->rng, 9)) {
	case 0:
		/* A random length, or the right one plus or minus up to 16. */
		if (one_in(&f->rng, 4))
			frame->claimed = pick(&f->rng, FRAME_MAX);
		else
			frame->claimed = frame->len + pick(&f->rng, 33) - 16;
		if (frame->claimed >= FRAME_MAX)
			frame->claimed = 0;
		break;
	case 1:
		frame->missing = pick(&f->rng, frame->len + 1);
		break;
	case 2:
		frame->bad_address = (void *)bad_pointer(f);
		break;
	case 3:
		put_odd(f, frame, 0, frame->header - 1, 2);
		break;
	case 4:
		put_odd(f, frame, 0, frame->header - 1, 1);
		break;
	case 5:
		frame->bytes[pick(&f->rng, frame->fuzzable)] ^= 1 << pick(&f->rng, 8);
		break;
	default:
		put_odd(f, frame, frame->header, frame->fuzzable, 1 << pick(&f->rng, 4));
		break;
	}
}

/*
 * Corrupts the pointer to the response as a whole, or any other bytes. A pointer with one changed
 * bit would point to other memory of this process.
 */
static void corrupt_once(struct fuzzer *f, struct frame *frame)
{
	uint64_t where;

	if (frame->response && one_in(&f->rng, 4)) {
		where = bad_pointer(f);
		memcpy(frame->bytes + frame->response, &where, sizeof(where));
		return;
	}
	memcpy(&where, frame->bytes + frame->response, sizeof(where));
	corrupt_bytes(f, frame);
	if (frame->response)
		memcpy(frame->bytes + frame->response, &where, sizeof(where));
}

void frame_corrupt(struct fuzzer *f, struct frame *frame)
{
	if (!one_in(&f->rng, f->corrupt))
		return;
	frame->lost = true;
	do
		corrupt_once(f, frame);
	while (one_in(&f->rng, 4));
}

void *frame_place(struct fuzzer *f, const struct frame *frame)
{
	uint8_t *at = f->requests_end - frame->len + frame->missing;

	if (frame->bad_address)
		return frame->bad_address;
	memcpy(at, frame->bytes, frame->len - frame->missing);
	return at;
}

int frame_write(struct fuzzer *f, int fd, const struct frame *frame)
{
	ssize_t ret = write(fd, frame_place(f, frame), frame->claimed);

	return ret < 0 ? -errno : 0;
}
