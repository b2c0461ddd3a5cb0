// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Settings of a device, as files in /sys/class/infiniband/<device>/siw/. A change takes effect with
 * the next handshake, except for half_open, order_ms and lingering, which take effect at once.
 * Documentation/siw.rst describes each setting.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

#include "drivers/siw/base/settings.h"
#include "drivers/siw/base/port_replace.h"
#include "drivers/siw/base/siw.h"
#include "iwarp/mpa.h"

#define HANDSHAKE_MS_MIN	100
#define HANDSHAKE_MS_DEFAULT	10000
#define HANDSHAKE_MS_MAX	600000

/*
 * Keepalive times are in seconds, like those of TCP itself. With the defaults, TCP ends the
 * connection to a silent peer after two minutes.
 */
#define KEEPALIVE_TIME_DEFAULT		60
#define KEEPALIVE_INTVL_DEFAULT		10
#define KEEPALIVE_PROBES_DEFAULT	6
#define KEEPALIVE_SECONDS_MAX		32767
#define KEEPALIVE_PROBES_MAX		127

#define USER_TIMEOUT_MS_MAX	3600000

#define HALF_OPEN_DEFAULT	8192
#define HALF_OPEN_MAX		65536

#define ORDER_MS_DEFAULT	50
#define ORDER_MS_MAX		10000

#define LINGERING_DEFAULT	8192
#define LINGERING_MAX		65536

/**
 * struct setting - a setting that is a number
 * @attr: file of the setting
 * @offset: offset of the setting's u32 in struct siw_settings
 * @min: smallest value
 * @max: largest value
 */
struct setting {
	struct device_attribute attr;
	size_t offset;
	u32 min;
	u32 max;
};

void siw_settings_init(struct siw_settings *settings)
{
	*settings = (struct siw_settings) {
		.crc = 1,
		.large_fpdus = 1,
		.mpa_rev = MPA_REV_ENHANCED,
		.mpa_fallback = 1,
		.peer_to_peer = 1,
		.probe = SIW_PROBE_AGREED,
		.rtr = MPA_RTR_ALL,
		.handshake_ms = HANDSHAKE_MS_DEFAULT,
		.keepalive_time = KEEPALIVE_TIME_DEFAULT,
		.keepalive_intvl = KEEPALIVE_INTVL_DEFAULT,
		.keepalive_probes = KEEPALIVE_PROBES_DEFAULT,
		.half_open = HALF_OPEN_DEFAULT,
		.order_ms = ORDER_MS_DEFAULT,
		.lingering = LINGERING_DEFAULT,
	};
}

struct siw_settings siw_settings_get(const struct siw_device *dev)
{
	const struct siw_settings *s = &dev->settings;

	return (struct siw_settings) {
		.crc = READ_ONCE(s->crc),
		.crc_required = READ_ONCE(s->crc_required),
		.large_fpdus = READ_ONCE(s->large_fpdus),
		.markers = READ_ONCE(s->markers),
		.mpa_rev = READ_ONCE(s->mpa_rev),
		.mpa_fallback = READ_ONCE(s->mpa_fallback),
		.peer_to_peer = READ_ONCE(s->peer_to_peer),
		.probe = READ_ONCE(s->probe),
		.rtr = READ_ONCE(s->rtr),
		.handshake_ms = READ_ONCE(s->handshake_ms),
		.keepalive_time = READ_ONCE(s->keepalive_time),
		.keepalive_intvl = READ_ONCE(s->keepalive_intvl),
		.keepalive_probes = READ_ONCE(s->keepalive_probes),
		.user_timeout_ms = READ_ONCE(s->user_timeout_ms),
		.half_open = READ_ONCE(s->half_open),
		.order_ms = READ_ONCE(s->order_ms),
		.lingering = READ_ONCE(s->lingering),
	};
}

static struct siw_device *device_to_siw(struct device *device)
{
	return rdma_device_to_drv_device(device, struct siw_device, soft.base);
}

/* Settings that are numbers */

static u32 *setting_value(struct device *device, const struct setting *setting)
{
	return (void *)&device_to_siw(device)->settings + setting->offset;
}

static ssize_t number_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct setting *setting = container_of(attr, struct setting, attr);

	return sysfs_emit(buf, "%u\n", READ_ONCE(*setting_value(device, setting)));
}

static ssize_t number_store(struct device *device, struct device_attribute *attr, const char *buf,
			    size_t len)
{
	const struct setting *setting = container_of(attr, struct setting, attr);
	u32 value;
	int err;

	if (!rdma_dev_may_admin(rdma_device_to_ibdev(device)))
		return -EPERM;
	err = kstrtou32(buf, 0, &value);
	if (err)
		return err;
	if (value < setting->min || value > setting->max)
		return -EINVAL;
	WRITE_ONCE(*setting_value(device, setting), value);
	return len;
}

#define SETTING(name, field, smallest, largest)						\
	static struct setting name##_setting = {					\
		.attr = __ATTR(name, 0644, number_show, number_store),			\
		.offset = offsetof(struct siw_settings, field),				\
		.min = smallest, .max = largest,						\
	}

SETTING(crc, crc, 0, 1);
SETTING(crc_required, crc_required, 0, 1);
SETTING(large_fpdus, large_fpdus, 0, 1);
SETTING(markers, markers, 0, 1);
SETTING(mpa_revision, mpa_rev, MPA_REV_BASIC, MPA_REV_ENHANCED);
SETTING(mpa_fallback, mpa_fallback, 0, 1);
SETTING(peer_to_peer, peer_to_peer, 0, 1);
SETTING(probe, probe, SIW_PROBE_NEVER, SIW_PROBE_ALWAYS);
SETTING(handshake_ms, handshake_ms, HANDSHAKE_MS_MIN, HANDSHAKE_MS_MAX);
SETTING(keepalive_time, keepalive_time, 0, KEEPALIVE_SECONDS_MAX);
SETTING(keepalive_intvl, keepalive_intvl, 1, KEEPALIVE_SECONDS_MAX);
SETTING(keepalive_probes, keepalive_probes, 1, KEEPALIVE_PROBES_MAX);
SETTING(user_timeout_ms, user_timeout_ms, 0, USER_TIMEOUT_MS_MAX);
SETTING(half_open, half_open, 1, HALF_OPEN_MAX);
SETTING(order_ms, order_ms, 0, ORDER_MS_MAX);
SETTING(lingering, lingering, 1, LINGERING_MAX);

/* Names of the kinds of ready-to-receive message, in the order of preference */

static const struct {
	const char *name;
	u32 bit;
} rtr_kinds[] = {
	{ "write", MPA_RTR_WRITE },
	{ "send", MPA_RTR_SEND },
	{ "read", MPA_RTR_READ },
};

static ssize_t rtr_show(struct device *device, struct device_attribute *attr, char *buf)
{
	u32 rtr = READ_ONCE(device_to_siw(device)->settings.rtr);
	ssize_t len = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(rtr_kinds); i++)
		if (rtr & rtr_kinds[i].bit)
			len += sysfs_emit_at(buf, len, "%s%s", len ? " " : "", rtr_kinds[i].name);
	return len + sysfs_emit_at(buf, len, "\n");
}

/*
 * Parses a list of kinds of RTR message into a mask, *@rtr. Returns 0; -EINVAL for an unknown kind
 * or an empty list. An empty list is not needed, because peer_to_peer=0 turns RTR messages off.
 */
static int parse_rtr(char *words, u32 *rtr)
{
	char *word;
	int i;

	*rtr = 0;
	while ((word = strsep(&words, "\n "))) {
		if (!*word)
			continue;
		for (i = 0; i < ARRAY_SIZE(rtr_kinds); i++)
			if (!strcmp(word, rtr_kinds[i].name))
				break;
		if (i == ARRAY_SIZE(rtr_kinds))
			return -EINVAL;
		*rtr |= rtr_kinds[i].bit;
	}
	return *rtr ? 0 : -EINVAL;
}

static ssize_t rtr_store(struct device *device, struct device_attribute *attr, const char *buf,
			 size_t len)
{
	char *words;
	u32 rtr;
	int err;

	if (!rdma_dev_may_admin(rdma_device_to_ibdev(device)))
		return -EPERM;
	words = kstrndup(buf, len, GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	err = parse_rtr(words, &rtr);
	kfree(words);
	if (err)
		return err;
	WRITE_ONCE(device_to_siw(device)->settings.rtr, rtr);
	return len;
}
static DEVICE_ATTR_RW(rtr);

/* Shows whether iw_cm uses the port mapper for this device, in the file port_mapper. */
static ssize_t port_mapper_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct ib_device *base = &device_to_siw(device)->soft.base;

	return sysfs_emit(buf, "%d\n", !(READ_ONCE(base->iw_driver_flags) & IW_F_NO_PORT_MAPPER));
}

static ssize_t port_mapper_store(struct device *device, struct device_attribute *attr,
				 const char *buf, size_t len)
{
	struct ib_device *base = &device_to_siw(device)->soft.base;
	u32 value;
	int err;

	if (!rdma_dev_may_admin(rdma_device_to_ibdev(device)))
		return -EPERM;
	err = kstrtou32(buf, 0, &value);
	if (err)
		return err;
	if (value > 1)
		return -EINVAL;
	WRITE_ONCE(base->iw_driver_flags, IW_F_HOST_TCP | (value ? 0 : IW_F_NO_PORT_MAPPER));
	return len;
}
static DEVICE_ATTR_RW(port_mapper);

static struct attribute *attrs[] = {
	&crc_setting.attr.attr,
	&crc_required_setting.attr.attr,
	&large_fpdus_setting.attr.attr,
	&markers_setting.attr.attr,
	&mpa_revision_setting.attr.attr,
	&mpa_fallback_setting.attr.attr,
	&peer_to_peer_setting.attr.attr,
	&probe_setting.attr.attr,
	&dev_attr_rtr.attr,
	&handshake_ms_setting.attr.attr,
	&keepalive_time_setting.attr.attr,
	&keepalive_intvl_setting.attr.attr,
	&keepalive_probes_setting.attr.attr,
	&user_timeout_ms_setting.attr.attr,
	&half_open_setting.attr.attr,
	&order_ms_setting.attr.attr,
	&lingering_setting.attr.attr,
	&siw_port_map_attr.attr,
	&dev_attr_port_mapper.attr,
	NULL
};

const struct attribute_group siw_settings_group = {
	.name = "siw",
	.attrs = attrs,
};
