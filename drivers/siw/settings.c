// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Settings of a device, as files in /sys/class/infiniband/<device>/siw/. A change counts from the
 * next handshake on.
 *
 *	crc		0 or 1: ask peers for CRC32c. Either side's wish binds both.
 *	crc_required	0 or 1: refuse peers that do not ask for it themselves. Implies crc.
 *	mpa_revision	1 or 2: of our requests. Those of peers are answered in their own revision.
 *	peer_to_peer	0 or 1: the connecting side opens the stream with an empty message of its
 *			own, so that the accepting side may send first. Needs revision 2.
 *	handshake_ms	100 to 600000: how long a connection may take to be set up.
 */
#include <linux/device.h>
#include <linux/sysfs.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/siw.h"

#define HANDSHAKE_MS_MIN	100
#define HANDSHAKE_MS_DEFAULT	10000
#define HANDSHAKE_MS_MAX	600000

void siw_settings_init(struct siw_settings *settings)
{
	*settings = (struct siw_settings) {
		.crc = true,
		.mpa_rev = 2,
		.peer_to_peer = true,
		.handshake_ms = HANDSHAKE_MS_DEFAULT,
	};
}

static struct siw_settings *settings_of(struct device *device)
{
	return &rdma_device_to_drv_device(device, struct siw_device, base)->settings;
}

static ssize_t store_bool(bool *setting, const char *buf, size_t len)
{
	bool value;
	int err;

	err = kstrtobool(buf, &value);
	if (err)
		return err;
	WRITE_ONCE(*setting, value);
	return len;
}

static ssize_t crc_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(settings_of(device)->crc));
}

static ssize_t crc_store(struct device *device, struct device_attribute *attr, const char *buf,
			 size_t len)
{
	return store_bool(&settings_of(device)->crc, buf, len);
}
static DEVICE_ATTR_RW(crc);

static ssize_t crc_required_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(settings_of(device)->crc_required));
}

static ssize_t crc_required_store(struct device *device, struct device_attribute *attr,
				  const char *buf, size_t len)
{
	return store_bool(&settings_of(device)->crc_required, buf, len);
}
static DEVICE_ATTR_RW(crc_required);

static ssize_t peer_to_peer_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(settings_of(device)->peer_to_peer));
}

static ssize_t peer_to_peer_store(struct device *device, struct device_attribute *attr,
				  const char *buf, size_t len)
{
	return store_bool(&settings_of(device)->peer_to_peer, buf, len);
}
static DEVICE_ATTR_RW(peer_to_peer);

static ssize_t mpa_revision_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(settings_of(device)->mpa_rev));
}

static ssize_t mpa_revision_store(struct device *device, struct device_attribute *attr,
				  const char *buf, size_t len)
{
	u8 rev;
	int err;

	err = kstrtou8(buf, 0, &rev);
	if (err)
		return err;
	if (rev < 1 || rev > 2)
		return -EINVAL;
	WRITE_ONCE(settings_of(device)->mpa_rev, rev);
	return len;
}
static DEVICE_ATTR_RW(mpa_revision);

static ssize_t handshake_ms_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(settings_of(device)->handshake_ms));
}

static ssize_t handshake_ms_store(struct device *device, struct device_attribute *attr,
				  const char *buf, size_t len)
{
	u32 ms;
	int err;

	err = kstrtou32(buf, 0, &ms);
	if (err)
		return err;
	if (ms < HANDSHAKE_MS_MIN || ms > HANDSHAKE_MS_MAX)
		return -EINVAL;
	WRITE_ONCE(settings_of(device)->handshake_ms, ms);
	return len;
}
static DEVICE_ATTR_RW(handshake_ms);

static struct attribute *attrs[] = {
	&dev_attr_crc.attr,
	&dev_attr_crc_required.attr,
	&dev_attr_mpa_revision.attr,
	&dev_attr_peer_to_peer.attr,
	&dev_attr_handshake_ms.attr,
	NULL
};

const struct attribute_group siw_settings_group = {
	.name = "siw",
	.attrs = attrs,
};
