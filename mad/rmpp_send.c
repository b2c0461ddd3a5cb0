// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RMPP: the sender of a message (IBTA 13.6.6.3).
 *
 * One segment of a message is posted at a time. After the last one of the window the sender waits
 * for an Ack, which moves the window; the first window is one segment. When no Ack comes, and all
 * tries are used up, or when the message is cancelled, an Abort is sent as if it was one more
 * segment.
 */
#include "mad/rmpp_send.h"

void mad_rmpp_begin(struct mad_send *send)
{
	lockdep_assert_held(&send->agent->lock);
	send->sent = 0;
	send->acked = 0;
	send->window = 1;
	send->aborted = false;
}

void mad_rmpp_again(struct mad_send *send)
{
	lockdep_assert_held(&send->agent->lock);
	send->sent = send->acked;
}

/* Writes the header, but for the time that the consumer has set in it. */
static void write_header(struct mad_send *send, struct rmpp *rmpp)
{
	struct ib_rmpp_mad *mad = (struct ib_rmpp_mad *)send->mad;

	rmpp->flags |= RMPP_ACTIVE;
	rmpp->resp_time = ib_get_rmpp_resptime(&mad->rmpp_hdr);
	rmpp_build(send->mad, rmpp);
}

/* Returns the length that the header of a segment has. */
static u32 payload_length(const struct mad_send *send, u32 segment)
{
	u32 count = send->base.seg_count;
	u32 header = send->base.hdr_len - IB_MGMT_RMPP_HDR;

	if (segment == count)
		return send->base.data_len - (count - 1) * send->base.seg_size + header;
	return segment == 1 ? send->base.data_len + count * header : 0;
}

bool mad_rmpp_next(struct mad_send *send)
{
	u32 segment = send->sent + 1;
	struct rmpp rmpp = { .type = RMPP_DATA, .segment = segment };

	lockdep_assert_held(&send->agent->lock);
	if (segment > min_t(u32, send->window, send->base.seg_count))
		return false;
	if (segment == 1)
		rmpp.flags |= RMPP_FIRST;
	if (segment == send->base.seg_count)
		rmpp.flags |= RMPP_LAST;
	rmpp.length = payload_length(send, segment);
	write_header(send, &rmpp);
	send->wr.part[0] = send->mad;
	send->wr.length[0] = segment == 1 ? sizeof(send->mad) : send->base.hdr_len;
	send->wr.part[1] = segment == 1 ? NULL : send->more[segment - 2];
	send->wr.length[1] = send->base.seg_size;
	return true;
}

bool mad_rmpp_abort(struct mad_send *send, u8 status)
{
	struct rmpp rmpp = { .type = RMPP_ABORT, .status = status };

	lockdep_assert_held(&send->agent->lock);
	if (send->aborted || send->acked == send->base.seg_count)
		return false;
	send->aborted = true;
	write_header(send, &rmpp);
	send->wr.part[0] = send->mad;
	send->wr.length[0] = sizeof(send->mad);
	send->wr.part[1] = NULL;
	return true;
}

void mad_rmpp_restore(struct mad_send *send)
{
	struct rmpp rmpp = { .type = RMPP_DATA };

	lockdep_assert_held(&send->agent->lock);
	write_header(send, &rmpp);
}

/* Checks an Ack, and moves the window. */
static enum mad_rmpp_step take_ack(struct mad_send *send, const struct rmpp *rmpp, u8 *status)
{
	/* Segments of the last try, before it began again, may still be acknowledged. */
	u32 most = max(send->sent, min_t(u32, send->window, send->base.seg_count));

	if (rmpp->segment > most) {
		*status = RMPP_STATUS_S2B;
		return MAD_RMPP_ABORT;
	}
	if (rmpp->length < rmpp->segment) {
		*status = RMPP_STATUS_W2S;
		return MAD_RMPP_ABORT;
	}
	/* An old one; the last one counts, even if the receiver has made the window end with it. */
	if (rmpp->segment < send->acked ||
	    (rmpp->length < send->window && rmpp->segment != send->base.seg_count))
		return MAD_RMPP_KEEP;
	if (rmpp->segment == send->acked && rmpp->length <= send->window)
		return MAD_RMPP_KEEP;
	send->acked = rmpp->segment;
	send->sent = max(send->sent, send->acked);
	send->window = rmpp->length;
	return MAD_RMPP_NEXT;
}

enum mad_rmpp_step mad_rmpp_answered(struct mad_send *send, const struct rmpp *rmpp, u8 *status)
{
	lockdep_assert_held(&send->agent->lock);
	if (rmpp->type != RMPP_ACK)
		return MAD_RMPP_ENDED;
	return take_ack(send, rmpp, status);
}
