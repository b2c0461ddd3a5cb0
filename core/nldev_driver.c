// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Attributes that providers add to the description of an object: pairs of a name and a value.
 */
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

static int put_driver_name(struct sk_buff *msg, const char *name, enum rdma_nldev_print_type type)
{
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_DRIVER_STRING, name))
		return -EMSGSIZE;
	if (type != RDMA_NLDEV_PRINT_TYPE_UNSPEC &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE, type))
		return -EMSGSIZE;
	return 0;
}

static int put_driver_u32(struct sk_buff *msg, const char *name, u32 value,
			  enum rdma_nldev_print_type type)
{
	if (put_driver_name(msg, name, type) || nla_put_u32(msg, RDMA_NLDEV_ATTR_DRIVER_U32, value))
		return -EMSGSIZE;
	return 0;
}

/*
 * Puts the value without a padding attribute, which would align the value on some machines.
 * iproute2's `rdma` expects the value directly after the name, and stops reading the table at a
 * padding attribute.
 */
static int put_driver_u64(struct sk_buff *msg, const char *name, u64 value,
			  enum rdma_nldev_print_type type)
{
	if (put_driver_name(msg, name, type) ||
	    nla_put(msg, RDMA_NLDEV_ATTR_DRIVER_U64, sizeof(value), &value))
		return -EMSGSIZE;
	return 0;
}

int rdma_nl_put_driver_u32(struct sk_buff *msg, const char *name, u32 value)
{
	return put_driver_u32(msg, name, value, RDMA_NLDEV_PRINT_TYPE_UNSPEC);
}
EXPORT_SYMBOL(rdma_nl_put_driver_u32);

int rdma_nl_put_driver_u32_hex(struct sk_buff *msg, const char *name, u32 value)
{
	return put_driver_u32(msg, name, value, RDMA_NLDEV_PRINT_TYPE_HEX);
}
EXPORT_SYMBOL(rdma_nl_put_driver_u32_hex);

int rdma_nl_put_driver_u64(struct sk_buff *msg, const char *name, u64 value)
{
	return put_driver_u64(msg, name, value, RDMA_NLDEV_PRINT_TYPE_UNSPEC);
}
EXPORT_SYMBOL(rdma_nl_put_driver_u64);

int rdma_nl_put_driver_u64_hex(struct sk_buff *msg, const char *name, u64 value)
{
	return put_driver_u64(msg, name, value, RDMA_NLDEV_PRINT_TYPE_HEX);
}
EXPORT_SYMBOL(rdma_nl_put_driver_u64_hex);

int rdma_nl_put_driver_string(struct sk_buff *msg, const char *name, const char *str)
{
	if (put_driver_name(msg, name, RDMA_NLDEV_PRINT_TYPE_UNSPEC) ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_DRIVER_STRING, str))
		return -EMSGSIZE;
	return 0;
}
EXPORT_SYMBOL(rdma_nl_put_driver_string);
