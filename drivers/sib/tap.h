/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The tap of a fabric. A packet that crosses a link is copied once, as bytes, and each reader whose
 * filter matches gets a reference to the copy. Without a reader a packet pays one test.
 */
#ifndef SIB_TAP_H
#define SIB_TAP_H

#include "drivers/sib/model.h"
#include "drivers/sib/packet.h"

/* Copies a packet for the readers; used by sib_tap_packet(). */
void sib_tap_copy(struct sib_tap *tap, const struct sib_port *out, const struct sib_port *in,
		  const struct sib_packet *packet);

/**
 * sib_tap_packet() - show a packet that crosses a link to the readers
 * @tap: the tap
 * @out: port that sends it
 * @in: port that it comes to
 * @packet: the packet
 *
 * Any context. The caller ensures that the ports stay.
 */
static inline void sib_tap_packet(struct sib_tap *tap, const struct sib_port *out,
				  const struct sib_port *in, const struct sib_packet *packet)
{
	if (unlikely(!list_empty(&tap->readers)))
		sib_tap_copy(tap, out, in, packet);
}

/**
 * sib_tap_bytes() - show a packet that was injected to the readers
 * @tap: the tap
 * @out: the port at the other end of the link, or NULL
 * @in: port that the packet comes to
 * @bytes: the packet
 * @len: length of the packet in bytes, at most U16_MAX
 * @is_bad: the packet is dropped
 *
 * Any context. The caller ensures that the ports stay.
 */
void sib_tap_bytes(struct sib_tap *tap, const struct sib_port *out, const struct sib_port *in,
		   const u8 *bytes, size_t len, bool is_bad);

#endif /* SIB_TAP_H */
