// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on the data path, for providers that do not share their queues with
 * processes. A command that posts has a list of work requests, followed by the SGEs of all these
 * requests.
 *
 * A provider offers a command by setting the command's bit in ib_device.uverbs_cmd_mask.
 */
#include "uverbs/write/commands.h"

#include <linux/mm.h>

#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/object/ah.h"
#include "uverbs/object/cq.h"
#include "uverbs/object/qp.h"
#include "uverbs/object/srq.h"
#include "uverbs/write/write.h"

/*
 * Number of completions that are polled at a time; on i386, they fit into a stack frame of 1 KiB.
 */
#define POLL_BATCH	8

/*
 * Flags that a process may set. IB_SEND_INLINE is excluded, because with this flag the provider
 * reads data at kernel addresses.
 */
#define SEND_FLAGS	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED | IB_SEND_IP_CSUM)

union send_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct ib_ud_wr ud;
};

/**
 * struct wr_list - the work requests of a command
 * @from: next work request of the process
 * @from_size: bytes from one work request to the next
 * @from_sge: next SGE of the process
 * @num: number of work requests
 * @num_sge: number of SGEs that are left
 * @send: the decoded work requests of a send queue
 * @recv: the decoded work requests of a receive queue
 * @sge: place for the next decoded SGE
 */
struct wr_list {
	const void		*from;
	size_t			from_size;
	const void		*from_sge;
	u32			num;
	u32			num_sge;
	union send_wr		*send;
	struct ib_recv_wr	*recv;
	struct ib_sge		*sge;
};

static bool offers(const struct uverbs_attr_bundle *call, u32 command)
{
	return call->ibdev->uverbs_cmd_mask & BIT_ULL(command);
}

/*
 * Finds the work requests and the SGEs of a command behind its first @head bytes. They have to fill
 * the rest of the command exactly. @least: least size of a work request.
 */
static int list_init(struct wr_list *list, const struct uverbs_attr_bundle *call, size_t head,
		     size_t least)
{
	u64 wrs = (u64)list->num * list->from_size;
	u64 sges = (u64)list->num_sge * sizeof(struct ib_uverbs_sge);

	if (list->num && list->from_size < least)
		return -EINVAL;
	/* Neither product overflows 64 bits, nor does the sum if wrs is compared first. */
	if (wrs > call->ucore.inlen || head + wrs + sges != call->ucore.inlen)
		return -EINVAL;
	list->from = call->ucore.in + head;
	list->from_sge = list->from + wrs;
	return 0;
}

/*
 * Allocates memory for the decoded work requests and SGEs. The caller frees the memory with
 * kvfree(). @size: number of bytes of one decoded work request.
 */
static void *list_alloc(struct wr_list *list, size_t size)
{
	void *mem = kvzalloc(list->num * size + list->num_sge * sizeof(*list->sge),
			     GFP_KERNEL_ACCOUNT);

	if (mem)
		list->sge = mem + list->num * size;
	return mem;
}

/*
 * Decodes @num SGEs. Refuses the device's local_dma_lkey, because this key gives access to all
 * memory.
 */
static struct ib_sge *get_sges(struct wr_list *list, const struct ib_device *dev, u32 num)
{
	bool has_key = dev->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY;
	struct ib_sge *first = list->sge;
	struct ib_uverbs_sge sge;

	if (num > list->num_sge)
		return ERR_PTR(-EINVAL);
	list->num_sge -= num;
	for (; num; num--, list->sge++) {
		memcpy(&sge, list->from_sge, sizeof(sge));
		list->from_sge += sizeof(sge);
		if (has_key && sge.lkey == dev->local_dma_lkey)
			return ERR_PTR(-EINVAL);
		list->sge->addr = sge.addr;
		list->sge->length = sge.length;
		list->sge->lkey = sge.lkey;
	}
	return first;
}

/*
 * Answers a command that posts. If @ret is an errno, the process also gets @bad, the position of
 * the work request that was refused.
 */
static int posted(struct uverbs_attr_bundle *call, int ret, u32 bad)
{
	struct ib_uverbs_post_send_resp resp = { .bad_wr = ret ? bad : 0 };

	BUILD_BUG_ON(sizeof(resp) != sizeof(struct ib_uverbs_post_recv_resp));
	BUILD_BUG_ON(sizeof(resp) != sizeof(struct ib_uverbs_post_srq_recv_resp));
	call->answers_errors = ret;
	RESPOND(call, resp);
	return ret;
}

/* --- send queues --- */

static int get_ud_wr(struct uverbs_attr_bundle *call, const struct ib_qp *qp, struct ib_ud_wr *to,
		     const struct ib_uverbs_send_wr *from)
{
	if (to->wr.opcode != IB_WR_SEND && to->wr.opcode != IB_WR_SEND_WITH_IMM)
		return -EINVAL;
	to->ah = uverbs_get(call, ah, from->wr.ud.ah);
	if (IS_ERR(to->ah))
		return PTR_ERR(to->ah);
	to->remote_qpn = from->wr.ud.remote_qpn;
	to->remote_qkey = from->wr.ud.remote_qkey;
	return to->ah->pd == qp->pd ? 0 : -EINVAL;
}

static int get_connected_wr(union send_wr *to, const struct ib_uverbs_send_wr *from)
{
	switch (from->opcode) {
	case IB_UVERBS_WR_SEND:
	case IB_UVERBS_WR_SEND_WITH_IMM:
	case IB_UVERBS_WR_SEND_WITH_INV:
		return 0;
	case IB_UVERBS_WR_RDMA_WRITE:
	case IB_UVERBS_WR_RDMA_WRITE_WITH_IMM:
	case IB_UVERBS_WR_RDMA_READ:
		to->rdma.remote_addr = from->wr.rdma.remote_addr;
		to->rdma.rkey = from->wr.rdma.rkey;
		return 0;
	case IB_UVERBS_WR_ATOMIC_CMP_AND_SWP:
	case IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD:
		to->atomic.remote_addr = from->wr.atomic.remote_addr;
		to->atomic.compare_add = from->wr.atomic.compare_add;
		to->atomic.swap = from->wr.atomic.swap;
		to->atomic.rkey = from->wr.atomic.rkey;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Returns whether UC QPs support the operation: a send without invalidation, or an RDMA write. */
static bool is_unreliable(u32 opcode)
{
	return opcode == IB_UVERBS_WR_SEND || opcode == IB_UVERBS_WR_SEND_WITH_IMM ||
	       opcode == IB_UVERBS_WR_RDMA_WRITE || opcode == IB_UVERBS_WR_RDMA_WRITE_WITH_IMM;
}

static int get_send_wr(struct uverbs_attr_bundle *call, const struct ib_qp *qp,
		       struct wr_list *list, union send_wr *to)
{
	struct ib_uverbs_send_wr from;

	memcpy(&from, list->from, sizeof(from));
	list->from += list->from_size;
	if (from.send_flags & ~SEND_FLAGS)
		return -EINVAL;
	to->wr.wr_id = from.wr_id;
	to->wr.num_sge = from.num_sge;
	to->wr.opcode = (enum ib_wr_opcode)from.opcode;
	to->wr.send_flags = from.send_flags;
	/* Copy the union, which holds either imm_data or invalidate_rkey. */
	to->wr.ex.imm_data = from.ex.imm_data;
	to->wr.sg_list = get_sges(list, qp->device, from.num_sge);
	if (IS_ERR(to->wr.sg_list))
		return PTR_ERR(to->wr.sg_list);
	switch (qp->qp_type) {
	case IB_QPT_UD:
		return get_ud_wr(call, qp, &to->ud, &from);
	case IB_QPT_RC:
		return get_connected_wr(to, &from);
	case IB_QPT_UC:
		return is_unreliable(from.opcode) ? get_connected_wr(to, &from) : -EINVAL;
	default:
		return -EINVAL;
	}
}

/* Returns the position of a work request in the list, counted from 1; 0: it is not in the list. */
static u32 send_position(const struct wr_list *list, const struct ib_send_wr *wr)
{
	u32 i;

	for (i = 0; i < list->num; i++)
		if (&list->send[i].wr == wr)
			return i + 1;
	return 0;
}

static int post_send_list(struct uverbs_attr_bundle *call, struct ib_qp *qp, struct wr_list *list)
{
	const struct ib_send_wr *bad = NULL;
	u32 i;
	int ret;

	for (i = 0; i < list->num; i++) {
		ret = get_send_wr(call, qp, list, &list->send[i]);
		if (ret)
			return ret;
		if (i)
			list->send[i - 1].wr.next = &list->send[i].wr;
	}
	ret = qp->device->ops.post_send(qp->real_qp, &list->send->wr, &bad);
	return posted(call, ret, send_position(list, bad));
}

/*
 * A command without any work request rings the doorbell of the send queue, for a process that has
 * mapped the queue and written the work requests to it.
 */
int uverbs_write_post_send(struct uverbs_attr_bundle *call)
{
	const struct ib_send_wr *bad;
	struct ib_uverbs_post_send cmd;
	struct wr_list list;
	struct ib_qp *qp;
	int ret;

	if (!offers(call, IB_USER_VERBS_CMD_POST_SEND))
		return -EOPNOTSUPP;
	memcpy(&cmd, call->ucore.in, sizeof(cmd));
	list = (struct wr_list) {
		.from_size = cmd.wqe_size, .num = cmd.wr_count, .num_sge = cmd.sge_count,
	};
	ret = list_init(&list, call, sizeof(cmd), sizeof(struct ib_uverbs_send_wr)) ?:
	      uverbs_udata_prepare(call);
	if (!ret)
		/* Each request may have an address handle. */
		ret = uverbs_objects_reserve(call, list.num);
	if (ret)
		return ret;
	qp = uverbs_get(call, qp, cmd.qp_handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	if (!list.num)
		return posted(call, qp->device->ops.post_send(qp->real_qp, NULL, &bad), 0);
	list.send = list_alloc(&list, sizeof(*list.send));
	if (!list.send)
		return -ENOMEM;
	ret = post_send_list(call, qp, &list);
	kvfree(list.send);
	return ret;
}

/* --- receive queues --- */

/* Returns the position of a receive request in the list, counted from 1; 0: not in the list. */
static u32 recv_position(const struct wr_list *list, const struct ib_recv_wr *wr)
{
	return wr >= list->recv && wr < list->recv + list->num ? wr - list->recv + 1 : 0;
}

static int get_recv_list(struct wr_list *list, const struct ib_device *dev)
{
	struct ib_uverbs_recv_wr from;
	struct ib_recv_wr *to;
	u32 i;

	for (i = 0; i < list->num; i++) {
		to = &list->recv[i];
		memcpy(&from, list->from, sizeof(from));
		list->from += list->from_size;
		to->wr_id = from.wr_id;
		to->num_sge = from.num_sge;
		to->sg_list = get_sges(list, dev, from.num_sge);
		if (IS_ERR(to->sg_list))
			return PTR_ERR(to->sg_list);
		if (i)
			list->recv[i - 1].next = to;
	}
	return 0;
}

/* Reads the request of POST_RECV or POST_SRQ_RECV, which have the same layout. */
static int read_recv_list(struct uverbs_attr_bundle *call, struct wr_list *list, u32 *handle)
{
	struct ib_uverbs_post_recv cmd;
	int ret;

	BUILD_BUG_ON(sizeof(cmd) != sizeof(struct ib_uverbs_post_srq_recv));
	memcpy(&cmd, call->ucore.in, sizeof(cmd));
	*list = (struct wr_list) {
		.from_size = cmd.wqe_size, .num = cmd.wr_count, .num_sge = cmd.sge_count,
	};
	*handle = cmd.qp_handle;
	if (!list->num)
		return -EINVAL;
	ret = list_init(list, call, sizeof(cmd), sizeof(struct ib_uverbs_recv_wr)) ?:
	      uverbs_udata_prepare(call);
	if (ret)
		return ret;
	list->recv = list_alloc(list, sizeof(*list->recv));
	if (!list->recv)
		return -ENOMEM;
	ret = get_recv_list(list, call->ibdev);
	if (ret)
		kvfree(list->recv);
	return ret;
}

static int post_recv_list(struct uverbs_attr_bundle *call, struct wr_list *list, u32 handle)
{
	struct ib_qp *qp = uverbs_get(call, qp, handle);
	const struct ib_recv_wr *bad = NULL;
	int ret;

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	/*
	 * An XRC QP has no receive queue. A QP with an SRQ gets its receive requests from the SRQ.
	 */
	if (!qp->recv_cq || qp->srq)
		return -EINVAL;
	ret = qp->device->ops.post_recv(qp->real_qp, list->recv, &bad);
	return posted(call, ret, recv_position(list, bad));
}

int uverbs_write_post_recv(struct uverbs_attr_bundle *call)
{
	struct wr_list list;
	u32 handle;
	int ret;

	if (!offers(call, IB_USER_VERBS_CMD_POST_RECV))
		return -EOPNOTSUPP;
	ret = read_recv_list(call, &list, &handle);
	if (ret)
		return ret;
	ret = post_recv_list(call, &list, handle);
	kvfree(list.recv);
	return ret;
}

static int post_srq_recv_list(struct uverbs_attr_bundle *call, struct wr_list *list, u32 handle)
{
	struct ib_srq *srq = uverbs_get(call, srq, handle);
	const struct ib_recv_wr *bad = NULL;
	int ret;

	if (IS_ERR(srq))
		return PTR_ERR(srq);
	ret = srq->device->ops.post_srq_recv(srq, list->recv, &bad);
	return posted(call, ret, recv_position(list, bad));
}

int uverbs_write_post_srq_recv(struct uverbs_attr_bundle *call)
{
	struct wr_list list;
	u32 handle;
	int ret;

	if (!offers(call, IB_USER_VERBS_CMD_POST_SRQ_RECV))
		return -EOPNOTSUPP;
	ret = read_recv_list(call, &list, &handle);
	if (ret)
		return ret;
	ret = post_srq_recv_list(call, &list, handle);
	kvfree(list.recv);
	return ret;
}

/* --- completion queues --- */

static void put_wc(struct ib_uverbs_wc *to, const struct ib_wc *from)
{
	to->wr_id = from->wr_id;
	to->status = from->status;
	to->opcode = from->opcode;
	to->vendor_err = from->vendor_err;
	to->byte_len = from->byte_len;
	to->ex.imm_data = from->ex.imm_data;
	to->qp_num = from->qp->qp_num;
	to->src_qp = from->src_qp;
	to->wc_flags = from->wc_flags;
	to->pkey_index = from->pkey_index;
	to->slid = from->slid;
	to->sl = from->sl;
	to->dlid_path_bits = from->dlid_path_bits;
	to->port_num = from->port_num;
	to->reserved = 0;
}

/*
 * Polls up to @room completions, and returns their number. If polling fails after some completions
 * were polled, returns the number of these, and not the errno, because the process would lose the
 * completions with an errno.
 */
static int poll_to(struct ib_cq *cq, struct ib_uverbs_wc *to, u32 room)
{
	struct ib_wc wcs[POLL_BATCH];
	int total = 0, num, i;

	do {
		num = ib_poll_cq(cq, min_t(u32, room - total, ARRAY_SIZE(wcs)), wcs);
		if (num < 0)
			return total ?: num;
		for (i = 0; i < num; i++)
			put_wc(&to[total++], &wcs[i]);
	} while (num && total < room);
	return total;
}

int uverbs_write_poll_cq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_poll_cq_resp *resp = call->ucore.out;
	size_t room = (call->ucore.outlen - sizeof(*resp)) / sizeof(resp->wc[0]);
	struct ib_uverbs_poll_cq cmd;
	struct ib_cq *cq;
	int ret;

	if (!offers(call, IB_USER_VERBS_CMD_POLL_CQ))
		return -EOPNOTSUPP;
	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	cq = uverbs_get(call, cq, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	/* Hold the locks, so that no QP to which a completion points is freed. */
	down_read(&call->ufile->poll_lock);
	down_read(&call->ufile->device->xrc_poll_lock);
	ret = poll_to(cq, resp->wc, min_t(size_t, cmd.ne, room));
	up_read(&call->ufile->device->xrc_poll_lock);
	up_read(&call->ufile->poll_lock);
	if (ret < 0)
		return ret;
	resp->count = ret;
	return 0;
}

int uverbs_write_req_notify_cq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_req_notify_cq cmd;
	struct ib_cq *cq;
	int ret;

	if (!offers(call, IB_USER_VERBS_CMD_REQ_NOTIFY_CQ))
		return -EOPNOTSUPP;
	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	cq = uverbs_get(call, cq, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	return ib_req_notify_cq(cq, cmd.solicited_only ? IB_CQ_SOLICITED : IB_CQ_NEXT_COMP);
}
