/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A MAD of subnet management with a directed route, as a file of umad has it behind its header. */
#ifndef LIB_SMP_H
#define LIB_SMP_H

#include <arpa/inet.h>
#include <linux/types.h>

#define SMP_CLASS_DIRECTED 0x81
#define SMP_METHOD_GET 0x01

struct smp {
	__u8 base_version;
	__u8 class;
	__u8 class_version;
	__u8 method;
	__be16 status;
	__u8 hop_pointer;
	__u8 hop_count;
	__be64 tid;
	__be16 attribute;
	__be16 reserved;
	__be32 modifier;
	__be64 mkey;
	__be16 dr_slid;
	__be16 dr_dlid;
	__u8 reserved2[28];
	__u8 data[64];
	__u8 initial_path[64];
	__u8 return_path[64];
} __attribute__((packed));

_Static_assert(sizeof(struct smp) == 256, "the size of a MAD");

/* A Get of an attribute along a directed route of so many hops, whose ports the caller sets. */
static inline struct smp smp_get(__u16 attribute, int hops)
{
	return (struct smp){
		.base_version = 1,
		.class = SMP_CLASS_DIRECTED,
		.class_version = 1,
		.method = SMP_METHOD_GET,
		.hop_count = hops,
		.attribute = htons(attribute),
		.dr_slid = htons(0xffff),
		.dr_dlid = htons(0xffff),
	};
}

#endif /* LIB_SMP_H */
