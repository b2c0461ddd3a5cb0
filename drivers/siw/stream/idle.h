/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Idle streams: frees the memory that a stream needed only while it had traffic.
 */
#ifndef SIW_IDLE_H
#define SIW_IDLE_H

#include <linux/types.h>

struct siw_stream;

/**
 * struct siw_idle - when a stream is next checked for memory that it no longer needs
 * @check_at: time of the next check, in jiffies; 0 if the stream holds no memory that could be
 *	freed
 * @activity: result of idle_activity() at the last check
 */
struct siw_idle {
	unsigned long check_at;
	u32 activity;
};

/*
 * Frees memory that the stream has allocated for its traffic, if the stream was idle for some
 * seconds: the fragment where FPDUs are built, the entries of a process's send queue, and rings for
 * many reads. Arms the timer for the next check if the stream holds memory of these kinds. Called
 * by the owner at the end of each pass, with the socket locked.
 */
void siw_idle_check(struct siw_stream *s);

#endif /* SIW_IDLE_H */
