// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of messages between RoCE devices, on dummy interfaces.
 */
#include <linux/netdevice.h>

#include "ud.h"

#define V2	IB_GID_TYPE_ROCE_UDP_ENCAP

static int gid_index(struct ktm_host *h, const char *text)
{
	union ib_gid gid = kt_gid_of(text);
	const struct ib_gid_attr *attr = rdma_find_gid_by_port(h->dev, &gid, V2, 1, NULL);
	int index;

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	index = attr->index;
	rdma_put_gid_attr(attr);
	return index;
}

/* Starts a device on a new interface with the addresses 10.77.0.@number and fd77::@number. */
static bool start_roce(struct ktap *t, struct ktm_host *h, const char *ifname, int number)
{
	struct memdev_config config = {};
	char line[400], ipv4[16], ipv6[16];
	bool started;

	snprintf(ipv4, sizeof(ipv4), "10.77.0.%d", number);
	snprintf(ipv6, sizeof(ipv6), "fd77::%d", number);
	snprintf(line, sizeof(line), "ip link del %s 2>/dev/null;\n"
		 "ip link add %s address 02:00:00:00:00:0%d type dummy && ip link set %s up &&\n"
		 "ip address add %s/24 dev %s && ip address add %s/64 dev %s nodad", ifname, ifname,
		 number, ifname, ipv4, ifname, ipv6, ifname);
	if (!KT_EXPECT_EQ(t, kt_sh(line), 0))
		return false;
	config.ndev = dev_get_by_name(&init_net, ifname);
	if (!KT_EXPECT(t, config.ndev))
		return false;
	started = ktm_start(t, h, &config);
	dev_put(config.ndev);
	if (!started)
		return false;
	KT_WAIT(t, gid_index(h, ipv4) >= 0);
	KT_WAIT(t, gid_index(h, ipv6) >= 0);
	return true;
}

static void end_roce(struct ktap *t, struct ktm_host *h, const char *ifname)
{
	char line[40];

	ktm_end(t, h);
	snprintf(line, sizeof(line), "ip link del %s", ifname);
	KT_EXPECT_EQ(t, kt_sh(line), 0);
}

static bool start_two(struct ktap *t, struct ktm_pair *p, enum ib_qp_type type)
{
	if (!start_roce(t, &p->a, "kta", 1))
		return false;
	if (!start_roce(t, &p->b, "ktb", 2)) {
		end_roce(t, &p->a, "kta");
		return false;
	}
	p->qa = ktm_qp(t, &p->a, type);
	p->qb = ktm_qp(t, &p->b, type);
	return true;
}

static void end_two(struct ktap *t, struct ktm_pair *p)
{
	KT_EXPECT_EQ(t, ib_destroy_qp(p->qa), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(p->qb), 0);
	end_roce(t, &p->a, "kta");
	end_roce(t, &p->b, "ktb");
}

/* Returns an address from a GID of a device to the device @number, with that one's MAC address. */
static struct rdma_ah_attr roce_attr(struct ktm_host *h, const char *from, const char *to,
				     int number)
{
	return (struct rdma_ah_attr) {
		.type = RDMA_AH_ATTR_TYPE_ROCE,
		.port_num = 1,
		.ah_flags = IB_AH_GRH,
		.sl = 3,
		.grh = { .sgid_index = gid_index(h, from), .dgid = kt_gid_of(to), .hop_limit = 9,
			 .traffic_class = 0x12, .flow_label = 0x34567 },
		.roce.dmac = { 2, 0, 0, 0, 0, number },
	};
}

static void test_connection(struct ktap *t)
{
	struct ib_qp_attr attr;
	struct ktm_pair p;

	if (!start_two(t, &p, IB_QPT_RC))
		return;
	attr = ktm_attr(&p.a, &p.b, p.qb->qp_num);
	attr.ah_attr = roce_attr(&p.a, "10.77.0.1", "10.77.0.2", 2);
	ktm_ready(t, p.qa, &attr, IB_QPS_RTS);
	attr = ktm_attr(&p.b, &p.a, p.qa->qp_num);
	attr.ah_attr = roce_attr(&p.b, "10.77.0.2", "10.77.0.1", 1);
	ktm_ready(t, p.qb, &attr, IB_QPS_RTS);
	kt_fill(p.a.buf, 5000, 1);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 2, 0, 5000), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 1, 0, 5000), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, SEND);
	KTM_EXPECT(t, &p.b, 2, SUCCESS, RECV);
	KT_EXPECT(t, kt_is(p.b.buf, 5000, 1));

	/* The peer loses its address. */
	KT_EXPECT_EQ(t, kt_sh("ip address del 10.77.0.2/24 dev ktb"), 0);
	KT_WAIT(t, gid_index(&p.b, "10.77.0.2") == -ENOENT);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 3, 0, 8), 0);
	KTM_EXPECT(t, &p.a, 3, RETRY_EXC_ERR, SEND);
	end_two(t, &p);
}

/* Sends a datagram, and returns its completion. The answer's address has to be right. */
static struct ib_wc exchange(struct ktap *t, struct ktm_pair *p, const char *from, const char *to)
{
	struct rdma_ah_attr attr = roce_attr(&p->a, from, to, 2), answer;
	struct ib_ud_wr wr = { .remote_qpn = p->qb->qp_num, .remote_qkey = KTM_QKEY };
	union ib_gid sender = kt_gid_of(from);
	struct ib_wc wc = {};

	wr.ah = rdma_create_ah(p->a.pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (!KT_EXPECT_ERR(t, wr.ah, 0))
		return wc;
	kt_fill(p->a.buf, 100, 2);
	memset(p->b.buf, 0xbb, 200);
	KT_EXPECT_EQ(t, ktm_recv(p->qb, &p->b, 2, 0, 200), 0);
	ktm_datagram(t, &p->a, p->qa, &wr, 0, 100, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
	wc = KTM_EXPECT(t, &p->b, 2, SUCCESS, RECV);
	KT_EXPECT(t, wc.byte_len == KTM_GRH + 100 && wc.src_qp == p->qa->qp_num && wc.sl == 3);
	KT_EXPECT_EQ(t, wc.wc_flags,
		     IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE | IB_WC_WITH_SMAC);
	KT_EXPECT(t, wc.smac[0] == 2 && wc.smac[5] == 1);
	KT_EXPECT(t, kt_is(p->b.buf + KTM_GRH, 100, 2));

	if (KT_EXPECT_EQ(t, ib_init_ah_attr_from_wc(p->b.dev, 1, &wc, (struct ib_grh *)p->b.buf,
						    &answer), 0)) {
		KT_EXPECT(t, !memcmp(&answer.grh.dgid, &sender, sizeof(sender)));
		KT_EXPECT_EQ(t, answer.grh.sgid_index, gid_index(&p->b, to));
		KT_EXPECT(t, answer.grh.traffic_class == 0x12);
		/* The sender's address is one of this host, to which no route leads outside. */
		KT_EXPECT_EQ(t, answer.roce.dmac[5], 2);
		rdma_destroy_ah_attr(&answer);
	}
	return wc;
}

static void test_datagrams(struct ktap *t)
{
	struct ib_qp_attr attr;
	struct ib_grh *grh;
	struct iphdr *ip;
	struct ktm_pair p;
	struct ib_wc wc;

	if (!start_two(t, &p, IB_QPT_UD))
		return;
	attr = ktm_attr(&p.a, &p.b, 0);
	ktm_ready(t, p.qa, &attr, IB_QPS_RTS);
	ktm_ready(t, p.qb, &attr, IB_QPS_RTS);
	grh = (struct ib_grh *)p.b.buf;
	ip = &((union rdma_network_hdr *)p.b.buf)->roce4grh;
	wc = exchange(t, &p, "10.77.0.1", "10.77.0.2");
	KT_EXPECT(t, wc.network_hdr_type == RDMA_NETWORK_IPV4);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version((union rdma_network_hdr *)p.b.buf), 4);
	KT_EXPECT(t, ip->saddr == htonl(0x0a4d0001) && ip->daddr == htonl(0x0a4d0002));
	KT_EXPECT(t, ip->ttl == 9 && ip->protocol == IPPROTO_UDP && ip->tos == 0x12);
	KT_EXPECT_EQ(t, ntohs(ip->tot_len), 20 + 8 + 12 + 8 + 100 + 4);

	wc = exchange(t, &p, "fd77::1", "fd77::2");
	KT_EXPECT(t, wc.network_hdr_type == RDMA_NETWORK_IPV6);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version((union rdma_network_hdr *)p.b.buf), 6);
	KT_EXPECT_EQ(t, be32_to_cpu(grh->version_tclass_flow), 0x61234567);
	KT_EXPECT(t, grh->next_hdr == IPPROTO_UDP && grh->hop_limit == 9);
	KT_EXPECT_EQ(t, be16_to_cpu(grh->paylen), 8 + 12 + 8 + 100 + 4);
	end_two(t, &p);
}

static void test_multicast(struct ktap *t)
{
	union ib_gid group = kt_gid_of("239.1.2.3");
	struct rdma_ah_attr ah_attr;
	struct ib_ud_wr wr = { .remote_qpn = IB_MULTICAST_QPN, .remote_qkey = KTM_QKEY };
	struct ib_qp_attr attr;
	struct ktm_pair p;
	struct ktm_host ib;
	struct ib_qp *qp;

	if (!start_two(t, &p, IB_QPT_UD))
		return;
	attr = ktm_attr(&p.a, &p.b, 0);
	ktm_ready(t, p.qa, &attr, IB_QPS_RTS);
	ktm_ready(t, p.qb, &attr, IB_QPS_RTS);
	KT_EXPECT_EQ(t, ib_attach_mcast(p.qb, &group, 0), 0);
	ah_attr = roce_attr(&p.a, "10.77.0.1", "239.1.2.3", 0);
	memset(ah_attr.roce.dmac, 0, ETH_ALEN);
	wr.ah = rdma_create_ah(p.a.pd, &ah_attr);
	KT_EXPECT_ERR(t, wr.ah, 0);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 1, 0, 200), 0);
	/* An InfiniBand device is on another fabric, so to speak. */
	if (ktm_start(t, &ib, NULL)) {
		qp = ktm_qp(t, &ib, IB_QPT_UD);
		attr = ktm_attr(&ib, &ib, 0);
		ktm_ready(t, qp, &attr, IB_QPS_RTS);
		KT_EXPECT_EQ(t, ib_attach_mcast(qp, &group, 0xc001), 0);
		KT_EXPECT_EQ(t, ktm_recv(qp, &ib, 2, 0, 200), 0);
		kt_fill(p.a.buf, 50, 4);
		ktm_datagram(t, &p.a, p.qa, &wr, 0, 50, IB_WC_SUCCESS);
		KTM_EXPECT(t, &p.b, 1, SUCCESS, RECV);
		KT_EXPECT(t, kt_is(p.b.buf + KTM_GRH, 50, 4));
		ktm_expect_none(t, &ib);
		KT_EXPECT_EQ(t, ib_detach_mcast(qp, &group, 0xc001), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
		ktm_end(t, &ib);
	}
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
	KT_EXPECT_EQ(t, ib_detach_mcast(p.qb, &group, 0), 0);
	end_two(t, &p);
}

static const struct ktap_case roce_cases[] = {
	{ "a connection, and a peer that loses its address", test_connection },
	{ "datagrams over IPv4 and IPv6, and the addresses of answers", test_datagrams },
	{ "multicast", test_multicast },
};

KTAP_SUITE(ktm_roce_suite, "memdev RoCE", roce_cases);
