// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The attribute Notice. */

#include "notice.h"

#define NOTICE_GENERIC	0x80	/* the trap is one of IBTA's */
#define NOTICE_URGENT	1
#define NOTICE_INFO	4

/* Offsets in a Notice. */
#define PRODUCER_AT	3
#define TRAP_AT		4
#define ISSUER_AT	6
#define LINK_LID_AT	10
#define CAP_LID_AT	12
#define OTHER_AT	15
#define CAP_MASK_AT	16
#define CHANGES_AT	21

void notice_build(u8 *data, const struct notice *notice)
{
	bool is_link = notice->trap == TRAP_LINK_STATE;

	memset(data, 0, NOTICE_LEN);
	data[0] = NOTICE_GENERIC | (is_link ? NOTICE_URGENT : NOTICE_INFO);
	data[PRODUCER_AT] = notice->producer;
	put_unaligned_be16(notice->trap, data + TRAP_AT);
	put_unaligned_be16(notice->lid, data + ISSUER_AT);
	if (is_link) {
		put_unaligned_be16(notice->lid, data + LINK_LID_AT);
		return;
	}
	put_unaligned_be16(notice->lid, data + CAP_LID_AT);
	data[OTHER_AT] = !!notice->changes;
	put_unaligned_be32(notice->cap_mask, data + CAP_MASK_AT);
	data[CHANGES_AT] = notice->changes;
}

u16 notice_trap(const u8 *data)
{
	return data[0] & NOTICE_GENERIC ? get_unaligned_be16(data + TRAP_AT) : 0;
}
