/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Protection information of a region, in the simplest way: for each copy, the lists of the region
 * are gathered into flat memory, on which the model of the unit tests works.
 */
#ifndef _KRDMA_TESTING_MEMDEV_PI_H_
#define _KRDMA_TESTING_MEMDEV_PI_H_

#include <rdma/ib_verbs.h>

struct memdev_pi;
struct scatterlist;

/* A scatterlist that is mapped for DMA, without the first @offset bytes. */
struct memdev_sg {
	struct scatterlist *sg;
	int nents;
	unsigned int offset;
};

/* Room for lists of that many pages. Returns NULL if there is no memory. @pi may be NULL. */
struct memdev_pi *memdev_pi_alloc(u32 max_data, u32 max_meta);
void memdev_pi_free(struct memdev_pi *pi);

/*
 * Keeps lists for the next registration. Returns the length on the wire; 0 if the lists have too
 * many bytes or elements, or do not go with @attrs. @addr: address of the first byte.
 */
u64 memdev_pi_map(struct memdev_pi *pi, const struct memdev_sg *data, const struct memdev_sg *meta,
		  const struct ib_sig_attrs *attrs, u64 *addr);

/*
 * The functions below are called with memdev_fabric.mutex held.
 *
 * memdev_pi_register() registers the lists that were mapped last. Returns false if they do not go
 * with @attrs, or have not this length on the wire. @key: key of the region, for errors.
 */
bool memdev_pi_register(struct memdev_pi *pi, const struct ib_sig_attrs *attrs, u64 length,
			u32 key);

/*
 * memdev_pi_wire() returns where the bytes on the wire are, from @offset on. memdev_pi_copy() puts
 * them into the memory if @in is true, otherwise it makes them from the memory. The first error is
 * kept.
 */
void *memdev_pi_wire(struct memdev_pi *pi, u64 offset);
void memdev_pi_copy(struct memdev_pi *pi, u64 offset, u32 length, bool in);

/* Returns whether there was an error, and forgets it. Any context. */
bool memdev_pi_take_error(struct memdev_pi *pi, struct ib_sig_err *err);

#endif /* _KRDMA_TESTING_MEMDEV_PI_H_ */
