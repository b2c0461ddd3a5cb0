/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Events of contexts.
 */
#ifndef _KRDMA_UCMA_EVENT_H_
#define _KRDMA_UCMA_EVENT_H_

#include <linux/list.h>
#include <rdma/rdma_cm.h>
#include <uapi/rdma/rdma_user_cm.h>

struct ucma_ctx;
struct ucma_file;

/**
 * struct ucma_event - an event that a process has not fetched yet
 * @entry: in ucma_file.events; empty while the event is being fetched
 * @ctx_entry: in ucma_ctx.events
 * @seq: number of the event; a thread that has fetched the event finds it again by @seq
 * @ctx: context of the event; for a CONNECT_REQUEST: the context of the listener
 * @request: context of the new identifier of a CONNECT_REQUEST, or NULL
 * @resp: the record that the process reads
 */
struct ucma_event {
	struct list_head	entry;
	struct list_head	ctx_entry;
	u64			seq;
	struct ucma_ctx		*ctx;
	struct ucma_ctx		*request;
	struct rdma_ucm_event_resp resp;
};

/*
 * Handles the events of the processes' identifiers. Returns 0 or an errno; fails only for a
 * CONNECT_REQUEST that could not be queued.
 */
int ucma_event_handler(struct rdma_cm_id *cm_id, struct rdma_cm_event *event);

/* Frees an event that is in no file's list. If the event is a connection request, rejects it. */
void ucma_event_drop(struct ucma_event *event);

/* Returns whether the file has events to fetch. Called with or without locks. */
bool ucma_event_pending(struct ucma_file *file);

#endif /* _KRDMA_UCMA_EVENT_H_ */
