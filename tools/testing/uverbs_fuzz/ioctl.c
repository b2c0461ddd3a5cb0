// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: calls ioctl() with the attributes that each method takes, and corrupts some of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "uverbs_fuzz.h"
#include "methods.h"

#define MAX_ATTRS	24

/* --- a call --- */

/* Corrupts an attribute in one of f->corrupt calls. Returns whether one was corrupted. */
static bool corrupt_attr(struct fuzzer *f, struct ib_uverbs_attr *attrs, unsigned int *num)
{
	struct ib_uverbs_attr *attr;

	if (!*num || *num == MAX_ATTRS || !one_in(&f->rng, f->corrupt))
		return false;
	attr = &attrs[pick(&f->rng, *num)];
	switch (pick(&f->rng, 9)) {
	case 0:
		*attr = attrs[--*num];
		break;
	case 1:
		attrs[(*num)++] = *attr;
		break;
	case 2:
		attr->attr_id = odd_value(&f->rng);
		break;
	case 3:
		attr->len = odd_value(&f->rng);
		break;
	case 4:
		attr->len += pick(&f->rng, 17) - 8;
		break;
	case 5:
		attr->flags = odd_value(&f->rng);
		break;
	case 6:
		attr->data = odd_value(&f->rng);
		break;
	default:
		attr->data = bad_pointer(f);
		break;
	}
	return true;
}

int call_method(struct fuzzer *f, struct verbs_file *file, uint16_t object, uint16_t method,
		struct ib_uverbs_attr *given, unsigned int num, bool *lost)
{
	struct ib_uverbs_attr attrs[MAX_ATTRS];
	struct ib_uverbs_ioctl_hdr hdr = {
		.object_id = object, .method_id = method, .driver_id = RDMA_DRIVER_SIW,
	};
	struct frame frame = {};
	unsigned long request;
	uint8_t *at;
	int ret;

	memcpy(attrs, given, num * sizeof(*attrs));
	*lost = corrupt_attr(f, attrs, &num);
	hdr.num_attrs = num;
	hdr.length = sizeof(hdr) + num * sizeof(*attrs);
	frame_add(&frame, &hdr, sizeof(hdr));
	frame.header = frame.len;
	frame_add(&frame, attrs, num * sizeof(*attrs));
	frame.fuzzable = frame.header;
	frame_corrupt(f, &frame);
	*lost |= frame.lost;
	frame.lost = *lost;
	request = one_in(&f->rng, 500) ? odd_value(&f->rng) : RDMA_VERBS_IOCTL;
	at = frame_place(f, &frame);
	ret = ioctl(file->fd, request, at) < 0 ? -errno : 0;
	/* The kernel writes to the attributes in place. */
	if (!ret && !frame.lost)
		memcpy(given, at + frame.header, num * sizeof(*attrs));
	stats_count(IOCTL, IOCTL_NUMBER(object, method), !ret);
	return ret;
}

/* --- attributes that fit --- */

/*
 * A call: its attributes, and the memory for its responses and structures, which grows downwards
 * from the end of the memory for responses. @room is the place that was reserved last, @driver the
 * place of siw's response.
 */
struct call {
	struct ib_uverbs_attr attrs[MAX_ATTRS];
	unsigned int num;
	uint8_t *room;
	uint8_t *driver;
};

static uint64_t room_for(struct call *call, uint16_t len)
{
	call->room -= (len + 7) & ~7;
	return (uintptr_t)call->room;
}

static uint64_t make_cap(struct fuzzer *f, struct call *call)
{
	const struct ib_uverbs_qp_cap cap = {
		.max_send_wr = number(&f->rng, 1, QUEUE_DEPTH),
		.max_recv_wr = number(&f->rng, 1, QUEUE_DEPTH),
		.max_send_sge = number(&f->rng, SIW_MAX_SGE / 2, SIW_MAX_SGE),
		.max_recv_sge = number(&f->rng, 1, SIW_MAX_SGE),
		.max_inline_data = number(&f->rng, 0, SIW_MAX_INLINE),
	};
	uint64_t at = room_for(call, sizeof(cap));

	memcpy((void *)at, &cap, sizeof(cap));
	return at;
}

static uint64_t content_of(struct fuzzer *f, struct verbs_file *file, struct call *call,
			   const struct attr_plan *plan, bool destroys)
{
	switch (plan->content) {
	case VALUE:
		return number(&f->rng, plan->low, plan->high);
	case CAP:
		return make_cap(f, call);
	case HANDLE:
		return destroys ? pool_handle_to_destroy(f, file, plan->kind)
				: pool_handle(f, file, plan->kind);
	case CHANNEL:
		return (int64_t)file->channels[pick(&f->rng, MAX_CHANNELS)];
	case ASYNC:
		return (int64_t)file->async;
	case DRIVER:
		call->driver = (uint8_t *)room_for(call, plan->len);
		return (uintptr_t)call->driver;
	case BYTES:
	case ROOM:
		return room_for(call, plan->len);
	default:
		return 0;
	}
}

/*
 * Fills in the attributes, and leaves some out: one for a descriptor always if no such descriptor
 * is open, because -1 would be an error.
 */
static void fill(struct fuzzer *f, struct verbs_file *file, struct call *call,
		 const struct method_plan *plan)
{
	for (unsigned int i = 0; i < plan->num; i++) {
		const struct attr_plan *attr = &plan->attrs[i];
		uint64_t data = content_of(f, file, call, attr, plan->effect == DESTROYS);

		if (attr->seldom ? !one_in(&f->rng, 12) :
		    (attr->content == CHANNEL || attr->content == ASYNC) &&
		    ((int64_t)data < 0 || one_in(&f->rng, 2)))
			continue;
		call->attrs[call->num++] = attr_value(attr->id, attr->len, data);
	}
}

/* --- what a successful call changes --- */

/*
 * Adds the new object to the pool. The entry of a QP or an SRQ records its PD, so that regions of
 * the same PD can be found.
 */
static void add_object(struct fuzzer *f, struct verbs_file *file, const struct call *call,
		       enum kind kind)
{
	struct object object = { .handle = call->attrs[0].data };

	if (kind == QP) {
		struct siw_uresp_create_qp resp;

		memcpy(&resp, call->driver, sizeof(resp));
		object.pd = call->attrs[1].data;
		object.qpn = resp.qp_id;
		map_qp(f, file, &object, &resp);
	}
	if (kind == CQ)
		map_cq(f, file, &object, (struct siw_uresp_create_cq *)call->driver);
	if (kind == SRQ) {
		object.pd = call->attrs[1].data;
		map_srq(f, file, &object, (struct siw_uresp_create_srq *)call->driver);
	}
	pool_add(file, kind, &object);
}

/* Creates a context without a file of asynchronous events. */
void context_by_ioctl(struct fuzzer *f, struct verbs_file *file)
{
	const struct method_plan *plan = method_plans;
	struct call call = { .room = f->answers_end };
	bool lost;

	while (plan->object != UVERBS_OBJECT_DEVICE || plan->method != UVERBS_METHOD_GET_CONTEXT)
		plan++;
	fill(f, file, &call, plan);
	call_method(f, file, plan->object, plan->method, call.attrs, call.num, &lost);
}

/* Calls a random method of a random object, with random attributes. */
static void unknown_method(struct fuzzer *f, struct verbs_file *file)
{
	struct ib_uverbs_attr attrs[4];
	unsigned int num = pick(&f->rng, ARRAY_SIZE(attrs) + 1);
	bool lost;

	for (unsigned int i = 0; i < num; i++)
		attrs[i] = attr_value(pick(&f->rng, 16) + (one_in(&f->rng, 8) ? 0x1000 : 0),
				      pick(&f->rng, 4) * 4, odd_value(&f->rng));
	call_method(f, file, number(&f->rng, 0, 20), number(&f->rng, 0, 8), attrs, num, &lost);
}

void any_method(struct fuzzer *f, struct verbs_file *file)
{
	const struct method_plan *plan = any_of(&f->rng, method_plans, num_method_plans);
	struct call call = { .room = f->answers_end };
	bool lost;

	if (one_in(&f->rng, 16)) {
		unknown_method(f, file);
		return;
	}
	fill(f, file, &call, plan);
	if (!call_method(f, file, plan->object, plan->method, call.attrs, call.num, &lost) &&
	    !lost) {
		if (plan->effect == CREATES)
			add_object(f, file, &call, plan->attrs[0].kind);
		if (plan->effect == DESTROYS)
			pool_remove(file, plan->attrs[0].kind, call.attrs[0].data);
		if (plan->attrs[0].content == NEW_FD) {
			fcntl(call.attrs[0].data, F_SETFL, O_NONBLOCK);
			file->async = call.attrs[0].data;
		}
	}
}
