// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Connection endpoints: creation and release, references, timer, socket, the binding to a QP, and
 * how events are posted. cm_event.c handles the events.
 */
#include <linux/slab.h>
#include <net/inet_connection_sock.h>
#include <net/sock.h>

#include "drivers/siw/conn/cep.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/sock.h"
#include "drivers/siw/conn/backlog.h"
#include "drivers/siw/conn/handshake.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/stream/stream.h"
#include "drivers/siw/stream/txbuf.h"

/* The workqueue is unbound, so that connections are set up in parallel, on any CPU. */
struct workqueue_struct *siw_cm_wq;

void siw_cep_free(struct kref *ref)
{
	struct siw_cep *cep = container_of(ref, struct siw_cep, ref);

	WARN_ON(cep->sock || cep->qp || cep->cm_id || cep->rest);
	kfree(cep->mpa);
	kfree(cep);
}

void siw_cep_post_event(struct siw_cep *cep, enum siw_cep_event event)
{
	set_bit(event, &cep->pending);
	siw_cep_get(cep);
	/*
	 * If a run of the work item is queued already, this run sees the bit, because queue_work()
	 * is a full barrier even then.
	 */
	if (!queue_work(siw_cm_wq, &cep->work))
		siw_cep_put(cep);
}

void siw_cep_post_deliver(struct siw_cep *cep)
{
	if (!cep)
		return;
	siw_cep_post_event(cep, SIW_CEP_EV_DELIVER);
	siw_cep_put(cep);
}

static void cep_stream_event(void *conn, enum siw_stream_event event)
{
	siw_cep_post_event(conn, SIW_CEP_EV_STREAM + event);
}

static void cep_stream_get(void *conn)
{
	siw_cep_get(conn);
}

static void cep_stream_put(void *conn)
{
	siw_cep_put(conn);
}

const struct siw_stream_ops siw_cep_stream_ops = {
	.event = cep_stream_event,
	.get = cep_stream_get,
	.put = cep_stream_put,
};

void siw_cep_closing(struct siw_cep *cep)
{
	siw_cep_post_event(cep, SIW_CEP_EV_CLOSE);
}

void siw_cep_abort(struct siw_cep *cep)
{
	siw_cep_post_event(cep, SIW_CEP_EV_ABORT);
}

/*
 * Called by each of the socket's callbacks, in any context. The endpoint in sk_user_data is
 * valid, because its first reference is dropped after sk_user_data has been cleared.
 */
static void cep_sock_changed(struct sock *sk)
{
	struct siw_cep *cep;

	read_lock_bh(&sk->sk_callback_lock);
	cep = __locked_read_sk_user_data_with_flags(sk, 0);
	if (cep)
		siw_cep_post_event(cep, SIW_CEP_EV_SOCKET);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void cep_sock_error(struct sock *sk)
{
	const struct siw_cep *cep;

	read_lock_bh(&sk->sk_callback_lock);
	cep = __locked_read_sk_user_data_with_flags(sk, 0);
	if (cep)
		siw_sock_log_abort(cep->dev, sk);
	read_unlock_bh(&sk->sk_callback_lock);
	cep_sock_changed(sk);
}

static void cep_sock_write_space(struct sock *sk)
{
	const struct siw_cep *cep;
	bool pushing;

	/*
	 * Ignore the call that TCP makes during a push that fails for lack of memory: a timer
	 * retries the push.
	 */
	read_lock_bh(&sk->sk_callback_lock);
	cep = __locked_read_sk_user_data_with_flags(sk, 0);
	pushing = cep && cep->pushing;
	read_unlock_bh(&sk->sk_callback_lock);
	if (pushing || !sk_stream_is_writeable(sk))
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	cep_sock_changed(sk);
}

int siw_cep_attach(struct siw_cep *cep, const void *owner)
{
	const struct siw_sock_hooks hooks = {
		.state_change = cep_sock_changed,
		.data_ready = cep_sock_changed,
		.write_space = cep_sock_write_space,
		.error_report = cep_sock_error,
		.user_data = cep,
	};
	struct sock *sk = cep->sock->sk;
	int err = -EBUSY;

	lockdep_assert_held(&cep->lock);
	write_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_user_data == owner && !inet_csk_has_ulp(sk)) {
		siw_sock_hook(sk, &hooks, &cep->saved);
		/*
		 * Do not let siw_sock_unhook() restore the user data, which the accepted socket has
		 * inherited from the listening socket.
		 */
		cep->saved.user_data = NULL;
		err = 0;
	}
	write_unlock_bh(&sk->sk_callback_lock);
	return err;
}

void siw_cep_release_socket(struct siw_cep *cep, bool abort)
{
	struct sock *sk;

	lockdep_assert_held(&cep->lock);
	if (!cep->sock)
		return;
	if (cep->saved.state_change) {
		sk = cep->sock->sk;
		/*
		 * Lock the socket, so that no callback runs in softirq context while the callbacks
		 * are replaced.
		 */
		lock_sock(sk);
		write_lock_bh(&sk->sk_callback_lock);
		siw_sock_unhook(sk, &cep->saved);
		write_unlock_bh(&sk->sk_callback_lock);
		release_sock(sk);
	}
	memset(&cep->saved, 0, sizeof(cep->saved));
	siw_txbuf_destroy(cep->rest);
	cep->rest = NULL;
	siw_sock_release(cep->sock, abort);
	cep->sock = NULL;
}

static void cep_timeout(struct timer_list *timer)
{
	struct siw_cep *cep = timer_container_of(cep, timer, timer);

	siw_cep_post_event(cep, SIW_CEP_EV_TIMEOUT);
	siw_cep_put(cep);
}

void siw_cep_set_timer(struct siw_cep *cep, unsigned long when)
{
	lockdep_assert_held(&cep->lock);
	siw_cep_get(cep);
	if (mod_timer(&cep->timer, when))
		siw_cep_put(cep);
}

void siw_cep_set_deadline(struct siw_cep *cep, unsigned int ms)
{
	lockdep_assert_held(&cep->lock);
	cep->deadline = jiffies + msecs_to_jiffies(ms);
	siw_cep_set_timer(cep, cep->deadline);
}

void siw_cep_clear_deadline(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	/*
	 * The timer may have fired already. Move the deadline, so that the work item ignores the
	 * pending SIW_CEP_EV_TIMEOUT.
	 */
	cep->deadline = jiffies + MAX_JIFFY_OFFSET;
	if (timer_delete_sync(&cep->timer))
		siw_cep_put(cep);
}

void siw_cep_set_close_deadline(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	cep->acked = siw_sock_acked(cep->sock);
	siw_cep_set_deadline(cep, SIW_CLOSE_MS);
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
	/*
	 * A QP whose connection ends before there is a stream keeps its state and its posted
	 * receive requests, so that the consumer can connect it again.
	 */
	if (cep->state >= SIW_CEP_AWAIT_RTR) {
		siw_stream_stop(qp->stream);
		cep->terminated = siw_stream_terminating(qp->stream);
		cep->rest = siw_stream_take_rest(qp->stream);
	}
	if (siw_qp_unbind(qp, cep))
		siw_cep_put(cep);
	siw_qp_put(qp);
}

bool siw_cep_terminating(const struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	return cep->qp ? siw_stream_terminating(cep->qp->stream) : cep->terminated;
}

void siw_cep_qp_destroyed(struct siw_cep *cep, struct siw_qp *qp)
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

	siw_cep_post_event(cep, SIW_CEP_EV_QP_DESTROYED);
	if (cm_id) {
		iw_cm_unbind_qp(cm_id, &qp->soft.base);
		cm_id->rem_ref(cm_id);
	}
}

static void cep_leave_listener(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (cep->listener)
		siw_cep_post_deliver(siw_listener_drop(cep->listener, cep));
	cep->listener = NULL;
}

static void linger_del(struct siw_device *dev, struct siw_cep *cep)
{
	lockdep_assert_held(&dev->cm_lock);
	if (list_empty(&cep->linger_entry))
		return;
	list_del_init(&cep->linger_entry);
	dev->num_lingering--;
}

void siw_cep_close(struct siw_cep *cep, bool abort)
{
	struct siw_device *dev = cep->dev;
	const struct net *net = cep->net;

	lockdep_assert_held(&cep->lock);
	siw_cep_clear_deadline(cep);
	siw_cep_unbind(cep);
	cep_leave_listener(cep);
	siw_cep_release_socket(cep, abort);
	cep->state = SIW_CEP_CLOSED;

	/*
	 * The device may be released once cm_lock is released, and the namespace after
	 * siw_net_put().
	 */
	spin_lock(&dev->cm_lock);
	linger_del(dev, cep);
	list_del(&cep->dev_entry);
	if (list_empty(&dev->ceps))
		wake_up_all(&dev->cm_idle);
	spin_unlock(&dev->cm_lock);
	siw_net_put(net);
	siw_cep_put(cep);
}

void siw_cep_linger(struct siw_cep *cep)
{
	struct siw_device *dev = cep->dev;
	struct siw_cep *oldest;

	lockdep_assert_held(&cep->lock);
	cep->refused = cep->state < SIW_CEP_AWAIT_RTR;
	cep->state = SIW_CEP_LINGER;
	cep_leave_listener(cep);
	if (IS_ERR(cep->rest)) {
		siw_cep_close(cep, true);
		return;
	}
	if (!cep->rest)
		kernel_sock_shutdown(cep->sock, SHUT_WR);
	if (cep->refused)
		cep->put_offs = 0;
	else
		siw_sock_limit_rcvbuf(cep->sock, SIW_LINGER_RCVBUF);
	siw_cep_set_close_deadline(cep);

	spin_lock(&dev->cm_lock);
	list_add_tail(&cep->linger_entry, cep->refused ? &dev->refused : &dev->closing);
	/* Drop refused peers first: their sockets hold nothing that matters to our consumer. */
	if (++dev->num_lingering > READ_ONCE(dev->settings.lingering)) {
		oldest = list_first_entry(list_empty(&dev->refused) ? &dev->closing : &dev->refused,
					  struct siw_cep, linger_entry);
		linger_del(dev, oldest);
		siw_count(dev, SIW_LINGER_DROPS);
		siw_cep_post_event(oldest, SIW_CEP_EV_KILL);
	}
	spin_unlock(&dev->cm_lock);
	/*
	 * The peer's FIN may have arrived while the stream's callbacks were installed, or the event
	 * of the FIN may have been handled in the previous state. Post an event, so that
	 * siw_close_linger() notices the FIN.
	 */
	siw_cep_post_event(cep, SIW_CEP_EV_SOCKET);
}

struct siw_cep *siw_cep_new(struct siw_device *dev, work_func_t work)
{
	struct siw_cep *cep;
	int err = -ENOMEM;

	/*
	 * The endpoint of siw_connect() is charged to the memory cgroup of the caller. Endpoints of
	 * incoming connections are charged to the root cgroup, because a work item allocates them.
	 */
	cep = kzalloc(sizeof(*cep), GFP_KERNEL_ACCOUNT);
	if (!cep)
		goto fail;
	cep->mpa = kzalloc(sizeof(*cep->mpa), GFP_KERNEL_ACCOUNT);
	if (!cep->mpa)
		goto free;

	kref_init(&cep->ref);
	cep->dev = dev;
	cep->put_offs = SIW_CLOSE_PUT_OFFS;
	INIT_WORK(&cep->work, work);
	timer_setup(&cep->timer, cep_timeout, 0);
	mutex_init(&cep->lock);
	INIT_LIST_HEAD(&cep->linger_entry);
	INIT_LIST_HEAD(&cep->half_open_entry);
	INIT_LIST_HEAD(&cep->order_entry);
	INIT_LIST_HEAD(&cep->host_entry);

	spin_lock(&dev->cm_lock);
	err = dev->cm_down ? -ENODEV : 0;
	if (!err) {
		list_add_tail(&cep->dev_entry, &dev->ceps);
		cep->net = rdma_dev_net(&dev->soft.base);
		siw_net_get(cep->net);
	}
	spin_unlock(&dev->cm_lock);
	if (err)
		goto free;
	return cep;

free:
	kfree(cep->mpa);
	kfree(cep);
fail:
	return ERR_PTR(err);
}

void siw_cm_device_reset(struct siw_device *dev, bool down)
{
	struct siw_cep *cep;

	spin_lock(&dev->cm_lock);
	if (down)
		dev->cm_down = true;
	list_for_each_entry(cep, &dev->ceps, dev_entry)
		siw_cep_post_event(cep, SIW_CEP_EV_KILL);
	spin_unlock(&dev->cm_lock);
}

void siw_cm_device_exit(struct siw_device *dev)
{
	siw_cm_device_reset(dev, true);
	might_sleep();
	spin_lock(&dev->cm_lock);
	wait_event_cmd(dev->cm_idle, list_empty(&dev->ceps), spin_unlock(&dev->cm_lock),
		       spin_lock(&dev->cm_lock));
	spin_unlock(&dev->cm_lock);
}

int siw_cm_init(void)
{
	siw_cm_wq = alloc_workqueue("siw_cm", WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_SYSFS, 0);
	return siw_cm_wq ? 0 : -ENOMEM;
}

void siw_cm_exit(void)
{
	/* destroy_workqueue() waits for work items that still deliver events to iw_cm. */
	destroy_workqueue(siw_cm_wq);
}
