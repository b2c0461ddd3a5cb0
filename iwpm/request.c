// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests to the daemon. A request is in the list of its namespace until it ends: when it is
 * answered or times out, when the daemon is removed, or when the namespace goes away. The thread
 * that removes a request from the list, with iwpm_net.lock held, sets its result.
 */
#include <linux/slab.h>

#include "iwpm/request.h"
#include "iwpm/iwpm.h"

struct iwpm_request *iwpm_request_new(u16 op)
{
	struct iwpm_request *req = kzalloc(sizeof(*req), GFP_KERNEL);

	if (!req)
		return NULL;
	kref_init(&req->ref);
	INIT_LIST_HEAD(&req->entry);
	req->op = op;
	iwpm_result_init(&req->ended);
	return req;
}

static void free_request(struct kref *ref)
{
	kfree(container_of(ref, struct iwpm_request, ref));
}

void iwpm_request_put(struct iwpm_request *req)
{
	kref_put(&req->ref, free_request);
}

void iwpm_request_add(struct iwpm_net *ns, struct iwpm_request *req)
{
	lockdep_assert_held(&ns->lock);
	/* No request gets the number 0: messages that answer no request have that number. */
	do {
		req->seq = ns->next_seq++;
	} while (!req->seq);
	list_add_tail(&req->entry, &ns->requests);
	if (ns->dead)
		iwpm_request_end(ns, req, -ENODEV);
}

struct iwpm_request *iwpm_request_find(struct iwpm_net *ns, u32 seq)
{
	struct iwpm_request *req;

	lockdep_assert_held(&ns->lock);
	list_for_each_entry(req, &ns->requests, entry)
		if (req->seq == seq)
			return req;
	return NULL;
}

struct iwpm_request *iwpm_request_find_op(struct iwpm_net *ns, u16 op)
{
	struct iwpm_request *req;

	lockdep_assert_held(&ns->lock);
	list_for_each_entry(req, &ns->requests, entry)
		if (req->op == op)
			return req;
	return NULL;
}

void iwpm_request_end(struct iwpm_net *ns, struct iwpm_request *req, int result)
{
	lockdep_assert_held(&ns->lock);
	if (list_empty(&req->entry))
		return;
	list_del_init(&req->entry);
	req->result = result;
	iwpm_result_set(&req->ended);
}

void iwpm_request_end_all(struct iwpm_net *ns, int result)
{
	struct iwpm_request *req, *next;

	lockdep_assert_held(&ns->lock);
	list_for_each_entry_safe(req, next, &ns->requests, entry)
		iwpm_request_end(ns, req, result);
}
