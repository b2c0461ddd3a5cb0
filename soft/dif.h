/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * T10 DIF: copies between a region's memory and the wire that add, check, translate or remove
 * protection information. The code takes no locks, allocates no memory and uses no sockets, so it
 * is also compiled in user space.
 *
 * Memory holds the data in one list, and the protection information of all intervals in another. On
 * the wire, each interval is followed by its protection information. A transfer may begin and
 * end at any byte, and be copied in pieces of any length, as the peer chooses.
 */
#ifndef SOFT_DIF_H
#define SOFT_DIF_H

#include "compat/port.h"
#include <rdma/signature.h>

#define SOFT_PI_LEN 8 /* bytes of protection information of an interval */

/**
 * struct soft_dif_seg - a piece of memory
 * @at: its first byte
 * @end: bytes of the list up to the end of this piece
 */
struct soft_dif_seg {
	u8 *at;
	u64 end;
};

/**
 * struct soft_dif_list - pieces of memory, of any length, that follow one another
 * @segs: the pieces, none of which is empty
 * @num: number of pieces
 */
struct soft_dif_list {
	struct soft_dif_seg *segs;
	u32 num;
};

/**
 * struct soft_dif - a registration
 * @id: number of the registration, other than 0; a cursor with another number starts anew
 * @interval: bytes of data in an interval; 0 if neither domain has protection information
 * @stride: bytes of an interval on the wire
 * @wire_len: bytes of the whole region on the wire
 * @attrs: what to do with protection information
 * @data: data in memory, at least as much as the intervals in @wire_len have
 * @meta: protection information in memory; not used if the memory has none
 */
struct soft_dif {
	u32 id;
	u32 interval;
	u32 stride;
	u64 wire_len;
	struct ib_sig_attrs attrs;
	struct soft_dif_list data;
	struct soft_dif_list meta;
};

/**
 * struct soft_dif_cursor - where a transfer is; if all members are zero, it has not begun
 * @dif: registration of the last copy
 * @id: soft_dif.id of that registration
 * @next: offset, on the wire, of the byte behind the last copy
 * @whole: the transfer has carried the current interval from its first byte on
 * @pi_whole: the transfer has carried the current interval's protection information from its first
 *	byte on
 * @from_sum: state of the guard by the rules of the domain that is read, if @whole is true
 * @to_sum: state of the guard by the rules of the domain that is written, if @whole is true
 * @pi: protection information of the current interval, as it is on the wire
 */
struct soft_dif_cursor {
	const struct soft_dif *dif;
	u32 id;
	bool whole;
	bool pi_whole;
	u64 next;
	u32 from_sum;
	u32 to_sum;
	u8 pi[SOFT_PI_LEN];
};

static inline u64 soft_dif_list_len(const struct soft_dif_list *list)
{
	return list->num ? list->segs[list->num - 1].end : 0;
}

/*
 * Returns how many bytes @data_len bytes of data take on the wire. An incomplete interval at the
 * end of the data does not count. Returns 0 if @attrs has unknown values, or different intervals
 * for the two domains.
 */
u64 soft_dif_wire_len(const struct ib_sig_attrs *attrs, u64 data_len);

/*
 * Registers the lists that are in @dif, with the rules in @attrs. Returns 0; -EINVAL if
 * soft_dif_wire_len() returns 0, if the data is not a whole number of intervals, or if the list of
 * protection information is too short for these intervals. After an error @dif is as before.
 */
int soft_dif_register(struct soft_dif *dif, const struct ib_sig_attrs *attrs);

/*
 * Copies @len bytes from @wire into memory if @in is true, otherwise from memory to @wire. @wire is
 * a part of the region as it is on the wire, and begins at byte @offset of it. The caller ensures
 * that the bytes are within dif->wire_len, and that @wire does not change meanwhile.
 *
 * When the copy passes the end of an interval, the interval is checked, and its protection
 * information is made. If the protection information is on the wire, the interval ends behind it.
 * If the transfer has carried the whole interval, the guard covers the bytes that were carried;
 * otherwise the guard covers the bytes that are in memory at that time. If a transfer from the
 * wire carries only a part of an interval's protection information, the information is neither
 * checked nor stored. An interval that is not checked because of its escape value keeps its
 * protection information.
 *
 * Returns true if an interval is wrong; then *@err describes the first one, except for @err->key.
 * The bytes are copied all the same.
 */
bool soft_dif_copy(const struct soft_dif *dif, struct soft_dif_cursor *cursor, u64 offset, u8 *wire,
		   u32 len, bool in, struct ib_sig_err *err);

#endif /* SOFT_DIF_H */
