// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: what is written to a device node and is no command: its header says something else,
 * it is cut, or it is not in memory. Only by write(): ioctl() has no such headers.
 */
#include <string.h>
#include <unistd.h>

#include "tools/testing/lib/command.h"
#include "tools/testing/lib/page_end.h"
#include "verbs_test.h"

static int write_frame(int fd, const void *frame, size_t len)
{
	int ret = sys(write(fd, frame, len));

	return ret < 0 ? ret : 0;
}

/* Writes the @len bytes of @frame from the @len bytes before @end. */
static int write_at_end(int fd, uint8_t *end, const void *frame, size_t len)
{
	memcpy(end - len, frame, len);
	return write_frame(fd, end - len, len);
}

/* A plain command without a context, and a second context. */
static bool one_context(void)
{
	struct ib_uverbs_get_context cmd = {};
	struct ib_uverbs_get_context_resp resp;
	uint32_t pd;
	int fd;

	TRY(fd = open_node(KTU));
	EXPECT(-EINVAL, make_pd(fd, &pd));
	TRY(asked(fd, GET_CONTEXT, cmd, resp));
	EXPECT(-EINVAL, asked(fd, GET_CONTEXT, cmd, resp));
	TRY(make_pd(fd, &pd));
	EXPECT(0, pd);
	return true;
}

/* ALLOC_PD: 16 bytes with the header, and a response of 4 bytes. */
static bool plain_frames(void)
{
	static const struct {
		uint32_t command;
		uint16_t in_words, out_words;
		size_t len;
		int want;
	} rows[] = {
		{ IB_USER_VERBS_CMD_ALLOC_PD, 3, 1, 16, -EINVAL },
		{ IB_USER_VERBS_CMD_ALLOC_PD, 5, 1, 16, -EINVAL },
		{ IB_USER_VERBS_CMD_ALLOC_PD, 2, 1, 8, -EINVAL },
		{ IB_USER_VERBS_CMD_ALLOC_PD, 1, 1, 4, -EINVAL },
		{ IB_USER_VERBS_CMD_ALLOC_PD, 4, 0, 16, -ENOSPC },
		{ IB_USER_VERBS_CMD_ALLOC_PD | 0x100, 4, 1, 16, -EINVAL },
		{ IB_USER_VERBS_CMD_ALLOC_PD | 0x40000000, 4, 1, 16, -EINVAL },
		/* Not GET_CONTEXT, which would fail with ENOSPC. */
		{ IB_USER_VERBS_CMD_OPEN_QP + 1, 4, 1, 16, -EINVAL },
		{ IB_USER_VERBS_CMD_COMMAND_MASK, 4, 1, 16, -EINVAL },
		{ IB_USER_VERBS_CMD_ALLOC_PD, 4, 1, 16, 0 },
	};
	struct ib_uverbs_dealloc_pd dealloc = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		uint64_t response, more;
	} frame = {};
	uint32_t pd = UINT32_MAX;
	uint8_t *end;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(got(end = page_end()));
	frame.response = (uintptr_t)&pd;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT(UINT32_MAX, pd);
		frame.hdr = (struct ib_uverbs_cmd_hdr) {
			rows[i].command, rows[i].in_words, rows[i].out_words,
		};
		EXPECT(rows[i].want, write_frame(fd, &frame, rows[i].len));
	}
	/* The first PD: none of the wrong frames has made one. */
	EXPECT(0, pd);
	EXPECT(-EFAULT, write_frame(fd, end, 16));
	/* The handle behind the header is not in memory; a zero would be that of the PD. */
	frame.hdr = (struct ib_uverbs_cmd_hdr) { IB_USER_VERBS_CMD_DEALLOC_PD, 3, 0 };
	memcpy(end - sizeof(frame.hdr), &frame.hdr, sizeof(frame.hdr));
	EXPECT(-EFAULT, write_frame(fd, end - sizeof(frame.hdr), 12));
	dealloc.pd_handle = pd;
	TRY(silent(fd, DEALLOC_PD, dealloc));
	return true;
}

/* QUERY_DEVICE: 8 bytes behind both headers, and a response of any length. */
static bool extended_frames(void)
{
	static const struct {
		uint16_t in_words, out_words, driver_in;
		uint32_t reserved;
		bool has_response;
		size_t len;
		int want;
		uint16_t driver_out;
	} rows[] = {
		{ 1, 64, 0, 0, true, 32, 0 },
		{ 2, 64, 0, 0, true, 32, -EINVAL },
		{ 1, 64, 1, 0, true, 32, -EINVAL },
		{ 0, 64, 0, 0, true, 32, -EINVAL },
		{ 1, 64, 0, 1, true, 32, -EINVAL },
		{ 1, 64, 0, 0, false, 32, -EINVAL },
		{ 1, 0, 0, 0, true, 32, -EINVAL },
		{ 1, 0, 0, 0, false, 32, -ENOSPC },
		{ 1, 64, 0, 0, true, 16, -EINVAL },
		/* The answer of the driver alone is a response, which has no room for the other. */
		{ 1, 0, 0, 0, true, 32, -ENOSPC, 1 },
		{ 1, 0, 0, 0, false, 32, -EINVAL, 1 },
	};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		uint64_t body;
	} frame = {};
	uint64_t answer[64];
	uint8_t *end;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(got(end = page_end()));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		frame.hdr = (struct ib_uverbs_cmd_hdr) {
			IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED,
			rows[i].in_words, rows[i].out_words,
		};
		frame.ex = (struct ib_uverbs_ex_cmd_hdr) {
			.response = rows[i].has_response ? (uintptr_t)answer : 0,
			.provider_in_words = rows[i].driver_in,
			.provider_out_words = rows[i].driver_out,
			.cmd_hdr_reserved = rows[i].reserved,
		};
		/* At the end of memory: a frame that is cut is refused before it is read. */
		EXPECT(rows[i].want, write_at_end(fd, end, &frame, rows[i].len));
	}
	/* The second header is not in memory. */
	memcpy(end - sizeof(frame.hdr), &frame.hdr, sizeof(frame.hdr));
	EXPECT(-EFAULT, write_frame(fd, end - sizeof(frame.hdr), sizeof(frame)));
	return true;
}

const struct test frame_tests[] = {
	{ "one context for a file", one_context },
	{ "frames of plain commands", plain_frames },
	{ "frames of extended commands", extended_frames },
	{}
};
