// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Names of places in a fabric. */
#include "drivers/sib/place.h"

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "drivers/sib/fabric.h"

int sib_place_parse(const char *text, size_t len, struct sib_place *place)
{
	const char *colon = memchr(text, ':', len);
	size_t name = colon ? colon - text : len;
	char digits[sizeof("254")];
	u8 port;

	if (!name || name >= SIB_NAME_LEN || memchr(text, '\0', len))
		return -EINVAL;
	*place = (struct sib_place) { .port = SIB_PLACE_ANY };
	memcpy(place->node, text, name);
	if (!colon)
		return 0;
	len -= name + 1;
	if (len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, colon + 1, len);
	digits[len] = '\0';
	/* kstrtou8() would take a sign and a newline. */
	if (digits[0] == '+' || strchr(digits, '\n') || kstrtou8(digits, 10, &port))
		return -EINVAL;
	place->port = port;
	return 0;
}

int sib_place_find(struct sib_fabric *fabric, const struct sib_place *place, struct sib_node **node)
{
	*node = sib_fabric_find(fabric, place->node);
	if (!*node || place->port > (*node)->num_ports)
		return -ENOENT;
	/* Only switches have a port 0. */
	return place->port || sib_node_is_switch(*node) ? 0 : -ENOENT;
}
