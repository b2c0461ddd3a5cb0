/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Protection information of a region: its lists of memory, its copies, and its first error.
 */
#ifndef SOFT_PI_H
#define SOFT_PI_H

#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "soft/dif.h"

struct scatterlist;

/**
 * struct soft_pi - the part of a region with protection information that is not in struct soft_mem
 * @dif: the current registration; changes only while no copy is in progress
 * @data: data that was mapped last, with room for @max_data pieces; the next registration exchanges
 *	this list and that of @dif
 * @meta: protection information that was mapped last, with room for @max_meta pieces; the next
 *	registration exchanges this list and that of @dif
 * @max_data: largest number of pieces of data
 * @max_meta: largest number of pieces of protection information
 * @is_mapped: soft_pi_map() was called after the last registration
 * @lock: protects @failed and @err; taken with interrupts off
 * @failed: a check has failed, and its error was not reported yet
 * @err: the first check that failed
 */
struct soft_pi {
	struct soft_dif dif;
	struct soft_dif_list data;
	struct soft_dif_list meta;
	u32 max_data;
	u32 max_meta;
	bool is_mapped;
	spinlock_t lock; /* protects @failed and @err */
	bool failed;
	struct ib_sig_err err;
};

/* A scatter/gather list that is mapped for DMA, without the first @offset bytes. */
struct soft_pi_sg {
	struct scatterlist *sg;
	int nents;
	unsigned int offset;
};

/*
 * soft_pi_alloc() returns a soft_pi with room for lists of @max_data and @max_meta pieces, or NULL
 * if memory is short. soft_pi_free() frees @pi, which may be NULL. Process context.
 */
struct soft_pi *soft_pi_alloc(u32 max_data, u32 max_meta);
void soft_pi_free(struct soft_pi *pi);

/*
 * Maps the lists for the next registration. Returns 0; -EINVAL if a list has too many elements, if
 * an offset is beyond the first element, or if there are no data. After an error nothing is mapped,
 * and a registration fails. Any context; one call at a time, and none while a registration is
 * queued.
 */
int soft_pi_map(struct soft_pi *pi, const struct soft_pi_sg *data, const struct soft_pi_sg *meta);

/*
 * Returns how many bytes the mapped data take on the wire; see soft_dif_wire_len(). If protection
 * information is mapped, and the ULP has not filled in @attrs yet, so that they are all zero or do
 * not fit the lists, returns the length of the data and the protection information together.
 */
u64 soft_pi_mapped_len(const struct soft_pi *pi, const struct ib_sig_attrs *attrs);

/*
 * Registers what was mapped last, and forgets the error of a failed check. Returns 0; -EINVAL if
 * soft_dif_register() returns -EINVAL, or if the region's length on the wire is not @len. After an
 * error nothing has changed. Called while no copy is in progress and none can begin.
 */
int soft_pi_register(struct soft_pi *pi, const struct ib_sig_attrs *attrs, u64 len);

/*
 * Copies as soft_dif_copy() does, and keeps the first error until it is reported. @key: L_Key of
 * the region. Called within a copy of the region, see soft_mem_begin_access().
 */
void soft_pi_copy(struct soft_pi *pi, u32 key, struct soft_dif_cursor *cursor, u64 offset,
		  void *wire, u32 len, bool in);

/* Stores the first error in *@err and forgets it. Returns false if there is none. Any context. */
bool soft_pi_take_error(struct soft_pi *pi, struct ib_sig_err *err);

#endif /* SOFT_PI_H */
