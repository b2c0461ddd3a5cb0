// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Link type "objects" has devices with a context, an identifier of rdma_cm, a CQ, an MR and two QPs
 * in the resource table; none of these objects has a function. The devices are for tests of what no
 * other provider in this tree has: raw descriptions, identifiers of rdma_cm that are not connected,
 * contexts, and a QP of raw packets that can be bound to a counter.
 */
#include <linux/in.h>
#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack_cm.h>

#include "objects.h"

#define OBJECTS_DRIVER	((enum rdma_driver_id)1001)
#define OBJECTS_OWNER	"kt_objects"

struct objects_device {
	struct ib_device ibdev;
	struct rdma_restrack_entry ctx;
	struct rdma_cm_res cm;
	struct ib_pd pd;
	struct ib_cq cq;
	struct ib_mr mr;
	struct ib_qp raw;	/* of raw packets; its query fails */
	struct ib_qp ud;	/* uses port 1 */
};

static struct objects_device *to_objects(struct ib_device *ibdev)
{
	return container_of(ibdev, struct objects_device, ibdev);
}

static int query_device(struct ib_device *device, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG;
	return 0;
}

static int query_port(struct ib_device *device, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->gid_tbl_len = 1;
	return 0;
}

static int get_port_immutable(struct ib_device *device, u32 port,
			      struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP;
	return 0;
}

static void dealloc_driver(struct ib_device *device)
{
}

static int query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init)
{
	if (qp->qp_type == IB_QPT_RAW_PACKET)
		return -EIO;
	attr->qp_state = IB_QPS_RTS;
	attr->port_num = 1;
	return 0;
}

static int put_raw(struct sk_buff *msg, u8 kind)
{
	u8 raw[] = { kind, 2, 250 };

	return nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, sizeof(raw), raw);
}

static int fill_qp_raw(struct sk_buff *msg, struct ib_qp *qp)
{
	return put_raw(msg, 1);
}

static int fill_cq_raw(struct sk_buff *msg, struct ib_cq *cq)
{
	return put_raw(msg, 2);
}

static int fill_mr_raw(struct sk_buff *msg, struct ib_mr *mr)
{
	return put_raw(msg, 3);
}

/*
 * Adds a driver attribute of each type of value. @id is in fact a pointer to a string, which
 * add_objects() has put there.
 */
static int fill_cm_id(struct sk_buff *msg, struct rdma_cm_id *id)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!table || rdma_nl_put_driver_u32(msg, "number", 4000000000U) ||
	    rdma_nl_put_driver_u32_hex(msg, "hex", 0xabcd) ||
	    rdma_nl_put_driver_u64(msg, "long", 1ULL << 40) ||
	    rdma_nl_put_driver_u64_hex(msg, "longhex", 1ULL << 40) ||
	    rdma_nl_put_driver_string(msg, "text", (const char *)id))
		return -EMSGSIZE;
	nla_nest_end(msg, table);
	return 0;
}

static struct rdma_hw_stats *counter_alloc_stats(struct rdma_counter *counter)
{
	static const struct rdma_stat_desc desc = { .name = "packets" };

	return rdma_alloc_hw_stats_struct(&desc, 1, RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int counter_bind_qp(struct rdma_counter *counter, struct ib_qp *qp)
{
	return 0;
}

static int counter_unbind_qp(struct ib_qp *qp)
{
	return 0;
}

static int counter_update_stats(struct rdma_counter *counter)
{
	return 0;
}

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.driver_id = OBJECTS_DRIVER,
	.counter_alloc_stats = counter_alloc_stats,
	.counter_bind_qp = counter_bind_qp,
	.counter_unbind_qp = counter_unbind_qp,
	.counter_update_stats = counter_update_stats,
	.dealloc_driver = dealloc_driver,
	.fill_res_cm_id_entry = fill_cm_id,
	.fill_res_cq_entry_raw = fill_cq_raw,
	.fill_res_mr_entry_raw = fill_mr_raw,
	.fill_res_qp_entry_raw = fill_qp_raw,
	.get_port_immutable = get_port_immutable,
	.query_device = query_device,
	.query_port = query_port,
	.query_qp = query_qp,
};

static void describe(struct rdma_cm_res *cm, struct rdma_cm_res_info *info)
{
	struct sockaddr_in6 *local = (struct sockaddr_in6 *)&info->local;

	info->ps = RDMA_PS_UDP;
	info->state = RDMA_CM_ROUTE_RESOLVED;
	info->qpn = 17;
	info->qp_type = IB_QPT_UD;
	local->sin6_family = AF_INET6;
	local->sin6_addr = in6addr_loopback;
	local->sin6_port = htons(4791);
}

static int track(struct ib_device *dev, struct rdma_restrack_entry *res,
		 enum rdma_restrack_type type)
{
	rdma_restrack_new(res, type);
	rdma_restrack_set_name(res, OBJECTS_OWNER);
	return rdma_restrack_add(dev, res);
}

static void remove_objects(struct ib_device *dev, void *data)
{
	struct objects_device *objects = to_objects(dev);

	if (dev->ops.driver_id != OBJECTS_DRIVER)
		return;
	rdma_restrack_del(dev, &objects->ud.res);
	rdma_restrack_del(dev, &objects->raw.res);
	rdma_restrack_del(dev, &objects->mr.res);
	rdma_restrack_del(dev, &objects->cq.res);
	rdma_restrack_del(dev, &objects->cm.res);
	rdma_restrack_del(dev, &objects->ctx);
}

/* Adds the objects of a registered device to the resource table, if the device is one of ours. */
static int add_objects(struct ib_device *dev)
{
	struct objects_device *objects = to_objects(dev);
	int ret;

	if (dev->ops.driver_id != OBJECTS_DRIVER)
		return 0;
	objects->cm.device = dev;
	objects->cm.describe = describe;
	objects->cm.id = (struct rdma_cm_id *)"something";
	objects->cq.device = dev;
	/*
	 * Any pointer makes the CQ count as moderated; it is not used, because nothing polls the
	 * CQ.
	 */
	objects->cq.dim = (struct dim *)objects;
	objects->mr.device = dev;
	objects->mr.pd = &objects->pd;
	objects->raw.device = dev;
	objects->raw.qp_num = 17;
	objects->raw.qp_type = IB_QPT_RAW_PACKET;
	objects->raw.real_qp = &objects->raw;
	objects->ud.device = dev;
	objects->ud.qp_num = 18;
	objects->ud.qp_type = IB_QPT_UD;
	objects->ud.real_qp = &objects->ud;
	ret = track(dev, &objects->ctx, RDMA_RESTRACK_CTX) ?:
	      track(dev, &objects->cm.res, RDMA_RESTRACK_CM_ID) ?:
	      track(dev, &objects->cq.res, RDMA_RESTRACK_CQ) ?:
	      track(dev, &objects->mr.res, RDMA_RESTRACK_MR) ?:
	      track(dev, &objects->raw.res, RDMA_RESTRACK_QP) ?:
	      track(dev, &objects->ud.res, RDMA_RESTRACK_QP);
	if (ret)
		remove_objects(dev, NULL);
	return ret;
}

static struct ib_client objects_client = {
	.name = "kt_objects",
	.add = add_objects,
	.remove = remove_objects,
	.no_kverbs_req = true,
};

static int newlink(const char *name, struct net_device *ndev)
{
	struct objects_device *objects = ib_alloc_device(objects_device, ibdev);
	int ret;

	if (!objects)
		return -ENOMEM;
	objects->ibdev.node_type = RDMA_NODE_RNIC;
	objects->ibdev.phys_port_cnt = 2;
	ib_set_device_ops(&objects->ibdev, &ops);
	ret = ib_register_device(&objects->ibdev, name, NULL);
	if (ret)
		ib_dealloc_device(&objects->ibdev);
	return ret;
}

static struct rdma_link_ops link_ops = {
	.type = "objects",
	.newlink = newlink,
};

int kt_objects_init(void)
{
	int ret = ib_register_client(&objects_client);

	if (!ret)
		rdma_link_register(&link_ops);
	return ret;
}

void kt_objects_exit(void)
{
	rdma_link_unregister(&link_ops);
	ib_unregister_driver(OBJECTS_DRIVER);
	ib_unregister_client(&objects_client);
}
