/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* How much memory the kernel uses, and how much of it for TCP. */
#ifndef WIRE_FUZZ_MEMORY_H
#define WIRE_FUZZ_MEMORY_H

/**
 * struct memory - memory in use
 * @used: memory that is neither free nor cache, in KiB, after caches were dropped and slabs shrunk
 * @sockets: TCP sockets of all network namespaces
 * @buffers: memory of the queues of all TCP sockets, in KiB
 */
struct memory {
	long used, sockets, buffers;
};

/* Dies if the files that it reads do not exist. Needs root. */
struct memory memory_now(void);

#endif /* WIRE_FUZZ_MEMORY_H */
