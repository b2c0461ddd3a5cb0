/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Settings of a device, which its handshakes use, and their files in sysfs.
 */
#ifndef SIW_SETTINGS_H
#define SIW_SETTINGS_H

#include <linux/types.h>

struct attribute_group;
struct siw_device;

/*
 * Values of the setting "probe", which says when an initiator sends empty Writes to a silent peer.
 */
enum siw_probe {
	SIW_PROBE_NEVER,
	SIW_PROBE_AGREED,	/* if an empty Write was agreed on as ready-to-receive message */
	SIW_PROBE_ALWAYS,
};

/**
 * struct siw_settings - settings of a device
 * @crc: ask for CRC32c
 * @crc_required: ask for CRC32c even if @crc is 0
 * @large_fpdus: offer and accept FPDUs that are larger than a TCP segment
 * @markers: ask for markers in what we receive
 * @mpa_rev: MPA revision of our requests, 1 or 2
 * @mpa_fallback: connect again with revision 1 if the peer does not know revision 2
 * @peer_to_peer: offer and accept a ready-to-receive message, so that the responder may send first
 * @probe: enum siw_probe
 * @rtr: kinds of ready-to-receive message, a mask of enum mpa_rtr
 * @handshake_ms: time limit of a handshake, in milliseconds
 * @keepalive_time: silence in seconds after which TCP probes the peer of a stream; 0: never
 * @keepalive_intvl: time between two probes, in seconds
 * @keepalive_probes: unanswered probes after which the connection is lost
 * @user_timeout_ms: how long sent bytes of a stream may stay unacknowledged, in milliseconds; 0: as
 *	long as TCP retransmits
 * @half_open: limit of half-open connections; applies to all listeners together
 * @order_ms: how long a request waits for earlier connections of the same host, in milliseconds
 * @lingering: limit of connections in SIW_CEP_LINGER
 *
 * The settings change at run time through sysfs. They are read and written without a lock, by
 * READ_ONCE() and WRITE_ONCE().
 */
struct siw_settings {
	u32 crc;
	u32 crc_required;
	u32 large_fpdus;
	u32 markers;
	u32 mpa_rev;
	u32 mpa_fallback;
	u32 peer_to_peer;
	u32 probe;
	u32 rtr;
	u32 handshake_ms;
	u32 keepalive_time;
	u32 keepalive_intvl;
	u32 keepalive_probes;
	u32 user_timeout_ms;
	u32 half_open;
	u32 order_ms;
	u32 lingering;
};

extern const struct attribute_group siw_settings_group;
/* Sets the defaults. */
void siw_settings_init(struct siw_settings *settings);
/* Returns a copy of the present settings. Any context. */
struct siw_settings siw_settings_get(const struct siw_device *dev);

#endif /* SIW_SETTINGS_H */
