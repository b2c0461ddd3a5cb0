/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How a device negotiates: settings, and their files in sysfs.
 */
#ifndef SIW_SETTINGS_H
#define SIW_SETTINGS_H

#include <linux/types.h>

struct attribute_group;
struct siw_device;

/**
 * struct siw_settings - how a device negotiates; changed at run time through its sysfs group "siw"
 * @crc: ask for CRC32c
 * @crc_required: ask for it whatever @crc says
 * @markers: ask for markers in what we receive
 * @mpa_rev: MPA revision of our requests, 1 or 2
 * @mpa_fallback: try revision 1 with a peer that does not answer a request of revision 2
 * @peer_to_peer: offer and accept a ready-to-receive message, so that the responder may send first
 * @rtr: mask of enum mpa_rtr: its kinds
 * @handshake_ms: time for a whole handshake, in milliseconds
 * @half_open: half-open connections of all listeners
 *
 * Each is read with READ_ONCE().
 */
struct siw_settings {
	u32 crc;
	u32 crc_required;
	u32 markers;
	u32 mpa_rev;
	u32 mpa_fallback;
	u32 peer_to_peer;
	u32 rtr;
	u32 handshake_ms;
	u32 half_open;
};

extern const struct attribute_group siw_settings_group;
void siw_settings_init(struct siw_settings *settings);
/* As they are now. */
struct siw_settings siw_settings_get(const struct siw_device *dev);

#endif /* SIW_SETTINGS_H */
