// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: sends commands of uverbs, by write() or by the ioctl() method INVOKE_WRITE.
 */
#include <string.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "uverbs_fuzz.h"

#define WORDS(len, size)	(((len) + (size) - 1) / (size))
#define EX_WORD			8
/* The longest request to the provider, in bytes. siw has no such requests, and ignores them. */
#define DRIVER_IN		64

/* Adds the request to the provider. */
static void add_driver_in(struct fuzzer *f, struct frame *frame, const struct command *command)
{
	uint32_t words[DRIVER_IN / 4];

	odd_words(&f->rng, words, command->driver_in);
	frame_add(frame, words, command->driver_in);
}

/* Builds a plain command. If the command has a response, the pointer to it is the first member. */
static void frame_plain(struct fuzzer *f, struct frame *frame, const struct command *command)
{
	struct ib_uverbs_cmd_hdr hdr = {
		.command = command->number,
		.in_words = WORDS(sizeof(hdr) + command->in_len + command->driver_in, 4),
		.out_words = WORDS(command->out + command->driver_out, 4),
	};

	frame_add(frame, &hdr, sizeof(hdr));
	frame->header = frame->len;
	frame->response = command->out ? frame->len : 0;
	frame_add(frame, command->in, command->in_len);
	add_driver_in(f, frame, command);
}

static void frame_extended(struct fuzzer *f, struct frame *frame, const struct command *command,
			   void *answer)
{
	static const uint8_t zeroes[EX_WORD];
	struct ib_uverbs_cmd_hdr hdr = {
		.command = command->number | IB_USER_VERBS_CMD_FLAG_EXTENDED,
		.in_words = WORDS(command->in_len, EX_WORD),
		.out_words = WORDS(command->out, EX_WORD),
	};
	struct ib_uverbs_ex_cmd_hdr ex = {
		.response = command->out ? (uintptr_t)answer : 0,
		.provider_in_words = command->driver_in / EX_WORD,
		.provider_out_words = WORDS(command->driver_out, EX_WORD),
	};

	frame_add(frame, &hdr, sizeof(hdr));
	frame->response = command->out ? frame->len : 0;
	frame_add(frame, &ex, sizeof(ex));
	frame->header = frame->len;
	frame_add(frame, command->in, command->in_len);
	frame_add(frame, zeroes, hdr.in_words * EX_WORD - command->in_len);
	add_driver_in(f, frame, command);
}

static void *by_write(struct fuzzer *f, struct verbs_file *file, const struct command *command)
{
	void *answer = frame_answer(f, command->out + command->driver_out);
	struct frame frame = {};
	int ret;

	/* A plain command that has a response begins with the pointer to it. */
	if (!command->extended && command->out)
		*(uint64_t *)command->in = (uintptr_t)answer;
	if (command->extended)
		frame_extended(f, &frame, command, answer);
	else
		frame_plain(f, &frame, command);
	frame_corrupt(f, &frame);
	ret = frame_write(f, file->fd, &frame);
	stats_count(command->extended ? WRITE_EX : WRITE, command->number, !ret);
	return ret || frame.lost ? NULL : answer;
}

static void *by_ioctl(struct fuzzer *f, struct verbs_file *file, const struct command *command)
{
	uint32_t flag = command->extended ? IB_USER_VERBS_CMD_FLAG_EXTENDED : 0;
	void *answer = frame_answer(f, command->out + command->driver_out);
	uint32_t driver_in[DRIVER_IN / 4];
	struct ib_uverbs_attr attrs[5];
	unsigned int num = 0;
	bool lost;

	attrs[num++] = attr_value(UVERBS_ATTR_WRITE_CMD, sizeof(uint64_t),
				  command->number | flag);
	if (command->in_len > sizeof(uint64_t))
		attrs[num++] = attr_value(UVERBS_ATTR_CORE_IN, command->in_len,
					  (uintptr_t)command->in);
	else if (command->in_len)
		attrs[num++] = attr_value(UVERBS_ATTR_CORE_IN, command->in_len,
					  *(uint64_t *)command->in);
	if (command->out)
		attrs[num++] = attr_value(UVERBS_ATTR_CORE_OUT, command->out, (uintptr_t)answer);
	odd_words(&f->rng, driver_in, command->driver_in);
	if (command->driver_in > sizeof(uint64_t))
		attrs[num++] = attr_value(UVERBS_ATTR_UHW_IN, command->driver_in,
					  (uintptr_t)driver_in);
	if (command->driver_out)
		attrs[num++] = attr_value(UVERBS_ATTR_UHW_OUT, command->driver_out,
					  (uintptr_t)answer + command->out);
	if (call_method(f, file, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, attrs, num,
			&lost))
		return NULL;
	return lost ? NULL : answer;
}

void *command_run(struct fuzzer *f, struct verbs_file *file, const struct command *command)
{
	struct command longer = *command;

	if (f->corrupt && one_in(&f->rng, 24))
		longer.driver_in = EX_WORD * (1 + pick(&f->rng, DRIVER_IN / EX_WORD));
	return one_in(&f->rng, 4) ? by_ioctl(f, file, &longer) : by_write(f, file, &longer);
}
