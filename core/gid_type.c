// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * GID types: their names, and the types that a port has.
 */
#include <rdma/ib_cache.h>

#include <linux/export.h>
#include <linux/string.h>

/* InfiniBand and RoCE version 1 share a name. */
static const char *const type_strings[] = {
	[IB_GID_TYPE_IB]		= "IB/RoCE v1",
	[IB_GID_TYPE_ROCE]		= "IB/RoCE v1",
	[IB_GID_TYPE_ROCE_UDP_ENCAP]	= "RoCE v2",
};

union ib_gid zgid;
EXPORT_SYMBOL(zgid);

const char *ib_cache_gid_type_str(enum ib_gid_type gid_type)
{
	return gid_type < ARRAY_SIZE(type_strings) ? type_strings[gid_type] : "Invalid GID type";
}
EXPORT_SYMBOL(ib_cache_gid_type_str);

int ib_cache_gid_parse_type_str(const char *buf)
{
	unsigned int type;

	for (type = 0; type < ARRAY_SIZE(type_strings); type++)
		if (sysfs_streq(buf, type_strings[type]))
			return type;
	return -EINVAL;
}
EXPORT_SYMBOL(ib_cache_gid_parse_type_str);

unsigned long roce_gid_type_mask_support(struct ib_device *ib_dev, u32 port)
{
	unsigned long mask = 0;

	if (!rdma_protocol_roce(ib_dev, port))
		return BIT(IB_GID_TYPE_IB);
	if (rdma_protocol_roce_eth_encap(ib_dev, port))
		mask |= BIT(IB_GID_TYPE_ROCE);
	if (rdma_protocol_roce_udp_encap(ib_dev, port))
		mask |= BIT(IB_GID_TYPE_ROCE_UDP_ENCAP);
	return mask;
}
EXPORT_SYMBOL(roce_gid_type_mask_support);

int ib_get_cached_subnet_prefix(struct ib_device *device, u32 port_num, u64 *sn_pfx)
{
	union ib_gid gid;
	int ret;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	ret = rdma_query_gid(device, port_num, 0, &gid);
	if (ret)
		return ret == -EINVAL ? -ENOENT : ret;
	*sn_pfx = be64_to_cpu(gid.global.subnet_prefix);
	return 0;
}
EXPORT_SYMBOL(ib_get_cached_subnet_prefix);
