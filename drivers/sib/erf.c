// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The format of captures. */
#include "drivers/sib/erf.h"

#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#define PCAP_MAGIC_NS		0xa1b23c4d
#define PCAP_MAJOR		2
#define PCAP_MINOR		4
#define PCAP_SNAPLEN		65535
#define PCAP_LINKTYPE_ERF	197

#define ERF_TYPE_INFINIBAND	21
#define ERF_MORE		0x80	/* in a type: an extension header follows */
#define ERF_INTERFACE_IN	0x01	/* flags: interface 1, not 0 */
#define ERF_VARYING_LEN		0x04
#define ERF_RX_ERROR		0x10
#define ERF_EXT_HOST_ID		17
#define ERF_HOST_ID_MASK	GENMASK_ULL(47, 0)
#define ERF_LEN			24	/* the record's header, with one extension header */

/* The members of pcap have the byte order of the machine that wrote it, which the magic tells. */
struct pcap_file {
	u32 magic;
	u16 major;
	u16 minor;
	u32 zone;
	u32 sigfigs;
	u32 snaplen;
	u32 linktype;
};

struct pcap_packet {
	u32 sec;
	u32 nsec;
	u32 captured;
	u32 len;
};

struct erf_record {
	__le64 time;
	u8 type;
	u8 flags;
	__be16 record_len;
	__be16 lost;
	__be16 wire_len;
	__be64 ext;
};

static_assert(sizeof(struct pcap_file) == SIB_PCAP_FILE_LEN);
static_assert(sizeof(struct erf_record) == ERF_LEN);
static_assert(sizeof(struct pcap_packet) + ERF_LEN == SIB_ERF_HEAD_LEN);

void sib_pcap_file_build(u8 *buf)
{
	const struct pcap_file file = {
		.magic = PCAP_MAGIC_NS,
		.major = PCAP_MAJOR,
		.minor = PCAP_MINOR,
		.snaplen = PCAP_SNAPLEN,
		.linktype = PCAP_LINKTYPE_ERF,
	};

	memcpy(buf, &file, sizeof(file));
}

/* Returns a time of ERF: seconds, and 32 bits of a fraction, rounded up: readers round down. */
static u64 erf_time(u64 sec, u32 nsec)
{
	return sec << 32 | div_u64(((u64)nsec << 32) + NSEC_PER_SEC - 1, NSEC_PER_SEC);
}

void sib_erf_head_build(u8 *buf, const struct sib_waiting *waiting)
{
	const struct sib_record *record = waiting->record;
	struct pcap_packet packet;
	struct erf_record erf;
	u32 nsec;
	u64 sec = div_u64_rem(record->time, NSEC_PER_SEC, &nsec);

	packet = (struct pcap_packet) {
		.sec = sec,
		.nsec = nsec,
		.captured = ERF_LEN + record->len,
		.len = ERF_LEN + record->len,
	};
	erf = (struct erf_record) {
		.time = cpu_to_le64(erf_time(sec, nsec)),
		.type = ERF_TYPE_INFINIBAND | ERF_MORE,
		.flags = ERF_VARYING_LEN | (waiting->came ? ERF_INTERFACE_IN : 0) |
			 (record->is_bad ? ERF_RX_ERROR : 0),
		.record_len = cpu_to_be16(ERF_LEN + record->len),
		.lost = cpu_to_be16(waiting->lost),
		.wire_len = cpu_to_be16(record->len),
		.ext = cpu_to_be64((u64)ERF_EXT_HOST_ID << 56 | (u64)record->port << 48 |
				   (record->guid & ERF_HOST_ID_MASK)),
	};
	memcpy(buf, &packet, sizeof(packet));
	memcpy(buf + sizeof(packet), &erf, sizeof(erf));
}
