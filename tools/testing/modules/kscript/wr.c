// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: work requests, from the command to the completion.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "tools/testing/modules/kscript/kscript.h"

/* A command that waits for a completion. Such a completion is reported only if it is an error. */
struct waiter {
	struct completion done;
	enum ib_wc_status status;
};

/**
 * struct ks_wr - a work request that has not completed
 * @cqe: calls done() when the request completes
 * @entry: entry in ks_session.wrs
 * @s: session
 * @queue: name of the QP or SRQ to which the request is posted
 * @shared: the request is a receive of an SRQ
 * @op: name of the operation in the report
 * @id: id= of the command
 * @repeat: the request is posted again after each success
 * @times: number of successes, counted if @repeat is set
 * @waiter: command that waits for the completion, or NULL; protected by ks_session.lock
 * @is_recv: the request is a receive, in @recv; otherwise it is a send request
 * @recv: a receive
 * @rdma: a send request that is neither REG_MR, BIND_MW nor an atomic operation
 * @reg: a REG_MR
 * @bind: a BIND_MW
 * @atomic: an atomic operation
 * @sge: SGEs of the request
 * @bufs: for each SGE, the buffer that it names, with a reference
 * @num_sge: number of entries of @sge and of @bufs
 */
struct ks_wr {
	struct ib_cqe cqe;
	struct list_head entry;
	struct ks_session *s;
	char queue[KS_NAME_LEN];
	bool shared;
	const char *op;
	u64 id;
	bool repeat;
	u64 times;
	struct waiter *waiter;
	bool is_recv;
	union {
		struct ib_recv_wr recv;
		struct ib_rdma_wr rdma;
		struct ib_reg_wr reg;
		struct ib_bind_mw_wr bind;
		struct ib_atomic_wr atomic;
	};
	struct ib_sge sge[KS_MAX_SGE];
	struct ks_buf *bufs[KS_MAX_SGE];
	int num_sge;
};

static void free_wr(struct ks_wr *wr)
{
	int i;

	for (i = 0; i < wr->num_sge; i++)
		ks_buf_put(wr->bufs[i]);
	kfree(wr);
}

static void drop_wr(struct ks_wr *wr)
{
	unsigned long flags;

	spin_lock_irqsave(&wr->s->lock, flags);
	list_del(&wr->entry);
	spin_unlock_irqrestore(&wr->s->lock, flags);
	free_wr(wr);
}

/* Called after all queues are destroyed, when no request can complete any more. */
void ks_wrs_free(struct ks_session *s)
{
	struct ks_wr *wr, *next;

	list_for_each_entry_safe(wr, next, &s->wrs, entry) {
		list_del(&wr->entry);
		free_wr(wr);
	}
}

/*
 * Reports a completion. For a receive of an SRQ, names the QP that took the receive; wc->qp is only
 * compared, because the QP may be freed already.
 */
static void report(struct ks_wr *wr, const struct ib_wc *wc)
{
	bool good = wc->status == IB_WC_SUCCESS;
	char len[24] = "", inv[24] = "", imm[24] = "", times[32] = "";
	struct ks_session *s = wr->s;
	struct ks_obj *obj;
	unsigned long flags;

	if (good && (wr->is_recv || wc->opcode == IB_WC_RDMA_READ))
		snprintf(len, sizeof(len), " len=%u", wc->byte_len);
	if (good && wc->wc_flags & IB_WC_WITH_INVALIDATE)
		snprintf(inv, sizeof(inv), " inv=0x%08x", wc->ex.invalidate_rkey);
	if (good && wc->wc_flags & IB_WC_WITH_IMM)
		snprintf(imm, sizeof(imm), " imm=0x%08x", be32_to_cpu(wc->ex.imm_data));
	if (wr->repeat)
		snprintf(times, sizeof(times), " n=%llu", wr->times);
	if (wr->shared) {
		spin_lock_irqsave(&s->lock, flags);
		list_for_each_entry(obj, &s->objs, entry)
			if (obj->kind == KS_QP && to_ks_qp(obj)->qp == wc->qp)
				strscpy(wr->queue, obj->name, KS_NAME_LEN);
		spin_unlock_irqrestore(&s->lock, flags);
	}
	ks_report(s, "wc %s id=%llu op=%s status=%s%s%s%s%s", wr->queue, wr->id, wr->op,
		  ks_name(KS_STATUSES, wc->status), len, inv, imm, times);
}

static int post(struct ks_wr *wr, struct ib_qp *qp)
{
	return wr->is_recv ? ib_post_recv(qp, &wr->recv, NULL) :
			     ib_post_send(qp, &wr->rdma.wr, NULL);
}

/* Handles a completion: wakes the command that waits for the request, or reports the completion. */
static void done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ks_wr *wr = container_of(wc->wr_cqe, struct ks_wr, cqe);
	struct waiter *waiter;
	unsigned long flags;

	if (wr->repeat && wc->status == IB_WC_SUCCESS) {
		wr->times++;
		if (!post(wr, wc->qp))
			return;
	}
	spin_lock_irqsave(&wr->s->lock, flags);
	waiter = wr->waiter;
	if (waiter) {
		waiter->status = wc->status;
		complete(&waiter->done);
	}
	spin_unlock_irqrestore(&wr->s->lock, flags);
	if (!waiter || wc->status != IB_WC_SUCCESS)
		report(wr, wc);
	drop_wr(wr);
}

static struct ks_wr *new_wr(struct ks_session *s, const char *queue, const char *op)
{
	struct ks_wr *wr = kzalloc(sizeof(*wr), GFP_KERNEL);

	if (!wr)
		return NULL;
	wr->cqe.done = done;
	wr->s = s;
	wr->op = op;
	strscpy(wr->queue, queue, KS_NAME_LEN);
	return wr;
}

/* Called before the request is posted, because a posted request may complete at once. */
static void list_wr(struct ks_wr *wr)
{
	spin_lock_irq(&wr->s->lock);
	list_add_tail(&wr->entry, &wr->s->wrs);
	spin_unlock_irq(&wr->s->lock);
}

static int list_and_post(struct ks_wr *wr, struct ib_qp *qp)
{
	int ret;

	list_wr(wr);
	ret = post(wr, qp);
	if (ret)
		drop_wr(wr);
	return ret;
}

/*
 * Posts @wr, and waits for its completion. After a timeout, removes the waiter, so that the
 * completion will be reported, unless the request has completed since.
 */
static int post_and_wait(struct ks_qp *qp, struct ks_wr *wr)
{
	struct ks_session *s = qp->obj.s;
	struct waiter waiter = {};
	bool completed;
	int ret;

	init_completion(&waiter.done);
	wr->waiter = &waiter;
	wr->rdma.wr.wr_cqe = &wr->cqe;
	wr->rdma.wr.send_flags = IB_SEND_SIGNALED;
	ret = list_and_post(wr, qp->qp);
	if (ret)
		return ret;
	if (!wait_for_completion_timeout(&waiter.done, KS_WAIT)) {
		spin_lock_irq(&s->lock);
		completed = completion_done(&waiter.done);
		if (!completed)
			wr->waiter = NULL;
		spin_unlock_irq(&s->lock);
		if (!completed)
			return -ETIMEDOUT;
	}
	return waiter.status == IB_WC_SUCCESS ? 0 : -EIO;
}

int ks_wr_reg(struct ks_qp *qp, struct ib_mr *mr, u32 key, int access)
{
	struct ks_wr *wr = new_wr(qp->obj.s, qp->obj.name, "REG");

	if (!wr)
		return -ENOMEM;
	wr->reg.wr.opcode = IB_WR_REG_MR;
	wr->reg.mr = mr;
	wr->reg.key = key;
	wr->reg.access = access;
	return post_and_wait(qp, wr);
}

int ks_wr_bind(struct ks_qp *qp, struct ib_mw *mw, u32 rkey, const struct ib_mw_bind_info *info)
{
	struct ks_wr *wr = new_wr(qp->obj.s, qp->obj.name, "BIND");

	if (!wr)
		return -ENOMEM;
	wr->bind.wr.opcode = IB_WR_BIND_MW;
	wr->bind.mw = mw;
	wr->bind.rkey = rkey;
	wr->bind.bind_info = *info;
	return post_and_wait(qp, wr);
}

/* SGEs get the PD's local DMA lkey, the lkey of their MR, or the number that lkey= gives. */
enum lkey_kind { LKEY_LOCAL, LKEY_MR, LKEY_NUMBER };

struct lkey {
	enum lkey_kind kind;
	u32 number;
};

static int fill_sge(struct ks_session *s, const struct ks_mr *mr, const struct lkey *lkey, u64 off,
		    s64 length, bool is_inline, struct ib_sge *sge)
{
	u64 len = length < 0 ? mr->buf->size : length;
	bool inside = off <= mr->buf->size && len <= mr->buf->size - off;

	/*
	 * Memory outside of the buffer belongs to others. Only the bounds of an MR keep an SGE from
	 * accessing that memory, and neither inline data nor the local DMA lkey have such bounds.
	 */
	if (!inside && (is_inline || lkey->kind == LKEY_LOCAL))
		return -ERANGE;
	sge->length = len;
	sge->addr = mr->buf->dma + off;
	sge->lkey = lkey->kind == LKEY_NUMBER ? lkey->number : s->pd->local_dma_lkey;
	if (is_inline) {
		sge->addr = (uintptr_t)mr->buf->mem + off;
	} else if (lkey->kind == LKEY_MR) {
		sge->addr = mr->mr->iova + off;
		sge->lkey = mr->mr->lkey;
	}
	return 0;
}

/* Adds an SGE for "M:off:len", or for "M", which is all of the buffer. */
static int add_piece(struct ks_wr *wr, char *text, const struct lkey *lkey, bool is_inline)
{
	char *name, *offset;
	struct ks_obj *obj;
	struct ks_mr *mr;
	s64 len = -1;
	u64 off = 0;
	int ret;

	name = strsep(&text, ":");
	offset = strsep(&text, ":");
	if (wr->num_sge == KS_MAX_SGE || (offset && !text))
		return -EINVAL;
	if (offset && (kstrtou64(offset, 0, &off) || kstrtos64(text, 0, &len) || len < 0))
		return -EINVAL;
	obj = ks_obj_get(wr->s, KS_MR, name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	mr = to_ks_mr(obj);
	ret = fill_sge(wr->s, mr, lkey, off, len, is_inline, &wr->sge[wr->num_sge]);
	if (!ret) {
		kref_get(&mr->buf->ref);
		wr->bufs[wr->num_sge++] = mr->buf;
	}
	ks_obj_put(obj);
	return ret;
}

static int parse_sges(struct ks_wr *wr, struct ks_args *args, bool is_inline)
{
	const char *text = ks_arg(args, "buf"), *key = ks_arg(args, "lkey");
	struct lkey lkey = { LKEY_LOCAL };
	char *copy, *at, *piece;
	int ret = 0;

	if (key) {
		lkey.kind = strcmp(key, "mr") ? LKEY_NUMBER : LKEY_MR;
		if (lkey.kind == LKEY_NUMBER)
			ret = kstrtou32(key, 0, &lkey.number);
	}
	if (ret || !text)
		return ret;
	copy = kstrdup(text, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	at = copy;
	while (!ret && (piece = strsep(&at, ",")))
		ret = add_piece(wr, piece, &lkey, is_inline);
	kfree(copy);
	return ret;
}

/* Takes over @wr, and frees it at once if an error is returned, else when the request completes. */
static int post_on(struct ks_session *s, struct ks_args *args, struct ks_wr *wr)
{
	struct ks_obj *obj = ks_obj_get(s, KS_QP, args->name);
	struct ks_qp *qp;
	int ret;

	if (IS_ERR(obj)) {
		free_wr(wr);
		return PTR_ERR(obj);
	}
	qp = to_ks_qp(obj);
	if (wr->repeat)
		WRITE_ONCE(qp->repeats, true);
	ret = list_and_post(wr, qp->qp);
	ks_obj_put(obj);
	return ret;
}

/* Returns a new receive request with the arguments of the command, or ERR_PTR. */
static struct ks_wr *parse_recv(struct ks_session *s, struct ks_args *args)
{
	struct ks_wr *wr;
	int ret;

	if (!args->name)
		return ERR_PTR(-EINVAL);
	wr = new_wr(s, args->name, "RECV");
	if (!wr)
		return ERR_PTR(-ENOMEM);
	wr->is_recv = true;
	wr->id = ks_number(args, "id", 0);
	ret = parse_sges(wr, args, false) ?: ks_args_end(args);
	if (ret) {
		free_wr(wr);
		return ERR_PTR(ret);
	}
	wr->recv.wr_cqe = &wr->cqe;
	wr->recv.sg_list = wr->sge;
	wr->recv.num_sge = wr->num_sge;
	return wr;
}

int ks_cmd_recv(struct ks_session *s, struct ks_args *args)
{
	bool repeat = ks_flag(args, "repeat");
	struct ks_wr *wr = parse_recv(s, args);

	if (IS_ERR(wr))
		return PTR_ERR(wr);
	wr->repeat = repeat;
	return post_on(s, args, wr);
}

int ks_cmd_srqrecv(struct ks_session *s, struct ks_args *args)
{
	struct ks_wr *wr = parse_recv(s, args);
	struct ks_obj *obj;
	int ret;

	if (IS_ERR(wr))
		return PTR_ERR(wr);
	obj = ks_obj_get(s, KS_SRQ, args->name);
	if (IS_ERR(obj)) {
		free_wr(wr);
		return PTR_ERR(obj);
	}
	wr->shared = true;
	list_wr(wr);
	ret = ib_post_srq_recv(to_ks_srq(obj)->srq, &wr->recv, NULL);
	if (ret)
		drop_wr(wr);
	ks_obj_put(obj);
	return ret;
}

static_assert(sizeof(struct ib_atomic_wr) >= sizeof(struct ib_rdma_wr));

/*
 * Parses the arguments that all send requests have in common, and posts the request. The caller has
 * parsed the arguments of its operation into @template, which has @size bytes.
 */
static int send(struct ks_session *s, struct ks_args *args, const char *op,
		const struct ib_send_wr *template, size_t size)
{
	int ret, flags = IB_SEND_SIGNALED;
	struct ks_wr *wr;

	if (!args->name)
		return -EINVAL;
	wr = new_wr(s, args->name, op);
	if (!wr)
		return -ENOMEM;
	if (ks_flag(args, "unsignaled"))
		flags = 0;
	if (ks_flag(args, "sol"))
		flags |= IB_SEND_SOLICITED;
	if (ks_flag(args, "fence"))
		flags |= IB_SEND_FENCE;
	if (ks_flag(args, "inline"))
		flags |= IB_SEND_INLINE;
	memcpy(&wr->atomic, template, size);
	wr->rdma.wr.wr_cqe = &wr->cqe;
	wr->rdma.wr.sg_list = wr->sge;
	wr->rdma.wr.send_flags = flags;
	wr->id = ks_number(args, "id", 0);
	wr->repeat = ks_flag(args, "repeat");
	ret = parse_sges(wr, args, flags & IB_SEND_INLINE) ?: ks_args_end(args);
	/*
	 * `repeat` is refused: a successful unsignaled request has no completion whose handler
	 * could post it again.
	 */
	if (!ret && wr->repeat && !(flags & IB_SEND_SIGNALED))
		ret = -EINVAL;
	if (ret) {
		free_wr(wr);
		return ret;
	}
	wr->rdma.wr.num_sge = wr->num_sge;
	return post_on(s, args, wr);
}

int ks_cmd_send(struct ks_session *s, struct ks_args *args)
{
	struct ib_rdma_wr wr = { .wr.opcode = IB_WR_SEND };

	if (ks_arg(args, "imm")) {
		wr.wr.opcode = IB_WR_SEND_WITH_IMM;
		wr.wr.ex.imm_data = cpu_to_be32(ks_number(args, "imm", 0));
	} else if (ks_arg(args, "inv") || !strcmp(args->word, "sendinv")) {
		wr.wr.opcode = IB_WR_SEND_WITH_INV;
		wr.wr.ex.invalidate_rkey = ks_needs_number(args, "inv");
	}
	return send(s, args, "SEND", &wr.wr, sizeof(wr));
}

/*
 * Runs "write", "read" and "readinv". The value of inv= is the STag of the local sink; with
 * lkey=mr, this is the STag of the sink's MR.
 */
int ks_cmd_rdma(struct ks_session *s, struct ks_args *args)
{
	bool write = !strcmp(args->word, "write");
	struct ib_rdma_wr wr = {
		.wr.opcode = write ? IB_WR_RDMA_WRITE : IB_WR_RDMA_READ,
		.rkey = ks_needs_number(args, "stag"),
		.remote_addr = ks_needs_number(args, "addr"),
	};

	if (write && ks_arg(args, "imm")) {
		wr.wr.opcode = IB_WR_RDMA_WRITE_WITH_IMM;
		wr.wr.ex.imm_data = cpu_to_be32(ks_number(args, "imm", 0));
	} else if (!write && (ks_arg(args, "inv") || !strcmp(args->word, "readinv"))) {
		wr.wr.opcode = IB_WR_RDMA_READ_WITH_INV;
		wr.wr.ex.invalidate_rkey = ks_number(args, "inv", 0);
	}
	return send(s, args, write ? "WRITE" : "READ", &wr.wr, sizeof(wr));
}

int ks_cmd_linv(struct ks_session *s, struct ks_args *args)
{
	struct ib_rdma_wr wr = { .wr.opcode = IB_WR_LOCAL_INV };

	wr.wr.ex.invalidate_rkey = ks_needs_number(args, "stag");
	return send(s, args, "LINV", &wr.wr, sizeof(wr));
}

/* Runs "cas" and "faa". Posts the masked operation if the command has a mask. */
int ks_cmd_atomic(struct ks_session *s, struct ks_args *args)
{
	struct ib_atomic_wr wr = {
		.rkey = ks_needs_number(args, "stag"),
		.remote_addr = ks_needs_number(args, "addr"),
	};

	if (!strcmp(args->word, "faa")) {
		wr.wr.opcode = ks_arg(args, "mask") ? IB_WR_MASKED_ATOMIC_FETCH_AND_ADD :
						      IB_WR_ATOMIC_FETCH_AND_ADD;
		wr.compare_add = ks_needs_number(args, "add");
		wr.compare_add_mask = ks_number(args, "mask", 0);
		return send(s, args, "FAA", &wr.wr, sizeof(wr));
	}
	wr.wr.opcode = ks_arg(args, "cmpmask") || ks_arg(args, "swapmask") ?
		       IB_WR_MASKED_ATOMIC_CMP_AND_SWP : IB_WR_ATOMIC_CMP_AND_SWP;
	wr.compare_add = ks_needs_number(args, "cmp");
	wr.swap = ks_needs_number(args, "swap");
	wr.compare_add_mask = ks_number(args, "cmpmask", U64_MAX);
	wr.swap_mask = ks_number(args, "swapmask", U64_MAX);
	return send(s, args, "CAS", &wr.wr, sizeof(wr));
}
