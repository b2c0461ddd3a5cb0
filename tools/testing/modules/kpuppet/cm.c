// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kpuppet: identifiers of the connection manager, what is asked of them and what they are told.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kpuppet/kpuppet.h"

static struct kp_cm *to_cm(struct kp_obj *obj)
{
	return container_of(obj, struct kp_cm, obj);
}

static struct kp_cm *new_cm(struct kp_session *s, const char *name)
{
	struct kp_cm *cm = kzalloc(sizeof(*cm), GFP_KERNEL);
	int ret;

	if (!cm)
		return ERR_PTR(-ENOMEM);
	ret = kp_obj_init(&cm->obj, s, KP_CM, name);
	if (ret) {
		kfree(cm);
		return ERR_PTR(ret);
	}
	return cm;
}

void kp_cm_free(struct kp_obj *obj)
{
	kfree(to_cm(obj));
}

/*
 * Takes the identifier away: the one who gets it destroys it. What is left stays in a grave, known
 * to the identifier as its context, for as long as the session may hear of it.
 */
static struct iw_cm_id *take(struct kp_cm *cm)
{
	struct kp_session *s = cm->obj.s;
	struct iw_cm_id *id;

	spin_lock_irq(&s->lock);
	id = cm->id;
	cm->id = NULL;
	if (id)
		list_move_tail(&cm->obj.entry, &s->graves);
	spin_unlock_irq(&s->lock);
	return id;
}

int kp_cm_destroy(struct kp_obj *obj)
{
	struct kp_cm *cm = to_cm(obj);
	struct iw_cm_id *id = take(cm);

	if (!id)
		return -ENOENT;
	iw_destroy_cm_id(id);
	WRITE_ONCE(cm->gone, true);
	return 0;
}

void kp_graves_free(struct kp_session *s)
{
	struct kp_obj *obj, *next;

	list_for_each_entry_safe(obj, next, &s->graves, entry) {
		list_del(&obj->entry);
		kp_obj_unfind(obj);
	}
}

/* The identifier, with a reference: it may be destroyed meanwhile, but it does not vanish. */
static struct iw_cm_id *get_id(struct kp_cm *cm)
{
	struct iw_cm_id *id;

	spin_lock_irq(&cm->obj.s->lock);
	id = cm->id;
	if (id)
		id->add_ref(id);
	spin_unlock_irq(&cm->obj.s->lock);
	return id;
}

static void report_event(struct kp_cm *cm, const struct iw_cm_event *event, const char *new)
{
	char new_word[KP_NAME_LEN + 8] = "", addrs[128] = "", depths[32] = "";

	if (new)
		snprintf(new_word, sizeof(new_word), " new=%s", new);
	if (new || (event->event == IW_CM_EVENT_CONNECT_REPLY && !event->status))
		snprintf(addrs, sizeof(addrs), " local=%pISpc remote=%pISpc", &event->local_addr,
			 &event->remote_addr);
	if (event->event <= IW_CM_EVENT_ESTABLISHED)
		snprintf(depths, sizeof(depths), " ird=%u ord=%u", event->ird, event->ord);
	kp_report_bytes(cm->obj.s, "pdata", event->private_data, event->private_data_len,
			"event %s %s%s status=%d%s%s", cm->obj.name,
			kp_cm_event_name(event->event), new_word, event->status, depths, addrs);
}

/* The name and the place of a new connection; or ERR_PTR. Used until kp_obj_put(). */
static struct kp_cm *take_request(struct kp_cm *listener, struct iw_cm_id *id,
				  const struct iw_cm_event *event)
{
	struct kp_session *s = listener->obj.s;
	char name[KP_NAME_LEN];
	struct kp_cm *cm;
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
	ret = kp_obj_add(&cm->obj);
	if (!ret)
		return cm;
	kfree(cm);
	return ERR_PTR(ret);
}

/* The rest of a handler: a result that is not 0 destroys the identifier. */
static int finish(struct kp_cm *cm, int ret)
{
	if (ret && take(cm))
		WRITE_ONCE(cm->gone, true);
	return ret;
}

static bool is_late(struct kp_cm *cm, const struct iw_cm_event *event)
{
	if (!READ_ONCE(cm->gone))
		return false;
	kp_report(cm->obj.s, "late %s %s", cm->obj.name, kp_cm_event_name(event->event));
	WARN(1, "kpuppet: late event %d\n", event->event);
	return true;
}

static int handle_request(struct kp_cm *cm, struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct kp_cm *child = take_request(cm, id, event);
	int ret;

	if (IS_ERR(child))
		return PTR_ERR(child);
	report_event(cm, event, child->obj.name);
	ret = kp_rules_run(cm->obj.s, cm->obj.name, kp_cm_event_name(event->event),
			   child->obj.name);
	ret = finish(child, ret);
	kp_obj_put(&child->obj);
	return ret;
}

static int handle_other(struct kp_cm *cm, struct iw_cm_event *event)
{
	int ret;

	report_event(cm, event, NULL);
	ret = kp_rules_run(cm->obj.s, cm->obj.name, kp_cm_event_name(event->event), cm->obj.name);
	return finish(cm, ret);
}

static int handler(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct kp_cm *cm = id->context;
	struct kp_session *s = cm->obj.s;
	int ret = 0;

	kp_handler_begins(s);
	if (!is_late(cm, event))
		ret = event->event == IW_CM_EVENT_CONNECT_REQUEST ?
		      handle_request(cm, id, event) : handle_other(cm, event);
	kp_handler_ends(s);
	return ret;
}

/* A new identifier under that name; used until kp_obj_put(). */
static struct kp_cm *make_id(struct kp_session *s, const char *name)
{
	struct kp_cm *cm = new_cm(s, name);
	int ret;

	if (IS_ERR(cm))
		return cm;
	cm->id = iw_create_cm_id(s->dev, handler, cm);
	if (IS_ERR(cm->id)) {
		ret = PTR_ERR(cm->id);
		goto free_cm;
	}
	ret = kp_obj_add(&cm->obj);
	if (ret)
		goto destroy_id;
	return cm;

destroy_id:
	iw_destroy_cm_id(cm->id);
free_cm:
	kfree(cm);
	return ERR_PTR(ret);
}

int kp_cmd_id(struct kp_session *s, struct kp_args *args)
{
	struct kp_cm *cm;

	if (kp_args_end(args))
		return -EINVAL;
	cm = make_id(s, args->name);
	if (IS_ERR(cm))
		return PTR_ERR(cm);
	kp_obj_put(&cm->obj);
	return 0;
}

static u16 port_of(const struct sockaddr_storage *addr)
{
	return ntohs(addr->ss_family == AF_INET6 ? ((struct sockaddr_in6 *)addr)->sin6_port :
						   ((struct sockaddr_in *)addr)->sin_port);
}

int kp_cmd_listen(struct kp_session *s, struct kp_args *args)
{
	u16 port = kp_needs_number(args, "port");
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	int backlog = kp_number(args, "backlog", 0);
	struct sockaddr_storage addr = {};
	struct iw_cm_id *id;
	struct kp_cm *cm;
	int ret = -ENOENT;

	memcpy(&addr, &any, sizeof(any));
	kp_address(args, "addr", port, &addr);
	if (kp_args_end(args))
		return -EINVAL;
	cm = make_id(s, args->name);
	if (IS_ERR(cm))
		return PTR_ERR(cm);
	id = get_id(cm);
	if (id) {
		id->local_addr = addr;
		ret = iw_cm_listen(id, backlog);
		if (!ret)
			kp_report(s, "listen %s port=%u", args->name, port_of(&id->local_addr));
		id->rem_ref(id);
	}
	if (ret)
		kp_obj_destroy(&cm->obj);
	kp_obj_put(&cm->obj);
	return ret;
}

/* A call of the connection manager's. */
struct call {
	struct iw_cm_conn_param param;
	struct sockaddr_storage from;
	struct sockaddr_storage to;
	const char *qp;
	bool abrupt;
	u8 pdata[KP_MAX_PDATA];
};

static struct call *new_call(struct kp_args *args)
{
	struct call *call = kzalloc(sizeof(*call), GFP_KERNEL);

	if (!call)
		return NULL;
	call->param.private_data_len = kp_bytes(args, "pdata", call->pdata, KP_MAX_PDATA);
	call->param.private_data = call->param.private_data_len ? call->pdata : NULL;
	return call;
}

/* @ird, @ord: unless the command says otherwise */
static void parse_conn(struct kp_args *args, struct call *call, u32 ird, u32 ord)
{
	call->qp = kp_arg(args, "qp");
	call->param.ird = kp_number(args, "ird", ird);
	call->param.ord = kp_number(args, "ord", ord);
	call->param.qpn = kp_number(args, "qpn", 0);
}

/* Makes the call with the identifier and, if one is named, with the QP kept. */
static int call_on(struct kp_session *s, struct kp_cm *cm, struct call *call,
		   int (*make)(struct iw_cm_id *id, struct call *call))
{
	struct iw_cm_id *id = get_id(cm);
	struct kp_obj *qp = NULL;
	int ret;

	if (!id)
		return -ENOENT;
	if (call->qp) {
		qp = kp_obj_get(s, KP_QP, call->qp);
		ret = PTR_ERR_OR_ZERO(qp);
		if (ret)
			goto rem_ref;
		call->param.qpn = container_of(qp, struct kp_qp, obj)->qp->qp_num;
	}
	ret = make(id, call);
	if (qp)
		kp_obj_put(qp);
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

static struct kp_cm *get_or_make(struct kp_session *s, const char *name)
{
	struct kp_obj *obj = kp_obj_get(s, KP_CM, name);

	return PTR_ERR(obj) == -ENOENT ? make_id(s, name) :
	       IS_ERR(obj) ? ERR_CAST(obj) : to_cm(obj);
}

int kp_cmd_connect(struct kp_session *s, struct kp_args *args)
{
	u16 port = kp_needs_number(args, "port");
	struct call *call = new_call(args);
	struct kp_cm *cm;
	int ret;

	if (!call)
		return -ENOMEM;
	parse_conn(args, call, 1, 1);
	kp_address(args, "addr", port, &call->to);
	kp_address(args, "src", 0, &call->from);
	ret = kp_args_end(args);
	if (ret)
		goto free;
	cm = get_or_make(s, args->name);
	ret = PTR_ERR_OR_ZERO(cm);
	if (ret)
		goto free;
	ret = call_on(s, cm, call, make_connect);
	kp_obj_put(&cm->obj);
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

/* One of the calls on an identifier that is there. */
static int run(struct kp_session *s, struct kp_args *args, bool with_qp,
	       int (*make)(struct iw_cm_id *id, struct call *call))
{
	struct kp_obj *obj = kp_obj_get(s, KP_CM, args->name);
	struct call *call;
	int ret;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = -ENOMEM;
	call = new_call(args);
	if (!call)
		goto put;
	call->abrupt = kp_flag(args, "abrupt");
	if (with_qp)
		parse_conn(args, call, to_cm(obj)->ird, to_cm(obj)->ord);
	ret = kp_args_end(args) ?: call_on(s, to_cm(obj), call, make);
	kfree(call);
put:
	kp_obj_put(obj);
	return ret;
}

int kp_cmd_accept(struct kp_session *s, struct kp_args *args)
{
	return run(s, args, true, make_accept);
}

int kp_cmd_reject(struct kp_session *s, struct kp_args *args)
{
	return run(s, args, false, make_reject);
}

int kp_cmd_disconnect(struct kp_session *s, struct kp_args *args)
{
	return run(s, args, false, make_disconnect);
}
