/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Idle streams: they give back the memory that they needed for their traffic.
 */
#ifndef SIW_IDLE_H
#define SIW_IDLE_H

#include <linux/types.h>

struct siw_stream;

/**
 * struct siw_idle - when a stream is looked at next
 * @check_at: time of the next look, in jiffies; 0 if the stream has nothing to give back
 * @activity: result of idle_activity() at the last look
 */
struct siw_idle {
	unsigned long check_at;
	u32 activity;
};

/*
 * Frees memory that the stream has allocated for its traffic, if the stream was idle for some
 * seconds: the fragment where FPDUs are built, the entries of a process's send queue, and rings for
 * many reads. Arms the timer for the next look if there is such memory. Called by the owner at the
 * end of each pass, with the socket locked.
 */
void siw_idle_check(struct siw_stream *s);

#endif /* SIW_IDLE_H */
