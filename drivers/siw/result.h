/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What transmit and receive return to the engine's runner, which acts on it (term.c).
 */
#ifndef SIW_RESULT_H
#define SIW_RESULT_H

#include <linux/types.h>

#include "iwarp/fault.h"

/**
 * enum siw_stop - why a pass of transmit or receive stopped
 * @SIW_IDLE: nothing is left to be done now, or the pass has used up its budget
 * @SIW_NO_MEMORY: memory is short, or TCP is, and no event says when it is not: try again soon
 * @SIW_TERMINATE: the stream has to end, with a Terminate that names the fault
 * @SIW_SOURCE_GONE: likewise, as the memory of a read or atomic operation that we owe the peer
 *	was invalidated here; the peer has done nothing wrong
 * @SIW_TERMINATED: the peer's Terminate came in
 * @SIW_LOST: the connection is gone, or as good as gone
 */
enum siw_stop {
	SIW_IDLE,
	SIW_NO_MEMORY,
	SIW_TERMINATE,
	SIW_SOURCE_GONE,
	SIW_TERMINATED,
	SIW_LOST,
};

/**
 * struct siw_result - how a pass of transmit or receive ended
 * @stop: enum siw_stop
 * @fault: why the stream has to end, of SIW_TERMINATE
 * @by_segment: a segment of the peer's is at fault, which siw_rx_bad_segment() has
 * @events: bits of enum siw_stream_event, of which the connection is notified first
 */
struct siw_result {
	enum siw_stop stop;
	enum iwarp_fault fault;
	bool by_segment;
	u8 events;
};

static inline bool siw_ends_stream(enum siw_stop stop)
{
	return stop >= SIW_TERMINATE;
}

#endif /* SIW_RESULT_H */
