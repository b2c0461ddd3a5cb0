/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_RMPP_SEND_H_
#define _KRDMA_MAD_RMPP_SEND_H_

#include "mad/send.h"

/**
 * enum mad_rmpp_step - how the sender of a message goes on
 * @MAD_RMPP_KEEP: nothing has changed
 * @MAD_RMPP_NEXT: the receiver has got further segments, or may get further ones
 * @MAD_RMPP_ENDED: the receiver has stopped or aborted the message
 * @MAD_RMPP_ABORT: the receiver's answer makes no sense, and the message is to be aborted
 */
enum mad_rmpp_step {
	MAD_RMPP_KEEP,
	MAD_RMPP_NEXT,
	MAD_RMPP_ENDED,
	MAD_RMPP_ABORT,
};

/**
 * mad_rmpp_begin() - begin to send a message, or begin again
 * @send: the message; with mad_agent.lock held
 */
void mad_rmpp_begin(struct mad_send *send);

/**
 * mad_rmpp_again() - go back to the first segment that was not acknowledged
 * @send: the message; with mad_agent.lock held
 */
void mad_rmpp_again(struct mad_send *send);

/**
 * mad_rmpp_next() - make the next segment the one that @send->wr sends
 * @send: the message, whose @send->wr is not posted; with mad_agent.lock held
 *
 * Return: false if the window allows no further segment.
 */
bool mad_rmpp_next(struct mad_send *send);

/**
 * mad_rmpp_abort() - make an Abort what @send->wr sends
 * @send: the message, whose @send->wr is not posted; with mad_agent.lock held
 * @status: why: RMPP_STATUS_*
 *
 * Return: false if there is nothing to abort: the receiver has the message, or was told before.
 */
bool mad_rmpp_abort(struct mad_send *send, u8 status);

/**
 * mad_rmpp_restore() - make the header that of a message again, so that it can be sent anew
 * @send: the message, which has ended; with mad_agent.lock held
 */
void mad_rmpp_restore(struct mad_send *send);

/**
 * mad_rmpp_answered() - handle an answer of the receiver
 * @send: the message; with mad_agent.lock held
 * @rmpp: the answer: Ack, Stop or Abort
 * @status: out: for MAD_RMPP_ABORT, what the Abort says
 *
 * Return: how the sender goes on.
 */
enum mad_rmpp_step mad_rmpp_answered(struct mad_send *send, const struct rmpp *rmpp, u8 *status);

#endif /* _KRDMA_MAD_RMPP_SEND_H_ */
