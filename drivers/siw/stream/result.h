/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The result that a pass of transmit or receive returns. term.c acts on it.
 */
#ifndef SIW_RESULT_H
#define SIW_RESULT_H

#include <linux/types.h>

#include "iwarp/fault.h"

/**
 * enum siw_stop - why a pass of transmit or receive stopped
 * @SIW_IDLE: nothing is left to do now, or the pass has used up its budget
 * @SIW_NO_MEMORY: siw or TCP could not allocate memory; a timer starts the next pass, because no
 *	event of the socket does
 * @SIW_TERMINATE: the stream has to end, with a Terminate that names siw_result.fault
 * @SIW_SOURCE_GONE: the stream has to end, with a Terminate, because our consumer has invalidated
 *	the source of the next response, or withdrawn rights to it; the peer has done nothing wrong
 * @SIW_STARVED: the stream has to end, because memory for received bytes was short for too long
 * @SIW_UNREADABLE: the stream has to end, because the CPU cannot read received bytes: they are in
 *	the memory of a device, to which somebody has bound the netdev's receive queue
 * @SIW_TERMINATED: the peer's Terminate was received
 * @SIW_LOST: the connection is lost, or cannot be used any more
 */
enum siw_stop {
	SIW_IDLE,
	SIW_NO_MEMORY,
	SIW_TERMINATE,
	SIW_SOURCE_GONE,
	SIW_STARVED,
	SIW_UNREADABLE,
	SIW_TERMINATED,
	SIW_LOST,
};

/**
 * struct siw_result - how a pass of transmit or receive ended
 * @stop: enum siw_stop
 * @fault: reason of SIW_TERMINATE
 * @by_segment: @fault is in a segment of the peer; siw_rx_bad_segment() returns the segment
 * @events: mask of BIT(enum siw_stream_event): the connection is notified of these events before
 *	@stop is acted on
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
