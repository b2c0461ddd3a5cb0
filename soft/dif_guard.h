/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Guards of T10 DIF: checksums of intervals, computed piece by piece.
 */
#ifndef SOFT_DIF_GUARD_H
#define SOFT_DIF_GUARD_H

#include "compat/port.h"
#include <rdma/signature.h>

/*
 * A computation begins with soft_guard_begin(), which turns the initial value @seed into a state.
 * soft_guard_add() adds the @len bytes at @data, which are at @offset in the interval, and returns
 * the new state. soft_guard_end() turns the state into the guard. Pieces are added in order, and
 * may have any length. Any context.
 */
u32 soft_guard_begin(enum ib_t10_dif_bg_type type, u16 seed);
u32 soft_guard_add(enum ib_t10_dif_bg_type type, u32 state, const u8 *data, u32 len, u32 offset);
u16 soft_guard_end(enum ib_t10_dif_bg_type type, u32 state);

#endif /* SOFT_DIF_GUARD_H */
