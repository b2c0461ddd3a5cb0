/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Moderation: when a stream does its work at once, and when it gathers work. The functions count
 * and decide; the stream acts.
 */
#ifndef SIW_MODERATION_H
#define SIW_MODERATION_H

#include <linux/types.h>

/**
 * struct siw_pingpong_sample - statistics of receive passes, by which a ping-pong is recognised
 * @passes: passes that have received bytes
 * @messages: messages that these passes have received
 * @bytes: bytes that these passes have received
 * @answered: passes at whose end @pushed had grown since the pass before
 * @pushed: bytes that the stream had pushed to TCP in all at the end of the last pass
 */
struct siw_pingpong_sample {
	u32 passes;
	u32 messages;
	u32 bytes;
	u32 answered;
	u64 pushed;
};

/**
 * struct siw_moderation - statistics that decide whether a stream gathers work
 * @tick: the tick in which @moved is counted, in jiffies
 * @moved: bytes sent and received in @tick
 * @pingpong_until: time in jiffies until which the stream counts as a ping-pong
 * @sample: the latest passes of the work item
 * @kick_tick: the tick in which @kicks are counted, in jiffies
 * @kicks: calls of siw_moderation_gathers() in @kick_tick
 */
struct siw_moderation {
	unsigned long tick;
	u64 moved;
	unsigned long pingpong_until;
	struct siw_pingpong_sample sample;
	unsigned long kick_tick;
	u32 kicks;
};

/* The functions below are called by the stream's owner; the first one when the stream starts. */

void siw_moderation_init(struct siw_moderation *mod);
/*
 * Returns whether softirq context should leave the next passes to the work item, because in this
 * tick the stream has moved many bytes, or a moderate number while all streams of this CPU together
 * have moved many. Returns false for a ping-pong. Called with BHs off.
 */
bool siw_moderation_is_bulk(struct siw_moderation *mod);
/*
 * Returns whether the other streams of this CPU have moved so much in this tick that softirq
 * context should do less for this stream. Called with BHs off, after siw_moderation_is_bulk().
 */
bool siw_moderation_shares_cpu(const struct siw_moderation *mod);
/* Counts @bytes that a stream has moved on this CPU outside the work item. Called with BHs off. */
void siw_moderation_charge_cpu(u64 bytes);
/*
 * Decides whether the stream is a ping-pong of short messages, in which each side waits for the
 * other's message before it sends its own. In a ping-pong, a pass has one message at most, so the
 * work item would gather nothing, and would only add the time of its wake-up. Softirq context is
 * therefore better, however many messages there are in a tick. Called by the work item after each
 * pass. @messages: messages whose end the pass has received; @bytes: bytes that the pass has
 * received; @pushed: bytes that the stream has pushed to TCP since it began.
 */
void siw_moderation_sample(struct siw_moderation *mod, u32 messages, u32 bytes, u64 pushed);
/*
 * Counts a posting call or a doorbell. Called only while the peer has yet to acknowledge or answer
 * something. Returns whether this tick had so many of these calls that requests should be gathered.
 */
bool siw_moderation_gathers(struct siw_moderation *mod);

#endif /* SIW_MODERATION_H */
