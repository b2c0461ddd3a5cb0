// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The setting port_map: TCP sockets use the ports that the setting names, while iw_cm and ULPs see
 * the ports that the ULPs asked for.
 */
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma_addr.h>

#include "drivers/siw/base/port_replace.h"
#include "drivers/siw/base/siw.h"

static struct siw_port_replace *device_port_replace(struct device *device)
{
	return &rdma_device_to_drv_device(device, struct siw_device, soft.base)->port_replace;
}

void siw_port_replace_init(struct siw_port_replace *map)
{
	spin_lock_init(&map->lock);
}

void siw_port_replace(struct siw_port_replace *map, struct sockaddr_storage *addr)
{
	u16 port = be16_to_cpu(krdma_addr_port(addr));
	unsigned int i;

	spin_lock(&map->lock);
	for (i = 0; i < map->num; i++) {
		if (map->pairs[i].port != port)
			continue;
		krdma_addr_set_port(addr, cpu_to_be16(map->pairs[i].tcp));
		break;
	}
	spin_unlock(&map->lock);
}

static ssize_t port_map_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct siw_port_replace *map = device_port_replace(device);
	ssize_t len = 0;
	unsigned int i;

	spin_lock(&map->lock);
	for (i = 0; i < map->num; i++)
		len += sysfs_emit_at(buf, len, "%s%u:%u", i ? " " : "", map->pairs[i].port,
				     map->pairs[i].tcp);
	spin_unlock(&map->lock);
	return len + sysfs_emit_at(buf, len, "\n");
}

/* Parses @word as the decimal number of a port. Returns 0, or -EINVAL if it is not a port. */
static int parse_port(const char *word, u16 *port)
{
	if (!word || !isdigit(*word) || kstrtou16(word, 10, port))
		return -EINVAL;
	return *port ? 0 : -EINVAL;
}

/*
 * Adds a pair. Returns 0, or -EINVAL if the pair is malformed, the map is full, or one of the ports
 * is in the map already.
 */
static int add_pair(struct siw_port_replace *map, char *word)
{
	const char *port_word = strsep(&word, ":");
	u16 port, tcp;
	unsigned int i;

	if (parse_port(port_word, &port) || parse_port(word, &tcp) ||
	    map->num == SIW_PORT_REPLACE_MAX)
		return -EINVAL;
	for (i = 0; i < map->num; i++)
		if (map->pairs[i].port == port || map->pairs[i].tcp == tcp)
			return -EINVAL;
	map->pairs[map->num].port = port;
	map->pairs[map->num].tcp = tcp;
	map->num++;
	return 0;
}

static int parse_pairs(struct siw_port_replace *map, char *words)
{
	char *word;
	int err = 0;

	while (!err && (word = strsep(&words, "\n ")))
		if (*word)
			err = add_pair(map, word);
	return err;
}

static ssize_t port_map_store(struct device *device, struct device_attribute *attr,
			      const char *buf, size_t len)
{
	struct siw_port_replace *map = device_port_replace(device);
	struct siw_port_replace new = { };
	char *words;
	int err;

	if (!rdma_dev_may_admin(rdma_device_to_ibdev(device)))
		return -EPERM;
	words = kstrndup(buf, len, GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	/* Refuse an embedded null character, because it would hide the words after it. */
	err = strlen(words) == len ? parse_pairs(&new, words) : -EINVAL;
	kfree(words);
	if (err)
		return err;
	spin_lock(&map->lock);
	map->num = new.num;
	memcpy(map->pairs, new.pairs, sizeof(map->pairs));
	spin_unlock(&map->lock);
	return len;
}

struct device_attribute siw_port_map_attr = __ATTR(port_map, 0644, port_map_show, port_map_store);
