/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the call whose provider operation the current task is running, for functions to which
 * providers do not pass the call.
 */
#ifndef _KRDMA_UVERBS_FRAME_PIN_H_
#define _KRDMA_UVERBS_FRAME_PIN_H_

struct uverbs_pin;

/**
 * uverbs_pin_begin - let uverbs_pin_of_current() find the call of the current task
 * @pin: state of the call; @pin->wanted is set to false
 *
 * The provider's operation runs between uverbs_pin_begin() and uverbs_pin_end().
 */
void uverbs_pin_begin(struct uverbs_pin *pin);
void uverbs_pin_end(struct uverbs_pin *pin);

/**
 * uverbs_pin_of_current - find the call of the current task
 *
 * Process context.
 *
 * Return: the state of the call, valid while the operation runs; NULL: the task runs no operation
 * of a call.
 */
struct uverbs_pin *uverbs_pin_of_current(void);

#endif /* _KRDMA_UVERBS_FRAME_PIN_H_ */
