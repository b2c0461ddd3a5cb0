// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Resolution of IP addresses to link addresses.
 *
 * Each request is resolved in its own work item, which runs again while the next hop has not
 * answered, and which calls the consumer back. Either the work item, after the callback, or
 * rdma_addr_cancel() takes a request off the list, and then frees the request.
 */
#include "core/addr_resolve.h"

#include <linux/export.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/ib_addr.h>
#include <rdma/krdma_addr.h>
#include <rdma/krdma_route.h>

typedef void resolved_fn(int status, struct sockaddr *src, struct rdma_dev_addr *addr,
			 void *context);

/**
 * struct addr_request - a request to resolve an address
 * @list: entry in the list of requests, protected by requests_lock
 * @src: source address, which may be a wildcard at first
 * @dst: destination address
 * @addr: the consumer's link addresses
 * @by_gid: true: the route has to lead over the interface of the source GID, @addr->sgid_attr
 * @callback: called once with the result
 * @context: argument of @callback
 * @deadline: time in jiffies until which the request waits for the next hop
 * @waiter: waits for the next hop
 * @work: resolves the addresses
 */
struct addr_request {
	struct list_head	list;
	struct sockaddr_storage	src;
	struct sockaddr_storage	dst;
	struct rdma_dev_addr	*addr;
	bool			by_gid;
	resolved_fn		*callback;
	void			*context;
	unsigned long		deadline;
	struct krdma_neigh_waiter waiter;
	struct delayed_work	work;
};

/*
 * Protects the list "requests" and addr_request.list. Taken in process context; no other lock is
 * taken inside it.
 */
static DEFINE_SPINLOCK(requests_lock);
static LIST_HEAD(requests);

/* Runs addr_work(), which calls the consumers' callbacks; a callback may sleep. */
static struct workqueue_struct *addr_wq;

/*
 * Sets the namespace in @key and, if the request prescribes one, the interface over which the route
 * has to lead. Returns 0; or -ENODEV: the interface of the source GID is gone.
 */
static int choose_interface(const struct addr_request *req, struct krdma_route_key *key)
{
	const struct rdma_dev_addr *addr = req->addr;
	struct net_device *ndev;
	int ret = 0;

	key->net = addr->net;
	key->oif = addr->bound_dev_if;
	if (!key->oif && krdma_addr_is_link_local(&req->dst))
		key->oif = krdma_addr6(&req->dst)->sin6_scope_id;
	if (!req->by_gid)
		return 0;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(addr->sgid_attr);
	if (IS_ERR(ndev)) {
		ret = -ENODEV;
	} else {
		key->net = dev_net(ndev);
		key->oif = ndev->ifindex;
	}
	rcu_read_unlock();
	return ret;
}

/* Returns, with a reference, the interface through which a route's packets leave; or NULL. */
static struct net_device *netdev_of(const struct addr_request *req,
				    const struct krdma_route_key *key,
				    const struct krdma_route *route)
{
	/*
	 * A route to an address of this host leads over lo, or the VRF's master: return the netdev
	 * that has the address instead.
	 */
	if (route->local)
		return krdma_addr_netdev(key->net, &req->dst, key->oif);
	return dev_get_by_index(key->net, route->ifindex);
}

/* Stores the route in the request. Returns 0; or -ENODEV: the route's interface is gone. */
static int take_route(struct addr_request *req, const struct krdma_route_key *key,
		      const struct krdma_route *route)
{
	__be16 port = krdma_addr_port(&req->src);
	struct rdma_dev_addr *addr = req->addr;
	struct net_device *ndev;

	ndev = netdev_of(req, key, route);
	if (!ndev)
		return -ENODEV;
	rdma_copy_src_l2_addr(addr, ndev);
	dev_put(ndev);
	memcpy(addr->dst_dev_addr, route->local ? addr->src_dev_addr : route->next_hop_lladdr,
	       sizeof(addr->dst_dev_addr));
	addr->hoplimit = route->hops;
	/*
	 * Use RoCE v2 if the route has a gateway, because only packets of RoCE v2, which have IP
	 * headers, pass a router.
	 */
	if (route->gateway && addr->dev_type != ARPHRD_INFINIBAND)
		addr->network = req->dst.ss_family == AF_INET ? RDMA_NETWORK_IPV4 :
								RDMA_NETWORK_IPV6;
	if (krdma_addr_is_any(&req->src)) {
		req->src = route->src;
		krdma_addr_set_port(&req->src, port);
	}
	return 0;
}

/* Tries to resolve a request. Returns the result for the callback, or -EAGAIN: try again later. */
static int resolve_request(struct addr_request *req)
{
	struct krdma_route_key key = {
		.src = &req->src, .dst = &req->dst, .proto = IPPROTO_UDP,
	};
	struct krdma_route route = {};
	int ret;

	ret = choose_interface(req, &key);
	if (ret)
		return ret;
	ret = krdma_route_find(&key, &route);
	if (ret == -EAGAIN && time_before(jiffies, req->deadline)) {
		krdma_neigh_wait(&req->waiter, route.neigh, req->deadline - jiffies);
		return ret;
	}
	if (ret == -EAGAIN) {
		neigh_release(route.neigh);
		return -ETIMEDOUT;
	}
	return ret ?: take_route(req, &key, &route);
}

static bool is_requested(const struct addr_request *req)
{
	bool requested;

	spin_lock(&requests_lock);
	requested = !list_empty(&req->list);
	spin_unlock(&requests_lock);
	return requested;
}

/*
 * Takes a request off the list. Returns whether the request was on the list; if it was, the caller
 * frees the request.
 */
static bool take_request(struct addr_request *req)
{
	bool taken;

	spin_lock(&requests_lock);
	taken = !list_empty(&req->list);
	list_del_init(&req->list);
	spin_unlock(&requests_lock);
	return taken;
}

static void addr_work(struct work_struct *work)
{
	struct addr_request *req = container_of(to_delayed_work(work), struct addr_request, work);
	int ret;

	if (!is_requested(req))
		return;
	krdma_neigh_stop(&req->waiter);
	ret = resolve_request(req);
	if (ret == -EAGAIN)
		return;
	req->callback(ret, (struct sockaddr *)&req->src, req->addr, req->context);
	if (!take_request(req))
		return;
	/* An answer of the next hop may have queued the work item again. */
	cancel_delayed_work(&req->work);
	kfree(req);
}

/* Copies the addresses that a consumer has passed to rdma_resolve_ip(). Returns 0 or an errno. */
static int copy_addresses(struct addr_request *req, const struct sockaddr *src,
			  const struct sockaddr *dst)
{
	if (dst->sa_family != AF_INET && dst->sa_family != AF_INET6)
		return -EAFNOSUPPORT;
	req->dst.ss_family = dst->sa_family;
	memcpy(&req->dst, dst, krdma_addr_len(&req->dst));
	req->src.ss_family = dst->sa_family;
	if (!src)
		return 0;
	if (src->sa_family != dst->sa_family)
		return -EINVAL;
	memcpy(&req->src, src, krdma_addr_len(&req->src));
	return 0;
}

int rdma_resolve_ip(struct sockaddr *src, const struct sockaddr *dst, struct rdma_dev_addr *addr,
		    unsigned long timeout_ms, resolved_fn *callback, bool by_gid,
		    void *context)
{
	unsigned int ms = min_t(unsigned long, timeout_ms, UINT_MAX);
	struct addr_request *req;
	int ret;

	if (by_gid && !addr->sgid_attr)
		return -EINVAL;
	req = kzalloc(sizeof(*req), GFP_KERNEL);
	if (!req)
		return -ENOMEM;
	ret = copy_addresses(req, src, dst);
	if (ret) {
		kfree(req);
		return ret;
	}
	req->addr = addr;
	req->by_gid = by_gid;
	req->callback = callback;
	req->context = context;
	req->deadline = jiffies + msecs_to_jiffies(ms);
	INIT_DELAYED_WORK(&req->work, addr_work);
	krdma_neigh_waiter_init(&req->waiter, addr_wq, &req->work);
	spin_lock(&requests_lock);
	list_add_tail(&req->list, &requests);
	spin_unlock(&requests_lock);
	/* The request may be freed as soon as its work item is queued. */
	queue_delayed_work(addr_wq, &req->work, 0);
	return 0;
}
EXPORT_SYMBOL(rdma_resolve_ip);

/* Takes one of the requests for @addr off the list. Returns NULL if there is none. */
static struct addr_request *take_request_of(const struct rdma_dev_addr *addr)
{
	struct addr_request *req, *found = NULL;

	spin_lock(&requests_lock);
	list_for_each_entry(req, &requests, list) {
		if (req->addr == addr) {
			list_del_init(&req->list);
			found = req;
			break;
		}
	}
	spin_unlock(&requests_lock);
	return found;
}

void rdma_addr_cancel(struct rdma_dev_addr *addr)
{
	struct addr_request *req;

	might_sleep();
	while ((req = take_request_of(addr))) {
		/*
		 * Wait for the work item before the waiter is stopped, because a work item that is
		 * running may begin to wait for the next hop.
		 */
		cancel_delayed_work_sync(&req->work);
		krdma_neigh_stop(&req->waiter);
		/*
		 * Nothing queues the work item any more, but an answer of the next hop may have
		 * queued it before krdma_neigh_stop().
		 */
		cancel_delayed_work_sync(&req->work);
		kfree(req);
	}
}
EXPORT_SYMBOL(rdma_addr_cancel);

int ib_core_addr_resolve_init(void)
{
	addr_wq = alloc_workqueue("ib_core_addr", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return addr_wq ? 0 : -ENOMEM;
}

void ib_core_addr_resolve_exit(void)
{
	destroy_workqueue(addr_wq);
}
