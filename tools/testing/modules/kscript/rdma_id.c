// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: the commands on identifiers of rdma_cm, and the handler of their events.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/rdma_cm.h>

#include "tools/testing/modules/kscript/kscript.h"

static struct ks_rid *to_rid(struct ks_obj *obj)
{
	return container_of(obj, struct ks_rid, obj);
}

static struct ks_rid *new_rid(struct ks_session *s, const char *name)
{
	struct ks_rid *rid = kzalloc(sizeof(*rid), GFP_KERNEL);
	int ret;

	if (!rid)
		return ERR_PTR(-ENOMEM);
	ret = ks_obj_init(&rid->obj, s, KS_RID, name);
	if (ret) {
		kfree(rid);
		return ERR_PTR(ret);
	}
	return rid;
}

void ks_rid_free(struct ks_obj *obj)
{
	kfree(to_rid(obj));
}

/* Detaches the rdma_cm identifier, which the caller must destroy; see take_id() of cm.c. */
static struct rdma_cm_id *take_id(struct ks_rid *rid)
{
	struct ks_session *s = rid->obj.s;
	struct rdma_cm_id *id;

	spin_lock_irq(&s->lock);
	id = rid->id;
	rid->id = NULL;
	if (id)
		list_move_tail(&rid->obj.entry, &s->deferred);
	spin_unlock_irq(&s->lock);
	return id;
}

static bool is_unused(struct ks_rid *rid)
{
	bool unused;

	spin_lock_irq(&rid->obj.s->lock);
	unused = !rid->users;
	spin_unlock_irq(&rid->obj.s->lock);
	return unused;
}

int ks_rid_destroy(struct ks_obj *obj)
{
	struct ks_rid *rid = to_rid(obj);
	struct rdma_cm_id *id = take_id(rid);

	if (!id)
		return -ENOENT;
	wait_event(obj->s->idle, is_unused(rid));
	rdma_destroy_id(id);
	WRITE_ONCE(rid->gone, true);
	return 0;
}

/*
 * Returns the identifier, or NULL if it is detached, and keeps it from being destroyed until
 * put_id().
 */
static struct rdma_cm_id *get_id(struct ks_rid *rid)
{
	struct rdma_cm_id *id;

	spin_lock_irq(&rid->obj.s->lock);
	id = rid->id;
	if (id)
		rid->users++;
	spin_unlock_irq(&rid->obj.s->lock);
	return id;
}

static void put_id(struct ks_rid *rid)
{
	struct ks_session *s = rid->obj.s;

	spin_lock_irq(&s->lock);
	rid->users--;
	wake_up_all(&s->idle);
	spin_unlock_irq(&s->lock);
}

static bool has_offer(enum rdma_cm_event_type event)
{
	return event == RDMA_CM_EVENT_CONNECT_REQUEST || event == RDMA_CM_EVENT_ESTABLISHED ||
	       event == RDMA_CM_EVENT_REJECTED;
}

static void report_event(struct ks_rid *rid, const struct rdma_cm_event *event, const char *new)
{
	const struct rdma_conn_param *conn = &event->param.conn;
	char new_word[KS_NAME_LEN + 8] = "", offer[48] = "";
	bool offers = has_offer(event->event);

	if (new)
		snprintf(new_word, sizeof(new_word), " new=%s", new);
	if (offers)
		snprintf(offer, sizeof(offer), " ird=%u ord=%u", conn->responder_resources,
			 conn->initiator_depth);
	ks_report_bytes(rid->obj.s, "pdata", conn->private_data,
			offers ? conn->private_data_len : 0, "event %s %s%s status=%d%s",
			rid->obj.name, ks_rdma_cm_event_name(event->event), new_word,
			event->status, offer);
}

/*
 * Returns a new object for the identifier of a connection request, or ERR_PTR. The caller releases
 * the object by ks_obj_put().
 */
static struct ks_rid *add_request(struct ks_rid *listener, struct rdma_cm_id *id,
				  const struct rdma_cm_event *event)
{
	struct ks_session *s = listener->obj.s;
	char name[KS_NAME_LEN];
	struct ks_rid *rid;
	int ret;

	spin_lock_irq(&s->lock);
	snprintf(name, sizeof(name), "R%u", ++s->requests);
	spin_unlock_irq(&s->lock);
	rid = new_rid(s, name);
	if (IS_ERR(rid))
		return rid;
	rid->id = id;
	rid->ird = event->param.conn.responder_resources;
	rid->ord = event->param.conn.initiator_depth;
	id->context = rid;
	ret = ks_obj_add(&rid->obj);
	if (!ret)
		return rid;
	kfree(rid);
	return ERR_PTR(ret);
}

/*
 * Called at the end of a handler that returns @ret. If @ret is not 0, detaches the identifier,
 * because rdma_cm then destroys it. Returns @ret.
 */
static int finish(struct ks_rid *rid, int ret)
{
	if (ret && take_id(rid))
		WRITE_ONCE(rid->gone, true);
	return ret;
}

static bool is_late(struct ks_rid *rid, const struct rdma_cm_event *event)
{
	if (!READ_ONCE(rid->gone))
		return false;
	ks_report(rid->obj.s, "late %s %s", rid->obj.name, ks_rdma_cm_event_name(event->event));
	WARN(1, "kscript: late event %d\n", event->event);
	return true;
}

static int handle_request(struct ks_rid *listener, struct rdma_cm_id *id,
			  struct rdma_cm_event *event)
{
	struct ks_rid *rid = add_request(listener, id, event);
	int ret;

	if (IS_ERR(rid))
		return PTR_ERR(rid);
	report_event(listener, event, rid->obj.name);
	ret = ks_rules_run(listener->obj.s, listener->obj.name,
			   ks_rdma_cm_event_name(event->event), rid->obj.name);
	ret = finish(rid, ret);
	ks_obj_put(&rid->obj);
	return ret;
}

static int handle_other(struct ks_rid *rid, struct rdma_cm_event *event)
{
	int ret;

	report_event(rid, event, NULL);
	ret = ks_rules_run(rid->obj.s, rid->obj.name, ks_rdma_cm_event_name(event->event),
			   rid->obj.name);
	return finish(rid, ret);
}

static int handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct ks_rid *rid = id->context;
	struct ks_session *s = rid->obj.s;
	int ret = 0;

	ks_handler_begins(s);
	if (!is_late(rid, event))
		ret = event->event == RDMA_CM_EVENT_CONNECT_REQUEST ?
		      handle_request(rid, id, event) : handle_other(rid, event);
	ks_handler_ends(s);
	return ret;
}

static const struct {
	const char *word;
	enum rdma_ucm_port_space ps;
} spaces[] = {
	{ "tcp", RDMA_PS_TCP },
	{ "udp", RDMA_PS_UDP },
	{ "ib", RDMA_PS_IB },
	{ "ipoib", RDMA_PS_IPOIB },
};

static enum rdma_ucm_port_space space_of(struct ks_args *args)
{
	const char *word = ks_arg(args, "ps") ?: "tcp";
	int i;

	for (i = 0; i < ARRAY_SIZE(spaces); i++)
		if (!strcmp(word, spaces[i].word))
			return spaces[i].ps;
	args->bad = true;
	return 0;
}

int ks_cmd_rid(struct ks_session *s, struct ks_args *args)
{
	enum rdma_ucm_port_space ps = space_of(args);
	struct ks_rid *rid;
	int ret;

	if (ks_args_end(args))
		return -EINVAL;
	rid = new_rid(s, args->name);
	if (IS_ERR(rid))
		return PTR_ERR(rid);
	rid->id = rdma_create_id(rdma_dev_net(s->dev), handler, rid, ps, IB_QPT_RC);
	ret = PTR_ERR_OR_ZERO(rid->id);
	if (ret)
		goto free_rid;
	ret = ks_obj_add(&rid->obj);
	if (ret)
		goto destroy_id;
	ks_obj_put(&rid->obj);
	return 0;

destroy_id:
	rdma_destroy_id(rid->id);
free_rid:
	kfree(rid);
	return ret;
}

/* Arguments of a command; each command parses only the arguments that it takes. */
struct call {
	struct sockaddr_storage addr;
	struct sockaddr_storage src;
	struct rdma_conn_param param;
	const char *qp;
	int number[3];
	bool in_handler;
	u8 pdata[KS_MAX_PDATA];
};

/* Runs one of the commands below on an existing identifier. */
static int run(struct ks_session *s, struct ks_args *args,
	       void (*parse)(struct ks_rid *rid, struct ks_args *args, struct call *call),
	       int (*make)(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call))
{
	struct ks_obj *obj = ks_obj_get(s, KS_RID, args->name);
	struct rdma_cm_id *id;
	struct call *call;
	int ret = -ENOMEM;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	call = kzalloc(sizeof(*call), GFP_KERNEL);
	if (!call)
		goto put;
	call->in_handler = args->in_handler;
	if (parse)
		parse(to_rid(obj), args, call);
	ret = ks_args_end(args);
	if (ret)
		goto free;
	ret = -ENOENT;
	id = get_id(to_rid(obj));
	if (!id)
		goto free;
	ret = make(to_rid(obj), id, call);
	put_id(to_rid(obj));
free:
	kfree(call);
put:
	ks_obj_put(obj);
	return ret;
}

static void parse_address(struct ks_rid *rid, struct ks_args *args, struct call *call)
{
	ks_address(args, "addr", 0, &call->addr);
	ks_address(args, "src", 0, &call->src);
	call->number[0] = ks_number(args, "ms", 8000);
}

static int report_address(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	ks_report(rid->obj.s, "rid %s dev=%s src=%pISpc dst=%pISpc", rid->obj.name,
		  id->device ? dev_name(&id->device->dev) : "none", &id->route.addr.src_addr,
		  &id->route.addr.dst_addr);
	return 0;
}

static int make_bind(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	return rdma_bind_addr(id, (struct sockaddr *)&call->addr) ?: report_address(rid, id, call);
}

static int make_resolve(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	struct sockaddr *src = call->src.ss_family ? (struct sockaddr *)&call->src : NULL;

	return rdma_resolve_addr(id, src, (struct sockaddr *)&call->addr, call->number[0]);
}

static int make_route(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	return rdma_resolve_route(id, 2000);
}

static void parse_listen(struct ks_rid *rid, struct ks_args *args, struct call *call)
{
	call->number[0] = ks_number(args, "backlog", 0);
}

static int make_listen(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	return rdma_listen(id, call->number[0]) ?: report_address(rid, id, call);
}

/* Options that the command does not name become -1, which make_set() takes as "unchanged". */
static void parse_set(struct ks_rid *rid, struct ks_args *args, struct call *call)
{
	call->number[0] = ks_number(args, "reuse", -1);
	call->number[1] = ks_number(args, "afonly", -1);
	call->number[2] = ks_number(args, "tos", -1);
}

static int make_set(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	int ret = 0;

	if (call->number[0] >= 0)
		ret = rdma_set_reuseaddr(id, call->number[0]);
	if (!ret && call->number[1] >= 0)
		ret = rdma_set_afonly(id, call->number[1]);
	if (!ret && call->number[2] >= 0)
		rdma_set_service_type(id, call->number[2]);
	return ret;
}

static void parse_pdata(struct ks_rid *rid, struct ks_args *args, struct call *call)
{
	call->param.private_data_len = ks_bytes(args, "pdata", call->pdata, U8_MAX);
	call->param.private_data = call->param.private_data_len ? call->pdata : NULL;
}

static void parse_conn(struct ks_rid *rid, struct ks_args *args, struct call *call)
{
	parse_pdata(rid, args, call);
	call->qp = ks_arg(args, "qp");
	call->param.responder_resources = ks_number(args, "ird", rid->ird);
	call->param.initiator_depth = ks_number(args, "ord", rid->ord);
}

/* Calls @make, with the QP held if the command has qp=. */
static int with_qp(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call,
		   int (*make)(struct rdma_cm_id *id, struct rdma_conn_param *param))
{
	struct ks_obj *qp;
	int ret;

	if (!call->qp)
		return make(id, &call->param);
	qp = ks_obj_get(rid->obj.s, KS_QP, call->qp);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	call->param.qp_num = container_of(qp, struct ks_qp, obj)->qp->qp_num;
	ret = make(id, &call->param);
	ks_obj_put(qp);
	return ret;
}

/*
 * Takes the identifier's handler lock before ks_obj.use of the QP. A command of a handler takes the
 * locks in the same order, because rdma_cm calls the handler with the handler lock held.
 */
static int with_handler_locked(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call,
			       int (*make)(struct rdma_cm_id *id, struct rdma_conn_param *param))
{
	int ret;

	if (call->in_handler)
		return with_qp(rid, id, call, make);
	rdma_lock_handler(id);
	ret = with_qp(rid, id, call, make);
	rdma_unlock_handler(id);
	return ret;
}

static int make_connect(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	return with_handler_locked(rid, id, call, rdma_connect_locked);
}

static int make_accept(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	return with_handler_locked(rid, id, call, rdma_accept);
}

static int make_reject(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	return rdma_reject(id, call->param.private_data, call->param.private_data_len, 0);
}

static int make_disconnect(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	return rdma_disconnect(id);
}

/*
 * Creates a QP by rdma_create_qp(), checks that a second QP is refused, and destroys the QP.
 * Returns -EEXIST if the second QP was not refused with -EINVAL.
 */
static int use_qp(struct ks_rid *rid, struct rdma_cm_id *id, struct ib_pd *pd,
		  struct ib_qp_init_attr *init)
{
	struct ib_qp_init_attr ignored;
	struct ib_qp_attr attr = {};
	int ret;

	ret = rdma_create_qp(id, pd, init);
	if (ret)
		return ret;
	if (rdma_create_qp(id, pd, init) != -EINVAL)
		ret = -EEXIST;
	if (!ret)
		ret = ib_query_qp(id->qp, &attr, IB_QP_STATE | IB_QP_PORT, &ignored);
	rdma_destroy_qp(id);
	if (!ret)
		ks_report(rid->obj.s, "rqp %s state=%s port=%u", rid->obj.name,
			  ks_state_name(attr.qp_state), attr.port_num);
	return ret;
}

static int make_qp(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ks_session *s = rid->obj.s;
	struct ib_cq *cq;
	int ret;

	cq = ib_alloc_cq_any(s->dev, NULL, 8, IB_POLL_WORKQUEUE);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	init.send_cq = cq;
	init.recv_cq = cq;
	ret = use_qp(rid, id, s->pd, &init);
	ib_free_cq(cq);
	return ret;
}

static const struct {
	const char *word;
	void (*parse)(struct ks_rid *rid, struct ks_args *args, struct call *call);
	int (*make)(struct ks_rid *rid, struct rdma_cm_id *id, struct call *call);
} calls[] = {
	{ "raccept", parse_conn, make_accept },
	{ "rbind", parse_address, make_bind },
	{ "rconnect", parse_conn, make_connect },
	{ "rdisconnect", NULL, make_disconnect },
	{ "rlisten", parse_listen, make_listen },
	{ "rqp", NULL, make_qp },
	{ "rquery", NULL, report_address },
	{ "rreject", parse_pdata, make_reject },
	{ "rresolve", parse_address, make_resolve },
	{ "rroute", NULL, make_route },
	{ "rset", parse_set, make_set },
};

int ks_cmd_rid_call(struct ks_session *s, struct ks_args *args)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].word, args->word))
			return run(s, args, calls[i].parse, calls[i].make);
	return -EINVAL;
}
