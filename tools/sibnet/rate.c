// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "rate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	uint8_t speed;
} speeds[] = {
	{ "SDR", SPEED_SDR }, { "DDR", SPEED_DDR }, { "QDR", SPEED_QDR }, { "FDR10", SPEED_QDR },
	{ "FDR", SPEED_QDR }, { "EDR", SPEED_QDR }, { "HDR", SPEED_QDR }, { "NDR", SPEED_QDR },
	{ "XDR", SPEED_QDR },
};

bool rate_parse(const char *text, uint8_t *width, uint8_t *speed)
{
	size_t digits = strspn(text, "0123456789");
	unsigned int lanes = digits && digits < 3 ? atoi(text) : 0;

	if (text[digits] != 'x' || (lanes != 2 && !width_is_valid(lanes)))
		return false;
	for (size_t i = 0; i < sizeof(speeds) / sizeof(*speeds); i++) {
		if (strcmp(text + digits + 1, speeds[i].name))
			continue;
		*width = lanes == 2 ? 1 : lanes;
		*speed = speeds[i].speed;
		return true;
	}
	return false;
}

bool width_is_valid(unsigned int width)
{
	return width == 1 || width == 4 || width == 8 || width == 12;
}

uint8_t speed_of_mask(unsigned int mask)
{
	if (mask >= 4)
		return SPEED_QDR;
	return mask >= 2 ? SPEED_DDR : SPEED_SDR;
}

unsigned int mask_of_speed(uint8_t speed)
{
	if (speed == SPEED_QDR)
		return 7;
	return speed == SPEED_DDR ? 3 : 1;
}

const char *speed_text(uint8_t speed)
{
	if (speed == SPEED_QDR)
		return "10";
	return speed == SPEED_DDR ? "5" : "2.5";
}
