/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The format of captures: a pcap file of link type 197, whose packets are records of the Extensible
 * Record Format (ERF). Wireshark decodes a record of type 21 as a packet of InfiniBand.
 */
#ifndef SIB_ERF_H
#define SIB_ERF_H

#include "drivers/sib/reader.h"

#define SIB_PCAP_FILE_LEN	24	/* bytes of the head of a file */
#define SIB_ERF_HEAD_LEN	40	/* bytes before each packet: of pcap 16, of ERF 16 and 8 */

/**
 * sib_pcap_file_build() - write the head of a file
 * @buf: room for SIB_PCAP_FILE_LEN bytes
 */
void sib_pcap_file_build(u8 *buf);

/**
 * sib_erf_head_build() - write what precedes a packet
 * @buf: room for SIB_ERF_HEAD_LEN bytes
 * @waiting: the packet
 */
void sib_erf_head_build(u8 *buf, const struct sib_waiting *waiting);

#endif /* SIB_ERF_H */
