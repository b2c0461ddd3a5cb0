/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory that ends: what is read behind it cannot be read.
 */
#ifndef _KRDMA_TESTING_LIB_PAGE_END_H_
#define _KRDMA_TESTING_LIB_PAGE_END_H_

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Returns where a new page ends that can be read and written, and behind which no memory is; NULL
 * with errno set if there is none. The page stays until the process ends.
 */
static inline uint8_t *page_end(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	uint8_t *page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);

	return page == MAP_FAILED || munmap(page + size, size) ? NULL : page + size;
}

#endif /* _KRDMA_TESTING_LIB_PAGE_END_H_ */
