// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: the commands on identifiers of iw_cm, and the handler of their events.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kscript/kscript.h"

static struct ks_cm *to_cm(struct ks_obj *obj)
{
	return container_of(obj, struct ks_cm, obj);
}

static struct ks_cm *new_cm(struct ks_session *s, const char *name)
{
	struct ks_cm *cm = kzalloc(sizeof(*cm), GFP_KERNEL);
	int ret;

	if (!cm)
		return ERR_PTR(-ENOMEM);
	ret = ks_obj_init(&cm->obj, s, KS_CM, name);
	if (ret) {
		kfree(cm);
		return ERR_PTR(ret);
	}
	return cm;
}

void ks_cm_free(struct ks_obj *obj)
{
	kfree(to_cm(obj));
}

/*
 * Detaches the iw_cm identifier from its object. Returns the identifier, which the caller must
 * destroy, or NULL if another caller has detached it already. The object remains the identifier's
 * context, so it moves to ks_session.deferred and is freed only when no event can come any more.
 */
static struct iw_cm_id *take_id(struct ks_cm *cm)
{
	struct ks_session *s = cm->obj.s;
	struct iw_cm_id *id;

	spin_lock_irq(&s->lock);
	id = cm->id;
	cm->id = NULL;
	if (id)
		list_move_tail(&cm->obj.entry, &s->deferred);
	spin_unlock_irq(&s->lock);
	return id;
}

int ks_cm_destroy(struct ks_obj *obj)
{
	struct ks_cm *cm = to_cm(obj);
	struct iw_cm_id *id = take_id(cm);

	if (!id)
		return -ENOENT;
	iw_destroy_cm_id(id);
	WRITE_ONCE(cm->gone, true);
	return 0;
}

void ks_deferred_free(struct ks_session *s)
{
	struct ks_obj *obj, *next;

	list_for_each_entry_safe(obj, next, &s->deferred, entry) {
		list_del(&obj->entry);
		ks_obj_unref(obj);
	}
}

/*
 * Returns the identifier with a reference, or NULL if it is detached. The reference keeps the
 * identifier from being freed, but not from being destroyed.
 */
static struct iw_cm_id *get_id(struct ks_cm *cm)
{
	struct iw_cm_id *id;

	spin_lock_irq(&cm->obj.s->lock);
	id = cm->id;
	if (id)
		id->add_ref(id);
	spin_unlock_irq(&cm->obj.s->lock);
	return id;
}

static void report_event(struct ks_cm *cm, const struct iw_cm_event *event, const char *new)
{
	char new_word[KS_NAME_LEN + 8] = "", addrs[128] = "", depths[32] = "";

	if (new)
		snprintf(new_word, sizeof(new_word), " new=%s", new);
	if (new || (event->event == IW_CM_EVENT_CONNECT_REPLY && !event->status))
		snprintf(addrs, sizeof(addrs), " local=%pISpc remote=%pISpc", &event->local_addr,
			 &event->remote_addr);
	if (event->event <= IW_CM_EVENT_ESTABLISHED)
		snprintf(depths, sizeof(depths), " ird=%u ord=%u", event->ird, event->ord);
	ks_report_bytes(cm->obj.s, "pdata", event->private_data, event->private_data_len,
			"event %s %s%s status=%d%s%s", cm->obj.name,
			ks_cm_event_name(event->event), new_word, event->status, depths, addrs);
}

/*
 * Returns a new object for the identifier of a connection request, or ERR_PTR. The caller releases
 * the object by ks_obj_put().
 */
static struct ks_cm *add_request(struct ks_cm *listener, struct iw_cm_id *id,
				 const struct iw_cm_event *event)
{
	struct ks_session *s = listener->obj.s;
	char name[KS_NAME_LEN];
	struct ks_cm *cm;
	int ret;

	spin_lock_irq(&s->lock);
	snprintf(name, sizeof(name), "R%u", ++s->requests);
	spin_unlock_irq(&s->lock);
	cm = new_cm(s, name);
	if (IS_ERR(cm))
		return cm;
	cm->id = id;
	cm->ird = event->ird;
	cm->ord = event->ord;
	id->context = cm;
	ret = ks_obj_add(&cm->obj);
	if (!ret)
		return cm;
	kfree(cm);
	return ERR_PTR(ret);
}

/*
 * Called at the end of a handler that returns @ret. If @ret is not 0, detaches the identifier,
 * because iw_cm then destroys it. Returns @ret.
 */
static int finish(struct ks_cm *cm, int ret)
{
	if (ret && take_id(cm))
		WRITE_ONCE(cm->gone, true);
	return ret;
}

static bool is_late(struct ks_cm *cm, const struct iw_cm_event *event)
{
	if (!READ_ONCE(cm->gone))
		return false;
	ks_report(cm->obj.s, "late %s %s", cm->obj.name, ks_cm_event_name(event->event));
	WARN(1, "kscript: late event %d\n", event->event);
	return true;
}

static int handle_request(struct ks_cm *cm, struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct ks_cm *child = add_request(cm, id, event);
	int ret;

	if (IS_ERR(child))
		return PTR_ERR(child);
	report_event(cm, event, child->obj.name);
	ret = ks_rules_run(cm->obj.s, cm->obj.name, ks_cm_event_name(event->event),
			   child->obj.name);
	ret = finish(child, ret);
	ks_obj_put(&child->obj);
	return ret;
}

static int handle_other(struct ks_cm *cm, struct iw_cm_event *event)
{
	int ret;

	report_event(cm, event, NULL);
	ret = ks_rules_run(cm->obj.s, cm->obj.name, ks_cm_event_name(event->event), cm->obj.name);
	return finish(cm, ret);
}

static int handler(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct ks_cm *cm = id->context;
	struct ks_session *s = cm->obj.s;
	int ret = 0;

	ks_handler_begins(s);
	if (!is_late(cm, event))
		ret = event->event == IW_CM_EVENT_CONNECT_REQUEST ?
		      handle_request(cm, id, event) : handle_other(cm, event);
	ks_handler_ends(s);
	return ret;
}

/* Returns a new identifier, which the caller releases by ks_obj_put(), or ERR_PTR. */
static struct ks_cm *make_id(struct ks_session *s, const char *name)
{
	struct ks_cm *cm;
	int ret;

	if (!rdma_protocol_iwarp(s->dev, rdma_start_port(s->dev)))
		return ERR_PTR(-EOPNOTSUPP);
	cm = new_cm(s, name);
	if (IS_ERR(cm))
		return cm;
	cm->id = iw_create_cm_id(s->dev, handler, cm);
	if (IS_ERR(cm->id)) {
		ret = PTR_ERR(cm->id);
		goto free_cm;
	}
	ret = ks_obj_add(&cm->obj);
	if (ret)
		goto destroy_id;
	return cm;

destroy_id:
	iw_destroy_cm_id(cm->id);
free_cm:
	kfree(cm);
	return ERR_PTR(ret);
}

int ks_cmd_id(struct ks_session *s, struct ks_args *args)
{
	struct ks_cm *cm;

	if (ks_args_end(args))
		return -EINVAL;
	cm = make_id(s, args->name);
	if (IS_ERR(cm))
		return PTR_ERR(cm);
	ks_obj_put(&cm->obj);
	return 0;
}

static u16 port_of(const struct sockaddr_storage *addr)
{
	return ntohs(addr->ss_family == AF_INET6 ? ((struct sockaddr_in6 *)addr)->sin6_port :
						   ((struct sockaddr_in *)addr)->sin_port);
}

int ks_cmd_listen(struct ks_session *s, struct ks_args *args)
{
	u16 port = ks_needs_number(args, "port");
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	int backlog = ks_number(args, "backlog", 0);
	struct sockaddr_storage addr = {};
	struct iw_cm_id *id;
	struct ks_cm *cm;
	int ret = -ENOENT;

	memcpy(&addr, &any, sizeof(any));
	ks_address(args, "addr", port, &addr);
	if (ks_args_end(args))
		return -EINVAL;
	cm = make_id(s, args->name);
	if (IS_ERR(cm))
		return PTR_ERR(cm);
	id = get_id(cm);
	if (id) {
		id->local_addr = addr;
		ret = iw_cm_listen(id, backlog);
		if (!ret)
			ks_report(s, "listen %s port=%u", args->name, port_of(&id->local_addr));
		id->rem_ref(id);
	}
	if (ret)
		ks_obj_destroy(&cm->obj);
	ks_obj_put(&cm->obj);
	return ret;
}

/* Arguments of a call to iw_cm. */
struct call {
	struct iw_cm_conn_param param;
	struct sockaddr_storage from;
	struct sockaddr_storage to;
	const char *qp;
	bool abrupt;
	u8 pdata[KS_MAX_PDATA];
};

static struct call *new_call(struct ks_args *args)
{
	struct call *call = kzalloc(sizeof(*call), GFP_KERNEL);

	if (!call)
		return NULL;
	call->param.private_data_len = ks_bytes(args, "pdata", call->pdata, KS_MAX_PDATA);
	call->param.private_data = call->param.private_data_len ? call->pdata : NULL;
	return call;
}

/* @ird and @ord are the defaults of the arguments ird= and ord=. */
static void parse_conn(struct ks_args *args, struct call *call, u32 ird, u32 ord)
{
	call->qp = ks_arg(args, "qp");
	call->param.ird = ks_number(args, "ird", ird);
	call->param.ord = ks_number(args, "ord", ord);
	call->param.qpn = ks_number(args, "qpn", 0);
}

/* Calls @make with a reference to the identifier held and, if the command has qp=, the QP held. */
static int call_on(struct ks_session *s, struct ks_cm *cm, struct call *call,
		   int (*make)(struct iw_cm_id *id, struct call *call))
{
	struct iw_cm_id *id = get_id(cm);
	struct ks_obj *qp = NULL;
	int ret;

	if (!id)
		return -ENOENT;
	if (call->qp) {
		qp = ks_obj_get(s, KS_QP, call->qp);
		ret = PTR_ERR_OR_ZERO(qp);
		if (ret)
			goto rem_ref;
		call->param.qpn = container_of(qp, struct ks_qp, obj)->qp->qp_num;
	}
	ret = make(id, call);
	if (qp)
		ks_obj_put(qp);
rem_ref:
	id->rem_ref(id);
	return ret;
}

static int make_connect(struct iw_cm_id *id, struct call *call)
{
	id->remote_addr = call->to;
	id->local_addr = call->from;
	if (!call->from.ss_family)
		id->local_addr.ss_family = call->to.ss_family;
	return iw_cm_connect(id, &call->param);
}

static struct ks_cm *get_or_make(struct ks_session *s, const char *name)
{
	struct ks_obj *obj = ks_obj_get(s, KS_CM, name);

	return PTR_ERR(obj) == -ENOENT ? make_id(s, name) :
	       IS_ERR(obj) ? ERR_CAST(obj) : to_cm(obj);
}

int ks_cmd_connect(struct ks_session *s, struct ks_args *args)
{
	u16 port = ks_needs_number(args, "port");
	struct call *call = new_call(args);
	struct ks_cm *cm;
	int ret;

	if (!call)
		return -ENOMEM;
	parse_conn(args, call, 1, 1);
	ks_address(args, "addr", port, &call->to);
	ks_address(args, "src", 0, &call->from);
	ret = ks_args_end(args);
	if (ret)
		goto free;
	cm = get_or_make(s, args->name);
	ret = PTR_ERR_OR_ZERO(cm);
	if (ret)
		goto free;
	ret = call_on(s, cm, call, make_connect);
	ks_obj_put(&cm->obj);
free:
	kfree(call);
	return ret;
}

static int make_accept(struct iw_cm_id *id, struct call *call)
{
	return iw_cm_accept(id, &call->param);
}

static int make_reject(struct iw_cm_id *id, struct call *call)
{
	return iw_cm_reject(id, call->param.private_data, call->param.private_data_len);
}

static int make_disconnect(struct iw_cm_id *id, struct call *call)
{
	return iw_cm_disconnect(id, call->abrupt);
}

/* Runs a command on an existing identifier. */
static int run(struct ks_session *s, struct ks_args *args, bool with_qp,
	       int (*make)(struct iw_cm_id *id, struct call *call))
{
	struct ks_obj *obj = ks_obj_get(s, KS_CM, args->name);
	struct call *call;
	int ret;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = -ENOMEM;
	call = new_call(args);
	if (!call)
		goto put;
	call->abrupt = ks_flag(args, "abrupt");
	if (with_qp)
		parse_conn(args, call, to_cm(obj)->ird, to_cm(obj)->ord);
	ret = ks_args_end(args) ?: call_on(s, to_cm(obj), call, make);
	kfree(call);
put:
	ks_obj_put(obj);
	return ret;
}

int ks_cmd_accept(struct ks_session *s, struct ks_args *args)
{
	return run(s, args, true, make_accept);
}

int ks_cmd_reject(struct ks_session *s, struct ks_args *args)
{
	return run(s, args, false, make_reject);
}

int ks_cmd_disconnect(struct ks_session *s, struct ks_args *args)
{
	return run(s, args, false, make_disconnect);
}
