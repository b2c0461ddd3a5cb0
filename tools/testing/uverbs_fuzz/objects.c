// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: the commands of uverbs. Most of them would succeed as they are built here; frame.c
 * corrupts some.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "uverbs_fuzz.h"

/* Constants of include/rdma/ib_verbs.h, which only the kernel can include. */
enum { QP_STATE = 1, QP_ACCESS = 1 << 3, QP_PKEY_INDEX = 1 << 4, QP_PORT = 1 << 5 };
enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR };

#define ALL_ACCESS		7
#define MW_BIND			16
/* Types of QPs have smaller numbers, except that of drivers, which is 255. */
#define QP_TYPES		12
#define DRIVER_QP		255
#define REGION_PAGES		8

/* Defines a structure for the core's response, followed by the provider's response. */
#define ANSWER(name, core_type, driver_type)					\
	struct name##_answer {							\
		core_type core;							\
		driver_type driver;						\
	} __attribute__((packed))

ANSWER(context, struct ib_uverbs_get_context_resp, struct siw_uresp_alloc_ctx);
ANSWER(mr, struct ib_uverbs_reg_mr_resp, struct siw_uresp_reg_mr);
ANSWER(cq, struct ib_uverbs_create_cq_resp, struct siw_uresp_create_cq);
ANSWER(cq_ex, struct ib_uverbs_ex_create_cq_resp, struct siw_uresp_create_cq);
ANSWER(qp, struct ib_uverbs_create_qp_resp, struct siw_uresp_create_qp);
ANSWER(qp_ex, struct ib_uverbs_ex_create_qp_resp, struct siw_uresp_create_qp);
ANSWER(srq, struct ib_uverbs_create_srq_resp, struct siw_uresp_create_srq);

#define ASK_OF(f, file, no, ex, cmd, core, driver)				\
	command_run((f), (file), &(struct command) {				\
		.number = (no), .extended = (ex), .in = &(cmd),			\
		.in_len = sizeof(cmd), .out = (core), .driver_out = (driver),	\
	})
/*
 * Run a command with room for @core bytes of the core's response and for @driver bytes of the
 * provider's response. Return the response or NULL, as command_run() does.
 */
#define ASK(f, file, name, cmd, core, driver)					\
	ASK_OF(f, file, IB_USER_VERBS_CMD_##name, false, cmd, core, driver)
#define ASK_EX(f, file, name, cmd, core, driver)				\
	ASK_OF(f, file, IB_USER_VERBS_EX_CMD_##name, true, cmd, core, driver)
#define RESP(name)	sizeof(struct ib_uverbs_##name##_resp)

/* --- device --- */

void new_context(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_get_context cmd = {};
	struct context_answer *answer;

	answer = ASK(f, file, GET_CONTEXT, cmd, sizeof(answer->core), sizeof(answer->driver));
	if (!answer)
		return;
	fcntl(answer->core.async_fd, F_SETFL, O_NONBLOCK);
	file->async = answer->core.async_fd;
}

/* --- protection domains and regions --- */

void new_pd(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_alloc_pd cmd = {};
	struct ib_uverbs_alloc_pd_resp *answer;

	answer = ASK(f, file, ALLOC_PD, cmd, sizeof(*answer), 0);
	if (answer)
		pool_add(file, PD, &(struct object) { .handle = answer->pd_handle });
}

/*
 * Returns the address of memory to register: mostly in data_memory(), seldom a queue or a bad
 * pointer.
 */
static uint64_t region_start(struct fuzzer *f)
{
	if (one_in(&f->rng, 24))
		return bad_pointer(f);
	if (one_in(&f->rng, 24))
		return (uintptr_t)any_slot(f);
	return (uintptr_t)data_memory() + pick(&f->rng, DATA_PAGES - REGION_PAGES) * PAGE +
	       (one_in(&f->rng, 4) ? pick(&f->rng, 64) * 8 : 0);
}

void new_mr(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_reg_mr cmd = {
		.start = region_start(f),
		.length = one_in(&f->rng, 4) ? number(&f->rng, 1, PAGE / 2) :
					       number(&f->rng, PAGE, (REGION_PAGES - 1) * PAGE),
		.pd_handle = pool_handle(f, file, PD),
		.access_flags = number(&f->rng, ALL_ACCESS, ALL_ACCESS),
	};
	struct mr_answer *answer;

	if (one_in(&f->rng, 2))
		cmd.access_flags |= MW_BIND;
	/* Other rights, some of which do not exist, and another address for peers. */
	if (one_in(&f->rng, 24))
		cmd.access_flags = pick(&f->rng, 256) | 1u << pick(&f->rng, 32);
	cmd.hca_va = cmd.start + (one_in(&f->rng, 24) ? odd_value(&f->rng) : 0);
	answer = ASK(f, file, REG_MR, cmd, sizeof(answer->core), sizeof(answer->driver));
	if (answer)
		pool_add(file, MR, &(struct object) {
			.handle = answer->core.mr_handle, .pd = cmd.pd_handle, .addr = cmd.hca_va,
			.len = cmd.length, .stag = answer->core.lkey,
		});
}

static void change_mr(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_rereg_mr cmd = {
		.mr_handle = pool_handle(f, file, MR),
		.flags = number(&f->rng, 1, 7),
		.start = region_start(f),
		.length = PAGE,
		.pd_handle = pool_handle(f, file, PD),
		.access_flags = one_in(&f->rng, 4) ? pick(&f->rng, 8) : ALL_ACCESS,
	};
	const struct ib_uverbs_rereg_mr_resp *answer;

	cmd.hca_va = cmd.start;
	answer = ASK(f, file, REREG_MR, cmd, RESP(rereg_mr), 0);
	if (answer)
		pool_change_mr(file, &cmd, answer->lkey);
}

/* --- memory windows, which send queues bind --- */

static void new_mw(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_alloc_mw cmd = {
		.pd_handle = pool_handle(f, file, PD), .mw_type = number(&f->rng, 1, 2),
	};
	struct ib_uverbs_alloc_mw_resp *answer;

	answer = ASK(f, file, ALLOC_MW, cmd, sizeof(*answer), 0);
	if (answer)
		pool_add(file, MW, &(struct object) {
			.handle = answer->mw_handle, .pd = cmd.pd_handle, .stag = answer->rkey,
		});
}

/* --- completion queues --- */

void new_channel(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_create_comp_channel cmd = {};
	struct ib_uverbs_create_comp_channel_resp *answer;

	answer = ASK(f, file, CREATE_COMP_CHANNEL, cmd, sizeof(*answer), 0);
	if (answer)
		pool_add_channel(f, file, answer->fd);
}

/*
 * Returns a completion channel of this file, seldom a channel of another file or a random
 * descriptor.
 */
static int some_channel(struct fuzzer *f, struct verbs_file *file)
{
	if (one_in(&f->rng, 32))
		return pick(&f->rng, 32);
	if (one_in(&f->rng, 32))
		return any_file(f)->channels[pick(&f->rng, MAX_CHANNELS)];
	return file->channels[pick(&f->rng, MAX_CHANNELS)];
}

/* Creates a CQ: mostly with room for all completions, seldom with far too little. */
void new_cq(struct fuzzer *f, struct verbs_file *file)
{
	bool small = one_in(&f->rng, 16);
	struct ib_uverbs_ex_create_cq ex = {
		.user_handle = random_u64(&f->rng),
		.cqe = small ? number(&f->rng, 1, QUEUE_DEPTH) : number(&f->rng, 512, 1024),
		.comp_vector = number(&f->rng, 0, 0),
		.comp_channel = some_channel(f, file),
		.flags = number(&f->rng, 0, 0),
	};
	struct ib_uverbs_create_cq plain = {
		.user_handle = ex.user_handle,
		.cqe = ex.cqe,
		.comp_vector = ex.comp_vector,
		.comp_channel = ex.comp_channel,
	};
	struct siw_uresp_create_cq driver;
	struct cq_ex_answer *ex_answer;
	struct cq_answer *answer;
	struct object cq = {};

	if (one_in(&f->rng, 3)) {
		ex_answer = ASK_EX(f, file, CREATE_CQ, ex, sizeof(ex_answer->core),
				   sizeof(ex_answer->driver));
		if (!ex_answer)
			return;
		driver = ex_answer->driver;
		cq.handle = ex_answer->core.base.cq_handle;
	} else {
		answer = ASK(f, file, CREATE_CQ, plain, sizeof(answer->core),
			     sizeof(answer->driver));
		if (!answer)
			return;
		driver = answer->driver;
		cq.handle = answer->core.cq_handle;
	}
	map_cq(f, file, &cq, &driver);
	pool_add(file, CQ, &cq);
}

static void change_cq(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_resize_cq resize = {
		.cq_handle = pool_handle(f, file, CQ),
		.cqe = number(&f->rng, 1, QUEUE_DEPTH),
	};
	struct ib_uverbs_ex_modify_cq modify = {
		.cq_handle = resize.cq_handle,
		.attr_mask = number(&f->rng, 1, 1),
		.attr = { .cq_count = pick(&f->rng, 64), .cq_period = odd_value(&f->rng) },
	};

	if (one_in(&f->rng, 2))
		ASK(f, file, RESIZE_CQ, resize, RESP(resize_cq), 0);
	else
		ASK_EX(f, file, MODIFY_CQ, modify, 0, 0);
}

/* --- shared receive queues --- */

void new_srq(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_create_srq cmd = {
		.user_handle = random_u64(&f->rng),
		.pd_handle = pool_handle(f, file, PD),
		.max_wr = number(&f->rng, 1, QUEUE_DEPTH),
		.max_sge = number(&f->rng, 1, SIW_MAX_SGE),
	};
	struct srq_answer *answer;
	struct siw_uresp_create_srq driver;
	struct object srq;

	answer = ASK(f, file, CREATE_SRQ, cmd, sizeof(answer->core), sizeof(answer->driver));
	if (!answer)
		return;
	srq = (struct object) { .handle = answer->core.srq_handle, .pd = cmd.pd_handle };
	driver = answer->driver;
	map_srq(f, file, &srq, &driver);
	pool_add(file, SRQ, &srq);
}

static void change_srq(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_modify_srq cmd = {
		.srq_handle = pool_handle(f, file, SRQ),
		.attr_mask = number(&f->rng, 1, 2),
		.max_wr = number(&f->rng, 1, QUEUE_DEPTH),
		.srq_limit = number(&f->rng, 0, 4),
	};

	ASK(f, file, MODIFY_SRQ, cmd, 0, 0);
}

/* --- queries, and the ends of objects --- */

static void query(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_query_device device = {};
	struct ib_uverbs_ex_query_device ex_device = {};
	struct ib_uverbs_query_port port = { .port_num = number(&f->rng, 1, 1) };
	struct ib_uverbs_query_srq srq = { .srq_handle = pool_handle(f, file, SRQ) };
	struct ib_uverbs_query_qp qp = {
		.qp_handle = pool_handle(f, file, QP),
		.attr_mask = odd_value(&f->rng),
	};

	switch (pick(&f->rng, 4)) {
	case 0:
		if (one_in(&f->rng, 2))
			ASK(f, file, QUERY_DEVICE, device, RESP(query_device), 0);
		else
			ASK_EX(f, file, QUERY_DEVICE, ex_device, RESP(ex_query_device), 0);
		break;
	case 1:
		ASK(f, file, QUERY_PORT, port, RESP(query_port), 0);
		break;
	case 2:
		ASK(f, file, QUERY_SRQ, srq, RESP(query_srq), 0);
		break;
	default:
		ASK(f, file, QUERY_QP, qp, RESP(query_qp), 0);
		break;
	}
}

/* Destroys the object, and removes it from the pool if this succeeds. */
static void destroy(struct fuzzer *f, struct verbs_file *file, enum kind kind, uint32_t handle)
{
	struct ib_uverbs_dealloc_pd pd = { .pd_handle = handle };
	struct ib_uverbs_dereg_mr mr = { .mr_handle = handle };
	struct ib_uverbs_dealloc_mw mw = { .mw_handle = handle };
	struct ib_uverbs_destroy_cq cq = { .cq_handle = handle };
	struct ib_uverbs_destroy_srq srq = { .srq_handle = handle };
	struct ib_uverbs_destroy_qp qp = { .qp_handle = handle };
	void *answer;

	switch (kind) {
	case PD:
		answer = ASK(f, file, DEALLOC_PD, pd, 0, 0);
		break;
	case MR:
		answer = ASK(f, file, DEREG_MR, mr, 0, 0);
		break;
	case MW:
		answer = ASK(f, file, DEALLOC_MW, mw, 0, 0);
		break;
	case CQ:
		answer = ASK(f, file, DESTROY_CQ, cq, RESP(destroy_cq), 0);
		break;
	case SRQ:
		answer = ASK(f, file, DESTROY_SRQ, srq, RESP(destroy_srq), 0);
		break;
	default:
		answer = ASK(f, file, DESTROY_QP, qp, RESP(destroy_qp), 0);
		break;
	}
	if (answer)
		pool_remove(file, kind, handle);
}

/* --- queue pairs --- */

/* Moves the QP to INIT, as librdmacm does before it connects. */
static void init_qp(struct fuzzer *f, struct verbs_file *file, uint32_t handle)
{
	struct ib_uverbs_modify_qp cmd = {
		.qp_handle = handle,
		.attr_mask = QP_STATE | QP_ACCESS | QP_PKEY_INDEX | QP_PORT,
		.qp_access_flags = ALL_ACCESS,
		.qp_state = INIT,
		.port_num = 1,
	};

	ASK(f, file, MODIFY_QP, cmd, 0, 0);
}

static uint8_t any_qp_type(struct fuzzer *f)
{
	if (!one_in(&f->rng, 24))
		return RC;
	return one_in(&f->rng, 8) ? DRIVER_QP : pick(&f->rng, QP_TYPES);
}

/* Initializes the members that the plain and the extended command have in common. */
#define QP_CMD(cmd) {								\
	.user_handle = random_u64(&f->rng),					\
	.pd_handle = pool_handle(f, file, PD),					\
	.send_cq_handle = pool_handle(f, file, CQ),				\
	.recv_cq_handle = pool_handle(f, file, CQ),				\
	.srq_handle = pool_handle(f, file, SRQ),				\
	.is_srq = one_in(&f->rng, 4),						\
	.max_send_wr = number(&f->rng, 1, QUEUE_DEPTH),				\
	.max_recv_wr = number(&f->rng, QUEUE_DEPTH / 4, QUEUE_DEPTH),		\
	.max_send_sge = number(&f->rng, SIW_MAX_SGE / 2, SIW_MAX_SGE),		\
	.max_recv_sge = number(&f->rng, 1, SIW_MAX_SGE),			\
	.max_inline_data = number(&f->rng, 0, SIW_MAX_INLINE),			\
	.sq_sig_all = one_in(&f->rng, 4),					\
	.qp_type = any_qp_type(f),						\
}

/* If the pool is full, destroys a QP before, preferably one that is disconnected. */
void new_qp(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_create_qp plain = QP_CMD(plain);
	struct ib_uverbs_ex_create_qp ex = QP_CMD(ex);
	struct siw_uresp_create_qp driver;
	struct qp_ex_answer *ex_answer;
	struct qp_answer *answer;
	struct object qp;

	if (pool_full(file, QP))
		destroy(f, file, QP, pool_use_qp(f, file, DISCONNECTED, DISCONNECTED, &qp) ?
					     qp.handle : pool_handle(f, file, QP));
	if (one_in(&f->rng, 3)) {
		if (one_in(&f->rng, 12)) {
			ex.create_flags = 1u << pick(&f->rng, 32);
			ex.comp_mask = pick(&f->rng, 3);
			ex.source_qpn = odd_value(&f->rng);
		}
		ex_answer = ASK_EX(f, file, CREATE_QP, ex, sizeof(ex_answer->core),
				   sizeof(ex_answer->driver));
		if (!ex_answer)
			return;
		driver = ex_answer->driver;
		qp = (struct object) {
			.handle = ex_answer->core.base.qp_handle, .pd = ex.pd_handle,
		};
	} else {
		answer = ASK(f, file, CREATE_QP, plain, sizeof(answer->core),
			     sizeof(answer->driver));
		if (!answer)
			return;
		driver = answer->driver;
		qp = (struct object) { .handle = answer->core.qp_handle, .pd = plain.pd_handle };
	}
	qp.qpn = driver.qp_id;
	map_qp(f, file, &qp, &driver);
	if (!one_in(&f->rng, 16))
		init_qp(f, file, qp.handle);
	pool_add(file, QP, &qp);
}

static void change_qp(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_ex_modify_qp cmd = {};

	/* Fields that siw does not use: paths, packet sequence numbers, timeouts. */
	if (one_in(&f->rng, 4))
		odd_words(&f->rng, &cmd, sizeof(cmd));
	cmd.base.qp_handle = pool_handle(f, file, QP);
	cmd.base.attr_mask = one_in(&f->rng, 4) ? odd_value(&f->rng) : QP_STATE;
	cmd.base.qp_state = number(&f->rng, RESET, ERR);
	cmd.base.qp_access_flags = number(&f->rng, 0, ALL_ACCESS);
	cmd.base.port_num = 1;
	if (one_in(&f->rng, 2))
		init_qp(f, file, cmd.base.qp_handle);
	else if (one_in(&f->rng, 2))
		ASK(f, file, MODIFY_QP, cmd.base, 0, 0);
	else
		ASK_EX(f, file, MODIFY_QP, cmd, RESP(ex_modify_qp), 0);
}

/* Sets the access flags, which a QP accepts in each state, with the extended command. */
static void set_access(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_ex_modify_qp cmd = { .base = {
		.qp_handle = pool_handle(f, file, QP),
		.attr_mask = QP_ACCESS,
		.qp_access_flags = ALL_ACCESS,
	} };

	ASK_EX(f, file, MODIFY_QP, cmd, RESP(ex_modify_qp), 0);
}

void ring_doorbell(struct fuzzer *f, struct verbs_file *file, uint32_t handle)
{
	struct ib_uverbs_post_send cmd = { .qp_handle = handle };

	ASK(f, file, POST_SEND, cmd, RESP(post_send), 0);
}

/* Passes work requests in the command itself, which is for providers without shared queues. */
static void post_in_command(struct fuzzer *f, struct verbs_file *file)
{
	struct {
		struct ib_uverbs_post_send send;
		uint32_t requests[32];
	} cmd = { .send = {
		.qp_handle = pool_handle(f, file, QP),
		.wr_count = pick(&f->rng, 3),
		.sge_count = pick(&f->rng, 3),
		.wqe_size = one_in(&f->rng, 4) ? odd_value(&f->rng) :
						 sizeof(struct ib_uverbs_send_wr),
	} };

	odd_words(&f->rng, cmd.requests, sizeof(cmd.requests));
	ASK(f, file, POST_SEND, cmd, RESP(post_send), 0);
}

/* Commands on objects that siw does not have. */
static void foreign_command(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_create_ah ah = {
		.pd_handle = pool_handle(f, file, PD),
		.attr = { .dlid = odd_value(&f->rng), .port_num = number(&f->rng, 1, 1) },
	};
	struct ib_uverbs_attach_mcast group = { .qp_handle = pool_handle(f, file, QP) };
	struct ib_uverbs_open_xrcd xrcd = {
		.fd = one_in(&f->rng, 2) ? -1 : (int)pick(&f->rng, 32), .oflags = O_CREAT,
	};
	struct ib_uverbs_create_xsrq srq = {
		.srq_type = pick(&f->rng, 4),
		.pd_handle = ah.pd_handle,
		.max_wr = number(&f->rng, 1, QUEUE_DEPTH),
		.max_sge = 1,
		.xrcd_handle = ah.pd_handle,
		.cq_handle = pool_handle(f, file, CQ),
	};
	struct ib_uverbs_open_qp qp = {
		.pd_handle = ah.pd_handle, .qpn = odd_value(&f->rng), .qp_type = any_qp_type(f),
	};
	struct ib_uverbs_poll_cq poll = { .cq_handle = srq.cq_handle, .ne = odd_value(&f->rng) };
	struct ib_uverbs_post_recv recv = { .qp_handle = group.qp_handle };

	group.gid[0] = 0xff;
	switch (pick(&f->rng, 7)) {
	case 0:
		ASK(f, file, CREATE_AH, ah, RESP(create_ah), 0);
		break;
	case 1:
		ASK(f, file, ATTACH_MCAST, group, 0, 0);
		break;
	case 2:
		ASK(f, file, OPEN_XRCD, xrcd, RESP(open_xrcd), 0);
		break;
	case 3:
		ASK(f, file, CREATE_XSRQ, srq, RESP(create_srq),
		    sizeof(struct siw_uresp_create_srq));
		break;
	case 4:
		ASK(f, file, OPEN_QP, qp, RESP(create_qp), 0);
		break;
	case 5:
		ASK(f, file, POLL_CQ, poll, RESP(poll_cq) + 64, 0);
		break;
	default:
		ASK(f, file, POST_RECV, recv, RESP(post_recv), 0);
	}
}

/* The ends of such objects. Their handles are small numbers. */
static void foreign_end(struct fuzzer *f, struct verbs_file *file)
{
	uint32_t handle = pick(&f->rng, 64);
	struct ib_uverbs_destroy_ah ah = { .ah_handle = handle };
	struct ib_uverbs_close_xrcd xrcd = { .xrcd_handle = handle };
	struct ib_uverbs_detach_mcast group = { .qp_handle = pool_handle(f, file, QP) };

	group.gid[0] = 0xff;
	switch (pick(&f->rng, 3)) {
	case 0:
		ASK(f, file, DESTROY_AH, ah, 0, 0);
		break;
	case 1:
		ASK(f, file, CLOSE_XRCD, xrcd, 0, 0);
		break;
	default:
		ASK(f, file, DETACH_MCAST, group, 0, 0);
	}
}

/* Work queues and tables of them. */
static void work_queue_command(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_ex_create_wq make = {
		.pd_handle = pool_handle(f, file, PD), .cq_handle = pool_handle(f, file, CQ),
		.max_wr = number(&f->rng, 1, QUEUE_DEPTH), .max_sge = 1,
		.create_flags = number(&f->rng, 0, 0),
	};
	struct ib_uverbs_ex_modify_wq modify = {
		.attr_mask = number(&f->rng, 1, 7), .wq_handle = pick(&f->rng, 64),
		.wq_state = number(&f->rng, 0, 2), .curr_wq_state = number(&f->rng, 0, 2),
	};
	struct ib_uverbs_ex_destroy_wq end = { .wq_handle = pick(&f->rng, 64) };
	struct {
		struct ib_uverbs_ex_create_rwq_ind_table head;
		uint32_t wqs[4];
	} table = { .head.log_ind_tbl_size = number(&f->rng, 0, 2) };
	struct ib_uverbs_ex_destroy_rwq_ind_table end_table = {
		.ind_tbl_handle = pick(&f->rng, 64),
	};

	for (size_t i = 0; i < ARRAY_SIZE(table.wqs); i++)
		table.wqs[i] = pick(&f->rng, 64);
	switch (pick(&f->rng, 5)) {
	case 0:
		ASK_EX(f, file, CREATE_WQ, make, RESP(ex_create_wq), 0);
		break;
	case 1:
		ASK_EX(f, file, MODIFY_WQ, modify, 0, 0);
		break;
	case 2:
		ASK_EX(f, file, DESTROY_WQ, end, RESP(ex_destroy_wq), 0);
		break;
	case 3:
		ASK_EX(f, file, CREATE_RWQ_IND_TBL, table, RESP(ex_create_rwq_ind_table), 0);
		break;
	default:
		ASK_EX(f, file, DESTROY_RWQ_IND_TBL, end_table, 0, 0);
	}
}

/* Runs a command with a random number; most of these commands do not exist. */
static void unknown_command(struct fuzzer *f, struct verbs_file *file)
{
	uint64_t cmd[16];

	for (size_t i = 0; i < ARRAY_SIZE(cmd); i++)
		cmd[i] = odd_value(&f->rng);
	command_run(f, file, &(struct command) {
		.number = number(&f->rng, 0, 64),
		.extended = one_in(&f->rng, 2),
		.in = cmd,
		.in_len = 8 * (1 + pick(&f->rng, ARRAY_SIZE(cmd))),
		.out = pick(&f->rng, 2) * 64,
	});
}

/* --- all of them --- */

/*
 * Sometimes creates a PD or a CQ before, because most others are in use and cannot be destroyed.
 */
static void destroy_any(struct fuzzer *f, struct verbs_file *file)
{
	static const struct {
		enum kind kind;
		unsigned int weight;
	} kinds[] = { { PD, 3 }, { MR, 4 }, { MW, 3 }, { CQ, 4 }, { SRQ, 3 }, { QP, 2 } };
	enum kind kind = any_of(&f->rng, kinds, ARRAY_SIZE(kinds))->kind;

	if (kind == PD && one_in(&f->rng, 4))
		new_pd(f, file);
	if (kind == CQ && one_in(&f->rng, 4))
		new_cq(f, file);
	destroy(f, file, kind, pool_handle_to_destroy(f, file, kind));
}

static void ring_any_doorbell(struct fuzzer *f, struct verbs_file *file)
{
	ring_doorbell(f, file, pool_handle(f, file, QP));
}

static const struct {
	void (*run)(struct fuzzer *f, struct verbs_file *file);
	unsigned int weight;
} acts[] = {
	{ new_context, 1 }, { query, 4 }, { unknown_command, 2 }, { destroy_any, 19 },
	{ new_pd, 3 }, { new_mr, 8 }, { change_mr, 1 }, { new_mw, 4 },
	{ new_channel, 2 }, { new_cq, 5 }, { change_cq, 1 }, { new_srq, 3 }, { change_srq, 2 },
	{ new_qp, 4 }, { change_qp, 2 }, { set_access, 2 },
	{ ring_any_doorbell, 6 }, { post_in_command, 1 }, { foreign_command, 2 },
	{ foreign_end, 1 }, { work_queue_command, 1 },
};

void any_command(struct fuzzer *f, struct verbs_file *file)
{
	any_of(&f->rng, acts, ARRAY_SIZE(acts))->run(f, file);
}
