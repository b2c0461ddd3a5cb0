// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Splits what siw sends into the MPA frame and FPDUs, as far as the player has to know them. */
#include <linux/string.h>

#include "tools/testing/modules/kfuzz/reader.h"
#include "iwarp/fpdu.h"
#include "tools/testing/modules/kfuzz/kfuzz_uapi.h"

/*
 * Returns how many bytes the item lacks or, while its length is unknown, how many are missing
 * before the length can be determined.
 */
static u32 wanted(const struct reader *reader)
{
	u32 head = reader->items ? DDP_CTRL_END : MPA_HDR_LEN;

	if (reader->have < head)
		return head - reader->have;
	if (!reader->items)
		return MPA_HDR_LEN + get_unaligned_be16(&reader->head[18]) - reader->have;
	return mpa_fpdu_size(get_unaligned_be16(reader->head)) - reader->have;
}

static void take_frame(struct reader *reader)
{
	struct kfuzz_outcome *outcome = reader->outcome;

	if (!memcmp(reader->head, MPA_KEY_REQUEST, MPA_KEY_LEN) ||
	    !memcmp(reader->head, MPA_KEY_REPLY, MPA_KEY_LEN))
		outcome->flags |= KFUZZ_FRAME;
	else
		outcome->flags |= KFUZZ_GARBAGE;
	if (reader->head[16] & MPA_FLAG_REJECT)
		outcome->flags |= KFUZZ_REJECTED;
	outcome->answers++;
}

static void take_fpdu(struct reader *reader)
{
	struct kfuzz_outcome *outcome = reader->outcome;
	/* The first word of the payload: the sink's STag, or what a Terminate reports. */
	u32 word = get_unaligned_be32(&reader->head[DDP_HEAD_MAX]);

	outcome->fpdus++;
	if (!(reader->head[MPA_LEN_LEN] & DDP_CTRL_LAST))
		return;
	switch (reader->head[MPA_LEN_LEN + 1] & RDMAP_CTRL_OPCODE) {
	case RDMAP_READ_REQUEST:
	case RDMAP_ATOMIC_REQUEST:
		if (reader->requests < READER_SINKS)
			reader->sinks[reader->requests++] = word;
		outcome->answers++;
		break;
	case RDMAP_READ_RESPONSE:
	case RDMAP_ATOMIC_RESPONSE:
		outcome->answers++;
		break;
	case RDMAP_TERMINATE:
		outcome->flags |= KFUZZ_TERMINATED;
		outcome->layer = FIELD_GET(TERM_CTRL_LAYER, word);
		outcome->etype = FIELD_GET(TERM_CTRL_ETYPE, word);
		outcome->code = FIELD_GET(TERM_CTRL_CODE, word);
		break;
	}
}

void reader_push(struct reader *reader, const u8 *data, u32 len)
{
	u32 n;

	while (len && !(reader->outcome->flags & KFUZZ_GARBAGE)) {
		n = min(wanted(reader), len);
		if (reader->have < READER_HEAD)
			memcpy(reader->head + reader->have, data,
			       min_t(u32, n, READER_HEAD - reader->have));
		reader->have += n;
		data += n;
		len -= n;
		if (wanted(reader))
			continue;
		if (reader->items)
			take_fpdu(reader);
		else
			take_frame(reader);
		reader->items++;
		reader->have = 0;
	}
}
