// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "dialect.h"

#include "rate.h"

static int no_more(struct cursor *c, struct node *node)
{
	(void)node;
	return cursor_ended(c) ? 0 : cursor_expected(c, "a comment or the end of the line");
}

static int read_width(struct cursor *c, struct port *port)
{
	struct cursor before = *c;
	unsigned int width;

	if (cursor_decimal(c, 1, 12, "a number of lanes", &width))
		return -1;
	if (!width_is_valid(width))
		return cursor_expected(&before, "a number of lanes: 1, 4, 8 or 12");
	port->width = width;
	return 0;
}

static int read_speed(struct cursor *c, struct port *port)
{
	unsigned int mask;

	if (cursor_decimal(c, 1, 7, "a mask of speeds", &mask))
		return -1;
	port->speed = speed_of_mask(mask);
	return 0;
}

static int read_mtu(struct cursor *c, struct port *port)
{
	struct cursor before = *c;
	unsigned int mtu;

	if (cursor_decimal(c, 256, 4096, "an MTU", &mtu))
		return -1;
	if (mtu & (mtu - 1))
		return cursor_expected(&before, "an MTU: 256, 512, 1024, 2048 or 4096");
	port->mtu = mtu;
	return 0;
}

static int read_vls(struct cursor *c, struct port *port)
{
	struct cursor before = *c;
	unsigned int vls;

	if (cursor_decimal(c, 1, 8, "a number of VLs", &vls))
		return -1;
	if (vls & (vls - 1))
		return cursor_expected(&before, "a number of VLs: 1, 2, 4 or 8");
	port->vls = vls;
	return 0;
}

static int read_option(struct cursor *c, struct port *port)
{
	if (cursor_text(c, "w="))
		return read_width(c, port);
	if (cursor_text(c, "s="))
		return read_speed(c, port);
	if (cursor_text(c, "mtu="))
		return read_mtu(c, port);
	if (cursor_text(c, "vls="))
		return read_vls(c, port);
	return cursor_expected(c, "w=, s=, mtu=, vls=, a comment or the end of the line");
}

static int read_options(struct cursor *c, struct port *port)
{
	while (!cursor_ended(c))
		if (read_option(c, port))
			return -1;
	return 0;
}

const struct dialect dialect_ibsim = {
	.escapes = true,
	.node_tail = no_more,
	.port_tail = read_options,
};
