// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends of a process.
 *
 * write() copies all that the process has written before it takes a lock, because a page fault may
 * last as long as the process wants.
 */
#include "umad/send.h"

#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "umad/umad.h"

/* The longest MAD or message that is copied. ib_mad accepts no longer messages either. */
#define MAX_LENGTH	((16U << 20) + IB_MGMT_MAD_SIZE)

/**
 * struct request - what a process has written
 * @hdr: header in front of the MAD
 * @data: the MAD or message, as struct ib_rmpp_mad
 * @length: length of @data in bytes, IB_MGMT_RMPP_HDR at least
 */
struct request {
	struct ib_user_mad_hdr hdr;
	struct ib_rmpp_mad *data;
	size_t length;
};

static void free_request(struct request *request)
{
	kvfree(request->data);
}

static int copy_request(struct request *request, const struct umad_file *file,
			const char __user *from, size_t len)
{
	size_t size = umad_header_size(file);

	if (len < size + IB_MGMT_RMPP_HDR || len > size + MAX_LENGTH)
		return -EINVAL;
	request->length = len - size;
	request->hdr.pkey_index = 0;
	if (copy_from_user(&request->hdr, from, size))
		return -EFAULT;
	if (request->hdr.id >= UMAD_MAX_AGENTS)
		return -EINVAL;
	request->data = kvmalloc(request->length, GFP_KERNEL_ACCOUNT);
	if (!request->data)
		return -ENOMEM;
	if (!copy_from_user(request->data, from + size, request->length))
		return 0;
	free_request(request);
	return -EFAULT;
}

/* Returns whether the MAD is a segment, or a whole message, of RMPP. */
static bool has_rmpp(const struct request *request)
{
	return ib_is_mad_class_rmpp(request->data->mad_hdr.mgmt_class) &&
	       ib_get_rmpp_flags(&request->data->rmpp_hdr) & IB_MGMT_RMPP_FLAG_ACTIVE;
}

static struct ib_ah *new_ah(struct ib_mad_agent *base, const struct ib_user_mad_hdr *hdr)
{
	struct rdma_ah_attr attr = {
		.type = rdma_ah_find_type(base->device, base->port_num),
		.port_num = base->port_num,
		.sl = hdr->sl,
	};

	rdma_ah_set_dlid(&attr, be16_to_cpu(hdr->lid));
	rdma_ah_set_path_bits(&attr, hdr->path_bits);
	if (hdr->grh_present) {
		rdma_ah_set_grh(&attr, NULL, be32_to_cpu(hdr->flow_label), hdr->gid_index,
				hdr->hop_limit, hdr->traffic_class);
		memcpy(attr.grh.dgid.raw, hdr->gid, sizeof(hdr->gid));
	}
	return rdma_create_ah(base->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

/* Copies a message into segments. The header of RMPP is ib_mad's. */
static void copy_message(struct ib_mad_send_buf *send, const struct request *request)
{
	const u8 *data = (const u8 *)request->data;
	size_t left = send->data_len;
	int segment;

	memcpy(send->mad, data, IB_MGMT_MAD_HDR);
	memcpy(send->mad + IB_MGMT_RMPP_HDR, data + IB_MGMT_RMPP_HDR,
	       send->hdr_len - IB_MGMT_RMPP_HDR);
	data += send->hdr_len;
	for (segment = 1; left; segment++) {
		size_t part = min_t(size_t, left, send->seg_size);

		memcpy(ib_get_rmpp_segment(send, segment), data, part);
		data += part;
		left -= part;
	}
}

/* Makes the MAD that ib_mad sends, but for its address. */
static struct ib_mad_send_buf *new_send(struct ib_mad_agent *base, const struct request *request)
{
	const struct ib_user_mad_hdr *hdr = &request->hdr;
	bool is_message = ib_mad_kernel_rmpp_agent(base) && has_rmpp(request);
	size_t hdr_len = ib_get_mad_data_offset(request->data->mad_hdr.mgmt_class);
	struct ib_mad_send_buf *send;
	struct ib_mad_hdr *mad;

	/*
	 * The version in the MAD is sent as it is; this one decides about its length. If the
	 * headers are not whole, the length of the data is negative, and refused.
	 */
	send = ib_create_send_mad(base, be32_to_cpu(hdr->qpn), hdr->pkey_index, is_message,
				  hdr_len, request->length - hdr_len, GFP_KERNEL_ACCOUNT,
				  IB_MGMT_BASE_VERSION);
	if (IS_ERR(send))
		return send;
	/* A negative time of libibumad means that the process waits for ever. */
	send->timeout_ms = min_t(u32, hdr->timeout_ms, INT_MAX);
	send->retries = min_t(u32, hdr->retries, INT_MAX);
	if (is_message)
		copy_message(send, request);
	else
		memcpy(send->mad, request->data, request->length);
	mad = send->mad;
	/* Responses find the agent by the upper half of the transaction's number. */
	if (!ib_response_mad(mad))
		mad->tid = cpu_to_be64((u64)base->hi_tid << 32 |
				       lower_32_bits(be64_to_cpu(mad->tid)));
	return send;
}

static void destroy_send(struct ib_mad_send_buf *send)
{
	rdma_destroy_ah(send->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(send);
}

/* Posts a send, after which the MAD belongs to the handler. */
static int post(struct umad_file *file, struct umad_mad *mad, bool repeats)
{
	int ret;

	ret = umad_queue_sent(&file->queue, mad, repeats);
	if (ret)
		return ret;
	ret = ib_post_send_mad(mad->send, NULL);
	if (ret)
		umad_queue_unsent(&file->queue, mad);
	return ret;
}

/* Sends a MAD, which belongs to the handler after success. */
static int send_by(struct ib_mad_agent *base, struct umad_file *file, struct umad_mad *mad,
		   const struct request *request)
{
	bool repeats = !ib_mad_kernel_rmpp_agent(base) && has_rmpp(request);
	struct ib_ah *ah;
	int ret;

	lockdep_assert_held(&file->agents_lock);
	mad->send = new_send(base, request);
	if (IS_ERR(mad->send))
		return PTR_ERR(mad->send);
	ah = new_ah(base, &request->hdr);
	if (IS_ERR(ah)) {
		ib_free_send_mad(mad->send);
		return PTR_ERR(ah);
	}
	mad->send->ah = ah;
	mad->send->context[0] = mad;
	mad->mad = *(struct ib_mad_hdr *)mad->send->mad;
	ret = post(file, mad, repeats);
	if (ret)
		destroy_send(mad->send);
	return ret;
}

static int send_request(struct umad_file *file, const struct request *request)
{
	u32 id = array_index_nospec(request->hdr.id, UMAD_MAX_AGENTS);
	struct umad_mad *mad = kzalloc(sizeof(*mad), GFP_KERNEL_ACCOUNT);
	int ret = -EIO;

	if (!mad)
		return -ENOMEM;
	mad->hdr = request->hdr;
	mad->memory = request->length + UMAD_OVERHEAD *
		      DIV_ROUND_UP(request->length, IB_MGMT_RMPP_DATA);
	down_read(&file->agents_lock);
	if (file->agents[id])
		ret = send_by(file->agents[id]->base, file, mad, request);
	up_read(&file->agents_lock);
	if (ret)
		kfree(mad);
	return ret;
}

ssize_t umad_write(struct file *filp, const char __user *from, size_t len, loff_t *pos)
{
	struct umad_file *file = filp->private_data;
	struct request request;
	int ret;

	ret = copy_request(&request, file, from, len);
	if (ret)
		return ret;
	ret = send_request(file, &request);
	free_request(&request);
	return ret ?: len;
}

/* Returns whether the process may wait for a response that does not come. */
static bool is_unanswered(const struct umad_mad *mad, enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_SUCCESS:
		return mad->response_lost;
	case IB_WC_RESP_TIMEOUT_ERR:
		return true;
	case IB_WC_WR_FLUSH_ERR:
		/* The process has unregistered the agent. */
		return false;
	default:
		return mad->hdr.timeout_ms;
	}
}

/* The process reads the header of a MAD to which it gets no response, and no other result. */
void umad_send_done(struct ib_mad_agent *base, struct ib_mad_send_wc *result)
{
	struct umad_agent *agent = base->context;
	struct umad_queue *queue = &agent->file->queue;
	struct umad_mad *mad = result->send_buf->context[0];

	destroy_send(mad->send);
	mad->send = NULL;
	if (is_unanswered(mad, result->status)) {
		mad->hdr.status = ETIMEDOUT;
		mad->length = sizeof(mad->mad);
		if (umad_queue_unanswered(queue, mad))
			return;
	} else {
		umad_queue_unsent(queue, mad);
	}
	umad_mad_free(mad);
}
