// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: the commands on identifiers of iw_cm, and the handler of their events.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kscript/kscript.h"

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

static int destroy_cm(struct ks_obj *obj)
{
	struct ks_cm *cm = to_ks_cm(obj);
	struct iw_cm_id *id = take_id(cm);

	if (!id)
		return -ENOENT;
	iw_destroy_cm_id(id);
	WRITE_ONCE(cm->gone, true);
	return 0;
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
			ks_name(KS_CM_EVENTS, event->event), new_word, event->status, depths,
			addrs);
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
	cm = ks_obj_new(sizeof(*cm), s, KS_CM, destroy_cm, name);
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

static int handler(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct ks_cm *cm = id->context, *subject = cm;
	const char *event_name = ks_name(KS_CM_EVENTS, event->event);
	struct ks_session *s = cm->obj.s;
	int ret = 0;

	ks_handler_begins(s);
	if (READ_ONCE(cm->gone)) {
		ks_report(s, "late %s %s", cm->obj.name, event_name);
		WARN(1, "kscript: late event %d\n", event->event);
		goto end;
	}
	if (event->event == IW_CM_EVENT_CONNECT_REQUEST) {
		subject = add_request(cm, id, event);
		if (IS_ERR(subject)) {
			ret = PTR_ERR(subject);
			goto end;
		}
	}
	report_event(cm, event, subject == cm ? NULL : subject->obj.name);
	ret = ks_rules_run(s, cm->obj.name, event_name, subject->obj.name);
	/* iw_cm destroys the identifier if its handler returns an error. */
	if (ret && take_id(subject))
		WRITE_ONCE(subject->gone, true);
	if (subject != cm)
		ks_obj_put(&subject->obj);
end:
	ks_handler_ends(s);
	return ret;
}

/* Returns a new identifier, which the caller releases by ks_obj_put(), or ERR_PTR. */
static struct ks_cm *make_id(struct ks_session *s, const char *name)
{
	struct ks_cm *cm;
	int ret;

	if (!rdma_protocol_iwarp(s->base.dev, rdma_start_port(s->base.dev)))
		return ERR_PTR(-EOPNOTSUPP);
	cm = ks_obj_new(sizeof(*cm), s, KS_CM, destroy_cm, name);
	if (IS_ERR(cm))
		return cm;
	cm->id = iw_create_cm_id(s->base.dev, handler, cm);
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

int ks_cmd_listen(struct ks_session *s, struct ks_args *args)
{
	u16 port = ks_needs_number(args, "port");
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	int backlog = ks_number(args, "backlog", 0);
	struct sockaddr_storage addr = {};
	struct sockaddr_in *local;
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
		/* The port has the same place in addresses of IPv6. */
		local = (struct sockaddr_in *)&id->local_addr;
		if (!ret)
			ks_report(s, "listen %s port=%u", args->name, ntohs(local->sin_port));
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

/*
 * Makes the call that the command names, with a reference to the identifier held and, if the
 * command has qp=, the QP held.
 */
static int call_on(struct ks_session *s, struct ks_cm *cm, const char *command, struct call *call)
{
	struct iw_cm_conn_param *param = &call->param;
	struct iw_cm_id *id = get_id(cm);
	struct ks_obj *qp = NULL;
	int ret = 0;

	if (!id)
		return -ENOENT;
	if (call->qp) {
		qp = ks_obj_get(s, KS_QP, call->qp);
		ret = PTR_ERR_OR_ZERO(qp);
		if (ret)
			goto rem_ref;
		param->qpn = to_ks_qp(qp)->qp->qp_num;
	}
	if (!strcmp(command, "connect")) {
		id->remote_addr = call->to;
		id->local_addr = call->from;
		if (!call->from.ss_family)
			id->local_addr.ss_family = call->to.ss_family;
		ret = iw_cm_connect(id, param);
	} else if (!strcmp(command, "accept")) {
		ret = iw_cm_accept(id, param);
	} else if (!strcmp(command, "reject")) {
		ret = iw_cm_reject(id, param->private_data, param->private_data_len);
	} else {
		ret = iw_cm_disconnect(id, call->abrupt);
	}
	if (qp)
		ks_obj_put(qp);
rem_ref:
	id->rem_ref(id);
	return ret;
}

int ks_cmd_connect(struct ks_session *s, struct ks_args *args)
{
	u16 port = ks_needs_number(args, "port");
	struct call *call = new_call(args);
	struct ks_obj *obj;
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
	obj = ks_obj_get(s, KS_CM, args->name);
	cm = IS_ERR(obj) ? ERR_CAST(obj) : to_ks_cm(obj);
	if (PTR_ERR(obj) == -ENOENT)
		cm = make_id(s, args->name);
	ret = PTR_ERR_OR_ZERO(cm);
	if (ret)
		goto free;
	ret = call_on(s, cm, args->word, call);
	ks_obj_put(&cm->obj);
free:
	kfree(call);
	return ret;
}

/* Runs "accept", "reject" or "disconnect". */
int ks_cmd_cm_call(struct ks_session *s, struct ks_args *args)
{
	struct ks_obj *obj = ks_obj_get(s, KS_CM, args->name);
	struct call *call;
	struct ks_cm *cm;
	int ret;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	cm = to_ks_cm(obj);
	ret = -ENOMEM;
	call = new_call(args);
	if (!call)
		goto put;
	call->abrupt = ks_flag(args, "abrupt");
	if (!strcmp(args->word, "accept"))
		parse_conn(args, call, cm->ird, cm->ord);
	ret = ks_args_end(args) ?: call_on(s, cm, args->word, call);
	kfree(call);
put:
	ks_obj_put(obj);
	return ret;
}
