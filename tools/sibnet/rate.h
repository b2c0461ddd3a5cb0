/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Widths and speeds of links, in the forms that files have them in.
 */
#ifndef SIBNET_RATE_H
#define SIBNET_RATE_H

#include <stdbool.h>
#include <stdint.h>

#define SPEED_SDR	2	/* 2.5 Gbit/s */
#define SPEED_DDR	5
#define SPEED_QDR	10

/**
 * rate_parse() - read a rate of ibnetdiscover, such as 4xQDR
 * @text:	text, with a 0 at its end
 * @width:	receives the number of lanes: 1, 4, 8, 12; for 2 lanes 1
 * @speed:	receives SPEED_SDR, SPEED_DDR or SPEED_QDR, which also stands for all that is faster
 *
 * Return: true, or false if the text is no rate
 */
bool rate_parse(const char *text, uint8_t *width, uint8_t *speed);

/**
 * width_is_valid() - check a number of lanes
 * @width:	number
 *
 * Return: true if there are links of this width
 */
bool width_is_valid(unsigned int width);

/**
 * speed_of_mask() - return the fastest speed of a mask
 * @mask:	bits of PortInfo's LinkSpeedSupported: 1 SDR, 2 DDR, 4 QDR; not 0
 *
 * Return: speed
 */
uint8_t speed_of_mask(unsigned int mask);

/**
 * mask_of_speed() - return the mask of a speed and all that are slower
 * @speed:	speed
 *
 * Return: bits of PortInfo's LinkSpeedSupported
 */
unsigned int mask_of_speed(uint8_t speed);

/**
 * speed_text() - return a speed as configfs has it
 * @speed:	speed
 *
 * Return: Gbit/s of a lane
 */
const char *speed_text(uint8_t speed);

#endif /* SIBNET_RATE_H */
