// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Creates and frees the ULP, and what its connections share. */
#include <linux/slab.h>
#include <net/sock.h>

#include "tools/testing/modules/kfuzz/kfuzz.h"

/*
 * Room in the CQ for the completions of two QPs at a time, of the service connection, and of the
 * SRQ.
 */
#define CQES		1024
#define SRQ_WRS		(4 * KFUZZ_RECVS)
#define BACKLOG		64

static int listen(struct kfuzz *site, enum kfuzz_ports port)
{
	struct kfuzz_listener *listener = &site->listeners[port];
	struct sockaddr_storage addr = kfuzz_addr(site, port);
	struct rdma_cm_id *id;
	int ret;

	listener->site = site;
	listener->port = port;
	id = rdma_create_id(site->net, kfuzz_cm_handler, listener, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	listener->id = id;
	ret = rdma_bind_addr(id, (struct sockaddr *)&addr);
	if (!ret && id->device != site->dev)
		ret = -ENODEV;
	return ret ?: rdma_listen(id, BACKLOG);
}

static int listen_as_peer(struct kfuzz *site)
{
	struct sockaddr_storage addr = kfuzz_addr(site, KFUZZ_PORT_PEER);
	int ret;

	ret = sock_create_kern(site->net, addr.ss_family, SOCK_STREAM, IPPROTO_TCP,
			       &site->peer_listener);
	if (ret) {
		site->peer_listener = NULL;
		return ret;
	}
	sock_set_reuseaddr(site->peer_listener->sk);
	return kernel_bind(site->peer_listener, (struct sockaddr_unsized *)&addr,
			   kfuzz_addr_len(&addr)) ?:
	       kernel_listen(site->peer_listener, BACKLOG);
}

static int alloc_stats(struct kfuzz *site)
{
	int i;

	site->stats = site->dev->ops.alloc_hw_port_stats(site->dev, 1);
	if (!site->stats)
		return -ENOMEM;
	for (i = 0; i < site->stats->num_counters; i++)
		if (!strcmp(site->stats->descs[i].name, "rx_packets"))
			site->rx_fpdus = i;
	return 0;
}

u64 kfuzz_rx_fpdus(struct kfuzz *site)
{
	site->dev->ops.get_hw_stats(site->dev, site->stats, 1, site->rx_fpdus);
	return site->stats->value[site->rx_fpdus];
}

static int alloc_objects(struct kfuzz *site)
{
	struct ib_srq_init_attr srq = { .attr = { .max_wr = SRQ_WRS, .max_sge = 2 } };

	site->recv_buf = kzalloc(KFUZZ_RECV_LEN, GFP_KERNEL);
	site->wq = alloc_workqueue("kfuzz", 0, 0);
	if (!site->recv_buf || !site->wq)
		return -ENOMEM;
	site->recv_dma = ib_dma_map_single(site->dev, site->recv_buf, KFUZZ_RECV_LEN,
					   DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(site->dev, site->recv_dma))
		return -ENOMEM;
	site->pd = ib_alloc_pd(site->dev, 0);
	if (IS_ERR(site->pd))
		return PTR_ERR(site->pd);
	site->foreign_pd = ib_alloc_pd(site->dev, 0);
	if (IS_ERR(site->foreign_pd))
		return PTR_ERR(site->foreign_pd);
	site->cq = ib_alloc_cq_any(site->dev, site, CQES, IB_POLL_SOFTIRQ);
	if (IS_ERR(site->cq))
		return PTR_ERR(site->cq);
	site->srq = ib_create_srq(site->pd, &srq);
	return PTR_ERR_OR_ZERO(site->srq);
}

static int connect_service(struct kfuzz *site)
{
	struct kfuzz_end *end = kfuzz_connect(site, KFUZZ_PORT_SERVICE, site->foreign_pd, NULL, 0);

	if (IS_ERR(end))
		return PTR_ERR(end);
	site->service[0] = end;
	if (!wait_for_completion_timeout(&end->established, KFUZZ_TIMEOUT))
		return -ETIMEDOUT;
	return end->status;
}

static int set_up(struct kfuzz *site)
{
	int i, ret;

	ret = alloc_objects(site) ?: alloc_stats(site) ?: kfuzz_regions_alloc(site);
	for (i = 0; i < SRQ_WRS && !ret; i++)
		ret = kfuzz_post_recv(site, NULL);
	for (i = 0; i < KFUZZ_LISTENERS && !ret; i++)
		ret = listen(site, i);
	ret = ret ?: listen_as_peer(site) ?: connect_service(site);
	for (i = 0; i < KFUZZ_UNUSED && !ret; i++)
		ret = kfuzz_register(site, i);
	return ret;
}

struct kfuzz *kfuzz_site_create(struct kfuzz_start *start, struct net *net)
{
	struct kfuzz *site;
	int i, ret;

	if (start->addr.ss_family != AF_INET && start->addr.ss_family != AF_INET6)
		return ERR_PTR(-EAFNOSUPPORT);
	site = kzalloc(sizeof(*site), GFP_KERNEL);
	if (!site)
		return ERR_PTR(-ENOMEM);
	start->dev[sizeof(start->dev) - 1] = '\0';
	site->dev = ib_device_get_by_name(start->dev, RDMA_DRIVER_SIW);
	if (!site->dev) {
		kfree(site);
		return ERR_PTR(-ENODEV);
	}
	site->net = get_net(net);
	memcpy(&site->addr, &start->addr, sizeof(site->addr));
	site->recv_cqe.done = kfuzz_recv_done;
	site->srq_cqe.done = kfuzz_srq_done;
	site->send_cqe.done = kfuzz_send_done;
	site->reg_cqe.done = kfuzz_reg_done;
	init_completion(&site->reg_done);
	init_waitqueue_head(&site->ends_changed);
	ret = set_up(site);
	if (ret) {
		kfuzz_site_destroy(site);
		return ERR_PTR(ret);
	}
	for (i = 0; i < KFUZZ_REGIONS; i++) {
		start->regions[i] = (struct kfuzz_region) {
			.base = site->memory[i].mr->iova,
			.len = site->memory[i].mr->length,
			.stag = site->memory[i].mr->rkey,
		};
	}
	return site;
}

void kfuzz_site_destroy(struct kfuzz *site)
{
	int i;

	for (i = 0; i < KFUZZ_LISTENERS; i++)
		if (site->listeners[i].id)
			rdma_destroy_id(site->listeners[i].id);
	if (site->peer_listener)
		sock_release(site->peer_listener);
	for (i = 0; i < 2; i++)
		if (site->service[i])
			kfuzz_end_teardown(site->service[i]);
	if (!wait_event_timeout(site->ends_changed, !atomic_read(&site->ends), KFUZZ_TIMEOUT)) {
		/*
		 * Leak the memory: it is still in use, and freeing it would hide why a connection
		 * does not end.
		 */
		pr_err("kfuzz: %d connections do not end: their memory is leaked\n",
		       atomic_read(&site->ends));
		return;
	}
	if (site->wq)
		destroy_workqueue(site->wq);
	kfuzz_regions_free(site);
	if (!IS_ERR_OR_NULL(site->srq))
		ib_destroy_srq(site->srq);
	if (!IS_ERR_OR_NULL(site->cq))
		ib_free_cq(site->cq);
	if (!IS_ERR_OR_NULL(site->foreign_pd))
		ib_dealloc_pd(site->foreign_pd);
	if (!IS_ERR_OR_NULL(site->pd))
		ib_dealloc_pd(site->pd);
	if (site->recv_dma)
		ib_dma_unmap_single(site->dev, site->recv_dma, KFUZZ_RECV_LEN, DMA_BIDIRECTIONAL);
	kfree(site->recv_buf);
	rdma_free_hw_stats_struct(site->stats);
	put_net(site->net);
	ib_device_put(site->dev);
	kfree(site);
}
