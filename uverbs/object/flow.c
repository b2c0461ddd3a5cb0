// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Flows of processes.
 *
 * The specifications of a process have the layout of the user ABI, and may be shorter or longer
 * than the kernel's. An older process does not know the last fields of a filter. A newer process
 * may know further fields; the masks of these have to be 0, because the kernel cannot pass them on.
 */
#include "uverbs/object/flow.h"

#include <linux/capability.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/counters.h"
#include "uverbs/object/qp.h"

/* The provider gets specifications in the kernel's layout, each of at most this many bytes. */
#define MAX_SPEC	round_up(sizeof(union ib_flow_spec), sizeof(u64))

/**
 * struct uverbs_flow - handle of a flow
 * @uobj: the handle
 * @used: use counts of the objects that the flow uses; the flow has raised each by 1
 * @num_used: number of entries in @used
 */
struct uverbs_flow {
	struct ib_uobject	uobj;
	atomic_t		*used[IB_FLOW_SPEC_SUPPORT_LAYERS];
	unsigned int		num_used;
};

static void flow_unuse(struct uverbs_flow *uflow)
{
	while (uflow->num_used)
		atomic_dec(uflow->used[--uflow->num_used]);
}

static void flow_use(struct uverbs_flow *uflow, atomic_t *usecnt)
{
	atomic_inc(usecnt);
	uflow->used[uflow->num_used++] = usecnt;
}

static int flow_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	int ret = ib_destroy_flow(uobj->object);

	if (!ret)
		flow_unuse(container_of(uobj, struct uverbs_flow, uobj));
	return ret;
}

const struct uverbs_object_type uverbs_flow_type = {
	.id = UVERBS_OBJECT_FLOW,
	.size = sizeof(struct uverbs_flow),
	.destroy = flow_destroy,
};

/* Destroys a flow action, which a method of the provider has created. */
static int flow_action_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	struct ib_flow_action *action = uobj->object;

	if (atomic_read(&action->usecnt))
		return -EBUSY;
	return action->device->ops.destroy_flow_action(action);
}

const struct uverbs_object_type uverbs_flow_action_type = {
	.id = UVERBS_OBJECT_FLOW_ACTION,
	.size = sizeof(struct ib_uobject),
	.destroy = flow_action_destroy,
};

/**
 * struct filter - where a specification of one type has its values and its mask
 * @type: &enum ib_flow_spec_type
 * @val: offset of the values in the kernel's specification
 * @mask: offset of the mask in the kernel's specification
 * @len: number of bytes of the values; the mask has the same length
 * @size: number of bytes of the kernel's specification
 */
struct filter {
	u32	type;
	u8	val;
	u8	mask;
	u8	len;
	u8	size;
};

#define FILTER(number, spec, filter)							\
	{ (number), offsetof(struct ib_flow_spec_##spec, val),				\
	  offsetof(struct ib_flow_spec_##spec, mask),					\
	  offsetof(struct ib_flow_##filter##_filter, real_sz),				\
	  sizeof(struct ib_flow_spec_##spec) }

static const struct filter filters[] = {
	FILTER(IB_FLOW_SPEC_ETH, eth, eth),
	FILTER(IB_FLOW_SPEC_IPV4, ipv4, ipv4),
	FILTER(IB_FLOW_SPEC_IPV6, ipv6, ipv6),
	FILTER(IB_FLOW_SPEC_ESP, esp, esp),
	FILTER(IB_FLOW_SPEC_TCP, tcp_udp, tcp_udp),
	FILTER(IB_FLOW_SPEC_UDP, tcp_udp, tcp_udp),
	FILTER(IB_FLOW_SPEC_VXLAN_TUNNEL, tunnel, tunnel),
	FILTER(IB_FLOW_SPEC_GRE, gre, gre),
	FILTER(IB_FLOW_SPEC_MPLS, mpls, mpls),
};

static const struct filter *find_filter(u32 type)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(filters); i++)
		if (filters[i].type == (type & ~IB_FLOW_SPEC_INNER))
			return &filters[i];
	return NULL;
}

/*
 * Returns whether all values fit into their header fields. Some of these fields have fewer bits
 * than the member for the value.
 */
static bool values_fit(const union ib_flow_spec *spec)
{
	switch (spec->type & ~IB_FLOW_SPEC_INNER) {
	case IB_FLOW_SPEC_IPV6:
		return be32_to_cpu(spec->ipv6.val.flow_label) < BIT(20) &&
		       be32_to_cpu(spec->ipv6.mask.flow_label) < BIT(20);
	case IB_FLOW_SPEC_VXLAN_TUNNEL:
		return be32_to_cpu(spec->tunnel.val.tunnel_id) < BIT(24) &&
		       be32_to_cpu(spec->tunnel.mask.tunnel_id) < BIT(24);
	default:
		return true;
	}
}

/*
 * Converts @from, a filter for a packet header, to the kernel's layout. from->size is a multiple of
 * 4, so that value and mask have the same length.
 */
static int convert_filter(union ib_flow_spec *to, const struct ib_uverbs_flow_spec_hdr *from)
{
	const struct filter *filter = find_filter(from->type);
	const u8 *val = (const u8 *)(from + 1), *mask;
	size_t len = (from->size - sizeof(*from)) / 2;

	if (!filter || !len)
		return -EINVAL;
	mask = val + len;
	/* The process must not compare fields that the kernel does not know. */
	if (len > filter->len && memchr_inv(mask + filter->len, 0, len - filter->len))
		return -EINVAL;
	len = min_t(size_t, len, filter->len);
	memcpy((u8 *)to + filter->val, val, len);
	memcpy((u8 *)to + filter->mask, mask, len);
	to->size = filter->size;
	return values_fit(to) ? 0 : -EINVAL;
}

/* All actions with a handle or a number have the layout of ib_uverbs_flow_spec_action_handle. */
static_assert(sizeof(struct ib_uverbs_flow_spec_action_tag) ==
	      sizeof(struct ib_uverbs_flow_spec_action_handle));
static_assert(sizeof(struct ib_uverbs_flow_spec_action_count) ==
	      sizeof(struct ib_uverbs_flow_spec_action_handle));

static int convert_action(struct uverbs_attr_bundle *call, struct uverbs_flow *uflow,
			  union ib_flow_spec *to, const struct ib_uverbs_flow_spec_hdr *from)
{
	const struct ib_uverbs_flow_spec_action_handle *arg = (const void *)from;
	bool drop = from->type == IB_FLOW_SPEC_ACTION_DROP;

	if (from->size != (drop ? sizeof(struct ib_uverbs_flow_spec_action_drop) : sizeof(*arg)))
		return -EINVAL;
	if (drop) {
		to->size = sizeof(to->drop);
		return 0;
	}
	if (arg->reserved1)
		return -EINVAL;
	switch (from->type) {
	case IB_FLOW_SPEC_ACTION_TAG:
		to->flow_tag.tag_id = arg->handle;
		to->size = sizeof(to->flow_tag);
		return 0;
	case IB_FLOW_SPEC_ACTION_HANDLE:
		to->action.act = uverbs_get(call, flow_action, arg->handle);
		if (IS_ERR(to->action.act))
			return PTR_ERR(to->action.act);
		flow_use(uflow, &to->action.act->usecnt);
		to->size = sizeof(to->action);
		return 0;
	case IB_FLOW_SPEC_ACTION_COUNT:
		to->flow_count.counters = uverbs_get(call, counters, arg->handle);
		if (IS_ERR(to->flow_count.counters))
			return PTR_ERR(to->flow_count.counters);
		flow_use(uflow, &to->flow_count.counters->usecnt);
		to->size = sizeof(to->flow_count);
		return 0;
	default:
		return -EINVAL;
	}
}

/* Appends a specification to the attributes. Returns 0 or an errno. */
static int add_spec(struct uverbs_attr_bundle *call, struct uverbs_flow *uflow,
		    struct ib_flow_attr *attr, const struct ib_uverbs_flow_spec_hdr *from)
{
	union ib_flow_spec *to = (void *)attr + attr->size;
	int ret;

	if (from->reserved)
		return -EINVAL;
	to->type = from->type;
	ret = from->type < IB_FLOW_SPEC_ACTION_TAG ? convert_filter(to, from) :
						     convert_action(call, uflow, to, from);
	if (ret)
		return ret;
	/* Keep the next specification aligned, because it may have a pointer. */
	to->size = round_up(to->size, sizeof(u64));
	attr->size += to->size;
	attr->num_of_specs++;
	return 0;
}

static int check_flow_attr(const struct ib_uverbs_flow_attr *from)
{
	if (from->flags >= IB_FLOW_ATTR_FLAGS_RESERVED || from->type > IB_FLOW_ATTR_SNIFFER)
		return -EINVAL;
	if (from->reserved[0] || from->reserved[1])
		return -EINVAL;
	return from->num_of_specs > IB_FLOW_SPEC_SUPPORT_LAYERS ? -EINVAL : 0;
}

/* Converts all specifications. Together, they are from->size bytes long. */
static int add_specs(struct uverbs_attr_bundle *call, struct uverbs_flow *uflow,
		     struct ib_flow_attr *attr, const struct ib_uverbs_flow_attr *from)
{
	const struct ib_uverbs_flow_spec_hdr *spec;
	const u8 *at = (const u8 *)from->flow_specs;
	size_t left = from->size;
	unsigned int i;
	int ret;

	for (i = 0; i < from->num_of_specs; i++) {
		spec = (const void *)at;
		/* A size of whole words keeps the next header aligned. */
		if (left < sizeof(*spec) || spec->size < sizeof(*spec) || spec->size > left ||
		    spec->size % sizeof(u32))
			return -EINVAL;
		ret = add_spec(call, uflow, attr, spec);
		if (ret)
			return ret;
		at += spec->size;
		left -= spec->size;
	}
	return left ? -EINVAL : 0;
}

int uverbs_create_flow(struct uverbs_attr_bundle *call, u32 handle,
		       const struct ib_uverbs_flow_attr *from)
{
	struct ib_flow_attr *attr;
	struct uverbs_flow *uflow;
	struct ib_uobject *uobj;
	struct ib_flow *flow;
	struct ib_qp *qp;
	int ret;

	if (!call->ibdev->ops.create_flow)
		return -EOPNOTSUPP;
	if (!capable(CAP_NET_RAW))
		return -EPERM;
	ret = check_flow_attr(from);
	if (ret)
		return ret;
	/* In addition to the QP, the flow may use one object for each specification. */
	ret = uverbs_objects_reserve(call, from->num_of_specs);
	if (ret)
		return ret;
	qp = uverbs_get(call, qp, handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	uobj = uverbs_object_new(call, &uverbs_flow_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	uflow = container_of(uobj, struct uverbs_flow, uobj);
	attr = kzalloc(sizeof(*attr) + from->num_of_specs * MAX_SPEC, GFP_KERNEL_ACCOUNT);
	if (!attr)
		return -ENOMEM;
	attr->type = (enum ib_flow_attr_type)from->type;
	attr->size = sizeof(*attr);
	attr->priority = from->priority;
	attr->flags = from->flags;
	attr->port = from->port;
	ret = add_specs(call, uflow, attr, from);
	if (!ret) {
		flow = ib_create_flow_user(qp, attr, uobj, &call->driver_udata);
		ret = PTR_ERR_OR_ZERO(flow);
	}
	kfree(attr);
	if (ret)
		flow_unuse(uflow);
	else
		uobj->object = flow;
	return ret;
}

int uverbs_destroy_flow(struct uverbs_attr_bundle *call, u32 handle)
{
	if (!call->ibdev->ops.create_flow)
		return -EOPNOTSUPP;
	return uverbs_object_destroy(call, &uverbs_flow_type, handle);
}

int uverbs_destroy_flow_action(struct uverbs_attr_bundle *call, u32 handle)
{
	if (!call->ibdev->ops.destroy_flow_action)
		return -EOPNOTSUPP;
	return uverbs_object_destroy(call, &uverbs_flow_action_type, handle);
}
