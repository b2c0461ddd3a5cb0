// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: the commands on identifiers of rdma_cm, and the handler of their events.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/rdma_cm.h>

#include "tools/testing/modules/kscript/kscript.h"

/* Detaches the rdma_cm identifier, which the caller must destroy; see take_id() of cm.c. */
static struct rdma_cm_id *take_rdma_id(struct ks_rid *rid)
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

static int destroy_rid(struct ks_obj *obj)
{
	struct ks_rid *rid = to_ks_rid(obj);
	struct rdma_cm_id *id = take_rdma_id(rid);

	if (!id)
		return -ENOENT;
	wait_event(obj->s->idle, is_unused(rid));
	rdma_destroy_id(id);
	WRITE_ONCE(rid->gone, true);
	return 0;
}

static void report_rdma_event(struct ks_rid *rid, const struct rdma_cm_event *event,
			      const char *new)
{
	const struct rdma_conn_param *conn = &event->param.conn;
	char new_word[KS_NAME_LEN + 8] = "", offer[48] = "";
	bool offers = event->event == RDMA_CM_EVENT_CONNECT_REQUEST ||
		      event->event == RDMA_CM_EVENT_ESTABLISHED ||
		      event->event == RDMA_CM_EVENT_REJECTED;

	if (new)
		snprintf(new_word, sizeof(new_word), " new=%s", new);
	if (offers)
		snprintf(offer, sizeof(offer), " ird=%u ord=%u", conn->responder_resources,
			 conn->initiator_depth);
	ks_report_bytes(rid->obj.s, "pdata", conn->private_data,
			offers ? conn->private_data_len : 0, "event %s %s%s status=%d%s",
			rid->obj.name, ks_name(KS_RDMA_CM_EVENTS, event->event), new_word,
			event->status, offer);
}

/*
 * Returns a new object for the identifier of a connection request, or ERR_PTR. The caller releases
 * the object by ks_obj_put().
 */
static struct ks_rid *add_rdma_request(struct ks_rid *listener, struct rdma_cm_id *id,
				       const struct rdma_cm_event *event)
{
	struct ks_session *s = listener->obj.s;
	char name[KS_NAME_LEN];
	struct ks_rid *rid;
	int ret;

	spin_lock_irq(&s->lock);
	snprintf(name, sizeof(name), "R%u", ++s->requests);
	spin_unlock_irq(&s->lock);
	rid = ks_obj_new(sizeof(*rid), s, KS_RID, destroy_rid, name);
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

static int rdma_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct ks_rid *rid = id->context, *subject = rid;
	const char *event_name = ks_name(KS_RDMA_CM_EVENTS, event->event);
	struct ks_session *s = rid->obj.s;
	int ret = 0;

	ks_handler_begins(s);
	if (READ_ONCE(rid->gone)) {
		ks_report(s, "late %s %s", rid->obj.name, event_name);
		WARN(1, "kscript: late event %d\n", event->event);
		goto end;
	}
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		subject = add_rdma_request(rid, id, event);
		if (IS_ERR(subject)) {
			ret = PTR_ERR(subject);
			goto end;
		}
	}
	report_rdma_event(rid, event, subject == rid ? NULL : subject->obj.name);
	ret = ks_rules_run(s, rid->obj.name, event_name, subject->obj.name);
	/* rdma_cm destroys the identifier if its handler returns an error. */
	if (ret && take_rdma_id(subject))
		WRITE_ONCE(subject->gone, true);
	if (subject != rid)
		ks_obj_put(&subject->obj);
end:
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

int ks_cmd_rid(struct ks_session *s, struct ks_args *args)
{
	const char *space = ks_arg(args, "ps") ?: "tcp";
	struct ks_rid *rid;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(spaces); i++)
		if (!strcmp(space, spaces[i].word))
			break;
	if (ks_args_end(args) || i == ARRAY_SIZE(spaces))
		return -EINVAL;
	rid = ks_obj_new(sizeof(*rid), s, KS_RID, destroy_rid, args->name);
	if (IS_ERR(rid))
		return PTR_ERR(rid);
	rid->id = rdma_create_id(rdma_dev_net(s->base.dev), rdma_handler, rid, spaces[i].ps,
				 IB_QPT_RC);
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
struct rdma_call {
	struct sockaddr_storage addr;
	struct sockaddr_storage src;
	struct rdma_conn_param param;
	const char *qp;
	unsigned long ms;
	int backlog;
	int reuse;
	int afonly;
	int tos;
	u8 pdata[KS_MAX_PDATA];
};

static int report_address(struct ks_rid *rid, struct rdma_cm_id *id)
{
	ks_report(rid->obj.s, "rid %s dev=%s src=%pISpc dst=%pISpc", rid->obj.name,
		  id->device ? dev_name(&id->device->dev) : "none", &id->route.addr.src_addr,
		  &id->route.addr.dst_addr);
	return 0;
}

static int set_options(struct rdma_cm_id *id, const struct rdma_call *call)
{
	int ret = 0;

	if (call->reuse >= 0)
		ret = rdma_set_reuseaddr(id, call->reuse);
	if (!ret && call->afonly >= 0)
		ret = rdma_set_afonly(id, call->afonly);
	if (!ret && call->tos >= 0)
		rdma_set_service_type(id, call->tos);
	return ret;
}

/* Options that "rset" does not name become -1, which set_options() takes as "unchanged". */
static void parse_call(struct ks_rid *rid, struct ks_args *args, struct rdma_call *call)
{
	const char *word = args->word;
	bool offers = !strcmp(word, "rconnect") || !strcmp(word, "raccept");

	if (offers || !strcmp(word, "rreject")) {
		call->param.private_data_len = ks_bytes(args, "pdata", call->pdata, U8_MAX);
		call->param.private_data = call->param.private_data_len ? call->pdata : NULL;
	}
	if (offers) {
		call->qp = ks_arg(args, "qp");
		call->param.responder_resources = ks_number(args, "ird", rid->ird);
		call->param.initiator_depth = ks_number(args, "ord", rid->ord);
	} else if (!strcmp(word, "rbind") || !strcmp(word, "rresolve")) {
		ks_address(args, "addr", 0, &call->addr);
		ks_address(args, "src", 0, &call->src);
		call->ms = ks_number(args, "ms", 8000);
	} else if (!strcmp(word, "rlisten")) {
		call->backlog = ks_number(args, "backlog", 0);
	} else if (!strcmp(word, "rset")) {
		call->reuse = ks_number(args, "reuse", -1);
		call->afonly = ks_number(args, "afonly", -1);
		call->tos = ks_number(args, "tos", -1);
	}
}

/*
 * Connects or accepts, with the QP held if the command has qp=. Takes the identifier's handler lock
 * before ks_obj.use of the QP. A command of a handler takes the locks in the same order, because
 * rdma_cm calls the handler with the handler lock held.
 */
static int offer(struct ks_rid *rid, struct rdma_cm_id *id, const struct ks_args *args,
		 struct rdma_call *call)
{
	struct ks_obj *qp = NULL;
	int ret;

	if (!args->in_handler)
		rdma_lock_handler(id);
	if (call->qp)
		qp = ks_obj_get(rid->obj.s, KS_QP, call->qp);
	ret = PTR_ERR_OR_ZERO(qp);
	if (!ret) {
		if (qp)
			call->param.qp_num = to_ks_qp(qp)->qp->qp_num;
		ret = strcmp(args->word, "raccept") ? rdma_connect_locked(id, &call->param) :
						      rdma_accept(id, &call->param);
		if (qp)
			ks_obj_put(qp);
	}
	if (!args->in_handler)
		rdma_unlock_handler(id);
	return ret;
}

/*
 * Creates a QP by rdma_create_qp(), checks that a second QP is refused, and destroys the QP.
 * Returns -EEXIST if the second QP was not refused with -EINVAL.
 */
static int use_qp(struct ks_rid *rid, struct rdma_cm_id *id)
{
	struct ib_qp_init_attr ignored, init = {
		.qp_type = IB_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ks_session *s = rid->obj.s;
	struct ib_qp_attr attr = {};
	struct ib_cq *cq;
	int ret;

	cq = ib_alloc_cq_any(s->base.dev, NULL, 8, IB_POLL_WORKQUEUE);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	init.send_cq = cq;
	init.recv_cq = cq;
	ret = rdma_create_qp(id, s->pd, &init);
	if (ret)
		goto free_cq;
	if (rdma_create_qp(id, s->pd, &init) != -EINVAL)
		ret = -EEXIST;
	if (!ret)
		ret = ib_query_qp(id->qp, &attr, IB_QP_STATE | IB_QP_PORT, &ignored);
	rdma_destroy_qp(id);
	if (!ret)
		ks_report(s, "rqp %s state=%s port=%u", rid->obj.name,
			  ks_name(KS_STATES, attr.qp_state), attr.port_num);
free_cq:
	ib_free_cq(cq);
	return ret;
}

static int make_call(struct ks_rid *rid, struct rdma_cm_id *id, const struct ks_args *args,
		     struct rdma_call *call)
{
	struct sockaddr *src = call->src.ss_family ? (struct sockaddr *)&call->src : NULL;
	struct sockaddr *addr = (struct sockaddr *)&call->addr;
	const char *word = args->word;

	if (!strcmp(word, "rbind"))
		return rdma_bind_addr(id, addr) ?: report_address(rid, id);
	if (!strcmp(word, "rresolve"))
		return rdma_resolve_addr(id, src, addr, call->ms);
	if (!strcmp(word, "rroute"))
		return rdma_resolve_route(id, 2000);
	if (!strcmp(word, "rlisten"))
		return rdma_listen(id, call->backlog) ?: report_address(rid, id);
	if (!strcmp(word, "rquery"))
		return report_address(rid, id);
	if (!strcmp(word, "rset"))
		return set_options(id, call);
	if (!strcmp(word, "rqp"))
		return use_qp(rid, id);
	if (!strcmp(word, "rreject"))
		return rdma_reject(id, call->param.private_data, call->param.private_data_len, 0);
	if (!strcmp(word, "rdisconnect"))
		return rdma_disconnect(id);
	return offer(rid, id, args, call);
}

/* Runs a command with the identifier counted as used, so that it is not destroyed meanwhile. */
int ks_cmd_rid_call(struct ks_session *s, struct ks_args *args)
{
	struct ks_obj *obj = ks_obj_get(s, KS_RID, args->name);
	struct rdma_cm_id *id;
	struct ks_rid *rid;
	struct rdma_call *call;
	int ret = -ENOMEM;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rid = to_ks_rid(obj);
	call = kzalloc(sizeof(*call), GFP_KERNEL);
	if (!call)
		goto put;
	parse_call(rid, args, call);
	ret = ks_args_end(args);
	if (ret)
		goto free;

	spin_lock_irq(&s->lock);
	id = rid->id;
	if (id)
		rid->users++;
	spin_unlock_irq(&s->lock);
	ret = -ENOENT;
	if (!id)
		goto free;
	ret = make_call(rid, id, args, call);
	spin_lock_irq(&s->lock);
	rid->users--;
	wake_up_all(&s->idle);
	spin_unlock_irq(&s->lock);
free:
	kfree(call);
put:
	ks_obj_put(obj);
	return ret;
}
