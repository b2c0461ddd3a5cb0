// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Connection endpoints: their life, their events, and what iw_cm is told.
 */
#include <linux/slab.h>
#include <trace/events/siw.h>
#include <net/sock.h>

#include "drivers/siw/siw.h"
#include "drivers/siw/siw_cep.h"
#include "drivers/siw/siw_listen.h"
#include "drivers/siw/siw_qp.h"
#include "drivers/siw/siw_sock.h"

/* Unbound: the setups of different connections run in parallel, wherever there is room. */
struct workqueue_struct *siw_cm_wq;

void siw_cep_get(struct siw_cep *cep)
{
	kref_get(&cep->ref);
}

static void free_cep(struct kref *ref)
{
	struct siw_cep *cep = container_of(ref, struct siw_cep, ref);

	WARN_ON(cep->sock || cep->qp || cep->cm_id);
	kfree(cep->hs);
	kfree(cep);
}

void siw_cep_put(struct siw_cep *cep)
{
	kref_put(&cep->ref, free_cep);
}

void siw_cep_raise(struct siw_cep *cep, enum siw_cep_event event)
{
	set_bit(event, &cep->pending);
	siw_cep_get(cep);
	/* When it is queued already, that run sees the bit: queue_work() orders the two. */
	if (!queue_work(siw_cm_wq, &cep->work))
		siw_cep_put(cep);
}

static void cep_stream_event(void *owner, enum siw_stream_event event)
{
	siw_cep_raise(owner, SIW_CEP_STREAM + event);
}

static void cep_stream_get(void *owner)
{
	siw_cep_get(owner);
}

static void cep_stream_put(void *owner)
{
	siw_cep_put(owner);
}

const struct siw_stream_ops siw_cep_stream_ops = {
	.event = cep_stream_event,
	.get = cep_stream_get,
	.put = cep_stream_put,
};

void siw_cep_closing(struct siw_cep *cep)
{
	siw_cep_raise(cep, SIW_CEP_CLOSING);
}

void siw_cep_abort(struct siw_cep *cep)
{
	siw_cep_raise(cep, SIW_CEP_ABORT);
}

/*
 * The socket's callbacks, in any context. While sk_user_data is set the endpoint has its first
 * reference.
 */
static void socket_changed(struct sock *sk)
{
	struct siw_cep *cep;

	read_lock_bh(&sk->sk_callback_lock);
	cep = __locked_read_sk_user_data_with_flags(sk, 0);
	if (cep)
		siw_cep_raise(cep, SIW_CEP_SOCKET);
	read_unlock_bh(&sk->sk_callback_lock);
}

void siw_cep_attach(struct siw_cep *cep)
{
	struct sock *sk = cep->sock->sk;

	lockdep_assert_held(&cep->lock);
	write_lock_bh(&sk->sk_callback_lock);
	cep->saved.state_change = sk->sk_state_change;
	cep->saved.data_ready = sk->sk_data_ready;
	cep->saved.error_report = sk->sk_error_report;
	sk->sk_state_change = socket_changed;
	sk->sk_data_ready = socket_changed;
	sk->sk_error_report = socket_changed;
	rcu_assign_sk_user_data(sk, cep);
	write_unlock_bh(&sk->sk_callback_lock);
}

static void cep_detach_sock(struct siw_cep *cep)
{
	struct sock *sk = cep->sock->sk;

	if (!cep->saved.state_change)
		return;
	/* With the socket locked no callback is running in softirq context. */
	lock_sock(sk);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_state_change = cep->saved.state_change;
	sk->sk_data_ready = cep->saved.data_ready;
	sk->sk_error_report = cep->saved.error_report;
	rcu_assign_sk_user_data(sk, NULL);
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

void siw_cep_release_socket(struct siw_cep *cep, bool abort)
{
	lockdep_assert_held(&cep->lock);
	if (!cep->sock)
		return;
	cep_detach_sock(cep);
	memset(&cep->saved, 0, sizeof(cep->saved));
	siw_sock_release(cep->sock, abort);
	cep->sock = NULL;
}

static void timer_fired(struct timer_list *timer)
{
	struct siw_cep *cep = from_timer(cep, timer, timer);

	siw_cep_raise(cep, SIW_CEP_TIMEOUT);
	siw_cep_put(cep);
}

void siw_cep_set_deadline(struct siw_cep *cep, unsigned int ms)
{
	lockdep_assert_held(&cep->lock);
	cep->deadline = jiffies + msecs_to_jiffies(ms);
	siw_cep_get(cep);
	if (mod_timer(&cep->timer, cep->deadline))
		siw_cep_put(cep);
}

void siw_cep_clear_deadline(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	/* It may have fired, and SIW_CEP_TIMEOUT be on its way: not for what comes now. */
	cep->deadline = jiffies + MAX_JIFFY_OFFSET;
	if (del_timer_sync(&cep->timer))
		siw_cep_put(cep);
}

int siw_cep_bind(struct siw_cep *cep, u32 qpn)
{
	struct siw_qp *qp = siw_qp_find(cep->dev, qpn);
	int err;

	lockdep_assert_held(&cep->lock);
	if (!qp)
		return -EINVAL;
	siw_cep_get(cep);
	err = siw_qp_bind(qp, cep);
	if (err) {
		siw_cep_put(cep);
		siw_qp_put(qp);
		return err;
	}
	cep->qp = qp;
	return 0;
}

void siw_cep_unbind(struct siw_cep *cep)
{
	struct siw_qp *qp = cep->qp;

	lockdep_assert_held(&cep->lock);
	if (!qp)
		return;
	cep->qp = NULL;
	/* A QP that was never connected stays as it is, and may be used for another try. */
	if (cep->state >= SIW_CEP_AWAIT_RTR) {
		siw_stream_stop(qp);
		cep->terminated = siw_stream_terminating(qp);
	}
	if (siw_qp_unbind(qp, cep))
		siw_cep_put(cep);
	siw_qp_put(qp);
}

bool siw_cep_terminating(const struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	return cep->qp ? siw_stream_terminating(cep->qp) : cep->terminated;
}

void siw_cep_qp_gone(struct siw_cep *cep, struct siw_qp *qp)
{
	struct iw_cm_id *cm_id = NULL;

	mutex_lock(&cep->lock);
	if (cep->qp == qp)
		siw_cep_unbind(cep);
	if (cep->cm_id) {
		cm_id = cep->cm_id;
		cm_id->add_ref(cm_id);
	}
	mutex_unlock(&cep->lock);

	siw_cep_raise(cep, SIW_CEP_QP_GONE);
	if (cm_id) {
		iw_cm_unbind_qp(cm_id, &qp->base);
		cm_id->rem_ref(cm_id);
	}
}

/* Last: the device and its namespace may go as soon as nothing is listed any more. */
static void leave_device(struct siw_cep *cep)
{
	struct siw_device *dev = cep->dev;
	const struct net *net = cep->net;

	spin_lock(&dev->cm_lock);
	list_del(&cep->dev_entry);
	if (list_empty(&dev->ceps))
		wake_up_all(&dev->cm_idle);
	spin_unlock(&dev->cm_lock);
	siw_net_put(net);
}

void siw_cep_close(struct siw_cep *cep, bool abort)
{
	lockdep_assert_held(&cep->lock);
	siw_cep_clear_deadline(cep);
	siw_cep_unbind(cep);
	if (cep->listener) {
		siw_listener_drop(cep->listener, cep);
		cep->listener = NULL;
	}
	siw_cep_release_socket(cep, abort);
	cep->state = SIW_CEP_CLOSED;
	leave_device(cep);
	siw_cep_put(cep);
}

void siw_cep_linger(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	cep->state = SIW_CEP_LINGER;
	kernel_sock_shutdown(cep->sock, SHUT_WR);
	siw_cep_set_deadline(cep, SIW_CLOSE_MS);
	/* It may have closed before there was anybody to hear of it. */
	siw_cep_raise(cep, SIW_CEP_SOCKET);
}

/* What came of the handshake; private data are in the frame that the event tells of. */
static void fill_event(const struct siw_handshake *hs, struct iw_cm_event *event)
{
	event->local_addr = hs->local;
	event->remote_addr = hs->remote;
	event->ird = hs->agreement.ird;
	event->ord = hs->agreement.ord;
	if (event->event != IW_CM_EVENT_ESTABLISHED) {
		event->private_data = (void *)hs->peer.pd;
		event->private_data_len = hs->peer.pd_len;
	}
}

/* iw_cm copies what it is told of before it returns. */
static int cep_deliver(struct siw_cep *cep, struct iw_cm_id *cm_id, enum iw_cm_event_type type)
{
	struct iw_cm_event event = {
		.event = type,
		.status = cep->status[type],
		.provider_data = cep,
	};

	if (type <= IW_CM_EVENT_ESTABLISHED)
		fill_event(cep->hs, &event);
	trace_siw_cm_event(cm_id, &event, event.remote_addr.ss_family ? &event.remote_addr :
								      &cm_id->m_remote_addr);
	return cm_id->event_handler(cm_id, &event);
}

/* iw_cm would not have the request. */
static void refused(struct siw_cep *cep)
{
	siw_count(cep->dev, SIW_BACKLOG_DROPS);
	mutex_lock(&cep->lock);
	if (cep->state == SIW_CEP_REQUESTED)
		siw_hs_reject(cep, NULL, 0);
	mutex_unlock(&cep->lock);
}

static void deliver_connect_request(struct siw_cep *cep)
{
	struct siw_listener *listener = cep->listener;
	struct iw_cm_id *cm_id = siw_listener_begin_request(listener, cep);

	if (!cm_id) {
		mutex_lock(&cep->lock);
		siw_cep_close(cep, true);
		mutex_unlock(&cep->lock);
		return;
	}
	cep->listener = NULL;
	siw_cep_get(cep);
	if (cep_deliver(cep, cm_id, IW_CM_EVENT_CONNECT_REQUEST)) {
		refused(cep);
		siw_cep_put(cep);
	}
	siw_listener_end_request(listener, cep);
}

/* A connection that did not come about ends with the reply that says so. */
static bool is_last(enum iw_cm_event_type type, int status)
{
	return type == IW_CM_EVENT_CLOSE || (type <= IW_CM_EVENT_ESTABLISHED && status);
}

static void deliver_iw_events(struct siw_cep *cep, unsigned long due)
{
	struct iw_cm_id *cm_id = cep->cm_id;
	int type;

	for_each_set_bit(type, &due, SIW_NUM_IW_EVENTS) {
		if (type == IW_CM_EVENT_CONNECT_REQUEST) {
			deliver_connect_request(cep);
			continue;
		}
		cep_deliver(cep, cm_id, type);
		if (!is_last(type, cep->status[type]))
			continue;
		mutex_lock(&cep->lock);
		cep->cm_id = NULL;
		mutex_unlock(&cep->lock);
		cm_id->rem_ref(cm_id);
		break;
	}
}

/* The first bytes of the stream are its engine's; what the handshake has left is needed no more. */
static void forget_handshake(struct siw_cep *cep)
{
	mutex_lock(&cep->lock);
	if (cep->state >= SIW_CEP_RDMA && !cep->due) {
		kfree(cep->hs);
		cep->hs = NULL;
	}
	mutex_unlock(&cep->lock);
}

typedef void (*siw_cep_handler)(struct siw_cep *cep);

/* What is not in the table is of no importance in that state. */
static const siw_cep_handler handlers[SIW_CEP_NUM_STATES][SIW_CEP_NUM_EVENTS] = {
	[SIW_CEP_CONNECTING] = {
		[SIW_CEP_SOCKET]		 = siw_hs_connected,
		[SIW_CEP_QP_GONE]		 = siw_hs_connect_killed,
		[SIW_CEP_TIMEOUT]		 = siw_hs_connect_timeout,
		[SIW_CEP_ABORT]			 = siw_hs_connect_killed,
		[SIW_CEP_KILL]			 = siw_hs_connect_killed,
	},
	[SIW_CEP_AWAIT_REPLY] = {
		[SIW_CEP_SOCKET]		 = siw_hs_reply,
		[SIW_CEP_QP_GONE]		 = siw_hs_connect_killed,
		[SIW_CEP_TIMEOUT]		 = siw_hs_connect_timeout,
		[SIW_CEP_ABORT]			 = siw_hs_connect_killed,
		[SIW_CEP_KILL]			 = siw_hs_connect_killed,
	},
	[SIW_CEP_AWAIT_REQUEST] = {
		[SIW_CEP_SOCKET]		 = siw_hs_request,
		[SIW_CEP_TIMEOUT]		 = siw_hs_request_timeout,
		[SIW_CEP_KILL]			 = siw_close_now,
	},
	[SIW_CEP_REQUESTED] = {
		[SIW_CEP_SOCKET]		 = siw_hs_peer_left,
		[SIW_CEP_KILL]			 = siw_hs_gone,
	},
	[SIW_CEP_AWAIT_RTR] = {
		[SIW_CEP_ACCEPTED]		 = siw_hs_established,
		[SIW_CEP_CLOSING]		 = siw_hs_closing,
		[SIW_CEP_STREAM_ESTABLISHED]	 = siw_hs_established,
		[SIW_CEP_STREAM_PEER_FIN]	 = siw_hs_rtr_failed,
		[SIW_CEP_STREAM_TERM_SENT]	 = siw_hs_rtr_failed,
		[SIW_CEP_STREAM_TERM_RECEIVED]	 = siw_hs_rtr_failed,
		[SIW_CEP_STREAM_LOST]		 = siw_hs_rtr_failed,
		[SIW_CEP_STREAM_ABORTED]	 = siw_hs_rtr_failed,
		[SIW_CEP_QP_GONE]		 = siw_hs_rtr_failed,
		[SIW_CEP_TIMEOUT]		 = siw_hs_rtr_timeout,
		[SIW_CEP_ABORT]			 = siw_hs_rtr_failed,
		[SIW_CEP_KILL]			 = siw_hs_rtr_failed,
	},
	[SIW_CEP_RDMA] = {
		[SIW_CEP_CLOSING]		 = siw_close_begun,
		[SIW_CEP_STREAM_DRAINED]	 = siw_close_drained,
		[SIW_CEP_STREAM_PEER_FIN]	 = siw_close_graceful,
		[SIW_CEP_STREAM_TERM_SENT]	 = siw_close_terminated,
		[SIW_CEP_STREAM_TERM_RECEIVED]	 = siw_close_terminated,
		[SIW_CEP_STREAM_LOST]		 = siw_close_abort,
		[SIW_CEP_STREAM_ABORTED]	 = siw_close_aborted,
		[SIW_CEP_QP_GONE]		 = siw_close_graceful,
		[SIW_CEP_TIMEOUT]		 = siw_close_abort,
		[SIW_CEP_ABORT]			 = siw_close_aborted,
		[SIW_CEP_KILL]			 = siw_close_abort,
	},
	[SIW_CEP_DRAINED] = {
		[SIW_CEP_STREAM_PEER_FIN]	 = siw_close_graceful,
		[SIW_CEP_STREAM_TERM_SENT]	 = siw_close_graceful,
		[SIW_CEP_STREAM_TERM_RECEIVED]	 = siw_close_graceful,
		[SIW_CEP_STREAM_LOST]		 = siw_close_abort,
		[SIW_CEP_STREAM_ABORTED]	 = siw_close_graceful,
		[SIW_CEP_QP_GONE]		 = siw_close_graceful,
		[SIW_CEP_TIMEOUT]		 = siw_close_abort,
		[SIW_CEP_ABORT]			 = siw_close_graceful,
		[SIW_CEP_KILL]			 = siw_close_abort,
	},
	[SIW_CEP_LINGER] = {
		[SIW_CEP_SOCKET]		 = siw_close_linger,
		[SIW_CEP_TIMEOUT]		 = siw_close_now,
		[SIW_CEP_KILL]			 = siw_close_now,
	},
};

static void handle_one(struct siw_cep *cep, enum siw_cep_event event)
{
	siw_cep_handler handler = handlers[cep->state][event];

	/* The deadline may have been put off since the timer fired. */
	if (event == SIW_CEP_TIMEOUT && time_before(jiffies, cep->deadline))
		return;
	if (handler)
		handler(cep);
}

static unsigned long handle(struct siw_cep *cep)
{
	unsigned long pending = xchg(&cep->pending, 0);
	unsigned long due;
	int event;

	mutex_lock(&cep->lock);
	for_each_set_bit(event, &pending, SIW_CEP_NUM_EVENTS)
		handle_one(cep, event);
	due = cep->due;
	cep->due = 0;
	mutex_unlock(&cep->lock);
	return due;
}

/* Tracepoints name the device, which may go as soon as the endpoint has closed. NULL: it has. */
static struct device *hold_device(struct siw_cep *cep)
{
	struct device *dev = NULL;

	mutex_lock(&cep->lock);
	if (cep->state != SIW_CEP_GONE && cep->state != SIW_CEP_CLOSED)
		dev = get_device(&cep->dev->base.dev);
	mutex_unlock(&cep->lock);
	return dev;
}

static void cep_run(struct work_struct *work)
{
	struct siw_cep *cep = container_of(work, struct siw_cep, work);
	struct device *dev = hold_device(cep);
	unsigned long due = handle(cep);

	if (due) {
		deliver_iw_events(cep, due);
		forget_handshake(cep);
	}
	put_device(dev);
	siw_cep_put(cep);
}

static int cep_enter_device(struct siw_cep *cep, struct siw_device *dev)
{
	int err = 0;

	spin_lock(&dev->cm_lock);
	if (dev->cm_down) {
		err = -ENODEV;
	} else {
		list_add_tail(&cep->dev_entry, &dev->ceps);
		cep->net = rdma_dev_net(&dev->base);
		siw_net_get(cep->net);
	}
	spin_unlock(&dev->cm_lock);
	return err;
}

/* A process that connects pays; what a peer has asked for is the host's. */
struct siw_cep *siw_cep_new(struct siw_device *dev)
{
	struct siw_cep *cep;
	int err = -ENOMEM;

	cep = kzalloc(sizeof(*cep), GFP_KERNEL_ACCOUNT);
	if (!cep)
		goto fail;
	cep->hs = kzalloc(sizeof(*cep->hs), GFP_KERNEL_ACCOUNT);
	if (!cep->hs)
		goto free;

	kref_init(&cep->ref);
	cep->dev = dev;
	INIT_WORK(&cep->work, cep_run);
	timer_setup(&cep->timer, timer_fired, 0);
	mutex_init(&cep->lock);
	INIT_LIST_HEAD(&cep->half_open_entry);
	err = cep_enter_device(cep, dev);
	if (err)
		goto free;
	return cep;

free:
	kfree(cep->hs);
	kfree(cep);
fail:
	return ERR_PTR(err);
}

static void kill_all(struct siw_device *dev)
{
	struct siw_cep *cep;

	lockdep_assert_held(&dev->cm_lock);
	list_for_each_entry(cep, &dev->ceps, dev_entry)
		siw_cep_raise(cep, SIW_CEP_KILL);
}

void siw_cm_device_reset(struct siw_device *dev)
{
	spin_lock(&dev->cm_lock);
	kill_all(dev);
	spin_unlock(&dev->cm_lock);
}

void siw_cm_device_down(struct siw_device *dev)
{
	spin_lock(&dev->cm_lock);
	dev->cm_down = true;
	kill_all(dev);
	spin_unlock(&dev->cm_lock);
}

static bool device_has_no_cep(struct siw_device *dev)
{
	bool idle;

	spin_lock(&dev->cm_lock);
	idle = list_empty(&dev->ceps);
	spin_unlock(&dev->cm_lock);
	return idle;
}

void siw_cm_device_gone(struct siw_device *dev)
{
	siw_cm_device_down(dev);
	wait_event(dev->cm_idle, device_has_no_cep(dev));
}

int siw_cm_init(void)
{
	int err;

	siw_cm_wq = alloc_workqueue("siw_cm", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!siw_cm_wq)
		return -ENOMEM;
	err = siw_net_init();
	if (err)
		destroy_workqueue(siw_cm_wq);
	return err;
}

void siw_cm_exit(void)
{
	siw_net_exit();
	/* The last events of the last connections may still be on their way to iw_cm. */
	destroy_workqueue(siw_cm_wq);
}
