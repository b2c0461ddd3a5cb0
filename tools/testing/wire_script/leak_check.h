/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Checks the state of the host after a script: objects and sockets that still exist, counters and
 * the kernel log. Changes settings of the device for a script, and restores the settings.
 */
#ifndef WIRE_SCRIPT_LEAK_CHECK_H
#define WIRE_SCRIPT_LEAK_CHECK_H

#include "run.h"

/*
 * Stores the numbers of objects of a device in @text, as `rdma resource` prints them. Returns false
 * if `rdma resource` prints nothing.
 */
bool leak_check_resources(const char *dev, char *text, size_t size);

/* Records the values of the counters and the end of the kernel log. */
struct leak_check *leak_check_begin(struct run *run);
/*
 * Adds @delta to the number by which counter @name must have grown at the end of the run. If @any
 * is true, accepts any value of the counter. If @await is true, waits until the counter has grown
 * by what all calls so far say.
 */
void leak_check_count(struct run *run, const char *name, bool any, long delta, bool await);
/* Accepts lines of the kernel log that match @regex. */
void leak_check_allow_log(struct run *run, const char *regex);
/* Changes a setting of the device, or a file if @name is a path, until the end of the run. */
void leak_check_set(struct run *run, const char *name, const char *value);
/*
 * leak_check_slab_begin() records the size of the kernel's slabs. leak_check_slab_end() fails the
 * run if the size has grown by more than @kib KiB since the recording.
 */
void leak_check_slab_begin(struct run *run);
void leak_check_slab_end(struct run *run, long kib);
/* Fails the run if counters, kernel log, objects or sockets are not as expected. */
void leak_check_verify(struct run *run);
/* Restores the settings, and waits up to CLEANUP_MS until the host has no sockets. */
void leak_check_end(struct run *run);

#endif /* WIRE_SCRIPT_LEAK_CHECK_H */
